// Correct kernels that resemble kernels with bugs: nothing is found.

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

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=zeros:256
kernel void own_words_of_packed_bytes(global const int* p, global uchar4* o) {
    int i = get_global_id(0);
    o[i] = (uchar4)(p[i], 1, 2, 3);
}

// run --global 64 --local 16 --arg p=range:i32:128 --arg o=zeros:256
kernel void pairs_of_which_one_counts(global int2* p, global int* o) {
    int i = get_global_id(0);
    o[i] = p[i].x;
    p[i].y = i;
}

// run --global 64 --local 32 --arg p=range:i32:64 --arg o=zeros:256
kernel void one_slot_each_by_counter(global const int* p, global int* o) {
    local int next;
    int l = get_local_id(0);
    if (l == 0) next = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int slot = atomic_inc(&next);
    o[get_group_id(0) * 32 + slot] = 1;
}

// run --global 32 --local 32 --arg p=range:i32:32 --arg o=zeros:128
kernel void two_buffers_in_turn(global const int* p, global int* o) {
    local int t[2][32];
    int l = get_local_id(0), now = 0;
    t[0][l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < 32; s <<= 1) {
        t[now ^ 1][l] = t[now][l] + (l >= s ? t[now][l - s] : 0);
        now ^= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[l] = t[now][l];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
kernel void guarded_halo(global const int* p, global int* o) {
    local int t[66];
    int l = get_local_id(0);
    t[l + 1] = p[l];
    if (l == 0) t[0] = p[0];
    if (l == 63) t[65] = p[63];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l] + t[l + 1] + t[l + 2];
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=zeros:4
kernel void maximum_with_look_before(global const int* p, volatile global int* o) {
    int v = p[get_global_id(0)];
    atomic_max(o, v);
}

// run --global 16 --arg p=range:i32:16 --arg o=zeros:64
kernel void unwritten_and_unused(global const int* p, global int* o) {
    int a[8];
    int i = get_global_id(0);
    a[p[i] & 7] = i;
    o[i] = a[p[i] & 7];
}

// run --global 17 --local 17 --arg p=range:i32:16 --arg o=zeros:64 --arg n=i32:16
kernel void guard_that_counts(global const int* p, global int* o, int n) {
    int i = get_global_id(0);
    if (i < n) o[i] = p[i];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
kernel void barrier_in_a_uniform_loop(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = p[l];
    for (int k = 0; k < 3; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = t[(l + 1) & 63];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = v + k;
    }
    o[l] = t[l];
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=zeros:256
kernel void halves_of_own_word(global const int* p, global short* o) {
    int i = get_global_id(0);
    o[2 * i] = p[i];
    o[2 * i + 1] += o[2 * i];
}

// run --global 63 --local 9 --arg o=zeros:128
kernel void halves_of_neighbours(global short* o) {
    int i = get_global_id(0);
    o[i + 1] += i;
}

// run --global 8 --local 8 --arg i=image:rgba8uint:8x8:zeros --arg o=zeros:32
kernel void image_with_a_border(read_only image2d_t i, global int* o) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    int x = get_global_id(0);
    o[x] = read_imageui(i, s, (int2)(x + 1, -1)).x;
}

// run --global 128 --local 64 --arg p=range:i32:128 --arg b=zeros:512 --arg o=zeros:512
kernel void global_exchange_behind_a_fence(global const int* p, global int* b, global int* o) {
    int l = get_local_id(0), first = get_group_id(0) * 64;
    b[first + l] = p[first + l] * 3 + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[first + l] = b[first + 63 - l];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256 --arg t=local:256
kernel void results_that_nobody_else_reads(global const int* p, global int* o, local int* t) {
    int l = get_local_id(0);
    for (int n = 0; n < 3; n++) {
        t[l] = p[l] * n;
        barrier(CLK_LOCAL_MEM_FENCE);
        o[l] += t[63 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg b=zeros:256 --arg o=zeros:256
kernel void fence_some_way_before_the_barrier(global const int* p, global int* b, global int* o) {
    int l = get_local_id(0);
    b[l] = p[l] + 5;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    int sum = 0;
    for (int n = 0; n <= l; n++) sum += p[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = b[63 - l] + sum;
}
