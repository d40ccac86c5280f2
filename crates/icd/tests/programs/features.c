/* Every reported feature builds and runs, and macros of other features are undefined: a program that asks for a feature never gets
   one that does not link. */
#include "common.h"

#define SUM(type, place) "volatile " place " atomic_" type "* p = " place "s; " type " v = atomic_fetch_add_explicit(p, 1, memory_order_relaxed, memory_scope_device); " \
    "v += atomic_fetch_sub_explicit(p, 1, memory_order_relaxed, memory_scope_device); o[2] = v;"
#define LIMIT(type, place) "volatile " place " atomic_" type "* p = " place "s; " type " v = atomic_fetch_min_explicit(p, 1, memory_order_relaxed, memory_scope_device); " \
    "v += atomic_fetch_max_explicit(p, 1, memory_order_relaxed, memory_scope_device); o[2] = v;"
#define EXCHANGE(type, place) "volatile " place " atomic_" type "* p = " place "s; " type " v = atomic_load_explicit(p, memory_order_relaxed, memory_scope_device); " \
    "atomic_store_explicit(p, v, memory_order_relaxed, memory_scope_device); o[2] = atomic_exchange_explicit(p, v, memory_order_relaxed, memory_scope_device);"

/* Macro with statements that use its feature. */
static const char *const PROMISES[][2] = {
    { "cl_khr_integer_dot_product", "o[2] = dot(as_char4(o[0]), as_char4(o[1]));" },
    { "__opencl_c_integer_dot_product_input_4x8bit", "o[2] = dot(as_char4(o[0]), as_char4(o[1]));" },
    { "__opencl_c_integer_dot_product_input_4x8bit_packed", "o[2] = dot_4x8packed_ss_int(o[0], o[1]);" },
    { "cl_khr_integer_dot_product", "o[2] = dot_acc_sat(as_uchar4(o[0]), as_char4(o[1]), o[2]) + (int)dot((float2)(1, o[0]), (float2)(2));" },
    { "cl_khr_expect_assume", "__builtin_assume(o[0] < 9); o[2] = __builtin_expect(o[0], 1) ? 2 : 3;" },
    { "cl_intel_bfloat16_conversions", "o[2] = intel_convert_bfloat16_as_ushort(o[0]);" },
    { "cl_intel_subgroup_local_block_io", "o[2] = intel_sub_group_block_read((local uint*)locals);" },
    { "cl_intel_subgroup_2d_block_io", "ushort v[8]; intel_sub_group_2d_block_read_16b_8r16x1c(globals, 128, 1, 128, (int2)(0, 0), v); o[2] = v[0];" },
    { "cl_intel_subgroup_buffer_prefetch", "intel_sub_group_block_prefetch_ui2((global uint*)globals);" },
    { "cl_intel_subgroup_extended_block_read", "o[2] = intel_subgroup_block_read_u16_m8k16v2(globals, 128, 1, 128, (int2)(0, 0)).s0;" },
    { "cl_intel_spirv_subgroups", "o[2] = intel_sub_group_shuffle(o[0], 1);" },
    { "cl_khr_extended_bit_ops", "o[2] = bit_reverse(o[0]);" },
    { "__opencl_c_ext_fp16_global_atomic_load_store", EXCHANGE("half", "global") },
    { "__opencl_c_ext_fp16_local_atomic_load_store", EXCHANGE("half", "local") },
    { "__opencl_c_ext_fp16_global_atomic_min_max", LIMIT("half", "global") },
    { "__opencl_c_ext_fp16_local_atomic_min_max", LIMIT("half", "local") },
    { "__opencl_c_ext_fp16_global_atomic_add", SUM("half", "global") },
    { "__opencl_c_ext_fp16_local_atomic_add", SUM("half", "local") },
    { "__opencl_c_ext_fp32_global_atomic_min_max", LIMIT("float", "global") },
    { "__opencl_c_ext_fp32_local_atomic_min_max", LIMIT("float", "local") },
    { "__opencl_c_ext_fp32_global_atomic_add", SUM("float", "global") },
    { "__opencl_c_ext_fp32_local_atomic_add", SUM("float", "local") },
    { "__opencl_c_ext_fp64_global_atomic_min_max", LIMIT("double", "global") },
    { "__opencl_c_ext_fp64_local_atomic_min_max", LIMIT("double", "local") },
    { "__opencl_c_ext_fp64_global_atomic_add", SUM("double", "global") },
    { "__opencl_c_ext_fp64_local_atomic_add", SUM("double", "local") },
    { "__opencl_c_atomic_order_seq_cst", "o[2] = atomic_fetch_add((volatile global atomic_int*)o, 1);" },
    { "__opencl_c_generic_address_space", "int *p = o[0] ? (int*)o : (int*)locals; o[2] = *p;" },
    { "__opencl_c_int64", "long l = o[0]; o[2] = l * l >> 40;" },
    { "__opencl_c_subgroups", "o[2] = sub_group_reduce_add(o[0]);" },
    { "__opencl_c_work_group_collective_functions", "o[2] = work_group_reduce_add(o[0]);" },
    { "__opencl_c_fp64", "double d = o[0]; o[2] = d / 3.0;" },
    { "cl_khr_subgroups", "o[2] = sub_group_scan_inclusive_add(o[0]);" },
    { "cl_khr_subgroup_shuffle", "o[2] = sub_group_shuffle(o[0], 1);" },
    { "cl_khr_subgroup_clustered_reduce", "o[2] = sub_group_clustered_reduce_add(o[0], 4);" },
    { "__opencl_c_device_enqueue", "enqueue_marker(get_default_queue(), 0, 0, 0);" },
    { "__opencl_c_images", "" },
    { "__opencl_c_read_write_images", "" },
    { "__opencl_c_3d_image_writes", "" },
    { "cl_khr_depth_images", "" },
    { "__opencl_c_pipes", "" },
    { "cl_intel_device_side_avc_motion_estimation", "" },
    { "cl_intel_accelerator", "" },
    { "cl_intel_kernel_allocations_info", "" },
    { "cl_intel_packed_yuv", "" },
    { "cl_intel_planar_yuv", "" },
    { "cl_khr_external_memory", "" },
    { "cl_khr_gl_depth_images", "" },
    { "cl_khr_subgroup_named_barrier", "" },
    { "cl_khr_gl_msaa_sharing", "" },
    { "cl_khr_mipmap_image", "" },
    { "cl_khr_mipmap_image_writes", "" },
    { "cl_khr_subgroup_rotate", "o[2] = sub_group_rotate(o[0], 1);" },
    { "cl_khr_kernel_clock", "" },
    { "__opencl_c_kernel_clock_scope_device", "o[2] = clock_read_device();" },
    { "__opencl_c_kernel_clock_scope_work_group", "o[2] = clock_read_work_group();" },
    { "__opencl_c_kernel_clock_scope_sub_group", "ulong t = clock_read_sub_group(); o[2] = clock_read_hilo_sub_group().x > t ? 1 : -1;" },
};

static int is_listed(const char *name) {
    static cl_name_version list[128];
    static char text[4096];
    size_t size;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    char word[128];
    sprintf(word, "%s ", name);
    strcat(text, " ");
    if (strstr(text, word)) return 1;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, sizeof list, list, &size));
    for (size_t n = 0; n < size / sizeof list[0]; n++)
        if (!strcmp(list[n].name, name)) return 1;
    return 0;
}

enum { COUNT = sizeof PROMISES / sizeof PROMISES[0] };

/* One program with a kernel per feature: a feature that does not link fails the build. */
static void looks_at(const char *version, cl_command_queue queue) {
    static char source[32000];
    char *end = source + sprintf(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for (int n = 0; n < COUNT; n++)
        end += sprintf(end,
            "kernel void k%d(global int *o, global void *globals) {\n"
            "    local long locals[16]; locals[0] = 0; o[1] = __LINE__;\n"
            "#ifdef %s\n"
            "    o[3] = 1; { %s }\n"
            "#endif\n}\n", n, PROMISES[n][0], PROMISES[n][1]);
    cl_program program = make_program(source, version);
    static char log[4096];
    CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    if (strstr(log, "CTHeader")) printf("the log with %s: %s\n", version, log);
    for (int n = 0; n < COUNT; n++) {
        char name[8];
        sprintf(name, "k%d", n);
        cl_kernel kernel = clCreateKernel(program, name, &code);
        CHECK(code);
        cl_int found[4] = { 0 };
        static cl_int zeros[64];
        cl_mem out = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof found, found), other = make_buffer(CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
        CHECK(clSetKernelArg(kernel, 0, sizeof out, &out));
        CHECK(clSetKernelArg(kernel, 1, sizeof other, &other));
        size_t one = 1;
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
        int listed = is_listed(PROMISES[n][0]);
        /* Features of OpenCL C 3.0 need no macros in earlier versions. */
        int wrong = strstr(version, "3.0") ? found[3] != listed : found[3] > listed;
        if (wrong) printf("%s with %s: macro %d, listed %d\n", PROMISES[n][0], version, found[3], listed);
        if (found[1] != 6 * n + 3) printf("line %d instead of %d\n", found[1], 6 * n + 3);
        CHECK(clReleaseMemObject(out));
        CHECK(clReleaseMemObject(other));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clReleaseProgram(program));
}

/* One kernel writes to a pipe, another one reads from it. */
static void pass(const char *version, cl_command_queue queue) {
    cl_bool has_pipes;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_PIPE_SUPPORT, sizeof has_pipes, &has_pipes, NULL));
    cl_int sum = 0;
    cl_mem pipe = clCreatePipe(context, 0, 4, 40, NULL, &code);
    if (!has_pipes) {
        FAILS(CL_INVALID_OPERATION, code);
        return;
    }
    CHECK(code);
    cl_mem out = make_buffer(CL_MEM_COPY_HOST_PTR, 4, &sum);
    cl_program program = make_program(
        "kernel void put(write_only pipe int p) { int v = get_global_id(0) + 1; write_pipe(p, &v); }"
        "kernel void take(read_only pipe int p, global int *o) { int v; if (read_pipe(p, &v) == 0) atomic_add(o, v); }", version);
    size_t items = 32;
    for (int n = 0; n < 2; n++) {
        cl_kernel kernel = clCreateKernel(program, n ? "take" : "put", &code);
        CHECK(code);
        CHECK(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
        if (n) CHECK(clSetKernelArg(kernel, 1, sizeof out, &out));
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        CHECK(clReleaseKernel(kernel));
    }
    CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &sum, 0, NULL, NULL));
    if (sum != 32 * 33 / 2) printf("%d came through the pipe\n", sum);
    CHECK(clReleaseMemObject(pipe));
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseProgram(program));
}

/* Of the threads of a group, each reads a later time after a barrier than any of them before it. */
static void ticks(cl_command_queue queue) {
    if (!is_listed("cl_khr_kernel_clock")) return;
    cl_program program = make_program(
        "kernel void tick(global ulong *t) {"
        "    t[get_global_id(0) * 2] = clock_read_device();"
        "    barrier(CLK_GLOBAL_MEM_FENCE);"
        "    t[get_global_id(0) * 2 + 1] = clock_read_work_group();"
        "}", "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "tick", &code);
    CHECK(code);
    static cl_ulong times[512][2];
    size_t items = 512, group = 128;
    cl_mem out = make_buffer(0, sizeof times, NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof out, &out));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof times, times, 0, NULL, NULL));
    for (size_t n = 0; n < items; n++) {
        for (size_t m = n / group * group; m < (n / group + 1) * group; m++)
            if (times[n][0] >= times[m][1]) printf("item %zu reads %llu, item %zu later %llu\n", n, (unsigned long long)times[n][0], m, (unsigned long long)times[m][1]);
    }
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
}

static void run(void) {
    cl_command_queue queue = make_queue(0);
    looks_at("-cl-std=CL3.0", queue);
    looks_at("-cl-std=CL2.0", queue);
    pass("-cl-std=CL3.0", queue);
    pass("-cl-std=CL2.0", queue);
    ticks(queue);
    CHECK(clReleaseCommandQueue(queue));
    /* Atomic operations on 32-bit floats by cl_ext_float_atomics. */
    cl_ulong flags = 0;
    if (is_listed("cl_ext_float_atomics")) CHECK(clGetDeviceInfo(device, 0x4231, sizeof flags, &flags, NULL));
    if (!!(flags & 1 << 1) != is_listed("__opencl_c_ext_fp32_global_atomic_add")) printf("sums: %lx\n", (long)flags);
    if (!!(flags & 1 << 18) != is_listed("__opencl_c_ext_fp32_local_atomic_min_max")) printf("limits: %lx\n", (long)flags);
    /* Valid hints are accepted. */
    cl_queue_properties hint[] = { 0x1096, 4, 0x1097, 1, 0 };
    queue = clCreateCommandQueueWithProperties(context, device, hint, &code);
    CHECK(code);
    CHECK(clReleaseCommandQueue(queue));
    hint[1] = 3;
    clCreateCommandQueueWithProperties(context, device, hint, &code);
    FAILS(CL_INVALID_VALUE, code);
    printf("done\n");
}
