/* A program launches kernels and forks; the child launches kernels too. */
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

#define ITEMS (1 << 16)

static int host[ITEMS];

static void add(cl_command_queue queue, cl_kernel kernel) {
    size_t global = ITEMS;
    cl_event event;
    cl_int status;
    memset(host, 0, sizeof host);
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event));
    CHECK(clFlush(queue));
    /* No thread waits, so a thread of the driver must run the command. */
    do {
        CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    } while (status > 0);
    CHECK(clReleaseEvent(event));
    CHECK(clFinish(queue));
    printf("%d\n", host[ITEMS - 1]);
}

static void run(void) {
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program("kernel void add(global int *a) { a[get_global_id(0)] += get_global_id(0); }", "");
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    CHECK(code);
    cl_mem buffer = make_buffer(CL_MEM_USE_HOST_PTR, sizeof host, host);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    add(queue, kernel);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(100);
        add(queue, kernel);
        exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child: %d\n", status);
    add(queue, kernel);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
