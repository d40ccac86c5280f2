/* With VISAKIT_OPENCL=3.1, devices that have all of OpenCL 3.1 report it and build its language; others report 3.0. */
#define _GNU_SOURCE
#include "common.h"

#define V(major, minor) ((cl_uint)(major) << 22 | (minor) << 12)

__attribute__((constructor)) static void ask(void) {
    setenv("VISAKIT_OPENCL", "3.1", 1);
}

static const char *source =
    "kernel void f(global int *o, local int *none) {\n"
    "    o[0] = __OPENCL_C_VERSION__; o[1] = __OPENCL_VERSION__; o[2] = __LINE__;\n"
    "}\n";

static void run(void) {
    static char extensions[4096], text[256];
    cl_platform_id platform;
    cl_uint number, of_platform;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    CHECK(clGetPlatformInfo(platform, CL_PLATFORM_NUMERIC_VERSION, sizeof of_platform, &of_platform, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NUMERIC_VERSION, sizeof number, &number, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, NULL));
    int newest = strstr(extensions, "cl_khr_subgroup_rotate") && strstr(extensions, "cl_khr_extended_bit_ops");
    if (number != V(3, newest) || of_platform < number) printf("%x and %x\n", number, of_platform);
    if (strncmp(text, newest ? "OpenCL 3.1 " : "OpenCL 3.0 ", 11)) printf("%s\n", text);

    cl_name_version list[16];
    size_t size;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof list, list, &size));
    cl_uint last = list[size / sizeof list[0] - 1].version;
    if (last != V(3, newest)) printf("language %x\n", last);

    cl_command_queue queue = make_queue(0);
    for (int minor = 0; minor <= newest; minor++) {
        sprintf(text, "-cl-std=CL3.%d", minor);
        cl_program program = make_program(source, text);
        cl_kernel kernel = clCreateKernel(program, "f", &code);
        CHECK(code);
        cl_mem out = make_buffer(0, 12, NULL);
        cl_int found[3];
        size_t one = 1;
        CHECK(clSetKernelArg(kernel, 0, sizeof out, &out));
        FAILS(of_platform >= V(3, 1) ? CL_SUCCESS : CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 1, 0, NULL));
        if (of_platform < V(3, 1)) CHECK(clSetKernelArg(kernel, 1, 4, NULL));
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        if (found[0] != 300 + 10 * minor || found[1] != 300 + 10 * newest || found[2] != 2) printf("%s: %d %d %d\n", text, found[0], found[1], found[2]);
        CHECK(clReleaseMemObject(out));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(program));
    }
    CHECK(clReleaseCommandQueue(queue));
    printf("done\n");
}
