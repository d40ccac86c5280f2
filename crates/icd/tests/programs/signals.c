/* Semaphores: a waiting command continues after a signal, in any order and in any queue. */
#include "common.h"
#include <CL/cl_ext.h>

#define CALL(name) ((name##_fn)clGetExtensionFunctionAddressForPlatform(platform, #name))

static void run(void) {
    cl_platform_id platform;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    cl_semaphore_type_khr types[4] = { 0 };
    CHECK(clGetDeviceInfo(device, CL_DEVICE_SEMAPHORE_TYPES_KHR, sizeof types, types, NULL));
    if (types[0] != CL_SEMAPHORE_TYPE_BINARY_KHR) printf("type %u\n", types[0]);
    cl_semaphore_properties_khr properties[] = { CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0 };
    cl_semaphore_khr full = CALL(clCreateSemaphoreWithPropertiesKHR)(context, properties, &code);
    CHECK(code);
    cl_semaphore_khr empty = CALL(clCreateSemaphoreWithPropertiesKHR)(context, properties, &code);
    CHECK(code);
    /* Nothing is exported, but the function exists: the conformance tests load it. */
    int number;
    cl_int (*handle)(cl_semaphore_khr, cl_device_id, cl_uint, size_t, void *, size_t *) =
        (void *)clGetExtensionFunctionAddressForPlatform(platform, "clGetSemaphoreHandleForTypeKHR");
    FAILS(CL_INVALID_VALUE, handle(full, device, 0x2055, sizeof number, &number, NULL));
    FAILS(CL_INVALID_SEMAPHORE_KHR, handle(NULL, device, 0x2055, sizeof number, &number, NULL));
    cl_command_queue makes = make_queue(0), takes = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem buffer = make_buffer(0, 4, NULL);
    int found[50];
    cl_event last = NULL;
    /* The reader is enqueued before or after the writer, which waits until the number is read. */
    for (int n = 0; n < 50; n++)
        for (int part = 0; part < 2; part++)
            if (part == n % 2) {
                if (n > 0) CHECK(CALL(clEnqueueWaitSemaphoresKHR)(makes, 1, &empty, NULL, 0, NULL, NULL));
                CHECK(clEnqueueFillBuffer(makes, buffer, &n, 4, 0, 4, 0, NULL, NULL));
                CHECK(CALL(clEnqueueSignalSemaphoresKHR)(makes, 1, &full, NULL, 0, NULL, NULL));
            } else {
                cl_event ready, read, before = last;
                CHECK(CALL(clEnqueueWaitSemaphoresKHR)(takes, 1, &full, NULL, before != NULL, before ? &before : NULL, &ready));
                CHECK(clEnqueueReadBuffer(takes, buffer, CL_FALSE, 0, 4, &found[n], 1, &ready, &read));
                CHECK(CALL(clEnqueueSignalSemaphoresKHR)(takes, 1, &empty, NULL, 1, &read, &last));
                if (before) CHECK(clReleaseEvent(before));
                CHECK(clReleaseEvent(ready));
                CHECK(clReleaseEvent(read));
            }
    cl_command_type type = 0;
    CHECK(clGetEventInfo(last, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    if (type != CL_COMMAND_SEMAPHORE_SIGNAL_KHR) printf("command %x\n", type);
    CHECK(clFinish(makes));
    CHECK(clFinish(takes));
    for (int n = 0; n < 50; n++)
        if (found[n] != n) printf("%d instead of %d\n", found[n], n);
    cl_semaphore_payload_khr payloads[2] = { 7, 7 };
    CHECK(CALL(clGetSemaphoreInfoKHR)(full, CL_SEMAPHORE_PAYLOAD_KHR, 8, &payloads[0], NULL));
    CHECK(CALL(clGetSemaphoreInfoKHR)(empty, CL_SEMAPHORE_PAYLOAD_KHR, 8, &payloads[1], NULL));
    if (payloads[0] != 0 || payloads[1] != 1) printf("%d and %d\n", (int)payloads[0], (int)payloads[1]);

    FAILS(CL_INVALID_VALUE, CALL(clEnqueueWaitSemaphoresKHR)(makes, 0, NULL, NULL, 0, NULL, NULL));
    FAILS(CL_INVALID_COMMAND_QUEUE, CALL(clEnqueueWaitSemaphoresKHR)(NULL, 1, &full, NULL, 0, NULL, NULL));
    cl_semaphore_khr none = NULL;
    FAILS(CL_INVALID_SEMAPHORE_KHR, CALL(clEnqueueSignalSemaphoresKHR)(makes, 1, &none, NULL, 0, NULL, NULL));
    properties[1] = 9;
    CALL(clCreateSemaphoreWithPropertiesKHR)(context, properties, &code);
    FAILS(CL_INVALID_VALUE, code);
    CHECK(clReleaseEvent(last));
    CHECK(CALL(clReleaseSemaphoreKHR)(full));
    CHECK(CALL(clReleaseSemaphoreKHR)(empty));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseCommandQueue(makes));
    CHECK(clReleaseCommandQueue(takes));
    printf("done\n");
}
