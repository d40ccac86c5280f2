/* Command lists and queues: a list is recorded once, and executed several times. */
#include "guide.h"

int main(int argc, char **argv) {
    start();
    ze_kernel_handle_t scale = kernel(module(argc > 1 ? argv[1] : ""), "scale");
    ze_command_queue_desc_t queue_desc = {ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    queue_desc.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    ze_command_queue_handle_t queue;
    CHECK(zeCommandQueueCreate(context, device, &queue_desc, &queue));
    ze_command_list_desc_t list_desc = {ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list;
    CHECK(zeCommandListCreate(context, device, &list_desc, &list));

    int *data = shared(8 * sizeof *data), factor = 3;
    for (int n = 0; n < 8; n++)
        data[n] = n;
    CHECK(zeKernelSetGroupSize(scale, 4, 1, 1));
    CHECK(zeKernelSetArgumentValue(scale, 0, sizeof data, &data));
    CHECK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));
    ze_group_count_t groups = {2, 1, 1};
    CHECK(zeCommandListAppendLaunchKernel(list, scale, &groups, NULL, 0, NULL));
    /* Later changes of arguments do not change recorded launches. */
    factor = 1000;
    CHECK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));
    CHECK(zeCommandListClose(list));
    print("recorded", data, 8);

    for (int n = 0; n < 2; n++) {
        CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
        print("executed", data, 8);
    }
    /* A reset list is empty. */
    CHECK(zeCommandListReset(list));
    CHECK(zeCommandListClose(list));
    CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    print("reset", data, 8);
    CHECK(zeCommandListDestroy(list));
    CHECK(zeCommandQueueDestroy(queue));
    CHECK(zeMemFree(context, data));
    return 0;
}
