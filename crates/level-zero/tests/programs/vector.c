/* Runs a kernel through the Level Zero loader: vector FILE.spv. Prints the device and "passed". */
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 1000
#define CHECK(call)                                                          \
    do {                                                                     \
        ze_result_t result = (call);                                         \
        if (result != ZE_RESULT_SUCCESS) {                                   \
            printf("%s: 0x%x\n", #call, (unsigned)result);                   \
            return 1;                                                        \
        }                                                                    \
    } while (0)

static void *contents(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*size);
    *size = fread(bytes, 1, *size, file);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    size_t size = 0;
    void *bytes = argc > 1 ? contents(argv[1], &size) : NULL;
    if (!bytes)
        return 2;
    ze_init_driver_type_desc_t kinds = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, ZE_INIT_DRIVER_TYPE_FLAG_GPU};
    uint32_t count = 1;
    ze_driver_handle_t driver;
    CHECK(zeInitDrivers(&count, &driver, &kinds));
    ze_api_version_t version;
    CHECK(zeDriverGetApiVersion(driver, &version));
    ze_device_handle_t device;
    count = 1;
    CHECK(zeDeviceGet(driver, &count, &device));
    ze_device_properties_t properties = {ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, NULL};
    CHECK(zeDeviceGetProperties(device, &properties));
    printf("%s, API %d.%d, device id 0x%x\n", properties.name, version >> 16, version & 0xffff, properties.deviceId);
    ze_context_desc_t context_desc = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
    ze_context_handle_t context;
    CHECK(zeContextCreate(driver, &context_desc, &context));

    ze_module_desc_t module_desc = {ZE_STRUCTURE_TYPE_MODULE_DESC, NULL, ZE_MODULE_FORMAT_IL_SPIRV, size, bytes, "", NULL};
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    ze_result_t built = zeModuleCreate(context, device, &module_desc, &module, &log);
    if (built != ZE_RESULT_SUCCESS) {
        char text[4096];
        size_t room = sizeof text;
        zeModuleBuildLogGetString(log, &room, text);
        printf("build: 0x%x\n%.*s\n", (unsigned)built, (int)room, text);
        return 1;
    }
    CHECK(zeModuleBuildLogDestroy(log));
    ze_kernel_desc_t kernel_desc = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, "scale"};
    ze_kernel_handle_t kernel;
    CHECK(zeKernelCreate(module, &kernel_desc, &kernel));

    ze_device_mem_alloc_desc_t on_device = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, NULL, 0, 0};
    ze_host_mem_alloc_desc_t on_host = {ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, NULL, 0};
    float *a, *b, *c, host[COUNT];
    CHECK(zeMemAllocShared(context, &on_device, &on_host, sizeof host, 64, device, (void **)&a));
    CHECK(zeMemAllocDevice(context, &on_device, sizeof host, 64, device, (void **)&b));
    CHECK(zeMemAllocHost(context, &on_host, sizeof host, 64, (void **)&c));
    for (int n = 0; n < COUNT; n++)
        a[n] = (float)(n * 3 % 17);
    float factor = 2.5f;
    uint32_t total = COUNT, x, y, z;
    CHECK(zeKernelSuggestGroupSize(kernel, 1024, 1, 1, &x, &y, &z));
    CHECK(zeKernelSetGroupSize(kernel, x, y, z));
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof a, &a));
    CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof b, &b));
    CHECK(zeKernelSetArgumentValue(kernel, 2, sizeof factor, &factor));
    CHECK(zeKernelSetArgumentValue(kernel, 3, sizeof total, &total));

    ze_event_pool_desc_t pool_desc = {ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, NULL,
        ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 2};
    ze_event_pool_handle_t pool;
    CHECK(zeEventPoolCreate(context, &pool_desc, 1, &device, &pool));
    ze_event_desc_t event_desc = {ZE_STRUCTURE_TYPE_EVENT_DESC, NULL, 0, ZE_EVENT_SCOPE_FLAG_HOST, ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t ran, copied;
    CHECK(zeEventCreate(pool, &event_desc, &ran));
    event_desc.index = 1;
    CHECK(zeEventCreate(pool, &event_desc, &copied));
    ze_group_count_t groups = {(COUNT + x - 1) / x, 1, 1};

    /* A recorded list, a queue and a fence. */
    ze_command_queue_desc_t queue_desc = {ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, NULL, 0, 0, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, 0};
    ze_command_queue_handle_t queue;
    CHECK(zeCommandQueueCreate(context, device, &queue_desc, &queue));
    ze_command_list_desc_t list_desc = {ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, NULL, 0, 0};
    ze_command_list_handle_t list;
    CHECK(zeCommandListCreate(context, device, &list_desc, &list));
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, ran, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, c, b, sizeof host, copied, 1, &ran));
    CHECK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    CHECK(zeCommandListClose(list));
    ze_fence_desc_t fence_desc = {ZE_STRUCTURE_TYPE_FENCE_DESC, NULL, 0};
    ze_fence_handle_t fence;
    CHECK(zeFenceCreate(queue, &fence_desc, &fence));
    CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
    CHECK(zeFenceHostSynchronize(fence, UINT64_MAX));
    CHECK(zeEventQueryStatus(copied));
    CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    ze_kernel_timestamp_result_t times;
    CHECK(zeEventQueryKernelTimestamp(ran, &times));
    if (times.global.kernelEnd < times.global.kernelStart)
        return 3;
    for (int n = 0; n < COUNT; n++)
        if (c[n] != a[n] * factor + (float)n)
            return printf("%d: %f\n", n, c[n]), 1;

    /* An immediate list. */
    ze_command_list_handle_t now;
    queue_desc.flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
    CHECK(zeCommandListCreateImmediate(context, device, &queue_desc, &now));
    factor = -1.0f;
    CHECK(zeKernelSetArgumentValue(kernel, 2, sizeof factor, &factor));
    uint8_t zero = 0;
    CHECK(zeCommandListAppendMemoryFill(now, b, &zero, 1, sizeof host, NULL, 0, NULL));
    CHECK(zeCommandListAppendLaunchKernel(now, kernel, &groups, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(now, host, b, sizeof host, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(now, UINT64_MAX));
    for (int n = 0; n < COUNT; n++)
        if (host[n] != a[n] * factor + (float)n)
            return printf("immediate %d: %f\n", n, host[n]), 1;

    /* Errors of the driver pass through the loader. */
    ze_module_handle_t none;
    module_desc.inputSize = 3;
    if (zeModuleCreate(context, device, &module_desc, &none, NULL) != ZE_RESULT_ERROR_MODULE_BUILD_FAILURE)
        return 4;
    kernel_desc.pKernelName = "absent";
    ze_kernel_handle_t absent;
    if (zeKernelCreate(module, &kernel_desc, &absent) != ZE_RESULT_ERROR_INVALID_KERNEL_NAME)
        return 5;

    CHECK(zeFenceDestroy(fence));
    CHECK(zeCommandListDestroy(now));
    CHECK(zeCommandListDestroy(list));
    CHECK(zeCommandQueueDestroy(queue));
    CHECK(zeEventDestroy(ran));
    CHECK(zeEventDestroy(copied));
    CHECK(zeEventPoolDestroy(pool));
    CHECK(zeKernelDestroy(kernel));
    CHECK(zeModuleDestroy(module));
    CHECK(zeMemFree(context, a));
    CHECK(zeMemFree(context, b));
    CHECK(zeMemFree(context, c));
    CHECK(zeContextDestroy(context));
    puts("passed");
    return 0;
}
