/* Builds an OpenCL kernel from source and runs it on each device of the platform of visakit.
 *
 *   vector [NAME]     only the devices with NAME in their names
 *
 * Prints a line for each device. The exit status is 1 if a result is wrong or there is no device. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000 };

static const char *source = "kernel void scale(global const float *a, global float *b, float f, uint n) {\n"
                            "    uint i = get_global_id(0);\n"
                            "    if (i < n) b[i] = a[i] * f + i;\n"
                            "}\n";

static void check(cl_int status, const char *call) {
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "vector: %s: error %d\n", call, status);
    exit(1);
}

static void print_log(cl_program program, cl_device_id device) {
    static char log[65536];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s\n", log);
}

/* Returns the number of wrong elements. */
static int run(cl_device_id device) {
    static float a[COUNT], b[COUNT];
    cl_int status;
    cl_uint count = COUNT;
    cl_float factor = 2.5f;
    for (int i = 0; i < COUNT; i++) a[i] = (float)(i * i % 97);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (status != CL_SUCCESS) print_log(program, device);
    check(status, "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "scale", &status);
    check(status, "clCreateKernel");
    cl_mem from = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, a, &status);
    check(status, "clCreateBuffer");
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof b, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof factor, &factor), "clSetKernelArg");
    check(clSetKernelArg(kernel, 3, sizeof count, &count), "clSetKernelArg");
    size_t global = 1024, local = 64;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof b, b, 0, NULL, NULL), "clEnqueueReadBuffer");
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += b[i] != a[i] * factor + (float)i;
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong;
}

int main(int argc, char **argv) {
    cl_platform_id platforms[16];
    cl_device_id devices[64];
    cl_uint platform_count = 0, device_count = 0;
    char name[256];
    int ran = 0, failed = 0;
    check(clGetPlatformIDs(16, platforms, &platform_count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < platform_count && i < 16; i++) {
        check(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL), "clGetPlatformInfo");
        if (!strstr(name, "visakit")) continue;
        check(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 64, devices, &device_count), "clGetDeviceIDs");
        for (cl_uint j = 0; j < device_count && j < 64; j++) {
            check(clGetDeviceInfo(devices[j], CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
            if (argc > 1 && !strstr(name, argv[1])) continue;
            int wrong = run(devices[j]);
            printf("%s: %d of %d elements are right\n", name, COUNT - wrong, COUNT);
            ran++;
            failed += wrong != 0;
        }
    }
    if (ran == 0) fprintf(stderr, "vector: no device\n");
    return ran == 0 || failed != 0;
}
