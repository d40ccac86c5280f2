// Sums the 64 numbers of each work-group. Every step waits for the one before.
kernel void sum(global const int *in, global int *out, local int *part)
{
    uint i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    for (uint n = 32; n > 0; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < n)
            part[i] += part[i + n];
    }
    if (i == 0)
        out[get_group_id(0)] = part[0];
}
