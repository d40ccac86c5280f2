/* Calls that Intel's runtime accepts or refuses otherwise than the standard, or than this driver once did. Each check has the name of its
 * row in docs/reference/vendor-runtime.md. */
#include "common.h"
#include <CL/cl_ext.h>

static const char *const source =
    "kernel void sum(global uint *to, uint by, local uint *room, uchar small) {\n"
    "    if (room) room[get_local_id(0)] = by;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    to[get_global_id(0)] += (room ? room[get_local_id(0)] : 0) + small;\n"
    "}\n"
    "kernel void plain(global uint *to, uint by) { to[get_global_id(0)] += by; }\n"
    "kernel void before(global uint *to) { *(global uint *)((ulong)to - 4) = 7; }\n";

static const char *const images =
    "kernel void copy(read_only image2d_t from, write_only image2d_t to) { write_imageui(to, (int2)(0, 0), read_imageui(from, (int2)(0, 0))); }\n";

/* Reports a row that fails. */
static void row(const char *name, long found, long wanted) {
    if (found != wanted) printf("%s: %ld instead of %ld\n", name, found, wanted);
}

static void *address(const char *name) {
    cl_platform_id platform;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
    if (!found) printf("%s is missing\n", name);
    return found;
}

static void arguments(cl_command_queue queue, cl_program program) {
    cl_kernel sum = clCreateKernel(program, "sum", &code), plain = clCreateKernel(program, "plain", &code);
    CHECK(code);
    unsigned found[16] = { 0 };
    unsigned char bytes[16] = { 5, 0, 0, 0, 1, 1, 1, 1 };
    size_t items = 16;
    cl_mem buffer = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof found, found);
    CHECK(clSetKernelArg(plain, 0, sizeof buffer, &buffer));
    row("value-longer", clSetKernelArg(plain, 1, 8, bytes), CL_SUCCESS);
    row("value-shorter", clSetKernelArg(plain, 1, 3, bytes), CL_INVALID_ARG_SIZE);
    CHECK(clEnqueueNDRangeKernel(queue, plain, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    row("value-longer", found[15], 5);
    row("value-null", clSetKernelArg(plain, 1, 4, NULL), CL_INVALID_ARG_VALUE);
    cl_mem none = NULL;
    row("buffer-null", clSetKernelArg(plain, 0, sizeof none, &none), CL_SUCCESS);
    row("buffer-null", clSetKernelArg(plain, 0, sizeof none, NULL), CL_SUCCESS);
    row("buffer-size", clSetKernelArg(plain, 0, 4, &buffer), CL_INVALID_ARG_SIZE);
    row("argument-index", clSetKernelArg(plain, 2, 4, bytes), CL_INVALID_ARG_INDEX);

    CHECK(clSetKernelArg(sum, 0, sizeof buffer, &buffer));
    CHECK(clSetKernelArg(sum, 1, 4, bytes));
    CHECK(clSetKernelArg(sum, 3, 1, bytes));
    row("local-value", clSetKernelArg(sum, 2, 64, bytes), CL_SUCCESS);
    size_t local = 16;
    CHECK(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &items, &local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    row("local-value", found[7], 15);
    row("local-empty", clSetKernelArg(sum, 2, 0, NULL), CL_INVALID_ARG_SIZE);
    cl_ulong room;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof room, &room, NULL));
    row("local-large", clSetKernelArg(sum, 2, room + 64, NULL), CL_SUCCESS);
    row("local-large", clEnqueueNDRangeKernel(queue, sum, 1, NULL, &items, &local, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    CHECK(clSetKernelArg(sum, 2, 64, NULL));

    row("svm-local", clSetKernelArgSVMPointer(sum, 2, bytes), CL_INVALID_ARG_VALUE);
    row("svm-value", clSetKernelArgSVMPointer(sum, 1, bytes), CL_INVALID_ARG_VALUE);
    row("svm-index", clSetKernelArgSVMPointer(sum, 4, bytes), CL_INVALID_ARG_INDEX);

    row("exec-pointers-none", clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL), CL_SUCCESS);
    row("exec-pointers-none", clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, bytes), CL_INVALID_VALUE);
    row("exec-pointers-none", clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL), CL_INVALID_VALUE);
    row("exec-pointers-odd", clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, bytes), CL_INVALID_VALUE);
    unsigned char indirect = 1;
    row("exec-indirect", clSetKernelExecInfo(sum, 0x4200, sizeof indirect, &indirect), CL_SUCCESS);
    unsigned policy = 0x10023, wrong = 7, concurrent = 0x1000E, usual = 0x1000D;
    row("exec-policy", clSetKernelExecInfo(sum, 0x10025, sizeof policy, &policy), CL_SUCCESS);
    row("exec-policy", clSetKernelExecInfo(sum, 0x10025, sizeof wrong, &wrong), CL_INVALID_VALUE);
    row("exec-type", clSetKernelExecInfo(sum, 0x1000C, sizeof usual, &usual), CL_SUCCESS);
    row("exec-type", clSetKernelExecInfo(sum, 0x1000C, sizeof concurrent, &concurrent), CL_SUCCESS);
    row("exec-type", clSetKernelExecInfo(sum, 0x1000C, sizeof wrong, &wrong), CL_INVALID_VALUE);
    row("exec-unknown", clSetKernelExecInfo(sum, 0x12345, sizeof usual, &usual), CL_INVALID_VALUE);

    cl_uint registers = 0;
    CHECK(clGetKernelWorkGroupInfo(sum, device, 0x425B, sizeof registers, &registers, NULL));
    row("kernel-registers", registers >= 64, 1);

    size_t zero = 0, three = 3, two[2] = { 16, 16 };
    row("range-empty", clEnqueueNDRangeKernel(queue, sum, 1, NULL, &zero, NULL, 0, NULL, NULL), CL_SUCCESS);
    row("local-zero", clEnqueueNDRangeKernel(queue, sum, 1, NULL, &items, &zero, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    row("local-no-divisor", clEnqueueNDRangeKernel(queue, sum, 1, NULL, &items, &three, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    row("dimensions", clEnqueueNDRangeKernel(queue, sum, 0, NULL, &items, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    row("dimensions", clEnqueueNDRangeKernel(queue, sum, 4, NULL, two, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    cl_event *nowhere = NULL;
    row("waits-null", clEnqueueNDRangeKernel(queue, sum, 1, NULL, &items, NULL, 1, NULL, nowhere), CL_INVALID_EVENT_WAIT_LIST);
    CHECK(clReleaseKernel(sum));
    CHECK(clReleaseKernel(plain));
    CHECK(clReleaseMemObject(buffer));
}

static void memory(cl_command_queue queue, cl_program program) {
    unsigned numbers[64], found[64];
    for (int i = 0; i < 64; i++) numbers[i] = i;
    /* Hints of allocations, one by one. */
    for (int bit = 18; bit < 24; bit++) {
        cl_mem hinted = clCreateBuffer(context, CL_MEM_READ_WRITE | (cl_mem_flags)1 << bit, 64, NULL, &code);
        row("buffer-hints", code, CL_SUCCESS);
        CHECK(clReleaseMemObject(hinted));
    }
    clCreateBuffer(context, (cl_mem_flags)1 << 40, 64, NULL, &code);
    row("buffer-flags-unknown", code, CL_INVALID_VALUE);
    typedef cl_mem (*create_fn)(cl_context, const cl_mem_properties *, cl_mem_flags, size_t, void *, cl_int *);
    create_fn create = (create_fn)address("clCreateBufferWithPropertiesINTEL");
    cl_mem_properties flags[] = { CL_MEM_FLAGS, CL_MEM_READ_ONLY, 0x10001, 1 << 23, 0 }, unknown[] = { 0x99999, 1, 0 };
    cl_mem buffer = create(context, flags, 0, 64, NULL, &code);
    row("buffer-properties", code, CL_SUCCESS);
    cl_mem_flags given = 0;
    CHECK(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof given, &given, NULL));
    row("buffer-properties", given, CL_MEM_READ_ONLY);
    CHECK(clReleaseMemObject(buffer));
    create(context, unknown, 0, 64, NULL, &code);
    row("buffer-property-unknown", code, CL_INVALID_PROPERTY);
    address("clCreateImageWithPropertiesINTEL");
    address("clGetKernelSuggestedLocalWorkSizeINTEL");
    address("clSetProgramSpecializationConstant");

    buffer = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    cl_buffer_region region = { 12, 128 };
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    row("part-origin", code, CL_SUCCESS);
    cl_kernel plain = clCreateKernel(program, "plain", &code);
    CHECK(code);
    unsigned by = 100;
    size_t items = 32;
    CHECK(clSetKernelArg(plain, 0, sizeof part, &part));
    CHECK(clSetKernelArg(plain, 1, sizeof by, &by));
    CHECK(clEnqueueNDRangeKernel(queue, plain, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) row("part-origin", found[i], i >= 3 && i < 35 ? i + 100 : i);
    cl_kernel before = clCreateKernel(program, "before", &code);
    CHECK(code);
    items = 1;
    CHECK(clSetKernelArg(before, 0, sizeof part, &part));
    CHECK(clEnqueueNDRangeKernel(queue, before, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    row("part-outside", found[2], 7);
    CHECK(clReleaseKernel(before));
    region.origin = 2;
    clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    row("part-odd", code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    row("read-empty", clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 0, found, 0, NULL, NULL), CL_SUCCESS);
    row("write-empty", clEnqueueWriteBuffer(queue, buffer, CL_TRUE, sizeof found, 0, found, 0, NULL, NULL), CL_SUCCESS);
    row("copy-empty", clEnqueueCopyBuffer(queue, buffer, buffer, 0, 0, 0, 0, NULL, NULL), CL_SUCCESS);
    row("copy-overlap", clEnqueueCopyBuffer(queue, buffer, buffer, 0, 4, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    row("read-null", clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    row("read-outside", clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4, sizeof found, found, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clReleaseKernel(plain));
    CHECK(clReleaseMemObject(part));
    CHECK(clReleaseMemObject(buffer));

    typedef void *(*alloc_fn)(cl_context, cl_device_id, const cl_mem_properties *, size_t, cl_uint, cl_int *);
    typedef cl_int (*free_fn)(cl_context, void *);
    typedef cl_int (*set_fn)(cl_command_queue, void *, cl_int, size_t, cl_uint, const cl_event *, cl_event *);
    typedef cl_int (*fill_fn)(cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *, cl_event *);
    alloc_fn alloc = (alloc_fn)address("clDeviceMemAllocINTEL");
    free_fn release = (free_fn)address("clMemFreeINTEL");
    set_fn set = (set_fn)address("clEnqueueMemsetINTEL");
    fill_fn fill = (fill_fn)address("clEnqueueMemFillINTEL");
    unsigned char *shared = alloc(context, device, flags, 256, 0, &code);
    row("usm-properties", code, CL_SUCCESS);
    row("usm-set", set(queue, shared, 0x12345, 256, 0, NULL, NULL), CL_SUCCESS);
    CHECK(clFinish(queue));
    row("usm-set", shared[255], 0x45);
    row("usm-fill-empty", fill(queue, NULL, numbers, 4, 0, 0, NULL, NULL), CL_SUCCESS);
    row("usm-fill-null", fill(queue, NULL, numbers, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    row("usm-page", clEnqueueSVMMemcpy(queue, CL_TRUE, found, shared + 252, 16, 0, NULL, NULL), CL_SUCCESS);
    row("usm-outside", clEnqueueSVMMemcpy(queue, CL_TRUE, found, shared + 252, 4000, 0, NULL, NULL), CL_INVALID_VALUE);
    row("usm-overlap", clEnqueueSVMMemcpy(queue, CL_TRUE, shared, shared + 4, 64, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    row("usm-free-null", release(context, NULL), CL_SUCCESS);
    row("usm-free-other", release(context, numbers), CL_INVALID_VALUE);
    CHECK(release(context, shared));
    alloc(context, device, NULL, 0, 0, &code);
    row("usm-empty", code, CL_INVALID_BUFFER_SIZE);
}

static void programs(void) {
    const char *const options[] = { "-cl-intel-256-GRF-per-thread", "-cl-intel-enable-auto-large-GRF-mode",
        "-cl-intel-greater-than-4GB-buffer-required", "-cl-intel-no-prera-scheduling", "-ze-opt-large-register-file", "-cl-intel-gtpin-rera",
        "-cl-kernel-arg-info  -cl-fast-relaxed-math ", "-cl-std=CL2.0 -cl-uniform-work-group-size", "-D NAME=2 -DOTHER" };
    for (unsigned n = 0; n < sizeof options / sizeof *options; n++) {
        cl_program one = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &code);
        CHECK(code);
        row(options[n], clBuildProgram(one, 1, &device, options[n], NULL, NULL), CL_SUCCESS);
        CHECK(clReleaseProgram(one));
    }
    const char junk[] = "this is no module at all";
    clCreateProgramWithIL(context, junk, sizeof junk, &code);
    row("module-junk", code, CL_INVALID_VALUE);
    clCreateProgramWithIL(context, junk, 0, &code);
    row("module-empty", code, CL_INVALID_VALUE);
    const unsigned char *text = (const unsigned char *)junk;
    size_t length = sizeof junk, empty = 0;
    cl_int status = 0;
    clCreateProgramWithBinary(context, 1, &device, &length, &text, &status, &code);
    row("binary-junk", code, CL_INVALID_BINARY);
    row("binary-junk", status, CL_INVALID_BINARY);
    clCreateProgramWithBinary(context, 1, &device, &empty, &text, NULL, &code);
    row("binary-empty", code, CL_INVALID_VALUE);
    char version[200], driver[200];
    CHECK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL));
    CHECK(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL));
    int year = 0, week = 0, build = 0, end = 0;
    row("driver-version", sscanf(driver, "%d.%d.%d%n", &year, &week, &build, &end), 3);
    row("driver-version", year >= 20 && week <= 53 && driver[end] == 0, 1);
    row("device-version", strstr(version, "visakit") != NULL, 1);
    char name[200];
    cl_platform_id platform;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL));
    row("platform-name", strstr(name, "Intel") && strstr(name, "OpenCL"), 1);
}

/* Access flags of an image must suit the parameter. */
static void access_of_images(void) {
    if (!has_images()) return;
    cl_program program = make_program(images, "");
    cl_kernel copy = clCreateKernel(program, "copy", &code);
    CHECK(code);
    cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4 };
    cl_mem from = make_image(CL_MEM_READ_ONLY, CL_RGBA, CL_UNSIGNED_INT8, desc, NULL);
    cl_mem to = make_image(CL_MEM_WRITE_ONLY, CL_RGBA, CL_UNSIGNED_INT8, desc, NULL);
    row("image-access", clSetKernelArg(copy, 0, sizeof from, &from), CL_SUCCESS);
    row("image-access", clSetKernelArg(copy, 1, sizeof to, &to), CL_SUCCESS);
    row("image-access", clSetKernelArg(copy, 0, sizeof to, &to), CL_INVALID_ARG_VALUE);
    row("image-access", clSetKernelArg(copy, 1, sizeof from, &from), CL_INVALID_ARG_VALUE);
    cl_mem buffer = make_buffer(0, 64, NULL);
    row("image-buffer", clSetKernelArg(copy, 0, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseKernel(copy));
    CHECK(clReleaseProgram(program));
}

static void queues(void) {
    cl_queue_properties first[] = { 0x418C, 0, 0x418D, 0, 0x10021, 1, 0 }, second[] = { 0x418C, 0, 0x418D, 1, 0 }, half[] = { 0x418C, 0, 0 };
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, first, &code);
    row("queue-family", code, CL_SUCCESS);
    CHECK(clReleaseCommandQueue(queue));
    clCreateCommandQueueWithProperties(context, device, second, &code);
    row("queue-family", code, CL_INVALID_QUEUE_PROPERTIES);
    clCreateCommandQueueWithProperties(context, device, half, &code);
    row("queue-family", code, CL_INVALID_QUEUE_PROPERTIES);
    cl_queue_properties wide[] = { 0x100000000 | CL_QUEUE_PROPERTIES, 0, 0 };
    clCreateCommandQueueWithProperties(context, device, wide, &code);
    row("queue-property-unknown", code, CL_INVALID_VALUE);
    cl_context_properties hints[] = { 0x4106, 0xff, 0 };
    cl_context other = clCreateContext(hints, 1, &device, NULL, NULL, &code);
    row("context-hints", code, CL_SUCCESS);
    CHECK(clReleaseContext(other));
}

static void run(void) {
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program(source, "");
    arguments(queue, program);
    memory(queue, program);
    programs();
    queues();
    access_of_images();
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    printf("done\n");
}
