// A third file of kernels with one bug each.
// Above each kernel: its options, and the findings of `--check all`. Lines are relative to the `kernel` line.

// run --global 32 --local 32 --arg p=range:i32:32 --arg o=zeros:128
// found check-race 5
kernel void double_buffer_swapped_too_early(global const int* p, global int* o) {
    local int t[2][32];
    int l = get_local_id(0), now = 0;
    t[0][l] = p[l];
    for (int s = 1; s < 32; s <<= 1) {
        t[now ^ 1][l] = t[now][l] + (l >= s ? t[now][l - s] : 0);
        now ^= 1;
    }
    o[l] = t[now][l];
}

// run --global 64,4 --local 16,4 --arg p=range:i32:256 --arg o=zeros:1024
// found check-race 5
kernel void transpose_without_barrier(global const int* p, global int* o) {
    local int t[4][17];
    int x = get_local_id(0), y = get_local_id(1), g = get_group_id(0) * 16;
    t[y][x] = p[y * 64 + g + x];
    int i = y * 16 + x;
    o[(g + i / 4) * 4 + i % 4] = t[i % 4][i / 4];
}

// run --global 128 --local 32 --arg o=zeros:16
// found check-race 3
kernel void broadcast_without_barrier(global int* o) {
    local int chosen;
    int l = get_local_id(0);
    if (l == 7) chosen = (int)get_group_id(0) + 1;
    if (chosen == 3) atomic_inc(o + l % 4);
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 4
kernel void neighbour_after_update(global int* p, global int* o) {
    int i = get_global_id(0);
    p[i] = p[i] * 3 + 1;
    if (i > 0)
        o[i] = p[i - 1];
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=zeros:64
// found check-race 2
kernel void last_group_without_atomics(global const int* p, global int* o) {
    int i = get_global_id(0);
    o[i / 8] = p[i] * 5;
}

// run --global 256 --local 64 --arg o=zeros:4 --arg f=zeros:4
// found check-race 3
kernel void count_read_by_all(global int* o, global int* f) {
    int i = get_global_id(0);
    atomic_add(f, 2);
    if (f[0] == 512) o[0] = 1;
}

// run --global 48 --local 16 --arg p=range:i32:48 --arg o=zeros:192 --arg n=i32:12
// found check-race 5
kernel void tree_of_odd_size(global const int* p, global int* o, int n) {
    local int t[16];
    int l = get_local_id(0);
    t[l] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = n / 2; s > 0; s /= 2) { if (l <= s) t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE); }
    if (l == 0) o[get_group_id(0)] = t[0];
}

// run --global 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-bounds 2
kernel void negative_remainder(global const int* p, global int* o) {
    int i = get_global_id(0);
    o[i] = p[(i - 5) % 64];
}

// run --global 8,8 --arg p=range:f32:64 --arg o=zeros:256 --arg w=i32:8
// found check-bounds 2
kernel void row_and_column_swapped(global const float* p, global float* o, int w) {
    int x = get_global_id(0), y = get_global_id(1);
    o[y * w + x] = p[(y + 1) * w + x];
}

// run --global 16 --arg p=range:i32:16 --arg o=zeros:64
// found check-bounds 3
kernel void unsigned_below_zero(global const int* p, global int* o) {
    uint i = get_global_id(0);
    uint before = i - 1;
    o[i] = i % 4 == 0 ? p[before] : 0;
}

// run --global 33 --local 11 --arg p=range:i32:33 --arg o=zeros:128
// found check-bounds 1
kernel void one_item_more(global const int* p, global int* o) {
    o[get_global_id(0)] = p[get_global_id(0)] + 1;
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64 --arg t=local:64
// found check-bounds 2
kernel void halo_of_shared_memory(global const int* p, global int* o, local int* t) {
    int l = get_local_id(0);
    t[l + 1] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l];
}

// run --global 16 --arg p=range:i32:16 --arg o=zeros:64
// found check-bounds 2
kernel void index_from_data(global const int* p, global int* o) {
    int i = get_global_id(0);
    o[p[i] + 4] = i;
}

// run --global 8 --arg p=range:i32:30 --arg o=zeros:128
// found check-bounds 2
kernel void vectors_of_odd_count(global const int* p, global int4* o) {
    int i = get_global_id(0);
    o[i] = vload4(i, p);
}

// run --global 64 --local 32 --arg p=range:i32:64 --arg o=zeros:128
// found check-bounds 3
kernel void histogram_of_wrong_range(global const int* p, global int* o) {
    int i = get_global_id(0);
    int bin = p[i] / 2 + 1;
    atomic_inc(o + bin);
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64
// found check-uninit 5
kernel void even_items_write(global const int* p, global int* o) {
    local int t[16];
    int l = get_local_id(0);
    if (l % 2 == 0) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[15 - l];
}

// run --global 32 --local 32 --arg p=range:i32:32 --arg o=zeros:128
// found check-uninit 5
kernel void flag_of_nobody(global const int* p, global int* o) {
    local int found;
    int l = get_local_id(0);
    if (p[l] == 77) found = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (found) o[l] = l;
}

// run --global 32 --local 32 --arg p=range:i32:32 --arg o=zeros:128
// found check-uninit 5
kernel void histogram_of_shared_memory(global const int* p, global int* o) {
    local int bins[8];
    int l = get_local_id(0);
    atomic_inc(bins + (p[l] & 7));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8) o[l] = bins[l];
}

// run --global 16 --arg u=undef:64 --arg o=zeros:64
// found check-uninit 2
kernel void index_that_nobody_wrote(global const int* u, global int* o) {
    int i = get_global_id(0);
    if (u[i]) o[i] = i;
}

// run --global 16 --local 16 --arg o=zeros:64 --arg n=i32:5
// found fault-barrier 3
kernel void loops_of_different_length(global int* o, int n) {
    local int t[64];
    int l = get_local_id(0);
    for (int k = 0; k <= l % 3; k++) { barrier(CLK_LOCAL_MEM_FENCE); t[l] = k + n; }
    o[l] = t[l];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found fault-barrier 4
kernel void early_return(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    if (p[l] > 40) return;
    t[l] = p[l]; barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l];
}

// run --global 64 --local 16 --arg p=range:i32:65 --arg o=zeros:256
// found check-uninit 3
kernel void private_index_beyond_what_is_written(global const int* p, global int* o) {
    int a[24], i = get_global_id(0);
    for (int n = 0; n < 16; n++) a[n] = p[i] ^ n;
    o[i] = a[p[i + 1] % 17];
}

// run --global 64 --local 32 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 3
kernel void reused_without_barrier(global const int* p, global int* o) {
    local int t[32];
    int l = get_local_id(0), i = get_global_id(0), v = 0;
    for (int k = 0; k < 4; k++) { t[l] = p[(i + k) & 63];
        barrier(CLK_LOCAL_MEM_FENCE);
        v += t[(l + 5) & 31]; }
    o[i] = v;
}

// run --global 8 --local 8 --arg i=image:rgba8uint:8x8:zeros --arg o=zeros:32
// found check-bounds 3
kernel void image_without_addressing(read_only image2d_t i, global int* o) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
    int x = get_global_id(0);
    o[x] = read_imageui(i, s, (float2)(x + 1.5f, 0.5f)).x;
}

// run --global 8 --local 8 --arg i=image:rgba8uint:8x8:zeros --arg p=range:i32:8
// found check-bounds 2
kernel void texel_beyond_the_image(write_only image2d_t i, global const int* p) {
    int x = get_global_id(0);
    write_imageui(i, (int2)(x, p[x] + 1), (uint4)(1, 2, 3, 4));
}

// run --global 128 --local 64 --arg p=range:i32:128 --arg b=zeros:512 --arg o=zeros:512
// found check-fence 4
kernel void global_exchange_behind_a_local_fence(global const int* p, global int* b, global int* o) {
    int l = get_local_id(0), first = get_group_id(0) * 64;
    b[first + l] = p[first + l] * 3 + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[first + l] = b[first + 63 - l];
}

// run --global 64 --local 64 --arg c=random:i32:1:5 --arg o=zeros:256
// found check-fence 3
kernel void counter_set_behind_a_local_fence(global int* c, global int* o) {
    if (get_local_id(0) == 0) c[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_local_id(0)] = atomic_inc(c) < 64;
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg b=zeros:256 --arg o=zeros:256 --arg t=local:256
// found check-fence 7
kernel void one_of_two_fences(global const int* p, global int* b, global int* o, local int* t) {
    int l = get_local_id(0);
    for (int n = 0; n < 3; n++) {
        t[l] = p[l] + n;
        b[l] = p[l] - n;
        barrier(CLK_LOCAL_MEM_FENCE);
        o[l] += t[63 - l];
        o[l] -= b[l ^ 32];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
