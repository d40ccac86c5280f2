// Group copies, right and wrong. A line is that of the copy, of the wait or of the other access.
// Above each kernel: its options, and the findings and notes of `--check all`. Lines are relative to the `kernel` line.

// run --global 256 --local 64 --arg p=range:f32:256 --arg o=zeros:1024
kernel void copy_and_wait(global const float* p, global float* o) {
    local float t[64];
    event_t e = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[63 - get_local_id(0)];
}

// run --global 256 --local 64 --arg p=range:f32:256 --arg o=zeros:1024
// noted check-copy-barrier 4
kernel void wait_and_no_barrier(global const float* p, global float* o) {
    local float t[64];
    event_t e = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    o[get_global_id(0)] = t[63 - get_local_id(0)];
}

// run --global 256 --local 64 --arg p=range:f32:256 --arg o=zeros:1024
// found check-race 3
kernel void no_wait(global const float* p, global float* o) {
    local float t[64];
    async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    o[get_global_id(0)] = t[get_local_id(0)];
}

// run --global 256 --local 64 --arg p=range:f32:256 --arg o=zeros:1024
// found check-race 4
kernel void barrier_and_no_wait(global const float* p, global float* o) {
    local float t[64];
    event_t e = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0)];
    wait_group_events(1, &e);
}

// run --global 256 --local 64 --arg p=range:f32:256 --arg o=zeros:1024
// found check-race 7
kernel void one_of_two_waits(global const float* p, global float* o) {
    local float t[64], u[64];
    event_t e[2];
    e[0] = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    e[1] = async_work_group_copy(u, p + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0)] + u[get_local_id(0)];
}

// run --global 256 --local 64 --arg p=range:f32:256 --arg o=zeros:1024
kernel void one_event_for_two(global const float* p, global float* o) {
    local float t[64], u[64];
    event_t e = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    e = async_work_group_copy(u, p + 64 * get_group_id(0), 64, e);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0)] + u[get_local_id(0)];
}

// run --global 256 --local 64 --arg p=range:f32:256 --arg o=zeros:1024
// found check-race 6
kernel void wait_for_another_event(global const float* p, global float* o) {
    local float t[64], u[64];
    event_t a = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    event_t b = async_work_group_copy(u, p + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &b);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0)];
    wait_group_events(1, &a);
}

// run --global 256 --local 64 --arg p=range:f32:256 --arg o=zeros:1024
// found check-copy 4 check-race 6
kernel void wait_for_nothing(global const float* p, global float* o) {
    local float t[64];
    async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    event_t e = 0;
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0)];
}

// run --global 256 --local 64 --arg o=zeros:1024
kernel void copy_out(global int* o) {
    local int t[64];
    t[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(o + 64 * get_group_id(0), t, 64, 0);
    wait_group_events(1, &e);
}

// run --global 256 --local 64 --arg o=zeros:1024
// found check-race 3
kernel void copy_out_too_early(global int* o) {
    local int t[64];
    t[get_local_id(0)] = get_global_id(0) + 1;
    event_t e = async_work_group_copy(o + 64 * get_group_id(0), t, 64, 0);
    wait_group_events(1, &e);
}

// run --global 256 --local 64 --arg o=zeros:1024
// found check-copy 4
kernel void copy_out_and_no_wait(global int* o) {
    local int t[64];
    t[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    async_work_group_copy(o + 64 * get_group_id(0), t, 64, 0);
}

// run --global 256 --local 64 --arg o=zeros:1024
// found check-race 5
kernel void changed_while_copied(global int* o) {
    local int t[64];
    t[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(o + 64 * get_group_id(0), t, 64, 0);
    t[get_local_id(0)] = 7;
    wait_group_events(1, &e);
}

// run --global 256 --local 64 --arg o=zeros:1024
// found check-race 4
kernel void groups_copy_to_one_place(global int* o) {
    local int t[64];
    t[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(o, t, 64, 0);
    wait_group_events(1, &e);
}

// run --global 256 --local 64 --arg o=zeros:1028
// found check-race 4
kernel void groups_overlap_by_one(global int* o) {
    local int t[65];
    t[get_local_id(0)] = get_global_id(0), t[64] = 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(o + 64 * get_group_id(0), t, 65, 0);
    wait_group_events(1, &e);
}

// run --global 256 --local 64 --arg p=range:i32:512 --arg o=zeros:1024
// found check-race 4
kernel void copies_overlap(global const int* p, global int* o) {
    local int t[96];
    event_t e[2];
    e[0] = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    e[1] = async_work_group_copy(t + 32, p + 256, 64, 0);
    wait_group_events(2, e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0) + 32];
}

// run --global 256 --local 64 --arg p=range:i32:512 --arg o=zeros:1024
kernel void copies_side_by_side(global const int* p, global int* o) {
    local int t[96];
    event_t e[2];
    e[0] = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    e[1] = async_work_group_copy(t + 64, p + 256, 32, 0);
    wait_group_events(2, e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0) + 32];
}

// run --global 256 --local 64 --arg p=range:i32:512 --arg o=zeros:1024
kernel void one_copy_behind_another(global const int* p, global int* o) {
    local int t[64];
    event_t e = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(t, p + 256, 32, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0)];
}

// run --global 256 --local 64 --arg p=range:i32:256 --arg o=zeros:1024
// found check-race 4
kernel void out_while_coming_in(global const int* p, global int* o) {
    local int t[64];
    event_t e[2];
    e[0] = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    e[1] = async_work_group_copy(o + 64 * get_group_id(0), t, 64, 0);
    wait_group_events(2, e);
}

// run --global 256 --local 64 --arg p=range:i32:256 --arg o=zeros:1024
kernel void in_and_out(global const int* p, global int* o) {
    local int t[64];
    event_t e = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    wait_group_events(1, &e);
    e = async_work_group_copy(o + 64 * get_group_id(0), t, 64, 0);
    wait_group_events(1, &e);
}

// run --global 64 --local 64 --arg p=range:i32:4096 --arg o=zeros:256
// found check-copy 2
kernel void other_arguments(global const int* p, global int* o) {
    local int t[64];
    event_t e = async_work_group_copy(t, p + 64 * get_local_id(0), 64, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0)];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-copy 2
kernel void other_sizes(global const int* p, global int* o) {
    local int t[64];
    event_t e = async_work_group_copy(t, p, get_local_id(0) < 32 ? 64 : 63, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0) & 31];
}

// run --global 256 --local 64 --arg p=range:i32:256 --arg o=zeros:1024
// found check-copy 7 check-race 6
kernel void copy_of_some(global const int* p, global int* o) {
    local int t[64];
    event_t e = async_work_group_copy(t, p + 64 * get_group_id(0), 32, 0);
    if (get_local_id(0) < 40)
        e = async_work_group_copy(t + 32, p + 64 * get_group_id(0) + 32, 32, e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0)];
    wait_group_events(1, &e);
}

// run --global 256 --local 64 --arg p=range:i32:256 --arg o=zeros:1024
// found check-copy 7
kernel void other_events(global const int* p, global int* o) {
    local int t[64], u[64];
    event_t a = async_work_group_copy(t, p + 64 * get_group_id(0), 64, 0);
    event_t b = async_work_group_copy(u, p + 64 * get_group_id(0), 64, 0);
    event_t both[2];
    both[0] = get_local_id(0) & 1 ? a : b;
    both[1] = get_local_id(0) & 1 ? b : a;
    wait_group_events(2, both);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0)] + u[get_local_id(0)];
}

// run --global 64 --local 64 --arg p=range:i32:512 --arg o=zeros:2048
kernel void two_buffers(global const int* p, global int* o) {
    local int t[2][64];
    event_t e[2];
    e[0] = async_work_group_copy(t[0], p, 64, 0);
    for (int n = 0; n < 8; n++) {
        wait_group_events(1, &e[n & 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n < 7) e[n + 1 & 1] = async_work_group_copy(t[n + 1 & 1], p + 64 * (n + 1), 64, 0);
        o[64 * n + get_local_id(0)] = t[n & 1][63 - get_local_id(0)];
    }
}

// run --global 64 --local 64 --arg p=range:i32:512 --arg o=zeros:2048
// found check-race 6
// noted check-copy-barrier 7
kernel void two_buffers_without_barrier(global const int* p, global int* o) {
    local int t[2][64];
    event_t e[2];
    e[0] = async_work_group_copy(t[0], p, 64, 0);
    for (int n = 0; n < 8; n++) {
        wait_group_events(1, &e[n & 1]);
        if (n < 7) e[n + 1 & 1] = async_work_group_copy(t[n + 1 & 1], p + 64 * (n + 1), 64, 0);
        o[64 * n + get_local_id(0)] = t[n & 1][63 - get_local_id(0)];
    }
}

// run --global 64 --local 64 --arg p=range:i32:512 --arg o=zeros:2048
// found check-race 8
kernel void two_buffers_wrong_one(global const int* p, global int* o) {
    local int t[2][64];
    event_t e[2];
    e[0] = async_work_group_copy(t[0], p, 64, 0);
    for (int n = 0; n < 8; n++) {
        wait_group_events(1, &e[n & 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n < 7) e[n + 1 & 1] = async_work_group_copy(t[n + 1 & 1], p + 64 * (n + 1), 64, 0);
        o[64 * n + get_local_id(0)] = t[n == 3 ? 0 : n & 1][63 - get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// run --global 64 --local 64 --arg p=range:i32:512 --arg o=zeros:256
kernel void one_buffer_in_turns(global const int* p, global int* o) {
    local int t[64];
    int sum = 0;
    for (int n = 0; n < 8; n++) {
        event_t e = async_work_group_copy(t, p + 64 * n, 64, 0);
        wait_group_events(1, &e);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += t[63 - get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_local_id(0)] = sum;
}

// run --global 64 --local 64 --arg p=range:i32:512 --arg o=zeros:256
// found check-race 4
kernel void one_buffer_too_early(global const int* p, global int* o) {
    local int t[64];
    int sum = 0;
    for (int n = 0; n < 8; n++) {
        event_t e = async_work_group_copy(t, p + 64 * n, 64, 0);
        wait_group_events(1, &e);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += t[63 - get_local_id(0)];
    }
    o[get_local_id(0)] = sum;
}

// run --global 128 --local 64 --arg p=range:i32:256 --arg o=zeros:512
kernel void strided_in(global const int* p, global int* o) {
    local int t[64];
    event_t e = async_work_group_strided_copy(t, p + 128 * get_group_id(0), 64, 2, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[get_local_id(0) ^ 1];
}

// run --global 128 --local 64 --arg o=zeros:1024
kernel void strided_out_between(global int* o) {
    local int t[64];
    t[get_local_id(0)] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(o + get_group_id(0), t, 64, 2, 0);
    o[128 + get_global_id(0)] = 3;
    wait_group_events(1, &e);
}

// run --global 128 --local 64 --arg o=zeros:1024
// found check-race 5
kernel void strided_out_collides(global int* o) {
    local int t[64];
    t[get_local_id(0)] = get_global_id(0) + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_strided_copy(o + get_group_id(0), t, 64, 3, 0);
    o[2 + 3 * get_global_id(0) % 128] = get_global_id(0);
    wait_group_events(1, &e);
}

// run --global 64 --local 64 --arg p=range:f32:256 --arg o=zeros:1024
kernel void vectors(global const float4* p, global float4* o) {
    local float4 t[64];
    prefetch(p, 64);
    event_t e = async_work_group_copy(t, p, 64, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_local_id(0)] = t[63 - get_local_id(0)];
}

// run --global 64 --local 64 --arg p=range:i32:16 --arg o=zeros:64
// found check-race 4
kernel void bytes_without_wait(global const char* p, global char* o) {
    local char t[64];
    event_t e = async_work_group_copy(t, p, 64, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_local_id(0)] = t[63 - get_local_id(0)];
    wait_group_events(1, &e);
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-bounds 2
kernel void copy_past_end(global const int* p, global int* o) {
    local int t[65];
    event_t e = async_work_group_copy(t, p, 65, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_local_id(0)] = t[get_local_id(0)];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256 --arg t=local:128
// found check-bounds 1
kernel void copy_past_local(global const int* p, global int* o, local int* t) {
    event_t e = async_work_group_copy(t, p, 64, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_local_id(0)] = t[get_local_id(0) & 31];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-uninit 5
kernel void too_little_copied(global const int* p, global int* o) {
    local int t[64];
    event_t e = async_work_group_copy(t, p, 60, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_local_id(0)] = t[get_local_id(0)];
}

// run --global 16,16 --local 8,8 --arg p=range:i32:256 --arg o=zeros:1024 --arg t=local:256
kernel void rows_of_a_tile(global const int* p, global int* o, local int* t) {
    event_t e = 0;
    for (int y = 0; y < 8; y++)
        e = async_work_group_copy(t + 8 * y, p + 16 * (8 * get_group_id(1) + y) + 8 * get_group_id(0), 8, e);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[16 * get_global_id(1) + get_global_id(0)] = t[8 * get_local_id(0) + get_local_id(1)];
}

// run --global 16,16 --local 8,8 --arg p=range:i32:256 --arg o=zeros:1024 --arg t=local:256
// found check-race 3
kernel void rows_overlap(global const int* p, global int* o, local int* t) {
    event_t e = 0;
    for (int y = 0; y < 8; y++)
        e = async_work_group_copy(t + 7 * y, p + 16 * (8 * get_group_id(1) + y) + 8 * get_group_id(0), 8, e);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[16 * get_global_id(1) + get_global_id(0)] = t[7 * get_local_id(0) + get_local_id(1)];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 5
kernel void wait_is_no_barrier(global const int* p, global int* o) {
    local int t[64], u[64];
    event_t e = async_work_group_copy(t, p, 64, 0);
    u[get_local_id(0)] = get_local_id(0) + 1;
    wait_group_events(1, &e);
    o[get_local_id(0)] = u[63 - get_local_id(0)];
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
kernel void work_while_copied(global const int* p, global int* o) {
    local int t[64], u[64];
    event_t e = async_work_group_copy(t, p, 64, 0);
    u[get_local_id(0)] = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = u[63 - get_local_id(0)] + p[get_local_id(0)];
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_local_id(0)] = sum + t[63 - get_local_id(0)];
}

// run --global 128 --local 64 --arg p=range:f32:256 --arg o=zeros:512
// noted check-copy-barrier 4
kernel void all_load_the_first(global const float* p, global float* o) {
    local float t[64];
    event_t e = async_work_group_strided_copy(t, p + get_group_id(0) * 128, 64, 2, 0);
    wait_group_events(1, &e);
    o[get_global_id(0)] = t[0];
}
