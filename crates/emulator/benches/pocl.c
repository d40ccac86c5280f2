/* Runs a kernel on the first OpenCL device and prints the time of the best run in seconds.
   usage: pocl SOURCE KERNEL GX GY LX LY ARG...; an ARG is file:PATH, zeros:BYTES, u32:N or f32:X. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(cl_int error, const char *what) {
    if (error) { fprintf(stderr, "%s: error %d\n", what, error); exit(1); }
}

static char *slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(1); }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(*size + 1, 1);
    if (fread(bytes, 1, *size, file) != *size) { perror(path); exit(1); }
    fclose(file);
    return bytes;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **values) {
    if (count < 7) return 2;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    size_t size;
    const char *source = slurp(values[1], &size);
    cl_program program = clCreateProgramWithSource(context, 1, &source, &size, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, values[2], &error);
    check(error, "kernel");
    size_t global[2] = {strtoul(values[3], NULL, 10), strtoul(values[4], NULL, 10)};
    size_t local[2] = {strtoul(values[5], NULL, 10), strtoul(values[6], NULL, 10)};
    for (int i = 7; i < count; i++) {
        char *value = strchr(values[i], ':') + 1;
        cl_uint index = (cl_uint)(i - 7);
        if (!strncmp(values[i], "u32", 3)) {
            cl_uint number = (cl_uint)strtoul(value, NULL, 10);
            check(clSetKernelArg(kernel, index, 4, &number), "argument");
        } else if (!strncmp(values[i], "f32", 3)) {
            cl_float number = strtof(value, NULL);
            check(clSetKernelArg(kernel, index, 4, &number), "argument");
        } else {
            int zeros = !strncmp(values[i], "zeros", 5);
            char *bytes;
            if (zeros) { size = strtoul(value, NULL, 10); bytes = calloc(size, 1); }
            else bytes = slurp(value, &size);
            cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, bytes, &error);
            check(error, "buffer");
            check(clSetKernelArg(kernel, index, sizeof buffer, &buffer), "argument");
        }
    }
    double best = 1e30, first = now();
    for (int n = 0; n < 6 || now() - first < 0.1; n++) {
        double start = now();
        check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "launch");
        check(clFinish(queue), "finish");
        double time = now() - start;
        if (time < best) best = time;
    }
    printf("%.9f\n", best);
    return 0;
}
