/* Blocks of inline vISA that declare variables of one name, whose scopes are lost in the compiler's text. */
#include "common.h"

#define HEAD "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int *o, global const int *a, global const int *b) { " \
             "int i = get_global_id(0), d = b[i];"
#define BLOCK(type, op, number) \
    "__asm__ volatile(\"{\\n.decl t v_type=G type=" type " num_elts=16 align=GRF\\n" \
    op " (M1,16) t(0,0)<1> %1(0,0)<1;1,0> %0(0,0)<1;1,0>\\n" \
    "add (M1,16) %0(0,0)<1> t(0,0)<1;1,0> " number "\\n}\\n\" : \"+rw\"(d) : \"rw\"(a[i]));"

static const char *const sources[] = {
    HEAD BLOCK("d", "mul", "0x1:d") BLOCK("d", "mul", "0x2:d") "o[i] = d; }",
    HEAD "\n#pragma unroll\nfor (int j = 0; j < 4; j++) " BLOCK("d", "mul", "0x1:d") "o[i] = d; }",
    /* The same name with two types. */
    HEAD BLOCK("d", "mul", "0x1:d") BLOCK("ud", "mul", "0x2:ud") "o[i] = d; }",
};

static int wanted(int kind, int a, int b) {
    if (kind != 1) return (b * a + 1) * a + 2;
    for (int j = 0; j < 4; j++) b = b * a + 1;
    return b;
}

static void attempt(int kind, int by_module) {
    cl_program program;
    if (by_module) {
        cl_program text = clCreateProgramWithSource(context, 1, (const char **)&sources[kind], NULL, &code);
        CHECK(code);
        CHECK(clCompileProgram(text, 1, &device, "", 0, NULL, NULL, NULL, NULL));
        program = clLinkProgram(context, 1, &device, "", 1, &text, NULL, NULL, &code);
        CHECK(code);
        CHECK(clReleaseProgram(text));
    } else {
        program = make_program(sources[kind], "");
    }
    cl_kernel kernel = clCreateKernel(program, "k", &code);
    CHECK(code);
    cl_int values[3][16];
    for (int i = 0; i < 16; i++) values[0][i] = -1, values[1][i] = i + 3, values[2][i] = 2 * i + 1;
    cl_command_queue queue = make_queue(0);
    cl_mem buffers[3];
    for (int n = 0; n < 3; n++) {
        buffers[n] = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof values[n], values[n]);
        CHECK(clSetKernelArg(kernel, n, sizeof buffers[n], &buffers[n]));
    }
    size_t size = 16;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, sizeof values[0], values[0], 0, NULL, NULL));
    for (int i = 0; i < 16; i++) {
        int want = wanted(kind, values[1][i], values[2][i]);
        if (values[0][i] != want) printf("source %d, item %d: %d instead of %d\n", kind, i, values[0][i], want);
    }
    for (int n = 0; n < 3; n++) CHECK(clReleaseMemObject(buffers[n]));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void run(void) {
    for (int kind = 0; kind < 3; kind++) {
        attempt(kind, 0);
        attempt(kind, 1);
    }
    puts("done");
}
