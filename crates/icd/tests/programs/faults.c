/* Failed commands, reported by waiting calls too; ranges beyond allocations; callbacks that call the API. */
#include "common.h"

static cl_command_queue queue;
static cl_mem buffer;
static volatile int told;

static void CL_CALLBACK again(cl_event event, cl_int status, void *data) {
    /* A callback may wait for its queue and enqueue commands. */
    cl_int value = 0;
    (void)event, (void)data;
    if (status == CL_COMPLETE && !clFinish(queue)
        && !clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL)) {
        told = 1;
    } else {
        told = -1;
    }
}

static void ranges(void) {
    char *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0), byte = 1, host[64];
    if (!memory) return;
    CHECK(clEnqueueSVMMemFill(queue, memory, &byte, 1, 4096, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, memory, &byte, 1, 4097, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, memory + 4000, &byte, 1, (size_t)1 << 40, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory + 1, 4096, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queue, CL_TRUE, host, memory + 4064, 64, 0, NULL, NULL));
    CHECK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, 4096, 0, NULL, NULL));
    CHECK(clEnqueueSVMMemcpy(queue, CL_TRUE, host, memory + 4032, 64, 0, NULL, NULL));
    CHECK(clFinish(queue));
    clSVMFree(context, memory);
}

static void run(void) {
    queue = make_queue(0);
    cl_program program = make_program(
        "kernel void bad(global int *a) { *(volatile global int *)(0x1230 + (ulong)a[0]) = 1; }"
        "kernel void good(global int *a) { a[get_global_id(0)] = 7; }", "");
    cl_kernel bad = clCreateKernel(program, "bad", &code), good = clCreateKernel(program, "good", &code);
    CHECK(code);
    cl_int values[4] = { 0 };
    buffer = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof values, values);
    CHECK(clSetKernelArg(bad, 0, sizeof buffer, &buffer));
    CHECK(clSetKernelArg(good, 0, sizeof buffer, &buffer));
    size_t size = 4;
    CHECK(clEnqueueNDRangeKernel(queue, bad, 1, NULL, &size, NULL, 0, NULL, NULL));
    FAILS(CL_OUT_OF_RESOURCES, clFinish(queue));
    FAILS(CL_OUT_OF_RESOURCES, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    FAILS(CL_OUT_OF_RESOURCES, clFinish(queue));
    /* The program knows of the failure and continues. */
    CHECK(clEnqueueNDRangeKernel(queue, good, 1, NULL, &size, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    CHECK(clFinish(queue));
    if (values[3] != 7) printf("%d\n", values[3]);
    /* The first of two failures is not reported yet. */
    CHECK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, &(cl_int){ 0 }, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(queue, bad, 1, NULL, &size, NULL, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(queue, good, 1, NULL, &size, NULL, 0, NULL, NULL));
    FAILS(CL_OUT_OF_RESOURCES, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(queue, good, 1, NULL, &size, NULL, 0, NULL, &event));
    told = 0;
    CHECK(clSetEventCallback(event, CL_COMPLETE, again, NULL));
    CHECK(clWaitForEvents(1, &event));
    while (!told) CHECK(clFinish(queue));
    if (told != 1) puts("the callback failed");
    CHECK(clReleaseEvent(event));
    ranges();
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(bad));
    CHECK(clReleaseKernel(good));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    puts("done");
}
