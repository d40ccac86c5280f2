// A kernel that calls functions of another module.

int twice(int n);
int thrice(int n);

kernel void apply(global int *data) {
    data[0] = twice(data[0]) + thrice(100);
}

kernel void number(global int *data) {
    data[0] = 54321;
}
