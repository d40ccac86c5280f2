/* Functions that two kernels call: one needs more registers than there are, and one has arguments that it does not use. Left to itself, today's compiler loses the first, and calls the second with too few arguments. */
#define _GNU_SOURCE
#include "common.h"

/* The compiler calls functions only in large programs, unless told otherwise. */
__attribute__((constructor)) static void ask(void) {
    setenv("IGC_FunctionControl", "3", 1);
}

static const char *source =
    "#define N 256\n"
    "__attribute__((noinline)) uint large(global const uint *t, int k, uint x) {\n"
    "    uint v[N], s = 0;\n"
    "    __attribute__((opencl_unroll_hint)) for (int n = 0; n < N; n++) v[n] = t[n] * x;\n"
    "    for (int r = 0; r < k; r++)\n"
    "        __attribute__((opencl_unroll_hint)) for (int n = 0; n < N; n++)\n"
    "            v[n] = v[n] * v[(n * 7 + 3) % N] + v[(n * 13 + 5) % N];\n"
    "    __attribute__((opencl_unroll_hint)) for (int n = 0; n < N; n++) s ^= v[n];\n"
    "    return s;\n"
    "}\n"
    "#define MORE global const uint *a, global const uint *b, global const uint *c, global const uint *d, global const uint *e\n"
    "__attribute__((noinline)) uint small(MORE, global const uint *t, global const uint *f, global const uint *g, int k, uint x) {\n"
    "    for (int i = 0; i < k; i++) x = x * t[i] + (x >> 5);\n"
    "    return x;\n"
    "}\n"
    "kernel void one(global uint *o, global const uint *t, int k) {\n"
    "    size_t i = get_global_id(0);\n"
    "    o[i] = large(t, k, i) + small(t, t, t, t, t, t, t, t, k, i * 3);\n"
    "}\n"
    "kernel void two(global uint *o, global const uint *t, int k) {\n"
    "    size_t i = get_global_id(0);\n"
    "    o[i] ^= i % 3 ? large(t, k, 7 - i) : small(o, t, o, t, o, t, o, t, k + i % 5, i);\n"
    "}\n";

static void run(void) {
    enum { ITEMS = 96 };
    cl_uint table[256], found[ITEMS], sum = 0;
    for (int i = 0; i < 256; i++) table[i] = 2654435761u * (i + 1);
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program(source, "");
    cl_mem out = make_buffer(0, sizeof found, NULL), in = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof table, table);
    const char *names[] = { "one", "two" };
    size_t items = ITEMS;
    for (int n = 0; n < 2; n++) {
        cl_kernel kernel = clCreateKernel(program, names[n], &code);
        cl_int rounds = 3;
        CHECK(code);
        CHECK(clSetKernelArg(kernel, 0, sizeof out, &out));
        CHECK(clSetKernelArg(kernel, 1, sizeof in, &in));
        CHECK(clSetKernelArg(kernel, 2, sizeof rounds, &rounds));
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++) sum = sum * 31 + found[i];
    printf("%u %u\n", found[1], sum);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(in));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
