/* Kernels on memory of the program that is no shared allocation, if the device has the feature. */
#include "common.h"

static const char *const source =
    "struct node { global struct node *next; int value; };"
    "kernel void scale(global const int *a, global int *b) { int n = get_global_id(0); b[n] = a[n] * 2 + n; }"
    "kernel void walk(global struct node *node, global int *sum) {"
    "  int all = 0; for (; node; node = node->next) all += node->value; *sum = all; }";

struct node {
    struct node *next;
    int value;
};

static const int constants[64] = { [5] = 21 };
static int variables[64];

static void run(void) {
    cl_device_svm_capabilities svm;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    int has_system = (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0;
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel scale = clCreateKernel(program, "scale", &code), walk = clCreateKernel(program, "walk", &code);
    cl_bool wanted = CL_TRUE;
    FAILS(has_system ? CL_SUCCESS : CL_INVALID_OPERATION,
          clSetKernelExecInfo(walk, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof wanted, &wanted));
    if (has_system) {
        size_t global = 64, one = 1;
        CHECK(clSetKernelArgSVMPointer(scale, 0, constants));
        CHECK(clSetKernelArgSVMPointer(scale, 1, variables));
        CHECK(clEnqueueNDRangeKernel(queue, scale, 1, NULL, &global, NULL, 0, NULL, NULL));
        CHECK(clFinish(queue));
        for (int n = 0; n < 64; n++)
            if (variables[n] != 2 * constants[n] + n) printf("variable %d is %d\n", n, variables[n]);
        int *heap = malloc(sizeof variables), sum = 0;
        CHECK(clEnqueueSVMMemcpy(queue, CL_TRUE, heap, variables, sizeof variables, 0, NULL, NULL));
        struct node last = { NULL, heap[5] }, first = { &last, -7 };
        CHECK(clSetKernelArgSVMPointer(walk, 0, &first));
        CHECK(clSetKernelArgSVMPointer(walk, 1, &sum));
        CHECK(clEnqueueNDRangeKernel(queue, walk, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clFinish(queue));
        if (sum != 40) printf("the sum is %d\n", sum);
        free(heap);
    }
    puts(has_system ? "system" : "none");
    CHECK(clReleaseKernel(scale));
    CHECK(clReleaseKernel(walk));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
