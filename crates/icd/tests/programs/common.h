/* Shared helpers of the programs. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call) do { cl_int code_ = (call); if (code_) { printf("%s:%d: %d\n", __FILE__, __LINE__, code_); exit(1); } } while (0)
/* Checks the error code of a call. */
#define FAILS(want, call) do { cl_int code_ = (call); if (code_ != (want)) printf("line %d: %d instead of %d\n", __LINE__, code_, want); } while (0)

#define UNUSED __attribute__((unused))

static cl_context context;
static cl_device_id device;
static cl_int code;

UNUSED static cl_command_queue make_queue(cl_command_queue_properties flags) {
    cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, flags, 0 };
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &code);
    CHECK(code);
    return queue;
}

UNUSED static cl_program make_program(const char *source, const char *options) {
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    CHECK(code);
    if (clBuildProgram(program, 0, NULL, options, NULL, NULL)) {
        static char log[10000];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("%s\n", log);
        exit(1);
    }
    return program;
}

UNUSED static cl_mem make_buffer(cl_mem_flags flags, size_t size, void *host) {
    cl_mem buffer = clCreateBuffer(context, flags, size, host, &code);
    CHECK(code);
    return buffer;
}

UNUSED static int has_images(void) {
    cl_bool has;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has, &has, NULL));
    return has;
}

UNUSED static cl_mem make_image(cl_mem_flags flags, cl_channel_order order, cl_channel_type type, cl_image_desc desc, void *host) {
    cl_image_format format = { order, type };
    cl_mem image = clCreateImage(context, flags, &format, &desc, host, &code);
    CHECK(code);
    return image;
}

static void run(void);

int main(void) {
    cl_platform_id platform;
    cl_device_id devices[16];
    cl_uint count;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        device = devices[i];
        context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
        CHECK(code);
        run();
        cl_uint references;
        CHECK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, NULL));
        if (references != 1) fprintf(stderr, "the context is held %u times\n", references);
        CHECK(clReleaseContext(context));
    }
    return 0;
}
