// Sums the 64 numbers of each work-group. The loop lacks a barrier.
kernel void sum(global const int *in, global int *out, local int *part)
{
    uint i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint n = 32; n > 0; n /= 2) {
        if (i < n)
            part[i] += part[i + n];
    }
    if (i == 0)
        out[get_group_id(0)] = part[0];
}
