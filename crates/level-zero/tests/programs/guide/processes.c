/* Interprocess handles: two processes share memory and events. */
#include "guide.h"
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct handles {
    ze_ipc_mem_handle_t memory;
    ze_ipc_event_pool_handle_t events;
};

/* Scales the numbers of the other process between its event and its own. */
static int child(int pipe, const char *file) {
    struct handles handles;
    start();
    if (read(pipe, &handles, sizeof handles) != sizeof handles)
        return 1;
    int *data, factor = 6;
    ze_event_pool_handle_t pool;
    CHECK(zeMemOpenIpcHandle(context, device, handles.memory, 0, (void **)&data));
    CHECK(zeEventPoolOpenIpcHandle(context, handles.events, &pool));
    ze_event_handle_t ready = event(pool, 0), done = event(pool, 1);
    ze_kernel_handle_t scale = kernel(module(file), "scale");
    CHECK(zeKernelSetGroupSize(scale, 4, 1, 1));
    CHECK(zeKernelSetArgumentValue(scale, 0, sizeof data, &data));
    CHECK(zeKernelSetArgumentValue(scale, 1, sizeof factor, &factor));
    ze_command_list_handle_t list = immediate();
    ze_group_count_t groups = {1, 1, 1};
    CHECK(zeCommandListAppendLaunchKernel(list, scale, &groups, done, 1, &ready));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    CHECK(zeEventDestroy(ready));
    CHECK(zeEventDestroy(done));
    CHECK(zeEventPoolCloseIpcHandle(pool));
    CHECK(zeMemCloseIpcHandle(context, data));
    return 0;
}

int main(int argc, char **argv) {
    int pipes[2];
    if (argc < 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, pipes) != 0)
        return 2;
    /* The processes part before they use the driver. */
    pid_t process = fork();
    if (process == 0)
        return child(pipes[1], argv[1]);
    start();
    ze_device_mem_alloc_desc_t on_device = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_event_pool_handle_t pool = events(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC, 2);
    ze_event_handle_t ready = event(pool, 0), done = event(pool, 1);
    void *data;
    struct handles handles;
    CHECK(zeMemAllocDevice(context, &on_device, 4096, 64, device, &data));
    CHECK(zeMemGetIpcHandle(context, data, &handles.memory));
    CHECK(zeEventPoolGetIpcHandle(pool, &handles.events));
    if (write(pipes[0], &handles, sizeof handles) != sizeof handles)
        return 2;
    int numbers[4] = {1, 2, 3, 4};
    ze_command_list_handle_t list = immediate();
    CHECK(zeCommandListAppendMemoryCopy(list, data, numbers, sizeof numbers, ready, 0, NULL));
    CHECK(zeCommandListAppendMemoryCopy(list, numbers, data, sizeof numbers, NULL, 1, &done));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    print("scaled by the other process", numbers, 4);
    int status;
    waitpid(process, &status, 0);
    printf("other process: %d\n", status);
    CHECK(zeMemPutIpcHandle(context, handles.memory));
    CHECK(zeEventPoolPutIpcHandle(context, handles.events));
    CHECK(zeEventDestroy(ready));
    CHECK(zeEventDestroy(done));
    CHECK(zeEventPoolDestroy(pool));
    CHECK(zeMemFree(context, data));
    return 0;
}
