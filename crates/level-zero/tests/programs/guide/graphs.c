/* Graphs: immediate lists record commands, and an instance of the graph runs all of them. */
#include "guide.h"

static void is_recording(const char *name, ze_command_list_handle_t list) {
    printf("%s records: %s\n", name, zeCommandListIsGraphCaptureEnabledExt(list) == ZE_RESULT_QUERY_TRUE ? "yes" : "no");
}

int main(int argc, char **argv) {
    start();
    ze_kernel_handle_t scale = kernel(module(argc > 1 ? argv[1] : ""), "scale");
    ze_command_list_handle_t first = immediate(), second = immediate();
    ze_event_pool_handle_t pool = events(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2);
    ze_event_handle_t scaled = event(pool, 0), copied = event(pool, 1);
    int *data = shared(4 * sizeof *data), *copy = shared(4 * sizeof *copy), factor = 2;
    ze_group_count_t groups = {1, 1, 1};
    memcpy(data, (int[]){1, 2, 3, 4}, 4 * sizeof *data);
    memset(copy, 0, 4 * sizeof *copy);
    CHECK(zeKernelSetGroupSize(scale, 4, 1, 1));
    CHECK(zeKernelSetArgumentValue(scale, 0, sizeof data, &data));
    CHECK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));

    /* The second list joins the recording when it waits for a recorded command. */
    CHECK(zeCommandListBeginGraphCaptureExt(first, NULL));
    CHECK(zeCommandListAppendLaunchKernel(first, scale, &groups, scaled, 0, NULL));
    is_recording("second list", second);
    CHECK(zeCommandListAppendMemoryCopy(second, copy, data, 4 * sizeof *copy, copied, 1, &scaled));
    is_recording("second list", second);
    CHECK(zeCommandListAppendWaitOnEvents(first, 1, &copied));
    ze_graph_handle_t graph;
    CHECK(zeCommandListEndGraphCaptureExt(first, NULL, &graph));
    is_recording("second list", second);
    print("copy after the recording", copy, 4);

    ze_executable_graph_handle_t instance;
    CHECK(zeGraphInstantiateExt(graph, NULL, &instance));
    for (int turn = 0; turn < 3; turn++) {
        CHECK(zeEventHostReset(scaled));
        CHECK(zeEventHostReset(copied));
        CHECK(zeCommandListAppendGraphExt(second, instance, NULL, NULL, 0, NULL));
        CHECK(zeCommandListHostSynchronize(second, UINT64_MAX));
        print("copy after an execution", copy, 4);
    }
    CHECK(zeExecutableGraphDestroyExt(instance));
    CHECK(zeGraphDestroyExt(graph));

    /* Without a wait for its work, a list that has joined makes the graph invalid. */
    CHECK(zeCommandListBeginGraphCaptureExt(first, NULL));
    CHECK(zeCommandListAppendLaunchKernel(first, scale, &groups, scaled, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(second, copy, data, 4 * sizeof *copy, NULL, 1, &scaled));
    ze_result_t result = zeCommandListEndGraphCaptureExt(first, NULL, &graph);
    printf("without a wait: %s\n", result == ZE_RESULT_ERROR_GRAPH_UNJOINED_FORKS ? "unjoined" : "other");
    return 0;
}
