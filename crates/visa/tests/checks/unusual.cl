// Bugs of unusual kinds, each next to a similar correct kernel (without `found`).
// Above each kernel: its options, and the findings of `--check all`. Lines are relative to the `kernel` line.

// run --global 16 --local 16 --arg a=range:i32:16 --arg b=range:i32:16 --arg n=i64:1073741824
// found check-bounds 2
kernel void one_argument_through_another(global int* a, global int* b, long n) {
    global int* q = (global int*)((ulong)a + (ulong)n * 4);
    q[get_global_id(0)] = b[get_global_id(0)];
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg b=range:i32:16 --arg n=i64:0
kernel void the_same_argument_far_and_back(global int* a, global int* b, long n) {
    global int* q = (global int*)((ulong)a + (ulong)n * 4);
    q[get_global_id(0)] = b[get_global_id(0)];
}

// run --global 16 --local 16 --arg p=range:i32:64 --arg o=zeros:64
// found check-bounds 4
struct Row { int v[4]; };
kernel void column_that_rows_have_not(global const struct Row* p, global int* o) {
    int i = get_global_id(0);
    int c = 4 + (i == 15 ? 1 : 0) - 1;
    int last = i == 15;
    o[i] = p[i].v[c + last - (i != 15) * 3];
}

// run --global 16 --local 16 --arg p=range:i32:64 --arg o=zeros:64
kernel void column_that_rows_have(global const struct Row* p, global int* o) {
    int i = get_global_id(0);
    o[i] = p[i].v[i & 3];
}

// run --global 32 --local 32 --arg t=local:64 --arg o=zeros:128
// found check-bounds 2
kernel void shared_memory_too_small(local int* t, global int* o) {
    int l = get_local_id(0);
    t[l] = l * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[31 - l];
}

// run --global 32 --local 32 --arg t=local:128 --arg o=zeros:128
kernel void shared_memory_large_enough(local int* t, global int* o) {
    int l = get_local_id(0);
    t[l] = l * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[31 - l];
}

// run --global 128 --local 32 --arg o=zeros:16
// found check-race 2
kernel void bits_of_a_word(global uint* o) {
    int i = get_global_id(0);
    o[i / 32] |= 1u << (i % 32);
}

// run --global 128 --local 32 --arg o=zeros:16
kernel void bits_of_a_word_by_atomics(global uint* o) {
    int i = get_global_id(0);
    atomic_or(o + i / 32, 1u << (i % 32));
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=same:0
// found check-race 2
kernel void two_names_of_one_buffer(global const int* p, global int* o) {
    int i = get_global_id(0);
    o[i] = p[(i + 1) % 64] + 1;
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=same:0
kernel void two_names_of_one_element(global const int* p, global int* o) {
    int i = get_global_id(0);
    o[i] = p[i] + 1;
}

// run --global 128 --local 32 --arg f=zeros:4
// found check-race 2
kernel void cleared_while_others_count(global int* f) {
    if (get_group_id(0) == 1 && get_local_id(0) == 0)
        f[0] = 5;
    atomic_inc(f);
}

// run --global 128 --local 32 --arg f=zeros:16
kernel void each_group_clears_its_own(global int* f) {
    int g = get_group_id(0);
    if (get_local_id(0) == 0)
        f[g] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    atomic_inc(f + g);
}

// run --global 16 --local 16 --arg o=zeros:64
// found check-bounds 3
kernel void byte_that_goes_around(global int* o) {
    uchar l = get_local_id(0);
    uchar k = l - 1;
    o[k] = l;
}

// run --global 16 --local 16 --arg o=zeros:64
kernel void byte_that_goes_around_and_is_cut(global int* o) {
    uchar l = get_local_id(0);
    uchar k = l - 1;
    o[k & 15] = l;
}

// run --global 16 --local 16 --arg p=zeros:32 --arg o=zeros:64
// found check-bounds 2
kernel void half_past_the_end(global const half* p, global float* o) {
    int i = get_global_id(0);
    o[i] = vload_half(i + 1, p);
}

// run --global 16 --local 16 --arg p=zeros:32 --arg o=zeros:64
kernel void half_up_to_the_end(global const half* p, global float* o) {
    int i = get_global_id(0);
    o[i] = vload_half(15 - i, p);
}

// run --global 16 --local 16 --arg o=zeros:46
// found check-bounds 2
kernel void three_bytes_at_the_end(global uchar* o) {
    int i = get_global_id(0);
    vstore3((uchar3)(i, i, i), i, o);
}

// run --global 16 --local 16 --arg o=zeros:48
kernel void three_bytes_up_to_the_end(global uchar* o) {
    int i = get_global_id(0);
    vstore3((uchar3)(i, i, i), i, o);
}

// run --global 32 --local 32 --arg p=range:i32:32 --arg o=zeros:128 --arg n=i32:64
// found check-uninit 4
kernel void one_of_several_cases(global const int* p, global int* o, int n) {
    int i = get_global_id(0);
    int t[64];
    for (int k = 1; k < n; k++) t[k & 63] = p[(i + k) % 32];
    o[i] = t[p[i] & 63];
}

// run --global 32 --local 32 --arg p=range:i32:32 --arg o=zeros:128 --arg n=i32:64
kernel void all_of_several_cases(global const int* p, global int* o, int n) {
    int i = get_global_id(0);
    int t[64];
    for (int k = 0; k < n; k++) t[k & 63] = p[(i + k) % 32];
    o[i] = t[p[i] & 63];
}

// run --global 32 --local 32 --arg p=range:i32:32 --arg o=zeros:4 --arg n=i32:30
// found check-uninit 7
kernel void sum_of_more_than_was_filled(global const int* p, global int* o, int n) {
    local int t[32];
    int l = get_local_id(0), sum = 0;
    if (l < n) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) for (int k = 0; k < 32; k++)
        sum += t[k];
    if (l == 0) o[0] = sum;
}

// run --global 32 --local 32 --arg p=range:i32:32 --arg o=zeros:4 --arg n=i32:30
kernel void sum_of_what_was_filled(global const int* p, global int* o, int n) {
    local int t[32];
    int l = get_local_id(0), sum = 0;
    if (l < n) t[l] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) for (int k = 0; k < n; k++)
        sum += t[k];
    if (l == 0) o[0] = sum;
}

// run --global 64 --local 64 --arg o=zeros:256
// found check-race 4
kernel void exchange_in_a_loop(global int* o) {
    local int t[64];
    int l = get_local_id(0), v = l;
    for (int k = 1; k < 4; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + k) % 64];
    }
    o[l] = v;
}

// run --global 64 --local 64 --arg o=zeros:256
kernel void exchange_in_a_loop_with_two_barriers(global int* o) {
    local int t[64];
    int l = get_local_id(0), v = l;
    for (int k = 1; k < 4; k++) {
        t[l] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        v = t[(l + k) % 64];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[l] = v;
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=zeros:64
// found check-race 3
kernel void places_by_remainder(global const int* p, global int* o) {
    int i = get_global_id(0);
    int k = p[i] % 16;
    o[k] = p[i];
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=zeros:256
kernel void places_by_permutation(global const int* p, global int* o) {
    int i = get_global_id(0);
    int k = p[i] * 5 % 64;
    o[k] = p[i];
}

// run --global 32 --local 32 --arg t=local:128 --arg o=zeros:128
// found check-race 2
kernel void wide_and_narrow(local int* t, global int* o) {
    int l = get_local_id(0);
    ((local short*)t)[l] = l; if (l < 16) o[l] = t[l];
}

// run --global 32 --local 32 --arg t=local:128 --arg o=zeros:128
kernel void wide_and_narrow_with_a_barrier(local int* t, global int* o) {
    int l = get_local_id(0);
    ((local short*)t)[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) o[l] = t[l];
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64 --arg n=i32:16
// found check-bounds 3
kernel void binary_search_past_the_end(global const int* p, global int* o, int n) {
    int i = get_global_id(0), low = 0, high = n;
    while (low < high) { int mid = (low + high) / 2; if (p[mid] < i * 2) low = mid + 1; else high = mid; }
    o[i] = p[low];
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64 --arg n=i32:16
kernel void binary_search_up_to_the_end(global const int* p, global int* o, int n) {
    int i = get_global_id(0), low = 0, high = n;
    while (low < high) { int mid = (low + high) / 2; if (p[mid] < i * 2) low = mid + 1; else high = mid; }
    o[i] = low < n ? p[low] : -1;
}

// run --global 64 --local 64 --arg o=zeros:256
// found check-uninit 6
kernel void list_with_an_end_that_nobody_set(global int* o) {
    local int next[64];
    int l = get_local_id(0);
    if (l != 63) next[l] = l + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = l;
    for (int n = 0; n < 2; n++) k = next[k & 63];
    o[l] = k;
}

// run --global 64 --local 64 --arg o=zeros:256
kernel void list_with_an_end(global int* o) {
    local int next[64];
    int l = get_local_id(0);
    next[l] = l != 63 ? l + 1 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = l;
    for (int n = 0; n < 2; n++) k = next[k & 63];
    o[l] = k;
}

// run --global 64 --local 16 --arg q=zeros:260
// found check-race 3
kernel void queue_that_is_read_at_once(global int* q) {
    int at = atomic_inc(q);
    q[at % 64 + 1] = get_global_id(0);
    if (q[(at + 1) % 64 + 1] == 77) q[at % 64 + 1] = 3;
}

// run --global 64 --local 16 --arg q=zeros:260
kernel void queue_that_is_filled(global int* q) {
    int at = atomic_inc(q);
    q[at % 64 + 1] = get_global_id(0);
}

// run --global 64 --local 16 --arg m=fill:f32:64:1 --arg o=zeros:256
// found check-bounds 3
kernel void matrix_of_another_width(global const float* m, global float* o) {
    int i = get_global_id(0);
    int x = i % 8, y = i / 8;
    o[i] = m[y * 9 + x];
}

// run --global 64 --local 16 --arg m=fill:f32:72:1 --arg o=zeros:256
kernel void matrix_with_a_pitch(global const float* m, global float* o) {
    int i = get_global_id(0);
    int x = i % 8, y = i / 8;
    o[i] = m[y * 9 + x];
}

// run --global 48 --local 16 --arg p=range:i32:48 --arg o=zeros:192
// found check-race 2
kernel void neighbours_of_the_next_group(global const int* p, global int* o) {
    int i = get_global_id(0);
    o[i] = p[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 15 && i + 1 < 48) o[i] += o[i + 1];
}

// run --global 48 --local 16 --arg p=range:i32:48 --arg o=zeros:192
kernel void neighbours_of_the_same_group(global const int* p, global int* o) {
    int i = get_global_id(0), l = get_local_id(0);
    o[i] = p[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    int next = l < 15 ? o[i + 1] : 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[i] += next;
}

// run --global 32 --local 32 --arg o=undef:128 --arg n=i32:31
// found check-uninit 4
kernel void carries_on_from_what_was_there(global int* o, int n) {
    int i = get_global_id(0);
    if (i < n) o[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE); int last = o[31 - i];
    if (last > 40) o[i] = 1;
}

// run --global 32 --local 32 --arg o=undef:128 --arg n=i32:32
kernel void carries_on_from_what_is_there(global int* o, int n) {
    int i = get_global_id(0);
    if (i < n) o[i] = i;
    barrier(CLK_GLOBAL_MEM_FENCE); int last = o[31 - i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (last > 40) o[i] = 1;
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg n=u64:0xfffffffffffffff0
// found check-bounds 3
kernel void pointer_below_its_buffer(global int* a, ulong n) {
    global int* q = (global int*)((ulong)a + n);
    int i = get_global_id(0);
    q[i] = 3;
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg n=u64:0
kernel void pointer_to_its_buffer(global int* a, ulong n) {
    global int* q = (global int*)((ulong)a + n);
    int i = get_global_id(0);
    q[i] = 3;
}

// run --global 64 --local 16 --arg o=zeros:512
kernel void three_of_four(global int3* o) {
    int i = get_global_id(0);
    if (!(i & 1)) o[i / 2] = (int3)(i, 2, 3);
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=zeros:512
// found check-uninit 4
kernel void fourth_of_four_forgotten(global const int* p, global int4* o) {
    int i = get_global_id(0);
    int4 v;
    v.xyz = (int3)(p[i], 2, 3);
    if (!(i & 1)) o[i / 2] = v;
}
