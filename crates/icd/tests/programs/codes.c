/* Codes and answers required by the specification that are easily missed. */
#include "common.h"
#include <CL/cl_ext.h>
#include <time.h>

static const char *const source =
    "kernel void used(global int *r, int n, char3 v) { r[0] = n + v.x; }"
    "kernel void set(global int *r) { r[get_global_id(0)] = 1; }";

static void expect(const char *what, long found, long wanted) {
    if (found != wanted) printf("%s: %ld instead of %ld\n", what, found, wanted);
}

/* Property lists are returned as passed, whether empty or null. */
static void properties(void) {
    cl_queue_properties none[] = { 0 };
    size_t size = 99;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, none, &code);
    CHECK(code);
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    expect("empty list of a queue", size, sizeof none);
    CHECK(clReleaseCommandQueue(queue));
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    CHECK(code);
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    expect("no list of a queue", size, 0);
    CHECK(clReleaseCommandQueue(queue));
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    CHECK(code);
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    expect("flags of a queue", size, 0);
    CHECK(clReleaseCommandQueue(queue));
    cl_mem_properties nothing[] = { 0 };
    cl_mem buffer = clCreateBufferWithProperties(context, nothing, CL_MEM_READ_WRITE, 4, NULL, &code);
    CHECK(code);
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, 0, NULL, &size));
    expect("empty list of a buffer", size, sizeof nothing);
    CHECK(clReleaseMemObject(buffer));
    cl_context_properties platform[] = { CL_CONTEXT_PLATFORM, 0, 0 };
    cl_context other = clCreateContext(platform, 1, &device, NULL, NULL, &code);
    expect("no platform", code, CL_INVALID_PLATFORM);
    if (other) printf("a context without a platform\n");
}

/* An undefined function is a link error; unknown options are an earlier error. */
static void builds(void) {
    const char *const text = "int twice(int x); kernel void call(global int *r) { r[0] = twice(r[0]); }";
    cl_program part = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &code);
    CHECK(code);
    FAILS(CL_INVALID_BUILD_OPTIONS, clBuildProgram(part, 1, &device, "-no-such-option", NULL, NULL));
    FAILS(CL_INVALID_COMPILER_OPTIONS, clCompileProgram(part, 1, &device, "-no-such-option", 0, NULL, NULL, NULL, NULL));
    CHECK(clCompileProgram(part, 1, &device, "", 0, NULL, NULL, NULL, NULL));
    cl_program whole = clLinkProgram(context, 1, &device, "", 1, &part, NULL, NULL, &code);
    expect("link", code, CL_LINK_PROGRAM_FAILURE);
    /* As in Intel's runtime, a program with the log is there. */
    char log[2000] = "";
    CHECK(clGetProgramBuildInfo(whole, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    if (!strstr(log, "twice")) printf("the log does not name the function: %s\n", log);
    CHECK(clReleaseProgram(whole));
    CHECK(clReleaseProgram(part));
}

/* A build without messages has an empty log, since programs print any other as a warning. */
static void logs(void) {
    const struct { const char *text; int is_empty; } cases[] = { { "kernel void call(global int *r) { r[0] = 1; }", 1 },
        { "#warning early\nkernel void call(global int *r) { r[0] = 1; }", 0 } };
    for (int n = 0; n < 2; n++) {
        cl_program program = make_program(cases[n].text, "");
        char log[2000] = "";
        CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        int is_right = cases[n].is_empty ? !*log : strstr(log, "early") && strstr(log, "visakit: for ");
        if (!is_right) printf("log %d: %s\n", n, log);
        CHECK(clReleaseProgram(program));
    }
}

/* Included texts end at their length, whatever memory follows, and may include others. */
static void headers(void) {
    const char *const texts[] = { "#define A 1\n", "#include \"dir/one.h\"\n#define B (A + 1)\nint two(void);\n",
        "#include \"two.h\"\n#include <dir/one.h>\nkernel void call(global int *r) { r[0] = A + B; }" };
    const char *names[] = { "dir/one.h", "two.h" };
    cl_program parts[3];
    for (int n = 0; n < 3; n++) {
        parts[n] = clCreateProgramWithSource(context, 1, (const char **)&texts[n], NULL, &code);
        CHECK(code);
    }
    expect("two headers", clCompileProgram(parts[2], 0, NULL, "", 2, parts, names, NULL, NULL), CL_SUCCESS);
    for (int n = 0; n < 3; n++) CHECK(clReleaseProgram(parts[n]));
    CHECK(clReleaseProgram(make_program("\xef\xbb\xbfkernel void call(global int *r) { r[0] = 1; }", "-cl-std=CL1.1")));
}

static void CL_CALLBACK gone(cl_mem object UNUSED, void *times) { ++*(int *)times; }

/* A kernel does not hold its arguments: an object is freed with its last reference. */
static void arguments(void) {
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program("kernel void one(global int *r) { r[0] = 1; }", "");
    cl_kernel one = clCreateKernel(program, "one", &code);
    CHECK(code);
    int times = 0;
    size_t items = 1;
    cl_mem buffer = make_buffer(0, 4, NULL);
    CHECK(clSetMemObjectDestructorCallback(buffer, gone, &times));
    CHECK(clSetKernelArg(one, 0, sizeof buffer, &buffer));
    CHECK(clReleaseMemObject(buffer));
    expect("destructor", times, 1);
    FAILS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, one, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clReleaseKernel(one));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}

/* The query for a suggested size checks its parameters like a launch. */
static void suggestions(void) {
    typedef cl_int (*suggest_fn)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);
    cl_platform_id platform;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    suggest_fn suggest = (suggest_fn)clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program("kernel void none(void) {}", "");
    cl_kernel none = clCreateKernel(program, "none", &code);
    CHECK(code);
    size_t items = 64, local = 0, offset = (size_t)-3;
    expect("suggestion", suggest(queue, none, 1, NULL, &items, &local), CL_SUCCESS);
    expect("what is left", local ? items % local : 1, 0);
    expect("suggestion", suggest(queue, none, 1, &offset, &items, &local), CL_INVALID_GLOBAL_OFFSET);
    CHECK(clReleaseKernel(none));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}

static void run(void) {
    properties();
    builds();
    logs();
    headers();
    arguments();
    suggestions();
    FAILS(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(context, device, NULL));
    cl_bool has_pipes;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PIPE_SUPPORT, sizeof has_pipes, &has_pipes, NULL));
    cl_mem pipe = clCreatePipe(context, CL_MEM_HOST_NO_ACCESS, 4, 4, NULL, &code);
    expect("pipe", code, has_pipes ? CL_SUCCESS : CL_INVALID_OPERATION);
    if (has_pipes) CHECK(clReleaseMemObject(pipe));

    char *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    cl_mem inside = make_buffer(CL_MEM_USE_HOST_PTR, 1024, shared + 64);
    cl_bool is_shared = CL_FALSE;
    CHECK(clGetMemObjectInfo(inside, CL_MEM_USES_SVM_POINTER, sizeof is_shared, &is_shared, NULL));
    expect("shared", is_shared, CL_TRUE);
    CHECK(clReleaseMemObject(inside));
    /* A buffer does not extend beyond the shared memory that it uses. */
    clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 8192, shared, &code);
    expect("longer than shared memory", code, CL_INVALID_BUFFER_SIZE);
    clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4096, shared + 64, &code);
    expect("beyond shared memory", code, CL_INVALID_BUFFER_SIZE);
    clSVMFree(context, shared);

    cl_program program = make_program(source, "");
    cl_kernel used = clCreateKernel(program, "used", &code), set = clCreateKernel(program, "set", &code);
    CHECK(code);
    int value[4] = { 1, 2, 3, 4 };
    FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(used, 1, 3, value));
    /* A longer value is truncated, as by GPU runtimes: oneMKL passes 8 bytes for 4. */
    CHECK(clSetKernelArg(used, 1, sizeof value, value));
    CHECK(clSetKernelArg(used, 2, 4, value));

    cl_platform_id platform;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest =
        (clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    cl_command_queue queue = make_queue(0);
    size_t global = 640, local = 0;
    /* Both timers use the system's clock, not one that starts with the library. */
    cl_ulong device_time, host_time, later;
    struct timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    CHECK(clGetDeviceAndHostTimer(device, &device_time, &host_time));
    CHECK(clGetHostTimer(device, &later));
    cl_ulong before = clock.tv_sec * 1000000000ull + clock.tv_nsec;
    expect("timers", before <= host_time && host_time <= later && later - before < 60000000000ull, 1);
    expect("device's timer", device_time, host_time);
    FAILS(CL_INVALID_KERNEL_ARGS, suggest(queue, set, 1, NULL, &global, &local));
    cl_mem buffer = make_buffer(CL_MEM_READ_WRITE, 640 * sizeof(int), NULL);
    CHECK(clSetKernelArg(set, 0, sizeof buffer, &buffer));
    CHECK(suggest(queue, set, 1, NULL, &global, &local));
    expect("divides", local ? global % local : 1, 0);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(used));
    CHECK(clReleaseKernel(set));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    printf("done\n");
}
