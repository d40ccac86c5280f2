/* A race: every work item writes the element that its predecessor reads. */
#include "common.h"

static void run(void) {
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program("kernel void shift(global int *a) { int i = get_global_id(0); a[i] = a[(i + 1) % 32]; }", "-g");
    cl_kernel kernel = clCreateKernel(program, "shift", &code);
    CHECK(code);
    cl_mem buffer = make_buffer(CL_MEM_READ_WRITE, 128, NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t global = 32, local = 8;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clFinish(queue));
    printf("ran\n");
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
