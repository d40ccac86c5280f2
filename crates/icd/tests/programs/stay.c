/* Builds of one program use the same compiler process, which is no child of the program and holds none of its files. Another
   environment, a fork and the end of that process are noticed. Prints what kernels of the builds compute. */
#define _GNU_SOURCE
#include "common.h"
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Builds a kernel that stores a value, and prints what it stores. */
static void build(const char *what, int value) {
    char source[100];
    sprintf(source, "kernel void k(global int *a) { *a = VALUE + %d; }", value);
    cl_program program = make_program(source, "-DVALUE=1000");
    cl_kernel kernel = clCreateKernel(program, "k", &code);
    CHECK(code);
    cl_command_queue queue = make_queue(0);
    cl_mem buffer = make_buffer(0, sizeof value, NULL);
    size_t one = 1;
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    printf("%s: %d\n", what, value);
    fflush(stdout);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* Builds a program that is invalid. */
static void fail(void) {
    const char *source = "kernel void k(global int *a) { *a = nothing; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    CHECK(code);
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 1, &device, "", NULL, NULL));
    static char log[10000];
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    if (!strstr(log, "nothing")) printf("log: %s\n", log);
    CHECK(clReleaseProgram(program));
}

/* Kills the other processes that this variable of the environment marks. */
static int kill_marked(const char *mark) {
    int killed = 0;
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; (entry = readdir(folder));) {
        static char path[300], text[100000];
        snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
        FILE *file = fopen(path, "r");
        size_t size = file ? fread(text, 1, sizeof text, file) : 0;
        if (file) fclose(file);
        if (memmem(text, size, mark, strlen(mark)) && atoi(entry->d_name) != getpid())
            killed += kill(atoi(entry->d_name), SIGKILL) == 0;
    }
    closedir(folder);
    return killed;
}

static void run(void) {
    char mark[50];
    int ends[2], status = 0;
    if (pipe(ends)) exit(1);
    build("first", 1);
    /* The process of the build is no child, and has no copy of the pipe. */
    if (wait(NULL) != -1 || errno != ECHILD) puts("there is a child");
    close(ends[1]);
    struct pollfd entry = { ends[0], POLLIN, 0 };
    poll(&entry, 1, 0);
    puts(entry.revents & POLLHUP ? "the pipe is closed" : "the pipe is open");
    build("second", 2);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(100);
        for (int n = 0; n < 5; n++) build("child", 10 + n);
        exit(0);
    }
    waitpid(child, &status, 0);
    printf("child: %d\n", status);
    build("third", 3);
    sprintf(mark, "TEST_MARK=%d", getpid());
    putenv(mark);
    build("other environment", 4);
    printf("killed: %d\n", kill_marked(mark) > 0);
    build("after it was killed", 5);
    fail();
    build("after a failure", 6);
}
