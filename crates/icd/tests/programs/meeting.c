/* All groups of a kernel meet several times, with barriers and without: more groups than the host has threads. pocl would wait forever. */
#include "common.h"

#define GROUPS 40
#define TIMES 10

static const char *source =
    "kernel void meet(volatile global int *count, global int *a) {\n"
    "  for (int n = 1; n <= 10; n++) {\n"
    "    a[get_global_id(0)] += n;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 0) {\n"
    "      atomic_inc(count);\n"
    "      while (atomic_or(count, 0) < n * (int)get_num_groups(0)) ;\n"
    "    }\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    a[get_global_id(0)] += a[(get_global_id(0) + 64) % get_global_size(0)] >= n ? 0 : 1000;\n"
    "  }\n"
    "}\n"
    "kernel void relay(volatile global int *count, global int *a) {\n"
    "  int me = get_num_groups(0) - 1 - get_group_id(0);\n"
    "  for (int n = 0; n < 10; n++) {\n"
    "    if (get_local_id(0) == 0) {\n"
    "      while (atomic_or(count, 0) != n * (int)get_num_groups(0) + me) ;\n"
    "      a[get_group_id(0)]++;\n"
    "      atomic_inc(count);\n"
    "    }\n"
    "  }\n"
    "}\n";

static void launch(cl_command_queue queue, cl_program program, const char *name, size_t results, int wanted) {
    static int zeros[GROUPS * 64], found[GROUPS * 64];
    cl_kernel kernel = clCreateKernel(program, name, &code);
    CHECK(code);
    cl_uint concurrent = 0x1000E;
    CHECK(clSetKernelExecInfo(kernel, 0x1000C, sizeof concurrent, &concurrent));
    cl_mem count = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof(int), zeros);
    cl_mem a = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
    CHECK(clSetKernelArg(kernel, 0, sizeof count, &count));
    CHECK(clSetKernelArg(kernel, 1, sizeof a, &a));
    size_t global = GROUPS * 64, local = 64;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (size_t n = 0; n < results; n++)
        if (found[n] != wanted) printf("%s: element %zu is %d\n", name, n, found[n]);
    CHECK(clEnqueueReadBuffer(queue, count, CL_TRUE, 0, sizeof(int), found, 0, NULL, NULL));
    if (found[0] != GROUPS * TIMES) printf("%s: the count is %d\n", name, found[0]);
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(count));
    CHECK(clReleaseKernel(kernel));
}

static void run(void) {
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program(source, "");
    launch(queue, program, "meet", GROUPS * 64, TIMES * (TIMES + 1) / 2);
    launch(queue, program, "relay", GROUPS, TIMES);
    puts("done");
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
