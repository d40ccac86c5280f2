// Kernels without bugs that look like some: nothing is found.

// run --global 256 --local 64 --arg p=range:i32:256 --arg o=zeros:16 --arg t=local:256
kernel void reduction(global const int* p, global int* o, local int* t) {
    int l = get_local_id(0);
    t[l] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1) {
        if (l < s) t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) o[get_group_id(0)] = t[0];
}

// run --global 256 --local 64 --arg p=range:u32:256 --arg o=zeros:64
kernel void histogram(global const uint* p, global uint* o) {
    local uint t[16];
    int l = get_local_id(0);
    if (l < 16) t[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&t[p[get_global_id(0)] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) atomic_add(&o[l], t[l]);
}

// run --global 256 --local 64 --arg p=range:i32:256 --arg part=zeros:16 --arg count=zeros:4 --arg o=zeros:4
kernel void last_group_sums(global const int* p, volatile global int* part, volatile global int* count, global int* o) {
    local int t[64];
    local int last;
    int l = get_local_id(0);
    t[l] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int s = 0;
        for (int i = 0; i < 64; i++) s += t[i];
        part[get_group_id(0)] = s;
        write_mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(count) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && l == 0) {
        int s = 0;
        for (int i = 0; i < 4; i++) s += part[i];
        o[0] = s;
    }
}

// run --global 64 --local 16 --arg found=zeros:4 --arg p=range:i32:64
kernel void same_value(global int* found, global const int* p) {
    if (p[get_global_id(0)] > 10) found[0] = 1;
}

// run --global 64 --local 64 --arg p=range:u32:64 --arg o=zeros:64
kernel void bytes(global const uint* p, global uchar* o) {
    local uchar t[64];
    int l = get_local_id(0);
    t[63 - l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l];
}

struct pair { int a; char b; };

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64
kernel void copies_of_structures(global const int* p, global int* o) {
    local struct pair t[16];
    int l = get_local_id(0);
    struct pair one;
    one.a = p[l];
    one.b = l;
    t[l] = one;
    barrier(CLK_LOCAL_MEM_FENCE);
    struct pair other = t[15 - l];
    o[l] = other.a + other.b;
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64
kernel void written_on_every_way(global const int* p, global int* o) {
    int x;
    if (p[get_global_id(0)] > 7) x = 1; else x = p[get_global_id(0)] * 2;
    o[get_global_id(0)] = x;
}

// run --global 16 --local 16 --arg p=range:f32:64 --arg o=zeros:256
kernel void vectors_of_three(global const float4* p, global float4* o) {
    local float3 t[16];
    int l = get_local_id(0);
    t[l] = p[l].xyz;
    barrier(CLK_LOCAL_MEM_FENCE);
    float3 v = t[15 - l];
    o[l] = (float4)(v, 1);
}
