// Bugs as in other collections, each next to a similar correct kernel (without `found`).
// Above each kernel: its options, and the findings of `--check all`. Lines are relative to the `kernel` line.

struct Q { char tag; int v; short s; };

// run --global 64 --local 64 --arg a=zeros:256
// found check-race 3
kernel void writes_for_a_neighbour(global int* a) {
    int i = get_local_id(0);
    a[i] = i;
    a[(i + 1) % 64] = i + 5;
}

// run --global 32 --local 32 --arg rows=bytes:000000000200000004000000060000000800000009000000 --arg cols=bytes:010000000200000003000000040000000000000002000000010000000300000005000000 --arg d=zeros:20 --arg n=i32:5
// found check-bounds 4
kernel void edge_to_no_vertex(global int* rows, global int* cols, global int* d, int n) {
    int v = get_global_id(0);
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            atomic_add(d + cols[e], v + 1);
}

// run --global 32 --local 32 --arg rows=bytes:000000000200000004000000060000000800000009000000 --arg cols=bytes:010000000200000003000000040000000000000002000000010000000300000004000000 --arg d=zeros:20 --arg n=i32:5
kernel void edges_to_vertices(global int* rows, global int* cols, global int* d, int n) {
    int v = get_global_id(0);
    if (v < n)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            atomic_add(d + cols[e], v + 1);
}

// run --global 32 --local 32 --arg rows=bytes:000000000200000004000000060000000800000009000000 --arg d=zeros:20 --arg n=i32:5
// found check-bounds 3
kernel void row_behind_the_last(global int* rows, global int* d, int n) {
    int v = get_global_id(0);
    if (v <= n) {
        int deg = rows[v + 1] - rows[v];
        if (deg > 1) d[v] = deg;
    }
}

// run --global 32 --local 32 --arg rows=bytes:000000000200000004000000060000000800000009000000 --arg d=zeros:20 --arg n=i32:5
kernel void rows_up_to_the_last(global int* rows, global int* d, int n) {
    int v = get_global_id(0);
    if (v < n) {
        int deg = rows[v + 1] - rows[v];
        if (deg > 1) d[v] = deg;
    }
}

// run --global 128 --local 64 --arg p=range:f32:128 --arg o=zeros:512 --arg n=i32:128
// found check-bounds 6
kernel void halo_of_the_last_group(global float* p, global float* o, int n) {
    local float t[66];
    int l = get_local_id(0), i = get_global_id(0);
    t[l + 1] = p[i];
    if (l == 0) t[0] = i > 0 ? p[i - 1] : 0;
    if (l == 63)
        t[65] = p[i + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = t[l] + t[l + 1] + t[l + 2];
}

// run --global 128 --local 64 --arg p=range:f32:128 --arg o=zeros:512 --arg n=i32:128
kernel void halo_with_edges(global float* p, global float* o, int n) {
    local float t[66];
    int l = get_local_id(0), i = get_global_id(0);
    t[l + 1] = p[i];
    if (l == 0) t[0] = i > 0 ? p[i - 1] : 0;
    if (l == 63) t[65] = i + 1 < n ? p[i + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = t[l] + t[l + 1] + t[l + 2];
}

// run --global 128 --local 64 --arg p=range:f32:128 --arg o=zeros:512 --arg n=i32:128
// found check-uninit 6
kernel void halo_of_one_side(global float* p, global float* o, int n) {
    local float t[66];
    int l = get_local_id(0), i = get_global_id(0);
    t[l + 1] = p[i];
    if (l == 63) t[65] = i + 1 < n ? p[i + 1] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = t[l] + t[l + 1] + t[l + 2];
}

// run --global 64 --local 64 --arg o=zeros:256
// found check-race 6
kernel void sum_read_at_once(global int* o) {
    local int c;
    int l = get_local_id(0);
    if (l == 0) c = 0;
    barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&c, l);

    o[l] = c;
}

// run --global 64 --local 64 --arg o=zeros:256
kernel void sum_read_behind_a_barrier(global int* o) {
    local int c;
    int l = get_local_id(0);
    if (l == 0) c = 0;
    barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&c, l);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = c;
}

// run --global 128 --local 64 --arg f=zeros:4 --arg d=zeros:4 --arg o=zeros:512
// found check-race 4
kernel void flag_that_is_not_looked_at(volatile global int* f, global int* d, global int* o) {
    int i = get_global_id(0);
    if (i == 0) { d[0] = 42; atomic_xchg(f, 1); }
    if (i == 64) { atomic_inc(f);
        o[0] = d[0]; }
}

// run --global 128 --local 64 --arg f=zeros:4 --arg d=zeros:4 --arg o=zeros:512
kernel void flag_that_is_waited_for(volatile global int* f, global int* d, global int* o) {
    int i = get_global_id(0);
    if (i == 0) { d[0] = 42; mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_xchg(f, 1); }
    if (i == 64) { while (atomic_or(f, 0) == 0) {} mem_fence(CLK_GLOBAL_MEM_FENCE); o[0] = d[0]; }
}

// run --global 64 --local 16 --arg m=zeros:4 --arg s=zeros:4
kernel void lock_that_all_take(volatile global int* m, volatile global int* s) {
    if (get_local_id(0) == 0) {
        while (atomic_cmpxchg(m, 0, 1) != 0) {}
        s[0] = s[0] + 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(m, 0);
    }
}

// run --global 64 --local 16 --arg m=zeros:4 --arg s=zeros:4
// found check-race 3
kernel void lock_that_one_does_not_take(volatile global int* m, volatile global int* s) {
    if (get_local_id(0) == 0) {
        if (get_group_id(0) != 2) while (atomic_cmpxchg(m, 0, 1) != 0) {}
        s[0] = s[0] + 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (get_group_id(0) != 2) atomic_xchg(m, 0);
    }
}

// run --global 8 --local 8 --arg o=zeros:96
kernel void structures_with_gaps(global struct Q* o) {
    int i = get_global_id(0);
    struct Q x;
    x.tag = i; x.v = i; x.s = 3;
    o[i] = x;
}

// run --global 8 --local 8 --arg o=zeros:96
kernel void structures_with_gaps_exchanged(global struct Q* o) {
    local struct Q t[8];
    int i = get_global_id(0);
    struct Q x;
    x.tag = i; x.v = i; x.s = 3;
    t[i] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = t[7 - i];
}

// run --global 8 --local 8 --arg o=zeros:96 --arg n=i32:6
// found check-uninit 7
kernel void structures_without_a_member(global struct Q* o, int n) {
    local struct Q t[8];
    int i = get_global_id(0);
    t[i].tag = i;
    t[i].s = 3;
    if (i < n) t[i].v = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[i] = t[7 - i];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-bounds 3
kernel void shared_array_by_one(global int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l + 1] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[63 - l];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-bounds 3
kernel void shared_array_below_zero(global int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l - 1] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[63 - l];
}

// run --global 4,4 --local 4,4 --arg i=image:r32f:4x4:zeros --arg o=zeros:64
// found check-bounds 2
kernel void texels_beside_the_image(write_only image2d_t i, global float* o) {
    int x = get_global_id(0), y = get_global_id(1);
    write_imagef(i, (int2)(x + 1, y), (float4)(1));
    o[y * 4 + x] = 1;
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 4
kernel void copy_that_is_not_waited_for(global int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(t, p, 64, 0);
    o[l] = t[63 - l];
    wait_group_events(1, &e);
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// noted check-copy-barrier 5
kernel void copy_that_is_waited_for(global int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    event_t e = async_work_group_copy(t, p, 64, 0);
    wait_group_events(1, &e);
    o[l] = t[63 - l];
}

// run --global 64 --local 64 --arg o=zeros:256
// found check-uninit 4
kernel void counter_that_nobody_cleared(global int* o) {
    local int c;
    int l = get_local_id(0);
    int at = atomic_inc(&c);
    o[at & 63] = l;
}

// run --global 16,16 --local 16,16 --arg p=range:f32:256 --arg o=zeros:1024
// found check-race 4
kernel void tile_without_a_barrier(global float* p, global float* o) {
    local float t[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    t[y][x] = p[y * 16 + x];
    o[y * 16 + x] = t[x][y];
}

// run --global 64 --local 64 --arg o=zeros:256
// found check-uninit 5
kernel void private_elements_that_nobody_set(global float* o) {
    float s;
    int i = get_global_id(0);
    float t[8];
    for (int k = 0; k < 7; k++) t[(k + i) & 7] = k;
    o[i] = t[(i + 3) & 7] + t[(7 + i) & 7];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-uninit 5
kernel void last_of_a_loop_that_never_ran(global int* p, global int* o) {
    int i = get_global_id(0);
    int last;
    for (int k = 0; k < p[i]; k++) last = p[k] ^ i;

    o[i] = last;
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
kernel void last_of_a_loop_with_a_start(global int* p, global int* o) {
    int i = get_global_id(0);
    int last = 0;
    for (int k = 0; k < p[i]; k++) last = p[k] ^ i;
    o[i] = last;
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 5
kernel void exchanges_without_a_barrier(global int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = p[l] * 37 % 64; barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 2; k <= 64; k *= 2) { for (int j = k / 2; j > 0; j /= 2) { int x = l ^ j;
            if (x > l && (t[l] > t[x]) == ((l & k) == 0)) { int h = t[l]; t[l] = t[x]; t[x] = h; } }
        barrier(CLK_LOCAL_MEM_FENCE); }
    o[l] = t[l];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
kernel void exchanges_with_barriers(global int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = p[l] * 37 % 64; barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 2; k <= 64; k *= 2) for (int j = k / 2; j > 0; j /= 2) { int x = l ^ j;
            if (x > l && (t[l] > t[x]) == ((l & k) == 0)) { int h = t[l]; t[l] = t[x]; t[x] = h; }
        barrier(CLK_LOCAL_MEM_FENCE); }
    o[l] = t[l];
}

// run --global 4 --local 4 --arg c=zeros:4 --arg o=zeros:4
// found check-race 2
kernel void counter_read_by_one_at_once(global int* c, global int* o) {
    atomic_inc(c); if (get_global_id(0) == 3)
        *o = *c;
}

// run --global 4 --local 4 --arg c=zeros:4 --arg o=zeros:4
kernel void counter_read_by_one_later(global int* c, global int* o) {
    atomic_inc(c);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 3) *o = *c;
}

// run --global 4 --local 4 --arg c=zeros:4
// found check-race 3
kernel void counter_set_by_one_at_once(global int* c) {
    if (get_global_id(0) == 0)
        *c = 0;
    atomic_dec(c);
}

// run --global 2 --local 2 --arg c=range:i32:1:-1
// found check-race 1
kernel void exchanged_by_the_other(global int* c) {
    if (get_global_id(0) == 0) *c = 0;
    else atomic_cmpxchg(c, 0, 7);
}

// run --global 8 --local 4 --arg c=range:i32:1:-1
// found check-race 3
kernel void set_for_one_group_only(global int* c) {
    if (get_global_id(0) == 0) *c = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(c);
}

// run --global 16 --local 4 --arg t=zeros:64 --arg o=zeros:16
// found check-fence 5
kernel void sum_behind_the_wrong_fence(global int* t, global int* o) {
    int i = get_global_id(0), g = get_group_id(0), x = 0;
    t[i] = i + 1; barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) for (int l = 0; l < 4; l++)

        x += t[4 * g + l];
    if (get_local_id(0) == 0) o[g] = x;
}
