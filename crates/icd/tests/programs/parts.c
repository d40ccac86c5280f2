/* Sub-devices, specialization constants, images with rows in buffers or one component, and functions found by name.
 * Results are compared with the host's; differences are printed. */
#include "common.h"
#include <unistd.h>

static const char *source =
    "kernel void scale(global int *a) { int i = get_global_id(0); a[i] = a[i] * 54321 + 7; }\n";

static const char *picture =
    "kernel void turn(read_only image2d_t from, write_only image2d_t to) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imageui(to, at, read_imageui(from, at.yx) + 1);\n"
    "}\n";

/* Runs the kernel and prints elements that are not multiplied by `by` plus 7. */
static void expect_scaled(cl_context in, cl_command_queue queue, cl_program program, int by, const char *what, int n) {
    int a[32];
    for (int i = 0; i < 32; i++) a[i] = i;
    cl_mem buffer = clCreateBuffer(in, CL_MEM_COPY_HOST_PTR, sizeof a, a, &code);
    CHECK(code);
    cl_kernel kernel = clCreateKernel(program, "scale", &code);
    CHECK(code);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t global = 32;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
    for (int i = 0; i < 32; i++) if (a[i] != i * by + 7) printf("%s %d: %d at %d\n", what, n, a[i], i);
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseMemObject(buffer));
}

/* A build for a device is also valid for its sub-device, until the sub-device has its own. */
static void inherited(cl_device_id part) {
    cl_device_id both[] = { part, device };
    cl_context two = clCreateContext(NULL, 2, both, NULL, NULL, &code);
    CHECK(code);
    cl_program program = clCreateProgramWithSource(two, 1, &source, NULL, &code);
    CHECK(code);
    for (int round = 0; round < 2; round++) {
        CHECK(clBuildProgram(program, 1, round ? &part : &device, round ? "-DOWN" : "-DWHOLE", NULL, NULL));
        cl_build_status status;
        char options[16];
        size_t sizes[2];
        CHECK(clGetProgramBuildInfo(program, part, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
        CHECK(clGetProgramBuildInfo(program, part, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
        CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
        if (status != CL_BUILD_SUCCESS || strcmp(options, round ? "-DOWN" : "-DWHOLE") || !sizes[0]) printf("the part has no build: %d %s\n", status, options);
        cl_command_queue queue = clCreateCommandQueueWithProperties(two, part, NULL, &code);
        CHECK(code);
        expect_scaled(two, queue, program, 54321, "inherited", round);
        CHECK(clReleaseCommandQueue(queue));
    }
    /* A failed build of the sub-device is its own. */
    CHECK(clReleaseProgram(program));
    program = clCreateProgramWithSource(two, 1, &source, NULL, &code);
    CHECK(code);
    FAILS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 1, &part, "-Dkernel=nonsense", NULL, NULL));
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_build_status status;
    CHECK(clGetProgramBuildInfo(program, part, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    if (status != CL_BUILD_ERROR) printf("the failed build is gone: %d\n", status);
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(two));
}

/* Sub-devices run kernels and live as long as they are held. */
static void parts(void) {
    cl_uint units, count;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    cl_device_partition_property equally[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
    cl_device_id all[256];
    /* Libraries divide by the number of subslices. */
    if (units < 16) printf("%u units are less than a subslice\n", units);
    CHECK(clCreateSubDevices(device, equally, 256, all, &count));
    if (count != units) printf("%u parts of %u units\n", count, units);
    cl_device_partition_property counts[] = { CL_DEVICE_PARTITION_BY_COUNTS, units, 1, 0, 0 };
    FAILS(CL_INVALID_DEVICE_PARTITION_COUNT, clCreateSubDevices(device, counts, 256, all + 1, NULL));
    cl_device_partition_property whole[] = { CL_DEVICE_PARTITION_EQUALLY, units, 0 };
    FAILS(CL_DEVICE_PARTITION_FAILED, clCreateSubDevices(device, whole, 256, all + 1, NULL));
    whole[1] = units + 1;
    FAILS(CL_INVALID_DEVICE_PARTITION_COUNT, clCreateSubDevices(device, whole, 256, all + 1, NULL));
    cl_device_partition_property domain[] = { CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0 };
    FAILS(CL_INVALID_VALUE, clCreateSubDevices(device, domain, 256, all + 1, NULL));

    cl_device_id parent;
    cl_device_partition_property type[3];
    CHECK(clGetDeviceInfo(all[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    CHECK(clGetDeviceInfo(all[0], CL_DEVICE_PARTITION_TYPE, sizeof type, type, NULL));
    CHECK(clGetDeviceInfo(all[0], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (parent != device || type[0] != CL_DEVICE_PARTITION_EQUALLY || units != 1) printf("a part says something else\n");

    cl_context two = clCreateContext(NULL, 2, all, NULL, NULL, &code);
    CHECK(code);
    cl_program program = clCreateProgramWithSource(two, 1, &source, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    for (int n = 0; n < 2; n++) {
        cl_command_queue queue = clCreateCommandQueueWithProperties(two, all[n], NULL, &code);
        CHECK(code);
        expect_scaled(two, queue, program, 54321, "part", n);
        CHECK(clReleaseCommandQueue(queue));
    }
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(two));
    inherited(all[0]);
    CHECK(clRetainDevice(all[0]));
    CHECK(clGetDeviceInfo(all[0], CL_DEVICE_REFERENCE_COUNT, sizeof units, &units, NULL));
    if (units != 2) printf("a part is held %u times\n", units);
    CHECK(clReleaseDevice(all[0]));
    CHECK(clGetDeviceInfo(all[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    for (cl_uint n = 0; n < count; n++) CHECK(clReleaseDevice(all[n]));
    /* A thread may hold the sub-device a little longer with its last command. */
    int tries = 0;
    while (!clGetDeviceInfo(all[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL) && tries++ < 5000) usleep(1000);
    FAILS(CL_INVALID_DEVICE, clGetDeviceInfo(all[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
}

/* The compiler emits no specialization constants, so the constant in the middle of the kernel is changed into one. */
static void constants(cl_command_queue queue) {
    cl_program plain = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    CHECK(code);
    CHECK(clCompileProgram(plain, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    size_t size;
    CHECK(clGetProgramInfo(plain, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    cl_uint *words = malloc(size), *changed = malloc(size + 16);
    CHECK(clGetProgramInfo(plain, CL_PROGRAM_BINARIES, sizeof words, &words, NULL));
    size_t count = size / 4, to = 5, id = 0;
    for (size_t at = 5; at < count; at += words[at] >> 16)
        if ((words[at] & 0xffff) == 43 && words[at + 3] == 54321) {
            words[at] = (words[at] & 0xffff0000) | 50;
            id = words[at + 2];
        }
    if (id == 0) printf("there is no constant\n");
    memcpy(changed, words, 20);
    int is_decorated = 0;
    for (size_t at = 5; at < count; at += words[at] >> 16) {
        cl_uint op = words[at] & 0xffff, length = words[at] >> 16;
        /* Types follow decorations. */
        if (!is_decorated && op >= 19 && op <= 39) {
            cl_uint decoration[] = { 4 << 16 | 71, (cl_uint)id, 1, 42 };
            memcpy(changed + to, decoration, 16);
            to += 4;
            is_decorated = 1;
        }
        memcpy(changed + to, words + at, length * 4);
        to += length;
    }
    cl_program program = clCreateProgramWithIL(context, changed, to * 4, &code);
    CHECK(code);
    int by = -3;
    FAILS(CL_INVALID_SPEC_ID, clSetProgramSpecializationConstant(program, 41, sizeof by, &by));
    FAILS(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 42, 2, &by));
    FAILS(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(plain, 42, sizeof by, &by));
    for (int round = 0; round < 2; round++) {
        if (round == 1) CHECK(clSetProgramSpecializationConstant(program, 42, sizeof by, &by));
        CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
        expect_scaled(context, queue, program, round ? by : 54321, "round", round);
    }
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseProgram(plain));
    free(words);
    free(changed);
}

/* Rows of a buffer with padding. */
static void rows(cl_command_queue queue) {
    if (!has_images()) return;
    unsigned char bytes[6][24], out[6][24];
    for (int y = 0; y < 6; y++) for (int x = 0; x < 24; x++) bytes[y][x] = y * 24 + x;
    cl_mem from = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes), to = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes);
    cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
    cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 5, .image_height = 6, .image_row_pitch = 24 };
    desc.mem_object = from;
    cl_mem a = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &code);
    CHECK(code);
    desc.mem_object = to;
    cl_mem b = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &code);
    CHECK(code);
    desc.image_row_pitch = 16;
    clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &code);
    FAILS(CL_INVALID_IMAGE_DESCRIPTOR, code);
    desc.image_row_pitch = 28;
    clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &code);
    FAILS(CL_INVALID_IMAGE_SIZE, code);
    cl_program program = make_program(picture, "-cl-std=CL1.2");
    cl_kernel kernel = clCreateKernel(program, "turn", &code);
    CHECK(code);
    CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
    CHECK(clSetKernelArg(kernel, 1, sizeof b, &b));
    size_t global[2] = { 5, 5 }, zero[3] = { 0, 0, 0 }, all[3] = { 5, 5, 1 };
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    unsigned char dense[5][20];
    CHECK(clEnqueueReadImage(queue, b, CL_TRUE, zero, all, 0, 0, dense, 0, NULL, NULL));
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 24; x++) {
            int texel = x / 4, is_turned = y < 5 && texel < 5;
            int wanted = is_turned ? bytes[texel][y * 4 + x % 4] + 1 : bytes[y][x];
            if (out[y][x] != (unsigned char)wanted) printf("row %d, byte %d: %d\n", y, x, out[y][x]);
            if (is_turned && dense[y][x] != out[y][x]) printf("read %d, byte %d: %d\n", y, x, dense[y][x]);
        }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    cl_mem both[] = { a, b, from, to };
    for (int n = 0; n < 4; n++) CHECK(clReleaseMemObject(both[n]));
}

/* Images with one component store and return it as their order says. */
static void lights(cl_command_queue queue) {
    static const char *source =
        "kernel void store(write_only image2d_t to) { write_imagef(to, (int2)(0, 0), (float4)(0.125f, 0.25f, 0.5f, 0.75f)); }\n"
        "kernel void load(read_only image2d_t from, global float4 *to) { to[0] = read_imagef(from, (int2)(0, 0)); }\n";
    static const struct { cl_channel_order order; float stored, seen[4]; } cases[] = {
        { CL_R, 0.125f, { 0.125f, 0, 0, 1 } }, { CL_A, 0.75f, { 0, 0, 0, 0.75f } },
        { CL_LUMINANCE, 0.125f, { 0.125f, 0.125f, 0.125f, 1 } },
        { CL_INTENSITY, 0.125f, { 0.125f, 0.125f, 0.125f, 0.125f } } };
    if (!has_images()) return;
    cl_program program = make_program(source, "-cl-std=CL1.2");
    cl_kernel store = clCreateKernel(program, "store", &code), load = clCreateKernel(program, "load", &code);
    CHECK(code);
    cl_mem result = make_buffer(0, 16, NULL);
    cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1 };
    size_t one[3] = { 1, 1, 1 }, zero[3] = { 0, 0, 0 };
    for (int n = 0; n < 8; n++) {
        int i = n / 2;
        float stored = -1, seen[4], fill[4] = { 0.125f, 0.25f, 0.5f, 0.75f };
        cl_mem image = make_image(CL_MEM_READ_WRITE, cases[i].order, CL_FLOAT, desc, NULL);
        CHECK(clSetKernelArg(store, 0, sizeof image, &image));
        CHECK(clSetKernelArg(load, 0, sizeof image, &image));
        CHECK(clSetKernelArg(load, 1, sizeof result, &result));
        if (n % 2) CHECK(clEnqueueFillImage(queue, image, fill, zero, one, 0, NULL, NULL));
        else CHECK(clEnqueueNDRangeKernel(queue, store, 1, NULL, one, NULL, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(queue, load, 1, NULL, one, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadImage(queue, image, CL_TRUE, zero, one, 0, 0, &stored, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, 16, seen, 0, NULL, NULL));
        if (stored != cases[i].stored || memcmp(seen, cases[i].seen, sizeof seen))
            printf("order %x: %g stored, %g %g %g %g seen\n", cases[i].order, stored, seen[0], seen[1], seen[2], seen[3]);
        CHECK(clReleaseMemObject(image));
    }
    CHECK(clReleaseMemObject(result));
    CHECK(clReleaseKernel(store));
    CHECK(clReleaseKernel(load));
    CHECK(clReleaseProgram(program));
}

static void functions(void) {
    cl_platform_id platform;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    if (!clGetExtensionFunctionAddressForPlatform(platform, "clDeviceMemAllocINTEL")) printf("a function is not found\n");
    if (clGetExtensionFunctionAddressForPlatform(platform, "clNothingINTEL")) printf("a function is found\n");
}

/* Attributes of a kernel in its source. */
static void attributes(void) {
    cl_program program = make_program(
        "__attribute__((work_group_size_hint(8, 4, 1), vec_type_hint(float4)))\n"
        "kernel void hinted(global int *a) { a[0] = 1; }\n"
        "__attribute__((reqd_work_group_size(32, 1, 1), intel_reqd_sub_group_size(16)))\n"
        "kernel void demanded(global int *a) { a[get_global_id(0)] = get_sub_group_local_id(); }\n", "");
    const char *names[] = { "hinted", "demanded" };
    const char *wanted[] = { "work_group_size_hint(8,4,1) vec_type_hint(float4)", "reqd_work_group_size(32,1,1) intel_reqd_sub_group_size(16)" };
    for (int i = 0; i < 2; i++) {
        char found[200];
        size_t width;
        cl_kernel kernel = clCreateKernel(program, names[i], &code);
        CHECK(code);
        CHECK(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof found, found, NULL));
        if (strcmp(found, wanted[i])) printf("attributes of %s: %s\n", names[i], found);
        CHECK(clGetKernelSubGroupInfo(kernel, device, 0x410A /* CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL */, 0, NULL, sizeof width, &width, NULL));
        if (width != (i ? 16 : 0)) printf("width of %s: %zu\n", names[i], width);
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseProgram(program));
}

static void run(void) {
    cl_command_queue queue = make_queue(0);
    functions();
    attributes();
    parts();
    constants(queue);
    rows(queue);
    lights(queue);
    CHECK(clReleaseCommandQueue(queue));
    printf("done\n");
}
