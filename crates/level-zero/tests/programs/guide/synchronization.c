/* Synchronisation: fences of queues, events between lists and the host, barriers, time stamps. */
#include "guide.h"

static const char *state(ze_result_t result) {
    return result == ZE_RESULT_SUCCESS ? "signaled" : result == ZE_RESULT_NOT_READY ? "not ready" : "failed";
}

int main(int argc, char **argv) {
    start();
    ze_kernel_handle_t scale = kernel(module(argc > 1 ? argv[1] : ""), "scale");
    ze_event_pool_handle_t pool = events(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 2);
    ze_event_handle_t gate = event(pool, 0), done = event(pool, 1);
    int *data = shared(4 * sizeof *data), factor = 5;
    for (int n = 0; n < 4; n++)
        data[n] = n + 1;

    /* A launch waits for the host's event, and signals another one. */
    ze_command_queue_handle_t work = queue();
    ze_command_list_handle_t commands = list();
    ze_group_count_t groups = {1, 1, 1};
    CHECK(zeKernelSetGroupSize(scale, 4, 1, 1));
    CHECK(zeKernelSetArgumentValue(scale, 0, sizeof data, &data));
    CHECK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));
    CHECK(zeCommandListAppendLaunchKernel(commands, scale, &groups, done, 1, &gate));
    CHECK(zeCommandListAppendBarrier(commands, NULL, 0, NULL));
    CHECK(zeCommandListAppendLaunchKernel(commands, scale, &groups, NULL, 0, NULL));
    CHECK(zeCommandListClose(commands));
    ze_fence_desc_t fence_desc = {ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence;
    CHECK(zeFenceCreate(work, &fence_desc, &fence));
    CHECK(zeCommandQueueExecuteCommandLists(work, 1, &commands, fence));

    printf("before: event %s, fence %s\n", state(zeEventHostSynchronize(done, 1000000)), state(zeFenceQueryStatus(fence)));
    CHECK(zeEventHostSignal(gate));
    CHECK(zeEventHostSynchronize(done, UINT64_MAX));
    CHECK(zeFenceHostSynchronize(fence, UINT64_MAX));
    printf("after: event %s, fence %s\n", state(zeEventQueryStatus(done)), state(zeFenceQueryStatus(fence)));
    print("data", data, 4);

    ze_kernel_timestamp_result_t times;
    CHECK(zeEventQueryKernelTimestamp(done, &times));
    printf("times in order: %s\n", times.global.kernelStart <= times.global.kernelEnd ? "yes" : "no");
    CHECK(zeEventHostReset(done));
    CHECK(zeFenceReset(fence));
    printf("reset: event %s, fence %s\n", state(zeEventQueryStatus(done)), state(zeFenceQueryStatus(fence)));
    CHECK(zeFenceDestroy(fence));
    CHECK(zeEventDestroy(gate));
    CHECK(zeEventDestroy(done));
    CHECK(zeEventPoolDestroy(pool));
    CHECK(zeCommandListDestroy(commands));
    CHECK(zeCommandQueueDestroy(work));
    return 0;
}
