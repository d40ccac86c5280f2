/* Device memory consists of whole pages: memory after a buffer's end in its last page reads as zero without a fault,
 * and writes to it have no effect. A binary for a device that is named twice is refused. */
#include "common.h"

/* Addresses are computed as integers, so that the compiler uses accesses without bounds. */
static const char *const source =
    "kernel void at(global int *a, global int *r, int offset) { global int *p = (global int *)((ulong)a + offset);"
    "  *p += 5; r[0] = *p; }";

static cl_int access(cl_command_queue queue, cl_kernel at, int offset) {
    CHECK(clSetKernelArg(at, 2, sizeof offset, &offset));
    size_t one = 1;
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(queue, at, 1, NULL, &one, NULL, 0, NULL, &event));
    cl_int status = 0;
    clWaitForEvents(1, &event);
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    CHECK(clReleaseEvent(event));
    return status;
}

static void run(void) {
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program(source, "");
    cl_kernel at = clCreateKernel(program, "at", &code);
    CHECK(code);
    int values[3] = { 1, 2, 3 }, result = 7;
    cl_mem a = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof values, values), r = make_buffer(0, sizeof result, NULL);
    CHECK(clSetKernelArg(at, 0, sizeof a, &a));
    CHECK(clSetKernelArg(at, 1, sizeof r, &r));
    int offsets[] = { 8, 12, 4092 }, wanted[] = { 8, 5, 5 };
    for (int i = 0; i < 3; i++) {
        if (access(queue, at, offsets[i])) printf("%d is a fault\n", offsets[i]);
        CHECK(clEnqueueReadBuffer(queue, r, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL));
        if (result != wanted[i]) printf("%d: %d\n", offsets[i], result);
    }
    CHECK(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    if (values[0] != 1 || values[1] != 2 || values[2] != 8) printf("%d %d %d\n", values[0], values[1], values[2]);

    size_t size, sizes[2];
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    const unsigned char *binaries[2] = { binary, binary };
    cl_device_id twice[2] = { device, device };
    sizes[0] = sizes[1] = size;
    if (clCreateProgramWithBinary(context, 2, twice, sizes, binaries, NULL, &code) || code != CL_INVALID_DEVICE)
        printf("a device twice: %d\n", code);
    free(binary);
    printf("done\n");
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(r));
    CHECK(clReleaseKernel(at));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
