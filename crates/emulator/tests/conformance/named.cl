// Named barriers: some sub-groups of a group wait for each other, more or less often than the others.
// options -cl-std=CL2.0
// targets pvc
// today pvc bmg ptl cri
#define MEET(barrier) work_group_named_barrier(barrier, CLK_LOCAL_MEM_FENCE)
__attribute__((intel_reqd_sub_group_size(16)))
kernel void pairs(global const int *in, global int *out) {
    local int shared[128];
    local NamedBarrier_t *first = named_barrier_init(2);
    local NamedBarrier_t *second = named_barrier_init(2);
    uint i = get_local_id(0), s = get_sub_group_id();
    shared[i] = in[get_global_id(0)];
    if (s < 4) {
        if (s < 2) MEET(first); else MEET(second);
        int value = shared[i ^ 16];
        if (s < 2) MEET(first); else MEET(second);
        shared[i] = value * 2;
        if (s < 2) MEET(first); else MEET(second);
        out[get_global_id(0)] = shared[i ^ 16] + shared[i ^ 17];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s >= 4) out[get_global_id(0)] = shared[i - 64] - shared[i];
}
__attribute__((intel_reqd_sub_group_size(16)))
kernel void rounds(global const uint *in, global uint *out, uint n) {
    local uint shared[128];
    local NamedBarrier_t *low = named_barrier_init(4);
    local NamedBarrier_t *high = named_barrier_init(4);
    uint i = get_local_id(0), half_of = i & 64, value = in[get_global_id(0)];
    shared[i] = value;
    for (uint round = 0; round < (half_of ? n : 3 * n); round++) {
        if (half_of) MEET(high); else MEET(low);
        value = value * 3 + shared[half_of | (i + 16 & 63)] + round;
        if (half_of) MEET(high); else MEET(low);
        shared[i] = value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = value + shared[127 - i];
}
