/* A library of two compiled programs keeps its kind and all its functions when it is stored and read again. */
#include "common.h"

static cl_program compiled(const char *text) {
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK(code);
    CHECK(clCompileProgram(program, 1, &device, "", 0, NULL, NULL, NULL, NULL));
    return program;
}

static void expect_kind(cl_program program, cl_program_binary_type want) {
    cl_program_binary_type kind;
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof kind, &kind, NULL));
    if (kind != want) printf("kind %u instead of %u\n", kind, want);
}

static void run(void) {
    cl_program parts[2] = { compiled("int twice(int x) { return 2 * x; }"), compiled("int next(int x) { return x + 1; }") };
    expect_kind(parts[0], CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    cl_program library = clLinkProgram(context, 1, &device, "-create-library", 2, parts, NULL, NULL, &code);
    CHECK(code);
    expect_kind(library, CL_PROGRAM_BINARY_TYPE_LIBRARY);
    size_t size;
    CHECK(clGetProgramInfo(library, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    CHECK(clGetProgramInfo(library, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    CHECK(clReleaseProgram(library));
    CHECK(clReleaseProgram(parts[0]));
    CHECK(clReleaseProgram(parts[1]));
    parts[0] = clCreateProgramWithBinary(context, 1, &device, &size, (const unsigned char **)&bytes, NULL, &code);
    CHECK(code);
    free(bytes);
    expect_kind(parts[0], CL_PROGRAM_BINARY_TYPE_LIBRARY);
    parts[1] = compiled("int twice(int x); int next(int x); kernel void k(global int *o) { o[0] = next(twice(o[0])); }");
    cl_program whole = clLinkProgram(context, 1, &device, "", 2, parts, NULL, NULL, &code);
    CHECK(code);
    expect_kind(whole, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    cl_kernel kernel = clCreateKernel(whole, "k", &code);
    CHECK(code);
    cl_int value = 20;
    cl_mem out = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof value, &value);
    CHECK(clSetKernelArg(kernel, 0, sizeof out, &out));
    cl_command_queue queue = make_queue(0);
    size_t one = 1;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    if (value != 41) printf("%d instead of 41\n", value);
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(whole));
    CHECK(clReleaseProgram(parts[0]));
    CHECK(clReleaseProgram(parts[1]));
    printf("done\n");
}
