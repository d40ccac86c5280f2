/* Times of one launch of a small kernel and the wait for its end, through both drivers:
 * latency LEVEL_ZERO.so FILE.spv. Prints a name and the median in nanoseconds for each path. */
#include "../tests/programs/level_zero.h"
#include <time.h>
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#define ROUNDS 31
#define LAUNCHES 200

static unsigned char bytes[1 << 20];
static size_t size;
static void *queue, *immediate, *recorded, *kernel, *event;
static function append, wait_list, execute, wait_queue, wait_event, reset_event;
static uint32_t groups[3] = {1, 1, 1};

static void start_level_zero(const char *library) {
    open_driver(library);
    void *module, *memory;
    uint32_t factor = 1;
    struct desc list = {0xf}, on_device = {0x15}, on_host = {0x16}, mode = {0xe, NULL, 0, 0, 0, 2, 0};
    CHECK(ze("zeCommandListCreateImmediate")(context, device, &mode, &immediate));
    CHECK(ze("zeCommandQueueCreate")(context, device, &mode, &queue));
    CHECK(ze("zeCommandListCreate")(context, device, &list, &recorded));
    struct module_desc module_desc = {0x1b, NULL, 0, size, bytes, "", NULL};
    CHECK(ze("zeModuleCreate")(context, device, &module_desc, &module, NULL));
    struct kernel_desc kernel_desc = {0x1d, NULL, 0, "scale"};
    CHECK(ze("zeKernelCreate")(module, &kernel_desc, &kernel));
    CHECK(ze("zeKernelSetGroupSize")(kernel, 1, 1, 1));
    CHECK(ze("zeMemAllocShared")(context, &on_device, &on_host, (size_t)64, (size_t)64, device, &memory));
    CHECK(ze("zeKernelSetArgumentValue")(kernel, 0, sizeof memory, &memory));
    CHECK(ze("zeKernelSetArgumentValue")(kernel, 1, sizeof factor, &factor));
    append = ze("zeCommandListAppendLaunchKernel");
    CHECK(append(recorded, kernel, groups, NULL, 0, NULL));
    CHECK(ze("zeCommandListClose")(recorded));
    struct { uint32_t stype; const void *next; uint32_t flags, count; } pool_desc = {0x10, NULL, 1, 1};
    struct { uint32_t stype; const void *next; uint32_t index, signal, wait; } event_desc = {0x11, NULL, 0, 0, 0};
    void *pool;
    CHECK(ze("zeEventPoolCreate")(context, &pool_desc, 1, &device, &pool));
    CHECK(ze("zeEventCreate")(pool, &event_desc, &event));
    wait_event = ze("zeEventHostSynchronize");
    reset_event = ze("zeEventHostReset");
    wait_list = ze("zeCommandListHostSynchronize");
    execute = ze("zeCommandQueueExecuteCommandLists");
    wait_queue = ze("zeCommandQueueSynchronize");
}

static void launch_immediate(void) {
    CHECK(append(immediate, kernel, groups, NULL, 0, NULL));
    CHECK(wait_list(immediate, UINT64_MAX));
}

static void launch_event(void) {
    CHECK(append(immediate, kernel, groups, event, 0, NULL));
    CHECK(wait_event(event, UINT64_MAX));
    CHECK(reset_event(event));
}

static void launch_recorded(void) {
    CHECK(execute(queue, 1, &recorded, NULL));
    CHECK(wait_queue(queue, UINT64_MAX));
}

static cl_command_queue cl_queue;
static cl_kernel cl_scale;

static void start_opencl(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int code, factor = 1;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    CHECK(code);
    cl_program program = clCreateProgramWithIL(context, bytes, size, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_scale = clCreateKernel(program, "scale", &code);
    CHECK(code);
    void *memory = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    CHECK(memory == NULL);
    CHECK(clSetKernelArgSVMPointer(cl_scale, 0, memory));
    CHECK(clSetKernelArg(cl_scale, 1, sizeof factor, &factor));
}

static void launch_opencl(void) {
    size_t one = 1;
    CHECK(clEnqueueNDRangeKernel(cl_queue, cl_scale, 1, NULL, &one, &one, 0, NULL, NULL));
    CHECK(clFinish(cl_queue));
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    static const struct { const char *name; void (*launch)(void); } paths[] = {
        {"immediate", launch_immediate}, {"event", launch_event}, {"queue", launch_recorded}, {"opencl", launch_opencl}};
    enum { PATHS = sizeof paths / sizeof *paths };
    static double times[PATHS][ROUNDS];
    FILE *file = argc > 2 ? fopen(argv[2], "rb") : NULL;
    if (!file)
        return 2;
    size = fread(bytes, 1, sizeof bytes, file);
    start_level_zero(argv[1]);
    start_opencl();
    /* The paths take turns, so that other load of the machine slows all of them. */
    for (int round = -2; round < ROUNDS; round++)
        for (int path = 0; path < PATHS; path++) {
            struct timespec start, end;
            clock_gettime(CLOCK_MONOTONIC, &start);
            for (int n = 0; n < LAUNCHES; n++)
                paths[path].launch();
            clock_gettime(CLOCK_MONOTONIC, &end);
            if (round >= 0)
                times[path][round] = ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / LAUNCHES;
        }
    for (int path = 0; path < PATHS; path++) {
        qsort(times[path], ROUNDS, sizeof(double), by_size);
        printf("%s %.0f\n", paths[path].name, times[path][ROUNDS / 2]);
    }
    return 0;
}
