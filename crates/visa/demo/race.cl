// Sums the numbers of each group. A barrier is missing in the loop.
kernel void sum(global const int *in, global int *out, local int *part) {
    int i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = get_local_size(0) / 2; n > 0; n /= 2) {
        if (i < n)
            part[i] += part[i + n];
    }
    if (i == 0)
        out[get_group_id(0)] = part[0];
}
