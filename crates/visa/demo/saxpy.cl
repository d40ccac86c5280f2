// Adds a multiple of one list of numbers to another one.
kernel void saxpy(float a, global const float *x, global float *y) {
    int i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
