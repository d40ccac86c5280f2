/* Immediate lists: commands start when they are appended, here one after the other. */
#include "guide.h"

int main(int argc, char **argv) {
    start();
    ze_kernel_handle_t scale = kernel(module(argc > 1 ? argv[1] : ""), "scale");
    ze_command_list_handle_t list = immediate();
    int *data = shared(4 * sizeof *data), numbers[4] = {1, 2, 3, 4}, result[4];
    ze_group_count_t groups = {1, 1, 1};
    CHECK(zeKernelSetGroupSize(scale, 4, 1, 1));
    CHECK(zeKernelSetArgumentValue(scale, 0, sizeof data, &data));
    CHECK(zeCommandListAppendMemoryCopy(list, data, numbers, sizeof numbers, NULL, 0, NULL));
    for (int factor = 2; factor < 5; factor++) {
        CHECK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));
        CHECK(zeCommandListAppendLaunchKernel(list, scale, &groups, NULL, 0, NULL));
    }
    CHECK(zeCommandListAppendMemoryCopy(list, result, data, sizeof result, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    print("after three launches", result, 4);

    ze_bool_t is_immediate;
    CHECK(zeCommandListIsImmediate(list, &is_immediate));
    printf("immediate: %s\n", is_immediate ? "yes" : "no");
    CHECK(zeCommandListDestroy(list));
    CHECK(zeMemFree(context, data));
    return 0;
}
