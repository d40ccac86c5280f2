/* An endless kernel does not prevent its program from exiting. */
#include "common.h"
#include <unistd.h>

static void run(void) {
    static int host[64];
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program("kernel void spin(global volatile int *a) { while (a[0] == 0) a[1]++; }", "");
    cl_kernel kernel = clCreateKernel(program, "spin", &code);
    CHECK(code);
    cl_mem buffer = make_buffer(CL_MEM_USE_HOST_PTR, sizeof host, host);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t global = 1;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clFlush(queue));
    while (*(volatile int *)&host[1] == 0) usleep(1000);
    printf("left\n");
    exit(0);
}
