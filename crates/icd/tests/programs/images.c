/* Images of every kind and samplers. Devices without images print nothing. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "common.h"

static const char *source =
    "kernel void turn(read_only image2d_t from, write_only image2d_t to, sampler_t by) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagef(to, at, read_imagef(from, by, (float2)(at.y + 0.5f, at.x + 0.5f)));\n"
    "}\n"
    "kernel void stretch(read_only image2d_t from, global float4 *to, sampler_t by) {\n"
    "    int i = get_global_id(0);\n"
    "    to[i] = read_imagef(from, by, (float2)(i * 0.15f - 0.3f, i * 0.11f));\n"
    "}\n";

static long hash(const void *bytes, int count) {
    unsigned all = 17;
    for (int i = 0; i < count; i++) all = all * 31 + ((const unsigned char *)bytes)[i];
    return all;
}

static void run(void) {
    if (!has_images()) return;
    cl_command_queue queue = make_queue(0);
    cl_program program = make_program(source, "-cl-std=CL1.2");
    unsigned char bytes[8 * 6 * 4], out[8 * 6 * 4];
    for (int i = 0; i < (int)sizeof bytes; i++) bytes[i] = i * 37 + i / 7;

    cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 6, .image_height = 5, .image_row_pitch = 32 };
    cl_mem from = make_image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_RGBA, CL_UNORM_INT8, desc, bytes);
    desc = (cl_image_desc){ .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 5, .image_height = 6 };
    cl_mem to = make_image(CL_MEM_WRITE_ONLY, CL_BGRA, CL_UNORM_INT8, desc, NULL);
    cl_sampler nearest = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
    CHECK(code);
    cl_kernel turn = clCreateKernel(program, "turn", &code);
    CHECK(code);
    CHECK(clSetKernelArg(turn, 0, sizeof from, &from));
    CHECK(clSetKernelArg(turn, 1, sizeof to, &to));
    CHECK(clSetKernelArg(turn, 2, sizeof nearest, &nearest));
    size_t global[2] = { 5, 6 }, zero[3] = { 0, 0, 0 }, all[3] = { 5, 6, 1 }, some[3] = { 2, 3, 1 }, at[3] = { 1, 2, 0 };
    CHECK(clEnqueueNDRangeKernel(queue, turn, 2, NULL, global, NULL, 0, NULL, NULL));
    memset(out, 0, sizeof out);
    CHECK(clEnqueueReadImage(queue, to, CL_TRUE, zero, all, 24, 0, out, 0, NULL, NULL));
    printf("turn %ld\n", hash(out, sizeof out));
    float red[4] = { 1, 0, 0.2f, 0.4f };
    CHECK(clEnqueueFillImage(queue, to, red, at, some, 0, NULL, NULL));
    CHECK(clEnqueueWriteImage(queue, to, CL_TRUE, zero, some, 0, 0, bytes, 0, NULL, NULL));
    size_t row, slice;
    unsigned char *seen = clEnqueueMapImage(queue, to, CL_TRUE, CL_MAP_READ, zero, all, &row, &slice, 0, NULL, NULL, &code);
    CHECK(code);
    long sum = 0;
    for (int y = 0; y < 6; y++) sum = sum * 131 + hash(seen + y * row, 20);
    printf("fill %ld\n", sum);
    CHECK(clEnqueueUnmapMemObject(queue, to, seen, 0, NULL, NULL));
    FAILS(CL_INVALID_VALUE, clEnqueueReadImage(queue, to, CL_TRUE, at, all, 0, 0, out, 0, NULL, NULL));

    /* Filters and addressing modes. */
    cl_kernel stretch = clCreateKernel(program, "stretch", &code);
    CHECK(code);
    float colours[16 * 4];
    cl_mem result = make_buffer(CL_MEM_READ_WRITE, sizeof colours, NULL);
    cl_addressing_mode modes[] = { CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT };
    for (int i = 0; i < 8; i++) {
        cl_sampler by = clCreateSampler(context, CL_TRUE, modes[i % 4], i < 4 ? CL_FILTER_NEAREST : CL_FILTER_LINEAR, &code);
        CHECK(code);
        CHECK(clSetKernelArg(stretch, 0, sizeof from, &from));
        CHECK(clSetKernelArg(stretch, 1, sizeof result, &result));
        CHECK(clSetKernelArg(stretch, 2, sizeof by, &by));
        size_t count = 16;
        CHECK(clEnqueueNDRangeKernel(queue, stretch, 1, NULL, &count, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof colours, colours, 0, NULL, NULL));
        double light = 0;
        for (int j = 0; j < 64; j++) light += colours[j] * (j % 7 + 1);
        printf("sampler %d %.1f\n", i, light);
        CHECK(clReleaseSampler(by));
    }

    cl_mem memory[] = { from, to, result };
    for (int i = 0; i < 3; i++) CHECK(clReleaseMemObject(memory[i]));
    CHECK(clReleaseKernel(turn));
    CHECK(clReleaseKernel(stretch));
    CHECK(clReleaseSampler(nearest));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
}
