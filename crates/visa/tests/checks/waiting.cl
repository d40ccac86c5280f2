// Kernels whose work items wait for each other or count by atomic operations, with bugs or correct (without `found`).
// Above each kernel: its options, and the findings of `--check all`. Lines are relative to the `kernel` line.

// run --global 256 --local 64 --arg p=range:i32:256 --arg flags=zeros:16 --arg sums=zeros:16 --arg o=zeros:1024
kernel void lookback_scan(global const int* p, volatile global int* flags, volatile global int* sums, global int* o) {
    local int t[64];
    local int before;
    int l = get_local_id(0), g = get_group_id(0);
    t[l] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < 64; s <<= 1) {
        int v = l >= s ? t[l - s] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 63) {
        int sum = 0;
        if (g > 0) {
            while (atomic_or(flags + g - 1, 0) == 0) {}
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            sum = sums[g - 1];
        }
        sums[g] = sum + t[63];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(flags + g, 1);
        before = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = before + t[l];
}

// run --global 256 --local 64 --arg p=range:i32:256 --arg flags=zeros:16 --arg sums=zeros:16 --arg o=zeros:1024
// found check-race 10 check-race 11
kernel void lookback_flag_of_a_plain_store(global const int* p, volatile global int* flags, volatile global int* sums, global int* o) {
    local int t[64];
    local int before;
    int l = get_local_id(0), g = get_group_id(0);
    t[l] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 63) {
        int sum = 0, own = 0;
        for (int i = 0; i < 64; i++) own += t[i];
        if (g > 0) {
            while (atomic_or(flags + g - 1, 0) == 0) {}
            sum = sums[g - 1];
        }
        sums[g] = sum + own;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        before = sum;

        flags[g] = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = before + t[l];
}

// run --global 256 --local 64 --arg p=range:i32:256 --arg flags=zeros:16 --arg sums=zeros:16 --arg o=zeros:1024
// found check-race 9
kernel void lookback_sum_behind_its_flag(global const int* p, volatile global int* flags, volatile global int* sums, global int* o) {
    local int t[64];
    local int before;
    int l = get_local_id(0), g = get_group_id(0);
    t[l] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 63) {
        int sum = 0, own = 0;
        for (int i = 0; i < 64; i++) own += t[i];
        if (g > 0) { while (atomic_or(flags + g - 1, 0) == 0) {} mem_fence(CLK_GLOBAL_MEM_FENCE); sum = sums[g - 1]; }
        atomic_xchg(flags + g, 1);
        sums[g] = sum + own;
        before = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = before + t[l];
}

// run --global 128 --local 64 --arg p=range:i32:128 --arg n=zeros:4 --arg o=zeros:512
kernel void compaction(global const int* p, global int* n, global int* o) {
    local int t[64];
    local int first;
    int l = get_local_id(0), v = p[get_global_id(0)], keep = v % 3 == 0;
    t[l] = keep;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < 64; s <<= 1) {
        int add = l >= s ? t[l - s] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 63) first = atomic_add(n, t[63]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (keep) o[first + t[l] - 1] = v;
}

// run --global 128 --local 64 --arg p=range:i32:128 --arg n=zeros:4 --arg o=zeros:512
// found check-race 12 check-race 13
kernel void compaction_without_the_last_barrier(global const int* p, global int* n, global int* o) {
    local int t[64];
    local int first;
    int l = get_local_id(0), v = p[get_global_id(0)], keep = v % 3 == 0;
    t[l] = keep;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < 64; s <<= 1) {
        int add = l >= s ? t[l - s] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += add;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 63) first = atomic_add(n, t[63]);
    if (keep) o[first + t[l] - 1] = v;
}

// run --global 64 --local 16 --arg q=zeros:8 --arg s=zeros:4
kernel void ticket_lock(volatile global int* q, volatile global int* s) {
    if (get_local_id(0) == 0) {
        int own = atomic_inc(q);
        while (atomic_or(q + 1, 0) != own) {}
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        s[0] = s[0] * 2 + 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_inc(q + 1);
    }
}

// run --global 64 --local 16 --arg q=zeros:8 --arg s=zeros:4
// found check-race 5
kernel void ticket_handed_on_too_early(volatile global int* q, volatile global int* s) {
    if (get_local_id(0) == 0) {
        int own = atomic_inc(q);
        while (atomic_or(q + 1, 0) != own) {}
        atomic_inc(q + 1);
        s[0] = s[0] * 2 + 1;
    }
}

// run --global 256 --local 64 --arg p=range:i32:256 --arg part=zeros:16 --arg count=zeros:4 --arg o=zeros:4
kernel void last_group_resets_the_counter(global const int* p, volatile global int* part, volatile global int* count, global int* o) {
    local int t[64];
    local int last;
    int l = get_local_id(0);
    t[l] = p[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int s = 0;
        for (int i = 0; i < 64; i++) s += t[i];
        part[get_group_id(0)] = s;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(count) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && l == 0) {
        int s = 0;
        for (int i = 0; i < 4; i++) s += part[i];
        o[0] = s;
        count[0] = 0;
    }
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
kernel void queue_in_local_memory(global const int* p, global int* o) {
    local int q[64];
    local int n;
    int l = get_local_id(0);
    if (l == 0) n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[l] & 1) q[atomic_inc(&n)] = p[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < n) o[l] = q[l] > 0;
}

// run --global 64 --local 64 --arg p=range:i32:64 --arg o=zeros:256
// found check-race 7
kernel void queue_read_while_it_grows(global const int* p, global int* o) {
    local int q[64];
    local int n;
    int l = get_local_id(0);
    if (l == 0) n = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (p[l] & 1) q[atomic_inc(&n)] = p[l];
    for (int i = 0; i < n; i++) o[l] += q[i];
}

// run --global 64 --local 64 --arg f=zeros:4 --arg d=zeros:4 --arg o=zeros:256
kernel void flag_between_threads_of_a_group(volatile global int* f, volatile global int* d, global int* o) {
    int l = get_local_id(0);
    if (l == 0) {
        d[0] = 42;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(f, 1);
    }
    if (l == 32) {
        while (atomic_or(f, 0) == 0) {}
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        o[0] = d[0];
    }
}

// run --global 64 --local 64 --arg m=zeros:4 --arg s=zeros:4
kernel void lock_of_threads_of_a_group(volatile global int* m, volatile global int* s) {
    if (get_local_id(0) % 32 == 0) {
        while (atomic_cmpxchg(m, 0, 1) != 0) {}
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        s[0] = s[0] * 2 + 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(m, 0);
    }
}

// run --global 64 --local 64 --arg o=zeros:256
kernel void flag_in_local_memory(global int* o) {
    volatile local int f;
    volatile local int d;
    int l = get_local_id(0);
    if (l == 0) f = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        d = 42;
        mem_fence(CLK_LOCAL_MEM_FENCE);
        atomic_xchg(&f, 1);
    }
    if (l == 32) {
        while (atomic_or(&f, 0) == 0) {}
        mem_fence(CLK_LOCAL_MEM_FENCE);
        o[0] = d;
    }
}

// run --global 128 --local 64 --arg p=range:f32:128 --arg o=zeros:4
kernel void sum_of_floats_by_comparing(global const float* p, volatile global uint* o) {
    uint old = o[0], seen;
    float v = p[get_global_id(0)];
    while ((seen = atomic_cmpxchg(o, old, as_uint(as_float(old) + v))) != old) old = seen;
}

// run --global 64 --local 64 --arg f=zeros:4 --arg d=zeros:4 --arg o=zeros:256
// found check-race 8
kernel void flag_between_threads_that_is_not_looked_at(volatile global int* f, volatile global int* d, global int* o) {
    int l = get_local_id(0);
    if (l == 0) {
        d[0] = 42;
        atomic_xchg(f, 1);
    }
    if (l == 32) {
        atomic_inc(f);
        o[0] = d[0];
    }
}

// run --global 64 --local 64 --arg f=zeros:4 --arg d=zeros:4 --arg o=zeros:256
// found check-race 8
kernel void one_waits_for_all(volatile global int* f, volatile global int* d, global int* o) {
    int l = get_local_id(0);
    if (l == 0) {
        d[0] = 42;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(f, 1);
    }
    if (l == 32) while (atomic_or(f, 0) == 0) {}
    if (l >= 32) o[l] = d[0] + l;
}

// run --global 64 --local 64 --arg o=zeros:256
// found check-race 12
kernel void value_behind_its_flag(global int* o) {
    volatile local int f;
    volatile local int d;
    int l = get_local_id(0);
    if (l == 0) f = d = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        atomic_xchg(&f, 1);
        d = 42;
    }
    if (l == 32) {
        while (atomic_or(&f, 0) == 0) {}
        o[0] = d;
    }
}

// run --global 64 --local 64 --arg m=zeros:4 --arg s=zeros:4
// found check-race 3
kernel void lock_that_one_thread_does_not_take(volatile global int* m, volatile global int* s) {
    if (get_local_id(0) % 32 == 0) {
        if (get_local_id(0) > 0) while (atomic_cmpxchg(m, 0, 1) != 0) {}
        s[0] = s[0] * 2 + 1;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) > 0) atomic_xchg(m, 0);
    }
}

// run --global 64 --local 16 --arg p=range:u32:64:5 --arg o=zeros:4
kernel void maximum_by_comparing(global const uint* p, volatile global uint* o) {
    uint v = p[get_global_id(0)], old = o[0];
    while (old < v) {
        uint seen = atomic_cmpxchg(o, old, v);
        if (seen == old) break;
        old = seen;
    }
}

// run --global 64 --local 16 --arg p=range:u32:64:5 --arg o=zeros:4 --arg n=zeros:4
// found check-race 3
kernel void maximum_by_looking(global const uint* p, volatile global uint* o, volatile global uint* n) {
    uint v = p[get_global_id(0)];
    atomic_inc(n);
    if (o[0] < v) atomic_max(o, v);
}

// run --global 256 --local 256 --arg p=range:u32:256 --arg n=zeros:4 --arg t=zeros:1024 --arg o=zeros:4
kernel void last_of_a_large_group_adds(global const uint* p, volatile global uint* n, volatile global uint* t, global uint* o) {
    uint l = get_local_id(0), sum = 0;
    t[l] = p[l];
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(n) == 255) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        for (uint i = 0; i < 256; i++) sum += t[i];
        o[0] = sum;
    }
}

// run --global 256 --local 256 --arg p=range:u32:256 --arg n=zeros:4 --arg t=zeros:1024 --arg o=zeros:4
// found check-race 6
kernel void last_but_one_of_a_large_group_adds(global const uint* p, volatile global uint* n, volatile global uint* t, global uint* o) {
    uint l = get_local_id(0), sum = 0;
    t[l] = p[l];
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (atomic_inc(n) == 254) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        for (uint i = 0; i < 256; i++) sum += t[i];
        o[0] = sum;
    }
}

// run --global 256 --local 256 --arg p=range:u32:256 --arg o=zeros:1024
kernel void ranks_in_bins(global const uint* p, global uint* o) {
    local uint bins[16];
    uint l = get_local_id(0);
    if (l < 16) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = atomic_inc(bins + (p[l] & 15));
}

// run --global 256 --local 256 --arg p=range:u32:256 --arg o=zeros:1024
// found check-race 4
kernel void ranks_in_bins_that_may_be_cleared_later(global const uint* p, global uint* o) {
    local uint bins[16];
    uint l = get_local_id(0);
    if (l < 16) bins[l] = 0;
    o[l] = atomic_inc(bins + (p[l] & 15));
}
