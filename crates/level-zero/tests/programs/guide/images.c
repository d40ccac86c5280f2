/* Images and samplers: a kernel mirrors an image, of which a region is then copied. */
#include "guide.h"

#define WIDTH 6
#define HEIGHT 2

static ze_image_handle_t image(void) {
    ze_image_desc_t desc = {ZE_STRUCTURE_TYPE_IMAGE_DESC};
    desc.type = ZE_IMAGE_TYPE_2D;
    desc.format = (ze_image_format_t){ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_UINT, ZE_IMAGE_FORMAT_SWIZZLE_R,
                                      ZE_IMAGE_FORMAT_SWIZZLE_0, ZE_IMAGE_FORMAT_SWIZZLE_0, ZE_IMAGE_FORMAT_SWIZZLE_1};
    desc.width = WIDTH;
    desc.height = HEIGHT;
    desc.depth = 1;
    ze_image_handle_t image;
    CHECK(zeImageCreate(context, device, &desc, &image));
    return image;
}

int main(int argc, char **argv) {
    start();
    ze_kernel_handle_t mirror = kernel(module(argc > 1 ? argv[1] : ""), "mirror");
    ze_image_handle_t from = image(), to = image();
    ze_sampler_desc_t sampler_desc = {ZE_STRUCTURE_TYPE_SAMPLER_DESC, NULL, ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                      ZE_SAMPLER_FILTER_MODE_NEAREST, 0};
    ze_sampler_handle_t sampler;
    CHECK(zeSamplerCreate(context, device, &sampler_desc, &sampler));
    int texels[WIDTH * HEIGHT], region[4];
    for (int n = 0; n < WIDTH * HEIGHT; n++)
        texels[n] = n;

    ze_command_list_handle_t list = immediate();
    CHECK(zeCommandListAppendImageCopyFromMemory(list, from, texels, NULL, NULL, 0, NULL));
    CHECK(zeKernelSetGroupSize(mirror, WIDTH, 1, 1));
    CHECK(zeKernelSetArgumentValue(mirror, 0, sizeof from, &from));
    CHECK(zeKernelSetArgumentValue(mirror, 1, sizeof to, &to));
    CHECK(zeKernelSetArgumentValue(mirror, 2, sizeof sampler, &sampler));
    ze_group_count_t groups = {1, HEIGHT, 1};
    CHECK(zeCommandListAppendLaunchKernel(list, mirror, &groups, NULL, 0, NULL));
    CHECK(zeCommandListAppendImageCopyToMemory(list, texels, to, NULL, NULL, 0, NULL));
    ze_image_region_t part = {1, 0, 0, 2, HEIGHT, 1};
    CHECK(zeCommandListAppendImageCopyToMemory(list, region, to, &part, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    print("first row", texels, WIDTH);
    print("second row", texels + WIDTH, WIDTH);
    print("region", region, 4);
    CHECK(zeSamplerDestroy(sampler));
    CHECK(zeImageDestroy(from));
    CHECK(zeImageDestroy(to));
    return 0;
}
