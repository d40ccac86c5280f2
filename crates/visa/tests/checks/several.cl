// Bugs with several causes, of adjacent memory, or hidden by a number, next to similar correct kernels.
// Above each kernel: its options, and the findings of `--check all`. Lines are relative to the `kernel` line.

struct Pair { char tag; int value; };

// run --global 32 --local 32 --arg a=range:i32:32 --arg o=zeros:128 --arg s=local:128 --arg t=local:128
// found check-bounds 5 check-bounds 7
kernel void one_local_argument_into_the_next(global int* a, global int* o, local int* s, local int* t) {
    int l = get_local_id(0);
    t[l] = 0;
    if (l == 0) s[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l + 1] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s[l + 1] + t[l];
}

// run --global 32 --local 32 --arg a=range:i32:32 --arg o=zeros:128 --arg s=local:128 --arg t=local:128
// found check-bounds 5
kernel void local_argument_below_its_beginning(global int* a, global int* o, local int* s, local int* t) {
    int l = get_local_id(0);
    s[l] = a[l];
    t[l] = l ? a[l] : 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s[l] + t[l - 1];
}

// run --global 32 --local 32 --arg a=range:i32:32 --arg o=zeros:128 --arg s=local:128 --arg t=local:128
kernel void two_local_arguments(global int* a, global int* o, local int* s, local int* t) {
    int l = get_local_id(0);
    s[l] = a[l];
    t[31 - l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s[31 - l] + t[l];
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:64 --arg q=zeros:64 --arg r=zeros:64
// found check-uninit 7 check-uninit 8 check-uninit 9
kernel void three_arrays_that_nobody_wrote(global int* a, global int* o, global int* q, global int* r) {
    local int s[16];
    local int t[16];
    local int u[16];
    int l = get_local_id(0);
    if (a[l] > 100) { s[l] = 1; t[l] = 2; u[l] = 3; }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s[l];
    q[l] = t[l];
    r[l] = u[l];
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:64 --arg q=zeros:64
// found check-uninit 5
kernel void one_array_at_two_places(global int* a, global int* o, global int* q) {
    local int s[16];
    int l = get_local_id(0);
    if (a[l] > 100) s[l] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s[l];
    q[l] = s[l] + 1;
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:64
// found check-uninit 5
kernel void flag_that_is_compared(global int* a, global int* o) {
    local int f;
    int l = get_local_id(0);
    if (a[l] == 99) f = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (f == 1) o[l] = a[l];
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:64
kernel void flag_that_is_set_and_compared(global int* a, global int* o) {
    local int f;
    int l = get_local_id(0);
    if (l == 0) f = a[5] == 99;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (f == 1) o[l] = a[l];
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg t=undef:128 --arg o=zeros:64
// found check-uninit 2
kernel void number_that_nobody_wrote_is_compared(global int* a, global int* t, global int* o) {
    int i = get_global_id(0);
    if (t[i] == -1) o[i] = a[i]; else o[i] = 0;
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:128
kernel void gaps_are_copied(global int* a, global struct Pair* o) {
    local struct Pair s[16];
    int l = get_local_id(0);
    struct Pair p; p.tag = a[l]; p.value = 1;
    s[15 - l] = p;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s[l];
}

// run --global 8 --local 8 --arg c=zeros:4
// found check-race 1
kernel void counter_of_one_thread(global int* c) {
    c[0]++;
}

// run --global 8 --local 8 --arg c=zeros:4
kernel void counter_of_one_item(global int* c) {
    if (get_local_id(0) == 0) c[0]++;
}

// run --global 64 --local 64 --arg a=range:i32:64 --arg o=zeros:256
// found check-race 7
kernel void counted_with_atomics_and_without(global int* a, global int* o) {
    local int c;
    int l = get_local_id(0);
    if (l == 0) c = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l & 1) atomic_add(&c, a[l]);
    else
        c += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = c;
}

// run --global 64 --local 64 --arg a=range:u8:64 --arg o=zeros:64
// found check-race 4
kernel void byte_that_two_have_read(global uchar* a, global uchar* o) {
    local uchar s[64];
    int l = get_local_id(0);
    s[l] = a[l]; barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s[l] + s[l ^ 32];
    s[l] = 7; barrier(CLK_LOCAL_MEM_FENCE);
    o[l] += s[63 - l];
}

// run --global 64 --local 64 --arg a=range:u8:64 --arg o=zeros:64
kernel void byte_that_two_had_read(global uchar* a, global uchar* o) {
    local uchar s[64];
    int l = get_local_id(0);
    s[l] = a[l]; barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s[l] + s[l ^ 32]; barrier(CLK_LOCAL_MEM_FENCE);
    s[l] = 7; barrier(CLK_LOCAL_MEM_FENCE);
    o[l] += s[63 - l];
}

// run --global 64 --local 64 --arg a=range:i32:64 --arg o=zeros:256
// found check-barrier 7
kernel void each_half_has_a_barrier(global int* a, global int* o) {
    int l = get_local_id(0);
    if (a[l] & 32) {
        o[l] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        o[l] = 2;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// run --global 64 --local 64 --arg a=range:i32:64 --arg o=zeros:256
kernel void all_have_one_of_two_barriers(global int* a, global int* o) {
    local int s[64];
    int l = get_local_id(0);
    s[l] = a[l];
    if (a[5] == 5) barrier(CLK_LOCAL_MEM_FENCE);
    else barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s[63 - l];
}
