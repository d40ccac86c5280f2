/* Features that pocl lacks: three-dimensional and array images, program variables, memory at shared addresses, sub-groups.
 * Results are compared with the host's; differences are printed. */
#include "common.h"

static const char *images_source =
    "kernel void deep(read_only image3d_t from, global uint4 *to) {\n"
    "    const sampler_t by = CLK_FILTER_NEAREST | CLK_ADDRESS_NONE | CLK_NORMALIZED_COORDS_FALSE;\n"
    "    to[get_global_id(0)] = read_imageui(from, by, (int4)(get_global_id(0) % 4, get_global_id(0) / 4 % 3, get_global_id(0) / 12, 0));\n"
    "}\n"
    "kernel void layers(read_only image2d_array_t a, read_only image1d_array_t b, read_only image1d_buffer_t c, global int *to) {\n"
    "    const sampler_t by = CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_NORMALIZED_COORDS_FALSE;\n"
    "    int i = get_global_id(0);\n"
    "    to[i] = read_imagei(a, by, (int4)(i % 4, i / 4 % 3, i / 12, 0)).x * 1000 + read_imagei(b, by, (int2)(i % 4, i / 4)).x * 50 + read_imagei(c, i).x;\n"
    "}\n";

static const char *source =
    "global int kept = 5;\n"
    "kernel void keep(global int *a) { a[0] = kept; kept += 7; }\n"
    "typedef struct Node { global struct Node *next; int value; } Node;\n"
    "kernel void walk(global Node *first, global int *to) {\n"
    "    int all = 0;\n"
    "    for (global Node *at = first; at; at = at->next) { all = all * 3 + at->value; at->value++; }\n"
    "    *to = all;\n"
    "}\n"
    "kernel void bytes(global const uchar *from, global uchar *to, int by) { int i = get_global_id(0); to[i * by] = from[i * by] + 1; }\n"
    "kernel void lanes(global int *to) { to[get_global_id(0)] = get_sub_group_id() * 100 + get_sub_group_local_id(); }\n";

/* Prints a mismatch. */
static void expect(const char *what, int index, long found, long wanted) {
    if (found != wanted) printf("%s[%d] is %ld instead of %ld\n", what, index, found, wanted);
}

static void images(cl_command_queue queue) {
    cl_program program = make_program(images_source, "-cl-std=CL1.2");
    signed char bytes[96];
    unsigned numbers[96];
    for (int i = 0; i < 96; i++) bytes[i] = i * 37 + i / 7;
    short halves[48];
    int words_of[24];
    memcpy(halves, bytes, 96);
    memcpy(words_of, bytes, 96);
    cl_image_desc desc;
    desc = (cl_image_desc){ .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 4, .image_height = 3, .image_depth = 2 };
    cl_mem solid = make_image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_RG, CL_UNSIGNED_INT8, desc, bytes);
    cl_kernel deep = clCreateKernel(program, "deep", &code), layers = clCreateKernel(program, "layers", &code);
    CHECK(code);
    cl_mem words = make_buffer(CL_MEM_READ_WRITE, 24 * 16, NULL);
    CHECK(clSetKernelArg(deep, 0, sizeof solid, &solid));
    CHECK(clSetKernelArg(deep, 1, sizeof words, &words));
    FAILS(CL_INVALID_ARG_VALUE, clSetKernelArg(layers, 0, sizeof solid, &solid));
    size_t count = 24;
    CHECK(clEnqueueNDRangeKernel(queue, deep, 1, NULL, &count, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, words, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
    for (int i = 0; i < 24; i++) {
        expect("deep.x", i, numbers[4 * i], (unsigned char)bytes[2 * i]);
        expect("deep.y", i, numbers[4 * i + 1], (unsigned char)bytes[2 * i + 1]);
        expect("deep.w", i, numbers[4 * i + 3], 1);
    }
    desc = (cl_image_desc){ .image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 4, .image_height = 3, .image_array_size = 2 };
    cl_mem stack = make_image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_R, CL_SIGNED_INT8, desc, bytes);
    desc = (cl_image_desc){ .image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 4, .image_array_size = 6 };
    cl_mem lines = make_image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_R, CL_SIGNED_INT16, desc, bytes);
    cl_mem plain = make_buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 24 * 4, bytes);
    desc = (cl_image_desc){ .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 24, .buffer = plain };
    cl_mem view = make_image(CL_MEM_READ_ONLY, CL_R, CL_SIGNED_INT32, desc, NULL);
    cl_mem four[] = { stack, lines, view, words };
    for (int i = 0; i < 4; i++) CHECK(clSetKernelArg(layers, i, sizeof four[i], &four[i]));
    CHECK(clEnqueueNDRangeKernel(queue, layers, 1, NULL, &count, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, words, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
    for (int i = 0; i < 24; i++) expect("layers", i, (int)numbers[i], bytes[i] * 1000 + halves[i] * 50 + words_of[i]);
    size_t corner[3] = { 1, 1, 1 }, flat[3] = { 2, 2, 1 };
    CHECK(clEnqueueCopyImageToBuffer(queue, solid, plain, corner, flat, 3, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, plain, CL_TRUE, 0, 96, numbers, 0, NULL, NULL));
    signed char copied[96];
    memcpy(copied, numbers, 96);
    for (int i = 0; i < 8; i++) expect("copy", i, copied[3 + i], bytes[2 * (12 + (1 + i / 4) * 4 + 1) + i % 4]);

    cl_mem memory[] = { solid, words, stack, lines, view, plain };
    for (int i = 0; i < 6; i++) CHECK(clReleaseMemObject(memory[i]));
    CHECK(clReleaseKernel(deep));
    CHECK(clReleaseKernel(layers));
    CHECK(clReleaseProgram(program));
}

static void CL_CALLBACK told(cl_event event, cl_int status, void *data) {
    (void)event;
    __sync_fetch_and_add((int *)data, status == CL_COMPLETE ? 1 : 100);
}

static cl_int status_of(cl_event event) {
    cl_int status = 0;
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* Commands wait for user events, in any order. */
static void events_in_any_order(void) {
    cl_command_queue any = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    int a[64], b[64];
    for (int i = 0; i < 64; i++) a[i] = b[i] = i + 1;
    cl_mem first = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof a, a), other = make_buffer(CL_MEM_READ_WRITE, sizeof a, NULL);
    cl_event gate = clCreateUserEvent(context, &code), events[3];
    CHECK(code);
    int zeros[64] = { 0 }, calls = 0;
    CHECK(clEnqueueWriteBuffer(any, first, CL_FALSE, 0, sizeof zeros, zeros, 1, &gate, &events[0]));
    CHECK(clEnqueueWriteBuffer(any, other, CL_TRUE, 0, sizeof a, a, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(any, first, CL_FALSE, 0, sizeof b, b, 1, &events[0], &events[1]));
    CHECK(clEnqueueMarkerWithWaitList(any, 0, NULL, &events[2]));
    for (int i = 0; i < 3; i++) CHECK(clSetEventCallback(events[i], CL_COMPLETE, told, &calls));
    expect("waits", 0, status_of(events[2]) > CL_COMPLETE, 1);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    FAILS(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(3, events));
    CHECK(clFinish(any));
    while (__sync_fetch_and_add(&calls, 0) % 100 < 3) ;
    for (int i = 0; i < 64; i++) expect("order", i, b[i], 0);
    expect("calls", 0, calls, 3);
    for (int i = 0; i < 3; i++) CHECK(clReleaseEvent(events[i]));
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseMemObject(first));
    CHECK(clReleaseMemObject(other));
    CHECK(clReleaseCommandQueue(any));
}

/* A barrier or marker without a list waits for all commands before it, whatever an earlier barrier waits for. */
static void barriers(void) {
    cl_command_queue any = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem memory = make_buffer(CL_MEM_READ_WRITE, 4, NULL);
    for (int has_list = 0; has_list < 2; has_list++) {
        cl_event gates[2], events[3];
        for (int i = 0; i < 2; i++) {
            gates[i] = clCreateUserEvent(context, &code);
            CHECK(code);
        }
        int value = 7;
        CHECK(clEnqueueWriteBuffer(any, memory, CL_FALSE, 0, 4, &value, 1, &gates[0], NULL));
        CHECK(clEnqueueBarrierWithWaitList(any, has_list, has_list ? &gates[1] : NULL, &events[0]));
        CHECK(clEnqueueBarrierWithWaitList(any, 0, NULL, &events[1]));
        CHECK(clEnqueueMarkerWithWaitList(any, 0, NULL, &events[2]));
        CHECK(clSetUserEventStatus(gates[1], CL_COMPLETE));
        if (has_list) CHECK(clWaitForEvents(1, events));
        for (int i = has_list; i < 3; i++) expect("barrier waits", i, status_of(events[i]) > CL_COMPLETE, 1);
        CHECK(clSetUserEventStatus(gates[0], CL_COMPLETE));
        CHECK(clFinish(any));
        for (int i = 0; i < 3; i++) {
            expect("barrier ends", i, status_of(events[i]), CL_COMPLETE);
            CHECK(clReleaseEvent(events[i]));
        }
        for (int i = 0; i < 2; i++) CHECK(clReleaseEvent(gates[i]));
    }
    CHECK(clReleaseMemObject(memory));
    CHECK(clReleaseCommandQueue(any));
}

typedef struct Node { struct Node *next; int value; } Node;

/* A program may allow flushing of subnormal numbers; this driver keeps them, because native code supports no other mode. */
static void subnormal(cl_command_queue queue) {
    cl_program program = make_program("kernel void half_of(global float *a) { a[0] *= 0.5f; }", "-w -cl-denorms-are-zero -DN=1");
    cl_kernel kernel = clCreateKernel(program, "half_of", &code);
    CHECK(code);
    float value = 0x1p-130f;
    cl_mem buffer = make_buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof value, &value);
    size_t one = 1;
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    if (value != 0x1p-131f) printf("half of a subnormal number is %a\n", value);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

/* Pointers between words, from which a kernel adds or subtracts: a surface starts earlier. */
static void between_words(cl_command_queue queue, cl_program program) {
    cl_kernel bytes = clCreateKernel(program, "bytes", &code);
    CHECK(code);
    unsigned char *memory = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    if (!memory) printf("no memory\n");
    size_t count = 13;
    for (int n = 0; n < 8; n++) {
        int by = n % 3 == 1 ? -1 : 1, from = 13 + n, to = 45 + (n * 5 + 3) % 5;
        for (int i = 0; i < 64; i++) memory[i] = i * 3;
        CHECK(clSetKernelArgSVMPointer(bytes, 0, memory + from));
        CHECK(clSetKernelArgSVMPointer(bytes, 1, memory + to));
        CHECK(clSetKernelArg(bytes, 2, sizeof by, &by));
        CHECK(clEnqueueNDRangeKernel(queue, bytes, 1, NULL, &count, NULL, 0, NULL, NULL));
        CHECK(clFinish(queue));
        for (int i = 0; i < 64; i++) {
            int item = (i - to) * by;
            expect("byte", i, memory[i], item >= 0 && item < (int)count ? (unsigned char)((from + item * by) * 3 + 1) : (unsigned char)(i * 3));
        }
    }
    clSVMFree(context, memory);
    CHECK(clReleaseKernel(bytes));
}

static void run(void) {
    cl_command_queue queue = make_queue(0);
    if (has_images()) images(queue);
    events_in_any_order();
    barriers();
    subnormal(queue);

    cl_program program = make_program(source, "-cl-std=CL3.0");
    cl_kernel keep = clCreateKernel(program, "keep", &code), walk = clCreateKernel(program, "walk", &code);
    cl_kernel lanes = clCreateKernel(program, "lanes", &code);
    CHECK(code);
    int found[64];
    cl_mem buffer = make_buffer(CL_MEM_READ_WRITE, sizeof found, NULL);
    size_t one = 1, many = 64;
    CHECK(clSetKernelArg(keep, 0, sizeof buffer, &buffer));
    for (int i = 0; i < 3; i++) {
        CHECK(clEnqueueNDRangeKernel(queue, keep, 1, NULL, &one, NULL, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        expect("kept", i, found[0], 5 + 7 * i);
    }

    /* A linked list built by the host and traversed by a kernel. */
    Node *nodes[5];
    int wanted = 0;
    for (int i = 0; i < 5; i++) {
        nodes[i] = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, sizeof(Node) * (i + 1), 0);
        if (!nodes[i]) printf("no memory\n");
        nodes[i] += i;
        nodes[i]->value = 10 + i;
        nodes[i]->next = NULL;
        if (i) nodes[i - 1]->next = nodes[i];
        wanted = wanted * 3 + 10 + i;
    }
    CHECK(clSetKernelArgSVMPointer(walk, 0, nodes[0]));
    CHECK(clSetKernelArg(walk, 1, sizeof buffer, &buffer));
    CHECK(clEnqueueNDRangeKernel(queue, walk, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    expect("walk", 0, found[0], wanted);
    for (int i = 0; i < 5; i++) {
        expect("node", i, nodes[i]->value, 11 + i);
        clSVMFree(context, nodes[i] - i);
    }

    between_words(queue, program);

    size_t width;
    CHECK(clGetKernelSubGroupInfo(lanes, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof many, &many, sizeof width, &width, NULL));
    CHECK(clSetKernelArg(lanes, 0, sizeof buffer, &buffer));
    CHECK(clEnqueueNDRangeKernel(queue, lanes, 1, NULL, &many, &many, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) expect("lanes", i, found[i], i / width * 100 + i % width);

    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(keep));
    CHECK(clReleaseKernel(walk));
    CHECK(clReleaseKernel(lanes));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    printf("done\n");
}
