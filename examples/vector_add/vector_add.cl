// c[i] = a[i] + b[i] for the first n elements. The launch may have more work items than there are
// elements (a last group that is full, an array that is not): those past the tail do nothing.
kernel void vector_add(global const float *a, global const float *b, global float *c, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
