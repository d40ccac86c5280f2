/* Runs kernels through both drivers in one process, also after a fork:
 * both DRIVER.so FILE.spv [both]. Without the last word, only the Level Zero driver runs. */
#include "level_zero.h"
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#define COUNT 512

static void *list, *kernel;

static void start(const char *library, const char *file) {
    open_driver(library);
    struct desc queue = {0xe, NULL, 0, 0, 2, 1, 0};
    CHECK(ze("zeCommandListCreateImmediate")(context, device, &queue, &list));
    FILE *stream = fopen(file, "rb");
    static char bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    struct module_desc module_desc = {0x1b, NULL, 0, size, bytes, "", NULL};
    void *module, *log;
    CHECK(ze("zeModuleCreate")(context, device, &module_desc, &module, &log));
    CHECK(ze("zeModuleBuildLogDestroy")(log));
    struct kernel_desc kernel_desc = {0x1d, NULL, 0, "scale"};
    CHECK(ze("zeKernelCreate")(module, &kernel_desc, &kernel));
    CHECK(ze("zeKernelSetGroupSize")(kernel, 64, 1, 1));
    CHECK(ze("zeModuleDestroy")(module));
}

/* Scales numbers with Level Zero. */
static void level_zero(float factor) {
    struct desc desc = {0x15}, host_desc = {0x16};
    float *memory[2];
    uint32_t count = COUNT, groups[3] = {COUNT / 64, 1, 1};
    for (int n = 0; n < 2; n++)
        CHECK(ze("zeMemAllocShared")(context, &desc, &host_desc, (size_t)COUNT * 4, (size_t)64, device, &memory[n]));
    for (int n = 0; n < COUNT; n++)
        memory[0][n] = (float)n;
    CHECK(ze("zeKernelSetArgumentValue")(kernel, 0, sizeof memory[0], &memory[0]));
    CHECK(ze("zeKernelSetArgumentValue")(kernel, 1, sizeof memory[1], &memory[1]));
    CHECK(ze("zeKernelSetArgumentValue")(kernel, 2, sizeof factor, &factor));
    CHECK(ze("zeKernelSetArgumentValue")(kernel, 3, sizeof count, &count));
    CHECK(ze("zeCommandListAppendLaunchKernel")(list, kernel, groups, NULL, 0, NULL));
    for (int n = 0; n < COUNT; n++)
        CHECK(memory[1][n] != (float)n * factor + (float)n);
    CHECK(ze("zeMemFree")(context, memory[0]));
    CHECK(ze("zeMemFree")(context, memory[1]));
}

/* Counts with OpenCL, in shared memory. */
static void opencl(int step) {
    cl_int code;
    cl_platform_id platform;
    cl_device_id cl_device;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &cl_device, NULL));
    cl_context cl_context_ = clCreateContext(NULL, 1, &cl_device, NULL, NULL, &code);
    CHECK(code);
    cl_command_queue queue = clCreateCommandQueueWithProperties(cl_context_, cl_device, NULL, &code);
    CHECK(code);
    const char *source = "kernel void count(global int *to, int step) { to[get_global_id(0)] = get_global_id(0) * step; }";
    cl_program program = clCreateProgramWithSource(cl_context_, 1, &source, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel count = clCreateKernel(program, "count", &code);
    CHECK(code);
    int *memory = clSVMAlloc(cl_context_, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, COUNT * sizeof(int), 0);
    size_t global = COUNT;
    CHECK(memory == NULL);
    CHECK(clSetKernelArgSVMPointer(count, 0, memory));
    CHECK(clSetKernelArg(count, 1, sizeof step, &step));
    CHECK(clEnqueueNDRangeKernel(queue, count, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clFinish(queue));
    for (int n = 0; n < COUNT; n++)
        CHECK(memory[n] != n * step);
    clSVMFree(cl_context_, memory);
    CHECK(clReleaseKernel(count));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(cl_context_));
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    int is_both = argc > 3;
    start(argv[1], argv[2]);
    for (int n = 1; n < 4; n++) {
        level_zero((float)n);
        if (is_both)
            opencl(n);
    }
    if (is_both) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(100);
            level_zero(5.0f);
            opencl(7);
            exit(0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        CHECK(status);
        level_zero(6.0f);
    }
    CHECK(ze("zeKernelDestroy")(kernel));
    CHECK(ze("zeCommandListDestroy")(list));
    CHECK(ze("zeContextDestroy")(context));
    puts("passed");
    return 0;
}
