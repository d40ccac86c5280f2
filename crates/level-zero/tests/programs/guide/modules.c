/* Modules and kernels: names, build logs, native binaries, properties, and arguments of all kinds. */
#include "guide.h"

int main(int argc, char **argv) {
    start();
    ze_module_handle_t built = module(argc > 1 ? argv[1] : "");
    uint32_t count = 0;
    CHECK(zeModuleGetKernelNames(built, &count, NULL));
    printf("kernels: %u\n", count);

    /* A damaged module has no handle, but a log. */
    uint8_t damaged[64] = {3, 2, 0x23, 7};
    ze_module_desc_t desc = {ZE_STRUCTURE_TYPE_MODULE_DESC, NULL, ZE_MODULE_FORMAT_IL_SPIRV, sizeof damaged, damaged, "", NULL};
    ze_module_handle_t none;
    ze_module_build_log_handle_t log;
    ze_result_t result = zeModuleCreate(context, device, &desc, &none, &log);
    size_t size = 0;
    CHECK(zeModuleBuildLogGetString(log, &size, NULL));
    printf("damaged: %s, log: %s\n", result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE ? "build failure" : "other",
           size > 1 ? "yes" : "empty");
    CHECK(zeModuleBuildLogDestroy(log));

    /* The native binary is a module without a compilation. */
    CHECK(zeModuleGetNativeBinary(built, &size, NULL));
    uint8_t *binary = malloc(size);
    CHECK(zeModuleGetNativeBinary(built, &size, binary));
    desc = (ze_module_desc_t){ZE_STRUCTURE_TYPE_MODULE_DESC, NULL, ZE_MODULE_FORMAT_NATIVE, size, binary, "", NULL};
    ze_module_handle_t native;
    CHECK(zeModuleCreate(context, device, &desc, &native, NULL));
    ze_kernel_handle_t sums = kernel(native, "sum_groups");
    ze_kernel_properties_t properties = {ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    CHECK(zeKernelGetProperties(sums, &properties));
    printf("arguments of sum_groups: %u\n", properties.numKernelArgs);

    /* Pointers, values, and local memory, of which only the size is passed. */
    int *data = shared(64 * sizeof *data), *totals = shared(4 * sizeof *totals);
    for (int n = 0; n < 64; n++)
        data[n] = n;
    uint32_t x, y, z;
    CHECK(zeKernelSuggestGroupSize(sums, 16, 1, 1, &x, &y, &z));
    CHECK(zeKernelSetGroupSize(sums, 16, 1, 1));
    CHECK(zeKernelSetArgumentValue(sums, 0, sizeof data, &data));
    CHECK(zeKernelSetArgumentValue(sums, 1, sizeof totals, &totals));
    CHECK(zeKernelSetArgumentValue(sums, 2, 16 * sizeof(int), NULL));
    ze_command_list_handle_t list = immediate();
    ze_group_count_t groups = {4, 1, 1};
    CHECK(zeCommandListAppendLaunchKernel(list, sums, &groups, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    printf("suggested size divides 16: %s\n", 16 % x == 0 && y == 1 && z == 1 ? "yes" : "no");
    print("sums", totals, 4);
    CHECK(zeKernelDestroy(sums));
    CHECK(zeModuleDestroy(native));
    CHECK(zeModuleDestroy(built));
    free(binary);
    return 0;
}
