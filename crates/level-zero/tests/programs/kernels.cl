// Kernels of the tests.

kernel void scale(global const float *a, global float *b, float factor, uint count) {
    uint n = get_global_id(0);
    if (n < count)
        b[n] = a[n] * factor + (float)n;
}

kernel void reverse(global int *data, local int *scratch) {
    uint n = get_local_id(0), size = get_local_size(0), first = get_group_id(0) * size;
    scratch[n] = data[first + n];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[first + n] = scratch[size - 1 - n];
}

struct node {
    global struct node *next;
    int value;
};

kernel void sum_list(global struct node *first, global int *sum) {
    int all = 0;
    for (global struct node *node = first; node; node = node->next)
        all += node->value;
    *sum = all;
}

kernel void greet(int n) {
    printf("kernel %d\n", n);
}

kernel void invert(read_only image2d_t from, write_only image2d_t to, sampler_t at) {
    int2 place = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, place, (uint4)(255) - read_imageui(from, at, place));
}

kernel void count_dimensions(global uint *dimensions) {
    *dimensions = get_work_dim();
}
