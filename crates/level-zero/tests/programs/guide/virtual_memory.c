/* Virtual memory: reserved addresses, whose pages are mapped to physical memory one after the other. */
#include "guide.h"

int main(void) {
    start();
    size_t page;
    CHECK(zeVirtualMemQueryPageSize(context, device, 1, &page));
    char *first;
    CHECK(zeVirtualMemReserve(context, NULL, 4 * page, (void **)&first));
    ze_physical_mem_desc_t desc = {ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC};
    desc.size = page;
    ze_physical_mem_handle_t physical;
    CHECK(zePhysicalMemCreate(context, device, &desc, &physical));
    /* The same page at two addresses. */
    CHECK(zeVirtualMemMap(context, first, page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
    CHECK(zeVirtualMemMap(context, first + 2 * page, page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    int pattern = 42, found[3] = {0};
    ze_command_list_handle_t list = immediate();
    CHECK(zeCommandListAppendMemoryFill(list, first, &pattern, sizeof pattern, sizeof found, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, found, first + 2 * page, sizeof found, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    print("at the other address", found, 3);
    ze_memory_access_attribute_t access;
    size_t size;
    CHECK(zeVirtualMemGetAccessAttribute(context, first + 2 * page, page, &access, &size));
    printf("read-only: %s\n", access == ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY && size == page ? "one page" : "no");
    CHECK(zeVirtualMemUnmap(context, first, page));
    CHECK(zeVirtualMemUnmap(context, first + 2 * page, page));
    CHECK(zePhysicalMemDestroy(context, physical));
    CHECK(zeVirtualMemFree(context, first, 4 * page));
    return 0;
}
