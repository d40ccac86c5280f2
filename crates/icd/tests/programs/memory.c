/* Buffers of growing size until a call fails with a code; the program then continues to its end. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define UNTIL(call) do { cl_int code_ = (call); if (code_) { printf("%s: %d\n", #call, code_); return 0; } } while (0)

static const char *const source =
    "kernel void k(global int *a, global const int *b, local int *l) {"
    "  int i = get_global_id(0), n = get_local_id(0), t[16];"
    "  for (int j = 0; j < 16; j++) t[(j * 7) & 15] = b[(i + j) & 15] + j;"
    "  l[n] = t[i & 15]; barrier(CLK_LOCAL_MEM_FENCE);"
    "  a[i] = l[(n + 1) % get_local_size(0)]; }";

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    setvbuf(stdout, NULL, _IONBF, 0);
    UNTIL(clGetPlatformIDs(1, &platform, NULL));
    UNTIL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    UNTIL(code);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    UNTIL(code);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &code);
    UNTIL(code);
    UNTIL(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &code);
    UNTIL(code);
    for (size_t megabytes = 1; megabytes <= 256; megabytes *= 4) {
        size_t bytes = megabytes << 20, global = 1 << 12, local = 256;
        cl_mem buffers[2];
        for (int n = 0; n < 2; n++) {
            buffers[n] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
            UNTIL(code);
            UNTIL(clSetKernelArg(kernel, n, sizeof buffers[n], &buffers[n]));
        }
        UNTIL(clSetKernelArg(kernel, 2, 1024, NULL));
        UNTIL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        UNTIL(clFinish(queue));
        void *host = malloc(bytes);
        if (!host) {
            puts("the program itself has no memory");
            return 0;
        }
        UNTIL(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, bytes, host, 0, NULL, NULL));
        free(host);
        for (int n = 0; n < 2; n++) UNTIL(clReleaseMemObject(buffers[n]));
    }
    puts("all");
    return 0;
}
