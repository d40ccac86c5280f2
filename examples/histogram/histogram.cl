// Counts how often each byte value occurs in data[0..n]. Each group counts into local memory first and
// then adds its own counts to the global ones, so that atomics on global memory are few.
#define BINS 256

kernel void histogram(global const uchar *data, uint n, global uint *bins)
{
    local uint part[BINS];
    uint lid = get_local_id(0);
    uint step = get_local_size(0);

    for (uint b = lid; b < BINS; b += step)
        part[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint total = get_global_size(0);
    for (uint i = get_global_id(0); i < n; i += total)
        atomic_inc(&part[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint b = lid; b < BINS; b += step)
        if (part[b] != 0)
            atomic_add(&bins[b], part[b]);
}
