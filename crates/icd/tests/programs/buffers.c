/* Sub-buffers, boxes, fills, maps, memory of the program, events and their order. */
#include "common.h"

static const char *source =
    "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }\n"
    "kernel void spread(global char *a, int by) { a[get_global_id(0)] += by; }\n"
    "kernel void say(int a, float b) { if (get_global_id(0) == 0) printf(\"%d %s %.2f\\n\", a, \"of\", b); }\n";

static int sum(const int *a, int count) {
    int all = 0;
    for (int i = 0; i < count; i++) all = all * 31 + a[i];
    return all;
}

static void CL_CALLBACK gone(cl_mem memory, void *data) {
    (void)memory;
    *(int *)data = *(int *)data * 10 + 1;
}

static void CL_CALLBACK gone_too(cl_mem memory, void *data) {
    (void)memory;
    *(int *)data = *(int *)data * 10 + 2;
}

static void CL_CALLBACK native(void *arguments) {
    struct { int *memory; int by; } *given = arguments;
    for (int i = 0; i < 64; i++) given->memory[i] += given->by;
}

static void run(void) {
    cl_command_queue queue = make_queue(CL_QUEUE_PROFILING_ENABLE);
    cl_program program = make_program(source, "-cl-std=CL1.2");
    cl_kernel twice = clCreateKernel(program, "twice", &code);
    CHECK(code);
    int a[64], b[64];
    for (int i = 0; i < 64; i++) a[i] = i;

    /* A sub-buffer shares the memory of its buffer. */
    cl_mem buffer = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof a, a);
    int order = 0;
    CHECK(clSetMemObjectDestructorCallback(buffer, gone, &order));
    CHECK(clSetMemObjectDestructorCallback(buffer, gone_too, &order));
    cl_buffer_region region = { 128, 64 };
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    CHECK(code);
    region.origin = 2;
    clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    FAILS(CL_MISALIGNED_SUB_BUFFER_OFFSET, code);
    CHECK(clSetKernelArg(twice, 0, sizeof part, &part));
    size_t global = 16;
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 0, NULL, &event));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof b, b, 1, &event, NULL));
    printf("part %d\n", sum(b, 64));
    cl_ulong times[4];
    for (int i = 0; i < 4; i++)
        CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i], NULL));
    printf("times %d\n", times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3]);
    CHECK(clReleaseEvent(event));

    /* Boxes, fills and copies. */
    size_t from[3] = { 4, 1, 0 }, to[3] = { 0, 2, 1 }, box[3] = { 8, 2, 2 };
    CHECK(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, from, to, box, 32, 128, 16, 64, b, 0, NULL, NULL));
    printf("box %d\n", sum(b, 64));
    CHECK(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, to, from, box, 16, 64, 32, 128, a, 0, NULL, NULL));
    cl_mem other = make_buffer(CL_MEM_READ_WRITE, sizeof a, NULL);
    short pattern[2] = { 3, 1 };
    CHECK(clEnqueueFillBuffer(queue, other, pattern, sizeof pattern, 8, 64, 0, NULL, NULL));
    CHECK(clEnqueueFillBuffer(queue, other, pattern, 1, 72, 184, 0, NULL, NULL));
    CHECK(clEnqueueFillBuffer(queue, other, pattern, 2, 0, 8, 0, NULL, NULL));
    CHECK(clEnqueueCopyBufferRect(queue, buffer, other, from, to, box, 32, 128, 16, 64, 0, NULL, NULL));
    CHECK(clEnqueueCopyBuffer(queue, buffer, other, 0, 128, 32, 0, NULL, NULL));
    FAILS(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, buffer, buffer, 0, 8, 32, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
    printf("fills %d\n", sum(b, 64));

    /* Kernels see writes to a map, and the next map has the results of kernels. */
    int *seen = clEnqueueMapBuffer(queue, other, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 64, 128, 0, NULL, NULL, &code);
    CHECK(code);
    for (int i = 0; i < 32; i++) seen[i] = i * i;
    CHECK(clEnqueueUnmapMemObject(queue, other, seen, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, other, seen, 0, NULL, NULL));
    CHECK(clSetKernelArg(twice, 0, sizeof other, &other));
    global = 64;
    CHECK(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 0, NULL, NULL));
    seen = clEnqueueMapBuffer(queue, other, CL_TRUE, CL_MAP_READ, 0, sizeof a, 0, NULL, NULL, &code);
    CHECK(code);
    printf("map %d\n", sum(seen, 64));
    CHECK(clEnqueueUnmapMemObject(queue, other, seen, 0, NULL, NULL));
    struct { cl_mem memory; int by; } arguments = { other, 9 };
    const void *place = &arguments.memory;
    CHECK(clEnqueueNativeKernel(queue, native, &arguments, sizeof arguments, 1, &other, &place, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
    printf("native %d\n", sum(b, 64));

    /* Memory of the program, at any address. */
    cl_kernel spread = clCreateKernel(program, "spread", &code);
    CHECK(code);
    static char bytes[103];
    for (int shift = 0; shift < 4; shift += 3) {
        memset(bytes, 7, sizeof bytes);
        cl_mem host = make_buffer(CL_MEM_USE_HOST_PTR, 99, bytes + shift);
        int by = 5 + shift;
        CHECK(clSetKernelArg(spread, 0, sizeof host, &host));
        CHECK(clSetKernelArg(spread, 1, sizeof by, &by));
        FAILS(CL_INVALID_ARG_INDEX, clSetKernelArg(spread, 2, 4, &by));
        global = 99;
        CHECK(clEnqueueNDRangeKernel(queue, spread, 1, NULL, &global, NULL, 0, NULL, NULL));
        char *mapped = clEnqueueMapBuffer(queue, host, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 1, 98, 0, NULL, NULL, &code);
        CHECK(code);
        mapped[97] = 99;
        int all = 0;
        for (int i = 0; i < 103; i++) all = all * 31 + bytes[i];
        printf("host %d %d\n", mapped == bytes + shift + 1, all);
        CHECK(clEnqueueUnmapMemObject(queue, host, mapped, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(queue, spread, 1, NULL, &global, NULL, 0, NULL, NULL));
        char back[2];
        CHECK(clEnqueueReadBuffer(queue, host, CL_TRUE, 96, 2, back, 0, NULL, NULL));
        printf("back %d %d\n", back[0], back[1]);
        CHECK(clReleaseMemObject(host));
    }

    /* Kernels print. */
    cl_kernel say = clCreateKernel(program, "say", &code);
    CHECK(code);
    size_t one = 1;
    b[0] = 26;
    fflush(stdout);
    float half = 0.5f;
    CHECK(clSetKernelArg(say, 0, sizeof b[0], &b[0]));
    FAILS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, say, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clSetKernelArg(say, 1, sizeof half, &half));
    cl_kernel clone = clCloneKernel(say, &code);
    CHECK(code);
    b[0] = 1;
    CHECK(clSetKernelArg(say, 0, sizeof b[0], &b[0]));
    CHECK(clEnqueueNDRangeKernel(queue, clone, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clFinish(queue));

    /* A command that waits for a failed event is cancelled. */
    int zeros[64] = { 0 };
    cl_event gate = clCreateUserEvent(context, &code), events[1];
    CHECK(code);
    CHECK(clEnqueueWriteBuffer(queue, other, CL_FALSE, 0, sizeof zeros, zeros, 1, &gate, &events[0]));
    CHECK(clSetUserEventStatus(gate, -7));
    FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, events));
    CHECK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL));
    printf("failed %d\n", sum(b, 64));
    CHECK(clReleaseEvent(events[0]));
    CHECK(clReleaseEvent(gate));

    CHECK(clReleaseMemObject(buffer));
    printf("alive %d\n", order);
    CHECK(clReleaseMemObject(part));
    cl_kernel kernels[] = { twice, spread, say, clone };
    for (int i = 0; i < 4; i++) CHECK(clReleaseKernel(kernels[i]));
    CHECK(clReleaseMemObject(other));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    printf("gone %d\n", order);
}
