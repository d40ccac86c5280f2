/* A kernel with static and dynamic shared local memory, which must not overlap. */
#include "common.h"

static const char *source =
    "kernel void together(global int *a, local char *x, local int *y, local long2 *room, local int *z) {\n"
    "    local int own[100];\n"
    "    int i = get_local_id(0);\n"
    "    own[i] = a[i];\n"
    "    x[i] = i;\n"
    "    y[i] = 2 * i;\n"
    "    z[i] = 3 * i;\n"
    "    ((local int *)room)[i] = 5 * i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    a[i] = own[i ^ 1] + x[i ^ 2] * 100 + y[i ^ 3] * 10000 + z[i ^ 4] * 1000000 + ((local int *)room)[i ^ 5] * 7;\n"
    "}\n";

static void run(void) {
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program(source, "");
    cl_kernel kernel = clCreateKernel(program, "together", &code);
    CHECK(code);
    int a[64];
    for (int i = 0; i < 64; i++) a[i] = i + 1;
    cl_mem buffer = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof a, a);
    size_t global = 64, sizes[] = { 67, 256, 256, 256 };
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int i = 0; i < 4; i++) CHECK(clSetKernelArg(kernel, i + 1, sizes[i], NULL));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &global, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) printf("%d%c", a[i], i % 16 == 15 ? '\n' : ' ');
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
