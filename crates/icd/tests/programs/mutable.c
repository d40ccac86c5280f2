/* Mutable commands: recorded launches whose arguments and sizes change between runs. */
#include "common.h"
#include <CL/cl_ext.h>

/* Version 0.9.5. The headers of a system may be of an older version, with another structure. */
typedef struct { cl_uint index; size_t size; const void *value; } argument;
typedef struct { cl_uint name; size_t size; const void *value; } info;
typedef struct {
    void *command;
    cl_uint arguments, addresses, infos, dimensions;
    const argument *argument_list, *address_list;
    const info *info_list;
    const size_t *offset, *global, *local;
} config;

#define FIND(name) clGetExtensionFunctionAddressForPlatform(platform, #name)
#define CALL(name) ((name##_fn)FIND(name))
#define LAUNCH ((cl_int (CL_API_CALL *)(cl_command_buffer_khr, cl_command_queue, const cl_properties *, cl_kernel, cl_uint, const size_t *, \
    const size_t *, const size_t *, cl_uint, const cl_sync_point_khr *, cl_sync_point_khr *, void **))FIND(clCommandNDRangeKernelKHR))
#define UPDATE ((cl_int (CL_API_CALL *)(cl_command_buffer_khr, cl_uint, const cl_uint *, const void **))FIND(clUpdateMutableCommandsKHR))
#define QUERY ((cl_int (CL_API_CALL *)(void *, cl_uint, size_t, void *, size_t *))FIND(clGetMutableCommandInfoKHR))
#define INVALID_COMMAND (-1141) /* CL_INVALID_MUTABLE_COMMAND_KHR */
enum { CAPABILITIES = 0x12B0, FIELDS, OFFSET = 1, GLOBAL = 2, LOCAL = 4, ARGUMENTS = 8, INFOS = 16, ASSERTS = 0x12B8 };
enum { BUFFER = 0x12A1, PROPERTIES, KERNEL, DIMENSIONS, GLOBAL_OFFSET, GLOBAL_SIZE, LOCAL_SIZE, N = 64 };

static const char SOURCE[] = "kernel void add(global int *to, int n) { to[get_global_id(0)] += n + 1000 * (int)get_local_size(0); }";

static cl_int update(cl_platform_id platform, cl_command_buffer_khr commands, cl_uint count, const config *first) {
    cl_uint kinds[2] = { 0, 0 };
    const void *configs[2] = { first, first + 1 };
    return UPDATE(commands, count, kinds, configs);
}

static void expect(cl_command_queue queue, cl_mem buffer, int at, cl_int want) {
    cl_int found;
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, at * 4, 4, &found, 0, NULL, NULL));
    if (found != want) printf("element %d: %d instead of %d\n", at, found, want);
}

static void run(void) {
    cl_platform_id platform;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    cl_bitfield fields;
    CHECK(clGetDeviceInfo(device, CAPABILITIES, sizeof fields, &fields, NULL));
    if (fields != (OFFSET | GLOBAL | LOCAL | ARGUMENTS | INFOS)) printf("capabilities are %lx\n", (long)fields);
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program(SOURCE, "");
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    CHECK(code);
    cl_int zeros[N] = { 0 }, one = 1, ten = 10, hundred = 100;
    cl_mem a = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros), b = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
    cl_command_buffer_properties_khr can_change[] = { CL_COMMAND_BUFFER_FLAGS_KHR, 2, 0 };
    cl_command_buffer_khr commands = CALL(clCreateCommandBufferKHR)(1, &queue, can_change, &code);
    CHECK(code);
    CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
    CHECK(clSetKernelArg(kernel, 1, sizeof one, &one));
    size_t items = 8, group = 4, more = 16, smaller = 2, odd = 10, from = 32, sizes[3];
    void *free_one, *fixed, *found, *other = queue;
    cl_properties only_offset[] = { FIELDS, OFFSET, 0 }, wrong[] = { FIELDS, 1 << 9, 0 }, bounded[] = { ASSERTS, 1, 0 };
    FAILS(CL_INVALID_VALUE, LAUNCH(commands, NULL, wrong, kernel, 1, NULL, &items, &group, 0, NULL, NULL, &fixed));
    FAILS(CL_INVALID_VALUE, LAUNCH(commands, NULL, bounded, kernel, 1, NULL, &items, NULL, 0, NULL, NULL, &fixed));
    CHECK(LAUNCH(commands, NULL, NULL, kernel, 1, NULL, &items, &group, 0, NULL, NULL, &free_one));
    CHECK(LAUNCH(commands, NULL, only_offset, kernel, 1, NULL, &items, &group, 0, NULL, NULL, &fixed));
    config changes[2] = { { free_one }, { fixed } };
    FAILS(CL_INVALID_OPERATION, update(platform, commands, 1, changes));
    CHECK(CALL(clFinalizeCommandBufferKHR)(commands));
    CHECK(CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 0, NULL, NULL));
    expect(queue, a, 0, 8002);
    expect(queue, a, 8, 0);

    /* The kernel's own arguments do not change, and a run keeps the arguments with which it was enqueued. */
    argument value = { 1, sizeof ten, &ten }, where = { 0, sizeof b, &b }, both[2] = { where, value };
    cl_event gate = clCreateUserEvent(context, &code);
    CHECK(CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 1, &gate, NULL));
    changes[0] = (config){ free_one, .arguments = 2, .argument_list = both, .global = &more, .local = &smaller };
    changes[1] = (config){ fixed, .offset = &from };
    CHECK(update(platform, commands, 2, changes));
    CHECK(CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 0, NULL, NULL));
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clFinish(queue));
    expect(queue, a, 0, 16004);
    expect(queue, a, 32, 4001);
    expect(queue, b, 15, 2010);
    expect(queue, b, 16, 0);

    /* After an error, nothing has changed. Of two changes to one command the later counts. */
    argument last = { 1, sizeof hundred, &hundred };
    changes[0] = (config){ free_one, .arguments = 1, .argument_list = &last };
    changes[1] = (config){ fixed, .global = &more };
    FAILS(CL_INVALID_OPERATION, update(platform, commands, 2, changes));
    changes[1] = (config){ fixed, .arguments = 1, .argument_list = &last };
    FAILS(CL_INVALID_OPERATION, update(platform, commands, 2, changes));
    changes[1] = (config){ free_one, .dimensions = 2 };
    FAILS(CL_INVALID_OPERATION, update(platform, commands, 2, changes));
    changes[1] = (config){ free_one, .arguments = 1 };
    FAILS(CL_INVALID_VALUE, update(platform, commands, 2, changes));
    changes[1] = (config){ free_one, .global = &odd, .local = &group };
    FAILS(CL_INVALID_OPERATION, update(platform, commands, 2, changes));
    changes[1] = (config){ other };
    FAILS(INVALID_COMMAND, update(platform, commands, 2, changes));
    FAILS(CL_INVALID_VALUE, UPDATE(commands, 1, NULL, NULL));
    CHECK(CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 0, NULL, NULL));
    expect(queue, b, 15, 4020);
    changes[1] = (config){ free_one, .arguments = 1, .argument_list = &value };
    CHECK(update(platform, commands, 2, changes));
    CHECK(CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 0, NULL, NULL));
    expect(queue, b, 15, 6030);

    size_t size;
    CHECK(QUERY(fixed, BUFFER, sizeof found, &found, NULL));
    if (found != commands) printf("another command buffer\n");
    CHECK(QUERY(fixed, KERNEL, sizeof found, &found, NULL));
    if (found != kernel) printf("another kernel\n");
    CHECK(QUERY(free_one, PROPERTIES, 0, NULL, &size));
    if (size != 0) printf("%zu bytes of properties\n", size);
    CHECK(QUERY(fixed, PROPERTIES, sizeof sizes, sizes, &size));
    if (size != sizeof only_offset || sizes[1] != OFFSET) printf("other properties\n");
    CHECK(QUERY(free_one, LOCAL_SIZE, sizeof sizes, sizes, &size));
    if (size != 8 || sizes[0] != 2) printf("local size %zu\n", sizes[0]);
    CHECK(QUERY(fixed, GLOBAL_OFFSET, sizeof sizes, sizes, NULL));
    if (sizes[0] != 32) printf("offset %zu\n", sizes[0]);
    CHECK(CALL(clReleaseCommandBufferKHR)(commands));
    FAILS(INVALID_COMMAND, QUERY(fixed, BUFFER, sizeof found, &found, NULL));

    /* Without the flag nothing changes. A launch without its arguments waits for them. */
    commands = CALL(clCreateCommandBufferKHR)(1, &queue, NULL, &code);
    CHECK(LAUNCH(commands, NULL, NULL, kernel, 1, NULL, &items, &group, 0, NULL, NULL, &fixed));
    CHECK(CALL(clFinalizeCommandBufferKHR)(commands));
    changes[0] = (config){ fixed, .offset = &from };
    FAILS(CL_INVALID_OPERATION, update(platform, commands, 1, changes));
    CHECK(CALL(clReleaseCommandBufferKHR)(commands));
    cl_kernel bare = clCreateKernel(program, "add", &code);
    CHECK(code);
    CHECK(clSetKernelArg(bare, 0, sizeof a, &a));
    commands = CALL(clCreateCommandBufferKHR)(1, &queue, can_change, &code);
    FAILS(CL_INVALID_KERNEL_ARGS, LAUNCH(commands, NULL, NULL, bare, 1, NULL, &items, &group, 0, NULL, NULL, NULL));
    FAILS(CL_INVALID_KERNEL_ARGS, LAUNCH(commands, NULL, only_offset, bare, 1, NULL, &items, &group, 0, NULL, NULL, &fixed));
    CHECK(LAUNCH(commands, NULL, NULL, bare, 1, &from, &items, &group, 0, NULL, NULL, &free_one));
    CHECK(CALL(clFinalizeCommandBufferKHR)(commands));
    FAILS(CL_INVALID_OPERATION, CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 0, NULL, NULL));
    changes[0] = (config){ free_one, .arguments = 1, .argument_list = &last };
    CHECK(update(platform, commands, 1, changes));
    CHECK(CALL(clEnqueueCommandBufferKHR)(0, NULL, commands, 0, NULL, NULL));
    expect(queue, a, 32, 4001 * 3 + 4100);
    CHECK(CALL(clReleaseCommandBufferKHR)(commands));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseKernel(bare));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseCommandQueue(queue));
    printf("done\n");
}
