/* Drivers and devices: what a program queries before it allocates and launches. */
#include "guide.h"

int main(void) {
    start();
    ze_api_version_t version;
    CHECK(zeDriverGetApiVersion(driver, &version));
    printf("API 1: %s\n", ZE_MAJOR_VERSION(version) == 1 ? "yes" : "no");
    uint32_t count = 0;
    CHECK(zeDeviceGet(driver, &count, NULL));
    printf("devices: %u\n", count);

    ze_device_properties_t properties = {ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    CHECK(zeDeviceGetProperties(device, &properties));
    printf("GPU of vendor 0x%x: %s\n", properties.vendorId, properties.type == ZE_DEVICE_TYPE_GPU ? "yes" : "no");
    ze_device_compute_properties_t compute = {ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    CHECK(zeDeviceGetComputeProperties(device, &compute));
    printf("items of a group: at most %u\nsubgroups:", compute.maxTotalGroupSize);
    for (uint32_t n = 0; n < compute.numSubGroupSizes; n++)
        printf(" %u", compute.subGroupSizes[n]);
    puts("");
    ze_device_module_properties_t module = {ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    CHECK(zeDeviceGetModuleProperties(device, &module));
    printf("half precision: %s\n", module.flags & ZE_DEVICE_MODULE_FLAG_FP16 ? "yes" : "no");

    count = 0;
    CHECK(zeDeviceGetCommandQueueGroupProperties(device, &count, NULL));
    ze_command_queue_group_properties_t groups[8] = {{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES},
                                                     {ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES}};
    CHECK(zeDeviceGetCommandQueueGroupProperties(device, &count, groups));
    for (uint32_t n = 0; n < count; n++)
        printf("queue group %u: kernels %s, copies %s\n", n,
               groups[n].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE ? "yes" : "no",
               groups[n].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY ? "yes" : "no");
    CHECK(zeContextDestroy(context));
    return 0;
}
