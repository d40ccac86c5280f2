// Private memory of all hardware threads of a group: every thread writes its own before any thread reads.
// options -cl-std=CL2.0
// today bmg ptl cri
#define PLACE(j) (((j) * 67 + n + i * 13) & (N - 1))
#define FILLED(NAME, N_, ATTRIBUTES) \
    ATTRIBUTES kernel void NAME(global uint *out, uint n) { \
        const uint N = N_; uint i = get_global_id(0), own[N_], sum = 0; \
        for (uint j = 0; j < 64; j++) own[PLACE(j)] = i * 64 + j; \
        barrier(CLK_GLOBAL_MEM_FENCE); \
        for (uint j = 0; j < 64; j++) sum += own[PLACE(j)] ^ j; \
        out[i] = sum; \
    }
FILLED(small, 256, )
FILLED(large, 4096, )
FILLED(large16, 4096, __attribute__((intel_reqd_sub_group_size(16))))
FILLED(large32, 4096, __attribute__((intel_reqd_sub_group_size(32))))
