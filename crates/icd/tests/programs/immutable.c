/* Objects whose contents never change, by cl_ext_immutable_memory_objects: what would change them is refused, what reads them works. */
#include "common.h"

#define IMMUTABLE (1u << 6)

static const char *source =
    "kernel void from(global const int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)] + 1; }"
    "kernel void fixed(constant int *in, global int *out) { out[get_global_id(0)] = in[get_global_id(0)] + 2; }";

static int numbers[16];
static cl_command_queue queue;

static void makes(cl_mem_flags flags, void *host, cl_int want) {
    cl_mem mem = clCreateBuffer(context, flags, sizeof numbers, host, &code);
    if (code != want) printf("flags %x: %d instead of %d\n", (unsigned)flags, code, want);
    if (mem) CHECK(clReleaseMemObject(mem));
}

static void divides(cl_mem mem, cl_mem_flags flags, cl_int want) {
    cl_buffer_region region = { 16, 32 };
    cl_mem part = clCreateSubBuffer(mem, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code != want) printf("part with %x: %d instead of %d\n", (unsigned)flags, code, want);
    if (!part) return;
    FAILS(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, part, CL_TRUE, 0, 4, numbers, 0, NULL, NULL));
    CHECK(clReleaseMemObject(part));
}

static void buffers(void) {
    makes(IMMUTABLE, NULL, CL_INVALID_VALUE);
    makes(IMMUTABLE | CL_MEM_ALLOC_HOST_PTR, NULL, CL_INVALID_VALUE);
    makes(IMMUTABLE | CL_MEM_COPY_HOST_PTR, numbers, CL_SUCCESS);
    makes(IMMUTABLE | CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, numbers, CL_SUCCESS);
    makes(IMMUTABLE | CL_MEM_COPY_HOST_PTR | CL_MEM_READ_WRITE, numbers, CL_INVALID_VALUE);
    makes(IMMUTABLE | CL_MEM_USE_HOST_PTR | CL_MEM_WRITE_ONLY, numbers, CL_INVALID_VALUE);
    makes(IMMUTABLE | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_WRITE_ONLY, numbers, CL_INVALID_VALUE);
    if (clSVMAlloc(context, IMMUTABLE, 64, 0)) printf("shared memory is immutable\n");

    cl_mem fixed = make_buffer(IMMUTABLE | CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers), other = make_buffer(0, sizeof numbers, NULL);
    cl_mem_flags flags;
    CHECK(clGetMemObjectInfo(fixed, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    if (flags != (IMMUTABLE | CL_MEM_COPY_HOST_PTR)) printf("flags %x\n", (unsigned)flags);
    size_t zero[3] = { 0 }, box[3] = { 8, 2, 1 };
    FAILS(CL_INVALID_OPERATION, clEnqueueWriteBuffer(queue, fixed, CL_TRUE, 0, 4, numbers, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueWriteBufferRect(queue, fixed, CL_TRUE, zero, zero, box, 0, 0, 0, 0, numbers, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueCopyBuffer(queue, other, fixed, 0, 0, 4, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueCopyBufferRect(queue, other, fixed, zero, zero, box, 0, 0, 0, 0, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueFillBuffer(queue, fixed, numbers, 4, 0, 4, 0, NULL, NULL));
    clEnqueueMapBuffer(queue, fixed, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &code);
    FAILS(CL_INVALID_OPERATION, code);
    clEnqueueMapBuffer(queue, fixed, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, 0, NULL, NULL, &code);
    FAILS(CL_INVALID_OPERATION, code);
    int *mapped = clEnqueueMapBuffer(queue, fixed, CL_TRUE, CL_MAP_READ, 0, sizeof numbers, 0, NULL, NULL, &code);
    CHECK(code);
    if (mapped[5] != 5) printf("mapped: %d\n", mapped[5]);
    CHECK(clEnqueueUnmapMemObject(queue, fixed, mapped, 0, NULL, NULL));
    divides(fixed, 0, CL_SUCCESS);
    divides(fixed, IMMUTABLE | CL_MEM_READ_ONLY, CL_SUCCESS);
    divides(fixed, CL_MEM_READ_WRITE, CL_INVALID_VALUE);
    divides(fixed, CL_MEM_HOST_WRITE_ONLY, CL_INVALID_VALUE);
    divides(other, IMMUTABLE, CL_INVALID_VALUE);

    cl_program program = make_program(source, "");
    const char *const names[] = { "from", "fixed" };
    for (int n = 0; n < 2; n++) {
        cl_kernel kernel = clCreateKernel(program, names[n], &code);
        CHECK(code);
        FAILS(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof fixed, &fixed));
        CHECK(clSetKernelArg(kernel, 0, sizeof fixed, &fixed));
        CHECK(clSetKernelArg(kernel, 1, sizeof other, &other));
        size_t items = 16;
        int found[16];
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        if (found[15] != 16 + n) printf("%s: %d\n", names[n], found[15]);
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(fixed));
    CHECK(clReleaseMemObject(other));
}

static void images(void) {
    cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4 };
    cl_mem image = make_image(IMMUTABLE | CL_MEM_COPY_HOST_PTR, CL_R, CL_SIGNED_INT32, desc, numbers);
    cl_mem buffer = make_buffer(IMMUTABLE | CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers), other = make_buffer(0, sizeof numbers, NULL);
    size_t zero[3] = { 0 }, all[3] = { 4, 4, 1 };
    int colour[4] = { 1 }, found[16];
    FAILS(CL_INVALID_OPERATION, clEnqueueWriteImage(queue, image, CL_TRUE, zero, all, 0, 0, numbers, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueFillImage(queue, image, colour, zero, all, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueCopyBufferToImage(queue, other, image, 0, zero, all, 0, NULL, NULL));
    FAILS(CL_INVALID_OPERATION, clEnqueueCopyImageToBuffer(queue, image, buffer, zero, all, 0, 0, NULL, NULL));
    CHECK(clEnqueueCopyImageToBuffer(queue, image, other, zero, all, 0, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    if (found[9] != 9) printf("copied: %d\n", found[9]);

    cl_program program = make_program("kernel void put(write_only image2d_t to) { write_imagei(to, (int2)(0), (int4)(0)); }"
        "kernel void get(read_only image2d_t from, global int *out) { *out = read_imagei(from, (int2)(1, 2)).x; }", "");
    cl_kernel put = clCreateKernel(program, "put", NULL), get = clCreateKernel(program, "get", &code);
    CHECK(code);
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArg(put, 0, sizeof image, &image));
    CHECK(clSetKernelArg(get, 0, sizeof image, &image));
    CHECK(clReleaseKernel(put));
    CHECK(clReleaseKernel(get));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseMemObject(image));

    /* An image in the memory of an immutable buffer is immutable too. */
    desc.buffer = buffer;
    cl_image_format format = { CL_R, CL_SIGNED_INT32 };
    clCreateImage(context, 0, &format, &desc, NULL, &code);
    FAILS(CL_INVALID_VALUE, code);
    clCreateImage(context, IMMUTABLE | CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    FAILS(CL_INVALID_VALUE, code);
    image = make_image(IMMUTABLE, CL_R, CL_SIGNED_INT32, desc, NULL);
    FAILS(CL_INVALID_OPERATION, clEnqueueFillImage(queue, image, colour, zero, all, 0, NULL, NULL));
    CHECK(clReleaseMemObject(image));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(other));
}

static void run(void) {
    for (int n = 0; n < 16; n++) numbers[n] = n;
    queue = make_queue(0);
    buffers();
    if (has_images()) images();
    CHECK(clReleaseCommandQueue(queue));
    printf("done\n");
}
