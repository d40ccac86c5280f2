/* Peers: kernels of one device use memory of another. The program needs two devices. */
#include "guide.h"

int main(int argc, char **argv) {
    start();
    ze_device_handle_t devices[2];
    uint32_t count = 2;
    CHECK(zeDeviceGet(driver, &count, devices));
    printf("devices: %u\n", count);
    ze_bool_t can_access;
    CHECK(zeDeviceCanAccessPeer(devices[0], devices[1], &can_access));
    ze_device_p2p_properties_t properties = {ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES};
    CHECK(zeDeviceGetP2PProperties(devices[0], devices[1], &properties));
    printf("access to the peer: %s, atomics: %s\n", can_access ? "yes" : "no",
           properties.flags & ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS ? "yes" : "no");

    /* Memory of the second device, and a kernel of the first. */
    ze_device_mem_alloc_desc_t on_device = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    int *data, numbers[4] = {1, 2, 3, 4}, factor = -1;
    CHECK(zeMemAllocDevice(context, &on_device, 4096, 64, devices[1], (void **)&data));
    ze_kernel_handle_t scale = kernel(module(argc > 1 ? argv[1] : ""), "scale");
    CHECK(zeKernelSetGroupSize(scale, 4, 1, 1));
    CHECK(zeKernelSetArgumentValue(scale, 0, sizeof data, &data));
    CHECK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));
    ze_command_list_handle_t list = immediate();
    ze_group_count_t groups = {1, 1, 1};
    CHECK(zeCommandListAppendMemoryCopy(list, data, numbers, sizeof numbers, NULL, 0, NULL));
    CHECK(zeCommandListAppendLaunchKernel(list, scale, &groups, NULL, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, numbers, data, sizeof numbers, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    print("scaled by the peer", numbers, 4);
    CHECK(zeMemFree(context, data));
    return 0;
}
