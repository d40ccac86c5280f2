/* Creates a program from the file that BINARY names for each device, runs its kernel `vector_add`, and prints the last sum. */
#include "common.h"

static void run(void) {
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(getenv("BINARY"), "rb");
    const unsigned char *first = bytes;
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    cl_int status = 0;
    cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &first, &status, &code);
    if (file) fclose(file);
    if (code) {
        printf("refused %d %d\n", code, status);
        return;
    }
    CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    static char log[10000];
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    cl_kernel kernel = clCreateKernel(program, "vector_add", &code);
    CHECK(code);
    cl_command_queue queue = make_queue(0);
    float a[64], c[64];
    for (int i = 0; i < 64; i++) a[i] = i;
    cl_mem in = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof a, a), out = make_buffer(0, sizeof c, NULL);
    cl_uint n = 64;
    size_t global = 64;
    CHECK(clSetKernelArg(kernel, 0, sizeof in, &in));
    CHECK(clSetKernelArg(kernel, 1, sizeof in, &in));
    CHECK(clSetKernelArg(kernel, 2, sizeof out, &out));
    CHECK(clSetKernelArg(kernel, 3, sizeof n, &n));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    printf("%g %s\n", c[63], strstr(log, "its SPIR-V was compiled") ? "compiled" : "as it was");
    CHECK(clReleaseMemObject(in));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
