/* Command lists and queues: a list is recorded once, and executed several times. */
#include "guide.h"

int main(int argc, char **argv) {
    start();
    ze_kernel_handle_t scale = kernel(module(argc > 1 ? argv[1] : ""), "scale");
    ze_command_queue_handle_t work = queue();
    ze_command_list_handle_t commands = list();

    int *data = shared(8 * sizeof *data), factor = 3;
    for (int n = 0; n < 8; n++)
        data[n] = n;
    CHECK(zeKernelSetGroupSize(scale, 4, 1, 1));
    CHECK(zeKernelSetArgumentValue(scale, 0, sizeof data, &data));
    CHECK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));
    ze_group_count_t groups = {2, 1, 1};
    CHECK(zeCommandListAppendLaunchKernel(commands, scale, &groups, NULL, 0, NULL));
    /* Later changes of arguments do not change recorded launches. */
    factor = 1000;
    CHECK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));
    CHECK(zeCommandListClose(commands));
    print("recorded", data, 8);

    for (int n = 0; n < 2; n++) {
        CHECK(zeCommandQueueExecuteCommandLists(work, 1, &commands, NULL));
        CHECK(zeCommandQueueSynchronize(work, UINT64_MAX));
        print("executed", data, 8);
    }
    /* A reset list is empty. */
    CHECK(zeCommandListReset(commands));
    CHECK(zeCommandListClose(commands));
    CHECK(zeCommandQueueExecuteCommandLists(work, 1, &commands, NULL));
    CHECK(zeCommandQueueSynchronize(work, UINT64_MAX));
    print("reset", data, 8);
    CHECK(zeCommandListDestroy(commands));
    CHECK(zeCommandQueueDestroy(work));
    CHECK(zeMemFree(context, data));
    return 0;
}
