/* Contexts and memory: memory of the host, of the device, and of both. */
#include "guide.h"

static void describe(const char *what, void *address) {
    static const char *const kinds[] = {"unknown", "host", "device", "shared"};
    ze_memory_allocation_properties_t properties = {ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t owner = NULL;
    CHECK(zeMemGetAllocProperties(context, address, &properties, &owner));
    printf("%s: %s memory, %s device\n", what, kinds[properties.type], owner == device ? "of the" : "of no");
}

int main(void) {
    start();
    ze_device_mem_alloc_desc_t on_device = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host = {ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    int *host, *own, *both = shared(4096), local[8] = {0};
    CHECK(zeMemAllocHost(context, &on_host, 4096, 64, (void **)&host));
    CHECK(zeMemAllocDevice(context, &on_device, 4096, 64, device, (void **)&own));
    describe("host", host);
    describe("device", own + 1000);
    describe("shared", both);
    describe("stack", local);

    void *base;
    size_t size;
    CHECK(zeMemGetAddressRange(context, own + 1000, &base, &size));
    printf("range: %zu bytes, start found: %s\n", size, base == own ? "yes" : "no");

    /* A fill of device memory, and copies by way of the other kinds to the stack. */
    ze_command_list_handle_t list = immediate();
    int pattern[2] = {7, 9};
    CHECK(zeCommandListAppendMemoryFill(list, own, pattern, sizeof pattern, sizeof local, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, host, own, sizeof local, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, both, host, sizeof local, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, local, both, sizeof local, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    print("copied", local, 8);

    CHECK(zeCommandListDestroy(list));
    CHECK(zeMemFree(context, host));
    CHECK(zeMemFree(context, own));
    CHECK(zeMemFree(context, both));
    CHECK(zeContextDestroy(context));
    return 0;
}
