/* A source that takes the compiler long: prints the code of the build, and whether the log says that it was stopped. */
#include "common.h"

enum { STATEMENTS = 4000 };

static void run(void) {
    static const char statement[] = "x = pow(x, a[%4d]) + sin(x);";
    static char source[STATEMENTS * sizeof statement + 200];
    char *at = source + sprintf(source, "kernel void k(global float *a) { float x = a[0];\n");
    for (int n = 0; n < STATEMENTS; n++) at += sprintf(at, statement, n);
    strcpy(at, "a[0] = x; }");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK(code);
    cl_int built = clBuildProgram(program, 1, &device, "", NULL, NULL);
    static char log[10000];
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    printf("%d %s\n", built, strstr(log, "stopped") && strstr(log, "VISAKIT_COMPILE_SECONDS") ? "stopped" : log);
    CHECK(clReleaseProgram(program));
}
