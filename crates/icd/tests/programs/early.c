/* A compiler that ends before it reads its input is a build error, whatever the signal actions and whatever collects children. */
#include "common.h"
#include <signal.h>

static void attempt(void) {
    /* More than the buffer of a pipe or a socket holds. */
    size_t size = 2 << 20;
    char *source = malloc(size + 1);
    memset(source, ' ', size);
    source[size] = 0;
    memcpy(source, "kernel void k(global int *a) { *a = 1; }", 40);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &code);
    CHECK(code);
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 1, &device, "", NULL, NULL));
    char log[1000] = "";
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    if (!strstr(log, "compiler") || strstr(log, "succeeded")) printf("log: %s\n", log);
    CHECK(clReleaseProgram(program));
    free(source);
}

static void run(void) {
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    attempt();
    signal(SIGCHLD, SIG_IGN);
    attempt();
    puts("done");
}
