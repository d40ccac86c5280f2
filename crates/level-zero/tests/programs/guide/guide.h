/* Shared start of the programs: NAME FILE.spv. */
#include <level_zero/ze_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                             \
    do {                                                                        \
        ze_result_t code_ = (call);                                             \
        if (code_ != ZE_RESULT_SUCCESS) {                                       \
            printf("line %d: %s: 0x%x\n", __LINE__, #call, (unsigned)code_);    \
            exit(1);                                                            \
        }                                                                       \
    } while (0)
#define UNUSED __attribute__((unused))

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;

/* Finds the first driver and its first device, and creates a context. */
UNUSED static void start(void) {
    ze_init_driver_type_desc_t kinds = {ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC, NULL, ZE_INIT_DRIVER_TYPE_FLAG_GPU};
    uint32_t count = 1;
    CHECK(zeInitDrivers(&count, &driver, &kinds));
    count = 1;
    CHECK(zeDeviceGet(driver, &count, &device));
    ze_context_desc_t desc = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
    CHECK(zeContextCreate(driver, &desc, &context));
}

/* Allocates memory that host and device share. */
UNUSED static void *shared(size_t bytes) {
    ze_device_mem_alloc_desc_t on_device = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, NULL, 0, 0};
    ze_host_mem_alloc_desc_t on_host = {ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, NULL, 0};
    void *memory;
    CHECK(zeMemAllocShared(context, &on_device, &on_host, bytes, 64, device, &memory));
    return memory;
}

/* Creates an immediate list, whose commands run in order. */
UNUSED static ze_command_list_handle_t immediate(void) {
    ze_command_queue_desc_t desc = {ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    desc.flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER;
    desc.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    ze_command_list_handle_t list;
    CHECK(zeCommandListCreateImmediate(context, device, &desc, &list));
    return list;
}

/* Creates a queue whose lists run in the background. */
UNUSED static ze_command_queue_handle_t queue(void) {
    ze_command_queue_desc_t desc = {ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    desc.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    ze_command_queue_handle_t queue;
    CHECK(zeCommandQueueCreate(context, device, &desc, &queue));
    return queue;
}

/* Creates a list that a queue executes. */
UNUSED static ze_command_list_handle_t list(void) {
    ze_command_list_desc_t desc = {ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list;
    CHECK(zeCommandListCreate(context, device, &desc, &list));
    return list;
}

/* Creates a pool of events. */
UNUSED static ze_event_pool_handle_t events(ze_event_pool_flags_t flags, uint32_t count) {
    ze_event_pool_desc_t desc = {ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, NULL, flags, count};
    ze_event_pool_handle_t pool;
    CHECK(zeEventPoolCreate(context, &desc, 1, &device, &pool));
    return pool;
}

UNUSED static ze_event_handle_t event(ze_event_pool_handle_t pool, uint32_t index) {
    ze_event_desc_t desc = {ZE_STRUCTURE_TYPE_EVENT_DESC, NULL, index, ZE_EVENT_SCOPE_FLAG_HOST, ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event;
    CHECK(zeEventCreate(pool, &desc, &event));
    return event;
}

/* Builds the module in a file, and prints the log if the build fails. */
UNUSED static ze_module_handle_t module(const char *name) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(name, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    ze_module_desc_t desc = {ZE_STRUCTURE_TYPE_MODULE_DESC, NULL, ZE_MODULE_FORMAT_IL_SPIRV, size, bytes, "", NULL};
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    if (zeModuleCreate(context, device, &desc, &module, &log) != ZE_RESULT_SUCCESS) {
        char text[4096] = "";
        size_t room = sizeof text;
        zeModuleBuildLogGetString(log, &room, text);
        printf("build: %s\n", text);
        exit(1);
    }
    CHECK(zeModuleBuildLogDestroy(log));
    return module;
}

UNUSED static ze_kernel_handle_t kernel(ze_module_handle_t module, const char *name) {
    ze_kernel_desc_t desc = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, name};
    ze_kernel_handle_t kernel;
    CHECK(zeKernelCreate(module, &desc, &kernel));
    return kernel;
}

/* Prints numbers in a line. */
UNUSED static void print(const char *what, const int *numbers, int count) {
    printf("%s:", what);
    for (int n = 0; n < count; n++)
        printf(" %d", numbers[n]);
    puts("");
}
