// Made by generate.py: kernels with and without bugs, as the accesses of all pairs of work items have it.

// run --global 64 --local 64 --arg p=range:i64:64:1 --arg o=zeros:512
kernel void barrier_right_0(global const long* p, global long* o) {
    int l = get_local_id(0);
    if (l < 64) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 128 --local 128 --arg p=range:u32:128:1 --arg o=zeros:512
// found fault-barrier 4
kernel void barrier_wrong_1(global const uint* p, global uint* o) {
    int l = get_local_id(0);
    if (l < 63) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 128 --local 128 --arg p=range:i32:128:1 --arg o=zeros:512 --arg t=local:512
kernel void bounds_right_2(global const int* p, global int* o, local int* t) {
    int l = get_local_id(0);
    t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l];
}

// run --global 128 --local 128 --arg p=range:f32:128:1 --arg o=zeros:512 --arg t=local:484
// found check-bounds 2
kernel void bounds_wrong_3(global const float* p, global float* o, local float* t) {
    int l = get_local_id(0);
    t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l];
}

// run --global 256 --local 64 --arg p=range:i32:256:1 --arg o=zeros:1024
kernel void collision_right_4(global const int* p, global int* o) {
    int i = get_global_id(0);
    if (i == 77) o[(i * 7) % (4 * 64)] = p[i];
}

// run --global 256 --local 128 --arg p=range:u16:256:1 --arg o=zeros:512
// found check-race 2
kernel void collision_wrong_5(global const ushort* p, global ushort* o) {
    int i = get_global_id(0);
    o[i % 64] = p[i];
}

// run --global 128 --local 64 --arg p=range:f32:512:1 --arg o=zeros:2048
kernel void copy_right_6(global const float4* p, global float4* o) {
    local float4 t[64];
    int l = get_local_id(0), n = 64;
    t[(l + n / 2) % n] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(o + get_group_id(0) * n * 1, t, n, 0);
    wait_group_events(1, &e);
}

// run --global 256 --local 128 --arg p=range:u16:256:1 --arg o=zeros:1024
// found check-copy 5
kernel void copy_wrong_7(global const ushort* p, global ushort* o) {
    local ushort t[128];
    int l = get_local_id(0), n = 128;
    t[(l + n / 2) % n] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(o + get_group_id(0) * n * 2, t, n, 2, 0);
}

// run --global 512 --local 256 --arg p=range:i64:512:1 --arg o=zeros:4096 --arg t=zeros:4096
kernel void exchange_right_8(global const long* p, global long* o, global long* t) {
    int l = get_local_id(0), n = 256;
    global long* g = t + get_group_id(0) * n;
    g[l * 5 % n] = p[get_global_id(0)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[get_global_id(0)] = g[l * 5 % n];
}

// run --global 256 --local 128 --arg p=range:f32:1024:1 --arg o=zeros:4096 --arg t=local:2048
// found check-race 2
kernel void exchange_wrong_9(global const float4* p, global float4* o, local float4* t) {
    int l = get_local_id(0), n = 128;
    t[n - 1 - l] = p[get_global_id(0)]; o[get_global_id(0)] = t[(l + 1) % n];
}

// run --global 32 --local 32 --arg p=range:i8:32:1 --arg o=zeros:32
kernel void unwritten_right_10(global const char* p, global char* o) {
    local char t[32];
    int l = get_local_id(0);
    t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    char v = t[l]; if (l < 32) o[l] = v;
}

// run --global 256 --local 256 --arg p=range:i32:512:1 --arg o=zeros:2048
// found check-uninit 5
kernel void unwritten_wrong_11(global const int2* p, global int2* o) {
    local int2 t[256];
    int l = get_local_id(0);
    if (l < 255) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[255 - l];
}

// run --global 64 --local 64 --arg p=range:i32:64:1 --arg o=zeros:256
kernel void barrier_right_12(global const int* p, global int* o) {
    int l = get_local_id(0);
    if (l < 128) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 64 --local 64 --arg p=range:f32:256:1 --arg o=zeros:1024
// found fault-barrier 4
kernel void barrier_wrong_13(global const float4* p, global float4* o) {
    int l = get_local_id(0);
    if (l < 1) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 256 --local 256 --arg p=range:i64:256:1 --arg o=zeros:2048
kernel void bounds_right_14(global const long* p, global long* o) {
    int l = get_global_id(0);
    o[l] = p[l];
}

// run --global 64 --local 64 --arg p=range:i32:57:1 --arg o=zeros:256
// found check-bounds 2
kernel void bounds_wrong_15(global const int* p, global int* o) {
    int l = get_global_id(0);
    o[l] = p[l];
}

// run --global 256 --local 128 --arg p=range:f32:256:1 --arg o=zeros:1024
kernel void collision_right_16(global const float* p, global float* o) {
    int i = get_global_id(0);
    o[(i * 7) % (4 * 64)] = p[i];
}

// run --global 256 --local 128 --arg p=range:u16:256:1 --arg o=zeros:512
// found check-race 2
kernel void collision_wrong_17(global const ushort* p, global ushort* o) {
    int i = get_global_id(0);
    o[i / 64] = p[i];
}

// run --global 64 --local 32 --arg p=range:i32:128:1 --arg o=zeros:512
// noted check-copy-barrier 5
kernel void copy_right_18(global const int2* p, global int2* o) {
    local int2 t[32];
    int l = get_local_id(0), n = 32;
    event_t e = async_work_group_copy(t, p + get_group_id(0) * n * 1, n, 0);
    wait_group_events(1, &e);
    o[get_global_id(0)] = t[l & ~3];
}

// run --global 128 --local 64 --arg p=range:f32:512:1 --arg o=zeros:4096
// found check-race 4
kernel void copy_wrong_19(global const float4* p, global float4* o) {
    local float4 t[64];
    int l = get_local_id(0), n = 64;
    t[l] = p[get_global_id(0)];
    event_t e = async_work_group_strided_copy(o + get_group_id(0) * n * 2, t, n, 2, 0);
}

// run --global 256 --local 128 --arg p=range:i32:256:1 --arg o=zeros:1024 --arg t=local:512
kernel void exchange_right_20(global const int* p, global int* o, local int* t) {
    int l = get_local_id(0), n = 128;
    t[l] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l];
}

// run --global 64 --local 32 --arg p=range:i64:64:1 --arg o=zeros:512
// found check-race 3
kernel void exchange_wrong_21(global const long* p, global long* o) {
    int l = get_local_id(0), n = 32;
    local long t[32];
    t[l ^ 1] = p[get_global_id(0)]; o[get_global_id(0)] = t[l];
}

// run --global 32 --local 32 --arg p=range:f32:32:1 --arg o=zeros:128
kernel void unwritten_right_22(global const float* p, global float* o) {
    int l = get_local_id(0);
    o[l] = p[l];
}

// run --global 64 --local 64 --arg p=range:i32:128:1 --arg o=zeros:512
// found check-uninit 5
kernel void unwritten_wrong_23(global const int2* p, global int2* o) {
    local int2 t[64];
    int l = get_local_id(0);
    if (l < 63) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[63 - l];
}

// run --global 64 --local 64 --arg p=range:f32:64:1 --arg o=zeros:256
kernel void barrier_right_24(global const float* p, global float* o) {
    int l = get_local_id(0);
    if (l < 128) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 128 --local 128 --arg p=range:i64:128:1 --arg o=zeros:1024
// found fault-barrier 4
kernel void barrier_wrong_25(global const long* p, global long* o) {
    int l = get_local_id(0);
    if (l < 63) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 32 --local 32 --arg p=range:u32:32:1 --arg o=zeros:128 --arg t=local:128
kernel void bounds_right_26(global const uint* p, global uint* o, local uint* t) {
    int l = get_local_id(0);
    t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l];
}

// run --global 64 --local 64 --arg p=range:i8:64:1 --arg o=zeros:64 --arg t=local:57
// found check-bounds 2
kernel void bounds_wrong_27(global const char* p, global char* o, local char* t) {
    int l = get_local_id(0);
    t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l];
}

// run --global 256 --local 128 --arg p=range:i32:256:1 --arg o=zeros:1024
kernel void collision_right_28(global const int* p, global int* o) {
    int i = get_global_id(0);
    atomic_xchg(o + (i / 64), p[i]);
}

// run --global 256 --local 64 --arg p=range:i32:256:1 --arg o=zeros:1024
// found check-race 2
kernel void collision_wrong_29(global const int* p, global int* o) {
    int i = get_global_id(0);
    o[i / 64] = p[i];
}

// run --global 64 --local 32 --arg p=range:i32:64:1 --arg o=zeros:256
kernel void copy_right_30(global const int* p, global int* o) {
    local int t[32];
    int l = get_local_id(0), n = 32;
    t[(l + n / 2) % n] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(o + get_group_id(0) * n * 1, t, n, 0);
    wait_group_events(1, &e);
}

// run --global 128 --local 64 --arg p=range:i32:512:1 --arg o=zeros:1024
// found check-race 4
kernel void copy_wrong_31(global const int2* p, global int2* o) {
    local int2 t[64];
    int l = get_local_id(0), n = 64;
    event_t e = async_work_group_strided_copy(t, p + get_group_id(0) * n * 2, n, 2, 0);
    o[get_global_id(0)] = t[l * 5 % n];
}

// run --global 512 --local 256 --arg p=range:i32:1024:1 --arg o=zeros:4096 --arg t=zeros:4096
kernel void exchange_right_32(global const int2* p, global int2* o, global int2* t) {
    int l = get_local_id(0), n = 256;
    global int2* g = t + get_group_id(0) * n;
    g[n - 1 - l] = p[get_global_id(0)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[get_global_id(0)] = g[(l + n / 2) % n];
}

// run --global 256 --local 128 --arg p=range:i32:256:1 --arg o=zeros:1024 --arg t=zeros:1024
// found check-fence 5
kernel void exchange_wrong_33(global const int* p, global int* o, global int* t) {
    int l = get_local_id(0), n = 128;
    global int* g = t + get_group_id(0) * n;
    g[l] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = g[l * 5 % n];
}

// run --global 128 --local 128 --arg p=range:f32:512:1 --arg o=zeros:2048
kernel void unwritten_right_34(global const float4* p, global float4* o) {
    local float4 t[128];
    int l = get_local_id(0);
    if (l < 119) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = t[l]; if (l < 119) o[l] = v;
}

// run --global 32 --local 32 --arg p=range:i8:32:1 --arg o=zeros:32
// found check-uninit 5
kernel void unwritten_wrong_35(global const char* p, global char* o) {
    local char t[32];
    int l = get_local_id(0);
    if (l < 31) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[31 - l];
}

// run --global 64 --local 64 --arg p=range:u32:64:1 --arg o=zeros:256
kernel void barrier_right_36(global const uint* p, global uint* o) {
    int l = get_local_id(0);
    if (l < 128) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 128 --local 128 --arg p=range:i32:128:1 --arg o=zeros:512
// found fault-barrier 4
kernel void barrier_wrong_37(global const int* p, global int* o) {
    int l = get_local_id(0);
    if (l < 24) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 64 --local 64 --arg p=range:i32:64:1 --arg o=zeros:256
kernel void bounds_right_38(global const int* p, global int* o) {
    int l = get_global_id(0);
    o[l] = p[l];
}

// run --global 64 --local 64 --arg p=range:i32:126:1 --arg o=zeros:512
// found check-bounds 2
kernel void bounds_wrong_39(global const int2* p, global int2* o) {
    int l = get_global_id(0);
    o[l] = p[l];
}

// run --global 256 --local 64 --arg p=range:u32:256:1 --arg o=zeros:1024
kernel void collision_right_40(global const uint* p, global uint* o) {
    int i = get_global_id(0);
    atomic_xchg(o + (i), p[i]);
}

// run --global 256 --local 128 --arg p=range:f32:1024:1 --arg o=zeros:4096
// found check-race 2
kernel void collision_wrong_41(global const float4* p, global float4* o) {
    int i = get_global_id(0);
    o[i % 64] = p[i];
}

// run --global 256 --local 128 --arg p=range:u16:512:1 --arg o=zeros:512
kernel void copy_right_42(global const ushort* p, global ushort* o) {
    local ushort t[128];
    int l = get_local_id(0), n = 128;
    event_t e = async_work_group_strided_copy(t, p + get_group_id(0) * n * 2, n, 2, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[(l + n / 2) % n];
}

// run --global 64 --local 32 --arg p=range:i64:128:1 --arg o=zeros:512
// found check-race 5
kernel void copy_wrong_43(global const long* p, global long* o) {
    local long t[32];
    int l = get_local_id(0), n = 32;
    event_t e = async_work_group_strided_copy(t, p + get_group_id(0) * n * 2, n, 2, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[n - 1 - l];
    wait_group_events(1, &e);
}

// run --global 256 --local 128 --arg p=range:i32:512:1 --arg o=zeros:2048
kernel void exchange_right_44(global const int2* p, global int2* o) {
    int l = get_local_id(0), n = 128;
    local int2 t[128];
    t[l * 5 % n] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l];
}

// run --global 128 --local 64 --arg p=range:f32:128:1 --arg o=zeros:512 --arg t=zeros:512
// found check-race 3
kernel void exchange_wrong_45(global const float* p, global float* o, global float* t) {
    int l = get_local_id(0), n = 64;
    global float* g = t + get_group_id(0) * n;
    g[(l + n / 2) % n] = p[get_global_id(0)]; o[get_global_id(0)] = g[0];
}

// run --global 256 --local 256 --arg p=range:f32:256:1 --arg o=zeros:1024
kernel void unwritten_right_46(global const float* p, global float* o) {
    local float t[256];
    int l = get_local_id(0);
    t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    float v = t[l]; if (l < 256) o[l] = v;
}

// run --global 256 --local 256 --arg p=range:u32:256:1 --arg o=zeros:1024
// found check-uninit 5
kernel void unwritten_wrong_47(global const uint* p, global uint* o) {
    local uint t[256];
    int l = get_local_id(0);
    if (l < 247) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[255 - l];
}

// run --global 64 --local 64 --arg p=range:i64:64:1 --arg o=zeros:512
kernel void barrier_right_48(global const long* p, global long* o) {
    int l = get_local_id(0);
    if (l < 128) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 128 --local 128 --arg p=range:u16:128:1 --arg o=zeros:256
// found fault-barrier 4
kernel void barrier_wrong_49(global const ushort* p, global ushort* o) {
    int l = get_local_id(0);
    if (l < 24) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 64 --local 64 --arg p=range:i8:64:1 --arg o=zeros:64
kernel void bounds_right_50(global const char* p, global char* o) {
    int l = get_global_id(0);
    o[l] = p[l];
}

// run --global 32 --local 32 --arg p=range:i32:32:1 --arg o=zeros:128 --arg t=local:100
// found check-bounds 2
kernel void bounds_wrong_51(global const int* p, global int* o, local int* t) {
    int l = get_local_id(0);
    t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l];
}

// run --global 256 --local 64 --arg p=range:u16:256:1 --arg o=zeros:512
kernel void collision_right_52(global const ushort* p, global ushort* o) {
    int i = get_global_id(0);
    if (i == 77) o[i] = p[i];
}

// run --global 256 --local 64 --arg p=range:i32:512:1 --arg o=zeros:2048
// found check-race 2
kernel void collision_wrong_53(global const int2* p, global int2* o) {
    int i = get_global_id(0);
    o[i / 64] = p[i];
}

// run --global 128 --local 64 --arg p=range:i32:256:1 --arg o=zeros:1024
kernel void copy_right_54(global const int2* p, global int2* o) {
    local int2 t[64];
    int l = get_local_id(0), n = 64;
    t[(l + n / 2) % n] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(o + get_group_id(0) * n * 1, t, n, 0);
    wait_group_events(1, &e);
}

// run --global 512 --local 256 --arg p=range:i32:1024:1 --arg o=zeros:2048
// found check-race 5
kernel void copy_wrong_55(global const int* p, global int* o) {
    local int t[256];
    int l = get_local_id(0), n = 256;
    event_t e = async_work_group_strided_copy(t, p + get_group_id(0) * n * 2, n, 2, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l ^ 1];
    wait_group_events(1, &e);
}

// run --global 256 --local 128 --arg p=range:f32:256:1 --arg o=zeros:1024 --arg t=local:512
kernel void exchange_right_56(global const float* p, global float* o, local float* t) {
    int l = get_local_id(0), n = 128;
    t[l] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[(l + 1) % n];
}

// run --global 128 --local 64 --arg p=range:f32:512:1 --arg o=zeros:2048 --arg t=zeros:2048
// found check-race 3
kernel void exchange_wrong_57(global const float4* p, global float4* o, global float4* t) {
    int l = get_local_id(0), n = 64;
    global float4* g = t + get_group_id(0) * n;
    g[(l + n / 2) % n] = p[get_global_id(0)]; o[get_global_id(0)] = g[l & ~3];
}

// run --global 64 --local 64 --arg p=range:i32:128:1 --arg o=zeros:512
kernel void unwritten_right_58(global const int2* p, global int2* o) {
    int l = get_local_id(0);
    o[l] = p[l];
}

// run --global 128 --local 128 --arg p=undef:2048 --arg o=zeros:2048
// found check-uninit 2
kernel void unwritten_wrong_59(global const float4* p, global float4* o) {
    int l = get_local_id(0);
    o[l] = p[l];
}

// run --global 128 --local 128 --arg p=range:i32:128:1 --arg o=zeros:512
kernel void barrier_right_60(global const int* p, global int* o) {
    int l = get_local_id(0);
    if (l < 128) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 64 --local 64 --arg p=range:u32:64:1 --arg o=zeros:256
// found fault-barrier 4
kernel void barrier_wrong_61(global const uint* p, global uint* o) {
    int l = get_local_id(0);
    if (l < 24) {
        o[l] = p[l];
        barrier(CLK_GLOBAL_MEM_FENCE);
        o[l] += p[l];
    }
}

// run --global 64 --local 64 --arg p=range:u16:64:1 --arg o=zeros:128
kernel void bounds_right_62(global const ushort* p, global ushort* o) {
    int l = get_global_id(0);
    o[l] = p[l];
}

// run --global 32 --local 32 --arg p=range:i32:62:1 --arg o=zeros:256
// found check-bounds 2
kernel void bounds_wrong_63(global const int2* p, global int2* o) {
    int l = get_global_id(0);
    o[l] = p[l];
}

// run --global 256 --local 128 --arg p=range:u16:256:1 --arg o=zeros:512
kernel void collision_right_64(global const ushort* p, global ushort* o) {
    int i = get_global_id(0);
    if (i == 77) o[i] = p[i];
}

// run --global 256 --local 128 --arg p=range:i64:256:1 --arg o=zeros:2048
// found check-race 2
kernel void collision_wrong_65(global const long* p, global long* o) {
    int i = get_global_id(0);
    o[i % 64] = p[i];
}

// run --global 512 --local 256 --arg p=range:f32:2048:1 --arg o=zeros:8192
kernel void copy_right_66(global const float4* p, global float4* o) {
    local float4 t[256];
    int l = get_local_id(0), n = 256;
    t[l ^ 1] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(o + get_group_id(0) * n * 1, t, n, 0);
    wait_group_events(1, &e);
}

// run --global 256 --local 128 --arg p=range:i32:1024:1 --arg o=zeros:2048
// found check-race 5
kernel void copy_wrong_67(global const int2* p, global int2* o) {
    local int2 t[128];
    int l = get_local_id(0), n = 128;
    event_t e = async_work_group_strided_copy(t, p + get_group_id(0) * n * 2, n, 2, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l ^ 1];
    wait_group_events(1, &e);
}

// run --global 128 --local 64 --arg p=range:f32:128:1 --arg o=zeros:512 --arg t=zeros:512
kernel void exchange_right_68(global const float* p, global float* o, global float* t) {
    int l = get_local_id(0), n = 64;
    global float* g = t + get_group_id(0) * n;
    g[l] = p[get_global_id(0)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[get_global_id(0)] = g[n - 1 - l];
}

// run --global 64 --local 32 --arg p=range:i8:64:1 --arg o=zeros:64 --arg t=zeros:64
// found check-fence 5
kernel void exchange_wrong_69(global const char* p, global char* o, global char* t) {
    int l = get_local_id(0), n = 32;
    global char* g = t + get_group_id(0) * n;
    g[l * 5 % n] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = g[l / 2];
}

// run --global 64 --local 64 --arg p=range:f32:64:1 --arg o=zeros:256
kernel void unwritten_right_70(global const float* p, global float* o) {
    local float t[64];
    int l = get_local_id(0);
    t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    float v = t[l]; if (l < 64) o[l] = v;
}

// run --global 64 --local 64 --arg p=range:i64:64:1 --arg o=zeros:512
// found check-uninit 5
kernel void unwritten_wrong_71(global const long* p, global long* o) {
    local long t[64];
    int l = get_local_id(0);
    if (l < 55) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[63 - l];
}

