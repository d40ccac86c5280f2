/* Execution: counts of groups in memory, cooperative launches, and memory behind pointers in memory. */
#include "guide.h"

int main(int argc, char **argv) {
    start();
    ze_module_handle_t built = module(argc > 1 ? argv[1] : "");
    ze_kernel_handle_t scale = kernel(built, "scale"), follow = kernel(built, "follow");
    ze_command_list_handle_t list = immediate();
    int *data = shared(8 * sizeof *data), factor = 10, index = 1;
    for (int n = 0; n < 8; n++)
        data[n] = n;
    CHECK(zeKernelSetGroupSize(scale, 2, 1, 1));
    CHECK(zeKernelSetArgumentValue(scale, 0, sizeof data, &data));
    CHECK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));

    /* The device reads the number of groups when the launch starts. */
    ze_group_count_t *counts = shared(sizeof *counts);
    *counts = (ze_group_count_t){2, 1, 1};
    CHECK(zeCommandListAppendLaunchKernelIndirect(list, scale, counts, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    print("two groups of two", data, 8);

    uint32_t most;
    CHECK(zeKernelSuggestMaxCooperativeGroupCount(scale, &most));
    ze_group_count_t groups = {4, 1, 1};
    CHECK(zeCommandListAppendLaunchCooperativeKernel(list, scale, &groups, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    printf("cooperative groups: %s\n", most >= 4 ? "four or more" : "fewer than four");
    print("four groups of two", data, 8);

    /* The kernel reaches the data only by a pointer in memory, and says so. */
    int **pointers = shared(2 * sizeof *pointers);
    pointers[1] = data;
    CHECK(zeKernelSetIndirectAccess(follow, ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED));
    CHECK(zeKernelSetGroupSize(follow, 8, 1, 1));
    CHECK(zeKernelSetArgumentValue(follow, 0, sizeof pointers, &pointers));
    CHECK(zeKernelSetArgumentValue(follow, 1, sizeof index, &index));
    groups.groupCountX = 1;
    CHECK(zeCommandListAppendLaunchKernel(list, follow, &groups, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    print("by a pointer", data, 8);
    return 0;
}
