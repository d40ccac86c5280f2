// Kernels with one bug each, of the kinds in the test suites of Oclgrind and GPUVerify.
// Above each kernel: its options, and the findings of `--check all`. Lines are relative to the `kernel` line.

// run --global 32 --local 32 --arg o=zeros:128
// found check-race 3
kernel void two_items_store_to_one_word(global int* o) {
    local int t[32];
    int l = get_local_id(0);
    t[l / 2] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l / 2];
}

// run --global 64 --local 16 --arg o=range:i32:64
// found check-race 2
kernel void read_of_another_group(global int* o) {
    int i = get_global_id(0);
    o[i] = o[(i + 16) % 64] + 1;
}

// run --global 16 --arg p=range:i32:16 --arg o=zeros:64 --arg n=i32:16
// found check-bounds 2
kernel void one_round_too_many(global const int* p, global int* o, int n) {
    int s = 0;
    for (int k = 0; k <= n; k++) s += p[k];
    o[get_global_id(0)] = s;
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64 --arg t=local:64
// found check-bounds 2
kernel void past_shared_memory(global const int* p, global int* o, local int* t) {
    int l = get_local_id(0);
    t[l + 1] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = l ? t[l] : 0;
}

// run --global 128 --local 64 --arg p=range:i32:128 --arg o=zeros:512
// found check-race 7
kernel void barrier_missing_behind(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0), s = 0;
    for (int k = 0; k < 2; k++) {
        // The store of the next iteration races with loads of this one.
        t[l] = p[k * 64 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[63 - l];
    }
    o[get_global_id(0)] = s;
}

// run --global 64 --local 64 --arg o=zeros:4
// found check-race 5
kernel void plain_counter(global int* o) {
    local int n;
    int l = get_local_id(0);
    if (l == 0) n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    n += l + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) o[0] = n;
}

// run --global 8,8 --local 8,8 --arg o=zeros:256 --arg w=i32:7
// found check-race 2
kernel void wrong_stride(global int* o, int w) {
    int x = get_global_id(0), y = get_global_id(1);
    o[y * w + x] = x + 10 * y;
}

// run --global 64 --local 32 --arg p=range:i32:50 --arg o=zeros:200 --arg n=i32:50
// found check-bounds 3
kernel void guard_missing(global const int* p, global int* o, int n) {
    int i = get_global_id(0);
    int last = n - 1;
    o[i] = p[i] + last;
}

// run --global 64 --local 64 --arg o=zeros:256
// found check-race 6
kernel void counter_read_at_once(global int* o) {
    local int n;
    int l = get_local_id(0);
    if (l == 0) n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&n);
    o[l] = n;
}

// run --global 64 --local 16 --arg f=zeros:4 --arg o=zeros:256
// found check-race 4
kernel void flag_without_atomics(volatile global int* f, global int* o) {
    int i = get_global_id(0);
    if (i == 0)
        *f = 1;
    int now = *f;
    o[i] = now;
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:64
// found check-uninit 5
kernel void histogram_not_cleared(global const int* p, global int* o) {
    local int h[16];
    int l = get_local_id(0);
    atomic_inc(&h[p[l] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) o[l] = h[l];
}

// run --global 16 --local 16 --arg o=zeros:252
// found check-bounds 1
kernel void vector_past_end(global int* o) {
    vstore4((int4)(1), get_global_id(0), o);
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64
// found fault-barrier 4
kernel void barrier_for_some(global const int* p, global int* o) {
    local int t[16];
    int l = get_local_id(0);
    t[l] = p[l];
    if (p[l] < 8) barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l ^ 1];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-uninit 6
kernel void tail_not_loaded(global const int* p, global int* o) {
    local int t[66];
    int l = get_local_id(0);
    t[l + 1] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    // The edges are never written.
    o[l] = t[l] + t[l + 1] + t[l + 2];
}

// run --global 256 --local 64 --arg p=range:i32:256 --arg o=zeros:4
// found check-race 2
kernel void maximum_without_atomic(global const int* p, global int* o) {
    int v = p[get_global_id(0)];
    if (v > o[0]) o[0] = v;
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 6
kernel void scan_in_place(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 64; d *= 2) {
        if (l >= d) t[l] += t[l - d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[l] = t[l];
}

// run --global 16,16 --local 16,4 --arg p=range:i32:256 --arg o=zeros:1024
// found check-bounds 3
kernel void stencil_without_edges(global const int* p, global int* o) {
    int x = get_global_id(0), y = get_global_id(1);
    int at = y * 16 + x;
    o[at] = p[at - 16] + p[at + 16];
}

// run --global 16 --arg p=undef:64 --arg o=zeros:64
// found check-uninit 1
kernel void buffer_that_nobody_wrote(global const int* p, global int* o) {
    o[get_global_id(0)] = p[get_global_id(0)] + 1;
}

// run --global 32 --local 16 --arg p=undef:4 --arg o=zeros:128
// found check-uninit 1
kernel void counter_that_nobody_set(global int* p, global int* o) {
    atomic_add(p, 2);
    o[get_global_id(0)] = 1;
}

// run --global 32 --local 16 --arg o=zeros:32
// found check-race 1
kernel void bytes_of_two_items(global char* o) {
    o[(get_global_id(0) + 1) / 2] = get_global_id(0);
}
