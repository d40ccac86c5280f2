// Kernels of the programs of the guide.

kernel void scale(global int *data, int factor) {
    data[get_global_id(0)] *= factor;
}

kernel void sum_groups(global const int *data, global int *sums, local int *scratch) {
    uint n = get_local_id(0);
    scratch[n] = data[get_global_id(0)];
    for (uint step = get_local_size(0) / 2; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (n < step)
            scratch[n] += scratch[n + step];
    }
    if (n == 0)
        sums[get_group_id(0)] = scratch[0];
}

kernel void follow(global int *global *pointers, int index) {
    pointers[index][get_global_id(0)] += 100;
}

kernel void mirror(read_only image2d_t from, write_only image2d_t to, sampler_t at) {
    int2 place = (int2)(get_global_id(0), get_global_id(1));
    int2 other = (int2)(get_image_width(from) - 1 - place.x, place.y);
    write_imageui(to, place, read_imageui(from, at, other));
}
