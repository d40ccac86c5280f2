// Typical kernels, each with one omission.
// Above each kernel: its options, and the findings of `--check all`. Lines are relative to the `kernel` line.

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:4
// found check-race 5
kernel void reduce_no_loop_barrier(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = p[l]; barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 32; s > 0; s >>= 1)
        if (l < s) t[l] += t[l + s];
    if (l == 0) *o = t[0];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:4
// found check-race 7 check-race 8 check-race 9 check-race 10 check-race 11
kernel void warp_synchronous_tail(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = p[l]; barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 32) {
        volatile local int* v = t;
        v[l] += v[l + 32];
        v[l] += v[l + 16];
        v[l] += v[l + 8];
        v[l] += v[l + 4];
        v[l] += v[l + 2];
        v[l] += v[l + 1];
    }
    if (l == 0) *o = t[0];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 5
kernel void scan_one_barrier(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = p[l]; barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < 64; s <<= 1) {
        if (l >= s) t[l] += t[l - s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[l] = t[l];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 7
kernel void bitonic_no_inner_barrier(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = p[63 - l]; barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 2; k <= 64; k <<= 1) {
        for (int j = k >> 1; j > 0; j >>= 1) {
            int x = l ^ j; int a = t[l], b = t[x];
            if (x > l && ((l & k) == 0) == (a > b)) { t[l] = b; t[x] = a; }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[l] = t[l];
}

// run --global 16,16 --local 8,8 --arg a=range:f32:256 --arg b=range:f32:256 --arg c=zeros:1024
// found check-race 5
kernel void matmul_no_second_barrier(global const float* a, global const float* b, global float* c) {
    local float s[8][8], t[8][8];
    int x = get_local_id(0), y = get_local_id(1), X = get_global_id(0), Y = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        s[y][x] = a[Y * 16 + k * 8 + x];
        t[y][x] = b[(k * 8 + y) * 16 + X];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = 0; n < 8; n++) sum += s[y][n] * t[n][x];
    }
    c[Y * 16 + X] = sum;
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-uninit 5
kernel void local_half_written(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    if (l < 48) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[63 - l];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-uninit 6
kernel void private_half_written(global const int* p, global int* o) {
    int a[16];
    int i = get_global_id(0);
    for (int n = 0; n < 16; n += 2)
        a[n] = p[i] * n;
    int v = a[p[i] & 15];
    o[i] = v;
}

// run --global 64 --local 32 --arg d=zeros:4 --arg f=zeros:4 --arg o=zeros:4
// found check-race 5
kernel void flag_without_atomics(global int* d, global int* f, global int* o) {
    int g = get_group_id(0);
    if (get_local_id(0) == 0) {
        if (g == 0) { *d = 42; }
        else if (*f == 0)
            *o = *d;
    }
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 4
kernel void async_no_wait(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(t, p, 64, 0);
    o[l] = t[l ^ 32];
    wait_group_events(1, &e);
}

struct part { int a; float b[3]; int c; };
// run --global 32 --local 32 --arg p=zeros:620 --arg o=zeros:128
// found check-bounds 2
kernel void struct_past(global struct part* p, global int* o) {
    int i = get_global_id(0);
    o[i] = p[i].c + p[i].a;
}

// run --global 32 --local 32 --arg p=zeros:640 --arg o=zeros:128
// found check-race 3
kernel void struct_neighbour(global struct part* p, global int* o) {
    int i = get_global_id(0);
    p[i].c = i;
    if (i > 0) o[i] = p[i - 1].c;
}

// run --global 64 --local 64 --arg p=range:i32:256 --arg o=zeros:256
// found check-race 6
kernel void double_buffer_wrong(global const int* p, global int* o) {
    local int t[2][64];
    int l = get_local_id(0), s = 0;
    t[0][l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 1; k < 4; k++) {
        s += t[(k - 1) & 1][63 - l];
        t[(k - 1) & 1][l] = p[k * 64 + l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[l] = s;
}

// run --global 64 --local 64 --arg o=zeros:4
// found check-uninit 5
kernel void counter_never_zeroed(global int* o) {
    local int n;
    int l = get_local_id(0);
    atomic_inc(&n);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) *o = n;
}

// run --global 32 --local 32 --arg p=range:i8:32 --arg o=zeros:32
// found check-race 3
kernel void bytes_shared(global const char* p, global char* o) {
    int i = get_global_id(0);
    o[i] = p[i] + 1;
    if (i == 31) o[0] = 77;
}

constant int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64
// found check-bounds 2
kernel void constant_past(global const int* p, global int* o) {
    int i = get_global_id(0);
    o[i] = table[p[i]];
}
