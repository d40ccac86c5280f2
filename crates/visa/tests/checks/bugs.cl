// Kernels with one bug each.
// Above each kernel: its options, and the findings of `--check all`. Lines are relative to the `kernel` line.

// run --global 64 --arg p=range:i32:64 --arg o=zeros:256 --arg n=i32:4
// found check-bounds 1
kernel void read_past_end(global const int* p, global int* o, int n) {
    o[get_global_id(0)] = p[get_global_id(0) + n];
}

// run --global 64 --arg p=range:i32:64 --arg o=zeros:252
// found check-bounds 1
kernel void write_past_end(global const int* p, global int* o) {
    o[get_global_id(0)] = p[get_global_id(0)];
}

// run --global 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-bounds 2
kernel void read_before_beginning(global const int* p, global int* o) {
    int i = get_global_id(0);
    o[i] = p[i - 1];
}

// run --global 8 --local 8 --arg o=zeros:9
// found check-bounds 1
kernel void one_byte_past_end(global uchar* o) {
    o[get_global_id(0) + 2] = 7;
}

// run --global 256 --local 256 --arg p=range:i32:256 --arg o=zeros:4 --arg t=local:1024
// found check-race 5
kernel void reduction_without_barrier(global const int* p, global int* o, local int* t) {
    int l = get_local_id(0);
    t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 128; s > 0; s >>= 1)
        if (l < s) t[l] += t[l + s];
    if (l == 0) o[0] = t[0];
}

// run --global 128 --local 64 --arg p=range:f32:128 --arg o=zeros:512 --arg t=local:256
// found check-race 3
kernel void neighbour_without_barrier(global const float* p, global float* o, local float* t) {
    int l = get_local_id(0);
    t[l] = p[get_global_id(0)];
    o[get_global_id(0)] = t[(l + 33) & 63];
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=zeros:4
// found check-race 1
kernel void sum_without_atomic(global const int* p, global int* o) {
    o[0] += p[get_global_id(0)];
}

// run --global 64 --local 16 --arg o=zeros:64
// found check-race 2
kernel void same_element(global int* o) {
    int i = get_global_id(0);
    o[i / 4] = i;
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 3
kernel void in_place_shift(global int* p, global int* o) {
    int i = get_global_id(0);
    int next = i < 63 ? p[i + 1] : 0;
    p[i] = next;
    o[i] = next;
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-uninit 5
kernel void local_not_all_written(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    if (l < 60) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l];
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64 --arg n=i32:5
// found check-uninit 3
kernel void private_not_all_written(global const int* p, global int* o, int n) {
    int a[16];
    for (int i = 0; i < n; i++) a[i] = p[i];
    o[get_global_id(0)] = a[get_global_id(0)];
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64
// found check-uninit 6
kernel void branch_on_nothing(global const int* p, global int* o) {
    local int limit[16];
    int l = get_local_id(0);
    if (l > 2) limit[l] = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    int s = 1;
    if (limit[l] > 100) s = p[l];
    o[l] = s;
}

// run --global 16 --local 16 --arg p=range:i32:64 --arg o=zeros:256 --arg t=local:256
// found check-race 3
kernel void vectors_without_barrier(global const int4* p, global int4* o, local int4* t) {
    int l = get_local_id(0);
    t[l] = p[l];
    o[l] = t[15 - l];
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:16 --arg t=local:16
// found check-race 3
kernel void atomics_without_barrier(global const int* p, global int* o, local int* t) {
    int l = get_local_id(0);
    if (l < 4) t[l] = 0;
    atomic_add(t + (l & 3), p[l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4) o[l] = t[l];
}
