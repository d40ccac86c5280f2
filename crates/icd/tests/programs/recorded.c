/* Command buffers: recorded commands run once per enqueue, with the arguments of their recording
   (pocl 3.1 uses later arguments). */
#include "common.h"
#include <CL/cl_ext.h>

#define CALL(name) ((name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name))
/* Recording functions of version 0.9.8. The headers of a system may be of an older version, without properties. */
#define RECORD(name, ...) (((cl_int (CL_API_CALL *)(cl_command_buffer_khr, cl_command_queue, const cl_properties *, __VA_ARGS__, \
    cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *, cl_mutable_command_khr *))clGetExtensionFunctionAddressForPlatform(platform, #name)))
#define FILL RECORD(clCommandFillBufferKHR, cl_mem, const void *, size_t, size_t, size_t)
#define LAUNCH RECORD(clCommandNDRangeKernelKHR, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *)
#define COPY RECORD(clCommandCopyBufferKHR, cl_mem, cl_mem, size_t, size_t, size_t)
#define COPY_BOX RECORD(clCommandCopyBufferRectKHR, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, size_t, size_t, size_t, size_t)
#define FILL_SHARED RECORD(clCommandSVMMemFillKHR, void *, const void *, size_t, size_t)
#define COPY_SHARED RECORD(clCommandSVMMemcpyKHR, void *, const void *, size_t)
typedef cl_int (CL_API_CALL *barrier)(cl_command_buffer_khr, cl_command_queue, const cl_properties *, cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *, cl_mutable_command_khr *);
#define BARRIER ((barrier)clGetExtensionFunctionAddressForPlatform(platform, "clCommandBarrierWithWaitListKHR"))
#define SUPPORTED_QUEUES 0x129A /* CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR */
#define SIMULTANEOUS 1 /* CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR */

enum { N = 64 };

static const char SOURCE[] = "kernel void add(global int *to, global const int *from, int n) { size_t i = get_global_id(0); to[i] += from[i] * n + (int)get_local_size(0); }";

/* Checks the first and the last number, and one that only some commands change. */
static void expect(cl_command_queue queue, cl_mem buffer, cl_int first, cl_int eighth, cl_int last) {
    cl_int found[N];
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    if (found[0] != first || found[7] != eighth || found[N - 1] != last)
        printf("%d %d %d instead of %d %d %d\n", found[0], found[7], found[N - 1], first, eighth, last);
}

#define EQUAL(want, found) do { long found_ = (found); if (found_ != (want)) printf("line %d: %ld instead of %d\n", __LINE__, found_, want); } while (0)

static cl_uint state_of(cl_platform_id platform, cl_command_buffer_khr commands) {
    cl_command_buffer_state_khr state;
    CHECK(CALL(clGetCommandBufferInfoKHR)(commands, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL));
    return state;
}

static void run(void) {
    cl_platform_id platform;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program(SOURCE, "");
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    CHECK(code);
    cl_mem a = make_buffer(0, N * 4, NULL), b = make_buffer(0, N * 4, NULL), c = make_buffer(0, N * 4, NULL);
    cl_int three = 3, seven = 7, zero = 0, n = 2;
    size_t items = N, group = 8, origin[3] = { 0, 0, 0 }, other[3] = { 8, 1, 0 }, region[3] = { 16, 3, 1 };
    CHECK(clEnqueueFillBuffer(queue, a, &zero, 4, 0, N * 4, 0, NULL, NULL));
    CHECK(clEnqueueFillBuffer(queue, c, &zero, 4, 0, N * 4, 0, NULL, NULL));

    cl_command_buffer_khr commands = CALL(clCreateCommandBufferKHR)(1, &queue, NULL, &code);
    CHECK(code);
    EQUAL(CL_COMMAND_BUFFER_STATE_RECORDING_KHR, state_of(platform, commands));
    FAILS(CL_INVALID_OPERATION, CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 0, NULL, NULL));
    cl_sync_point_khr points[2], wrong = 77;
    CHECK(FILL(commands, NULL, NULL, b, &three, 4, 0, N * 4, 0, NULL, &points[0], NULL));
    CHECK(FILL(commands, NULL, NULL, b, &seven, 4, 0, N * 2, 1, points, &points[1], NULL));
    FAILS(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, FILL(commands, NULL, NULL, b, &three, 4, 0, N * 4, 1, &wrong, NULL, NULL));
    FAILS(CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, FILL(commands, NULL, NULL, b, &three, 4, 0, N * 4, 1, NULL, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, FILL(commands, queue, NULL, b, &three, 4, 0, N * 4, 0, NULL, NULL, NULL));
    CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
    CHECK(clSetKernelArg(kernel, 1, sizeof b, &b));
    CHECK(clSetKernelArg(kernel, 2, 4, &n));
    CHECK(LAUNCH(commands, NULL, NULL, kernel, 1, NULL, &items, &group, 2, points, &points[0], NULL));
    /* A recorded command keeps the arguments of its recording. */
    n = 100;
    CHECK(clSetKernelArg(kernel, 2, 4, &n));
    CHECK(clSetKernelArg(kernel, 0, sizeof c, &c));
    CHECK(BARRIER(commands, NULL, NULL, 1, points, NULL, NULL));
    CHECK(COPY(commands, NULL, NULL, a, c, 4, 8, 40, 0, NULL, NULL, NULL));
    CHECK(COPY_BOX(commands, NULL, NULL, a, c, origin, other, region, 32, 0, 64, 0, 0, NULL, NULL, NULL));
    CHECK(CALL(clFinalizeCommandBufferKHR)(commands));
    FAILS(CL_INVALID_OPERATION, CALL(clFinalizeCommandBufferKHR)(commands));
    FAILS(CL_INVALID_OPERATION, COPY(commands, NULL, NULL, a, c, 4, 8, 40, 0, NULL, NULL, NULL));
    EQUAL(CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR, state_of(platform, commands));
    expect(queue, a, 0, 0, 0);

    cl_event gate = clCreateUserEvent(context, &code), done;
    CHECK(code);
    CHECK(CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 1, &gate, &done));
    EQUAL(CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR, state_of(platform, commands));
    cl_command_type type;
    CHECK(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EQUAL(CL_COMMAND_COMMAND_BUFFER_KHR, type);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clReleaseEvent(gate));
    CHECK(clWaitForEvents(1, &done));
    CHECK(clFinish(queue));
    EQUAL(CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR, state_of(platform, commands));
    expect(queue, a, 22, 22, 14);
    expect(queue, b, 7, 7, 3);
    expect(queue, c, 0, 22, 0);
    CHECK(CALL(clEnqueueCommandBufferKHR)(1, &queue, commands, 0, NULL, NULL));
    expect(queue, a, 44, 44, 28);
    expect(queue, c, 0, 44, 0);

    cl_uint count = 0;
    CHECK(CALL(clRetainCommandBufferKHR)(commands));
    CHECK(CALL(clGetCommandBufferInfoKHR)(commands, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof count, &count, NULL));
    EQUAL(2, count);
    CHECK(CALL(clReleaseCommandBufferKHR)(commands));
    CHECK(CALL(clReleaseCommandBufferKHR)(commands));
    CALL(clCreateCommandBufferKHR)(1, NULL, NULL, &code);
    FAILS(CL_INVALID_VALUE, code);
    FAILS(CL_INVALID_COMMAND_BUFFER_KHR, CALL(clFinalizeCommandBufferKHR)(NULL));

    /* A buffer may be pending several times, with and without the flag for it. */
    cl_command_buffer_properties_khr properties[] = { CL_COMMAND_BUFFER_FLAGS_KHR, SIMULTANEOUS, CL_COMMAND_BUFFER_FLAGS_KHR, SIMULTANEOUS, 0 };
    CALL(clCreateCommandBufferKHR)(1, &queue, properties, &code);
    FAILS(CL_INVALID_VALUE, code);
    properties[2] = 0;
    cl_command_queue free_queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    int wanted = 44, last = 28;
    for (int flag = 0; flag < 2; flag++) {
        commands = CALL(clCreateCommandBufferKHR)(1, &queue, flag ? properties : NULL, &code);
        CHECK(code);
        CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
        CHECK(LAUNCH(commands, NULL, NULL, kernel, 1, NULL, &items, &group, 0, NULL, NULL, NULL));
        CHECK(CALL(clFinalizeCommandBufferKHR)(commands));
        gate = clCreateUserEvent(context, &code);
        CHECK(code);
        CHECK(CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 1, &gate, NULL));
        for (int i = 0; i < 4; i++) CHECK(CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 0, NULL, NULL));
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clReleaseEvent(gate));
        CHECK(clFinish(queue));
        /* Any queue of the device accepts the buffer. */
        CHECK(CALL(clEnqueueCommandBufferKHR)(1, &free_queue, commands, 0, NULL, NULL));
        /* A pending command holds the commands. */
        CHECK(CALL(clReleaseCommandBufferKHR)(commands));
        CHECK(clFinish(free_queue));
        expect(queue, a, wanted += 6 * 708, wanted, last += 6 * 308);
    }
    cl_command_queue_properties supported;
    CHECK(clGetDeviceInfo(device, SUPPORTED_QUEUES, sizeof supported, &supported, NULL));
    EQUAL(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, supported);

    /* Shared memory is filled and copied; a property is refused. */
    char *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 32, 0);
    memset(shared, 1, 32);
    commands = CALL(clCreateCommandBufferKHR)(1, &queue, NULL, &code);
    CHECK(code);
    cl_properties unknown[] = { 0x12B1, 1, 0 };
    FAILS(CL_INVALID_VALUE, FILL(commands, NULL, unknown, b, &three, 4, 0, N * 4, 0, NULL, NULL, NULL));
    FAILS(CL_INVALID_VALUE, FILL_SHARED(commands, NULL, NULL, shared, NULL, 4, 8, 0, NULL, NULL, NULL));
    CHECK(FILL_SHARED(commands, NULL, NULL, shared, &seven, 4, 8, 0, NULL, &points[0], NULL));
    CHECK(COPY_SHARED(commands, NULL, NULL, shared + 16, shared, 6, 1, points, NULL, NULL));
    CHECK(CALL(clFinalizeCommandBufferKHR)(commands));
    for (int i = 0; i < 2; i++) {
        CHECK(CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 0, NULL, NULL));
        CHECK(clFinish(queue));
        if (memcmp(shared, "\7\0\0\0\7\0\0\0\1", 9) || memcmp(shared + 15, "\1\7\0\0\0\7\0\1", 8)) printf("shared memory is not filled\n");
        memset(shared, 1, 32);
    }
    CHECK(CALL(clReleaseCommandBufferKHR)(commands));
    clSVMFree(context, shared);
    CHECK(clReleaseCommandQueue(free_queue));
    CHECK(clReleaseEvent(done));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseMemObject(c));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    printf("done\n");
}
