/* Adds vectors on every device and prints the sums. */
#include "common.h"

enum { COUNT = 1000 };

static const char *source =
    "kernel void add(global const float *a, global const float *b, global float *c, float by, uint n) {\n"
    "    uint i = get_global_id(0);\n"
    "    if (i < n) c[i] = a[i] * by + b[i];\n"
    "}\n";

static void run(void) {
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program(source, "-cl-std=CL1.2");
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    CHECK(code);
    static float a[COUNT], b[COUNT], c[COUNT];
    for (int i = 0; i < COUNT; i++) {
        a[i] = i * 0.5f;
        b[i] = i + 1;
    }
    cl_mem buffers[3] = {
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a, &code),
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, sizeof b, b, &code),
        clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof c, NULL, &code),
    };
    for (int i = 0; i < 3; i++) CHECK(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]));
    float by = 3;
    cl_uint n = COUNT;
    CHECK(clSetKernelArg(kernel, 3, sizeof by, &by));
    CHECK(clSetKernelArg(kernel, 4, sizeof n, &n));
    size_t global = 1024, local = 64;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    double sum = 0;
    for (int i = 0; i < COUNT; i++) sum += c[i];
    printf("%g %g %g sum %g\n", c[0], c[1], c[COUNT - 1], sum);
    for (int i = 0; i < 3; i++) CHECK(clReleaseMemObject(buffers[i]));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
