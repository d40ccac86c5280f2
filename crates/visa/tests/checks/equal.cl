// Stores of the value that memory already holds, with uniform inputs. Above each kernel: its options, findings and
// notes. A note says that other inputs would make the store a race.

// run --global 64 --local 16 --arg p=zeros:256 --arg o=zeros:64
// noted check-equal 2
kernel void same_element(global const int* p, global int* o) {
    int i = get_global_id(0);
    o[i / 4] = p[i];
}

// run --global 64 --local 16 --arg p=zeros:256 --arg o=zeros:64
// noted check-equal 1
kernel void same_element_of_floats(global const float* p, global float* o) {
    o[get_global_id(0) / 4] = p[get_global_id(0)] * 2;
}

// run --global 64 --local 64 --arg p=zeros:256
// noted check-equal 2
kernel void shift_in_place(global int* p) {
    int i = get_global_id(0);
    p[i] = i < 63 ? p[i + 1] : p[i];
}

// run --global 64 --local 16 --arg p=zeros:64 --arg o=zeros:16
// noted check-equal 1
kernel void bytes(global const uchar* p, global uchar* o) {
    o[get_global_id(0) / 4] = p[get_global_id(0)];
}

// run --global 64 --local 16 --arg p=range:i32:64 --arg o=zeros:64
// found check-race 1
kernel void other_numbers(global const int* p, global int* o) {
    o[get_global_id(0) / 4] = p[get_global_id(0)];
}

// run --global 64 --local 16 --arg p=zeros:256 --arg o=zeros:4
kernel void flag(global const int* p, global int* o) {
    if (p[get_global_id(0)] == 0) o[0] = 1;
}

// run --global 64 --local 16 --arg o=zeros:64
kernel void constant_for_all(global int* o) {
    o[get_global_id(0) / 4] = 7;
}

// run --global 64 --local 16 --arg p=zeros:256 --arg o=zeros:4
kernel void all_store_the_first(global const int* p, global int* o) {
    o[0] = p[0];
}

// run --global 64 --local 16 --arg p=zeros:256 --arg n=i32:5 --arg o=zeros:4
kernel void all_store_an_argument(global const int* p, global int* o, int n) {
    if (p[get_global_id(0)] < 2) o[0] = n;
}

// run --global 64 --local 16 --arg p=zeros:256 --arg o=zeros:256
kernel void one_each(global const int* p, global int* o) {
    o[get_global_id(0)] = p[63 - get_global_id(0)];
}

// run --global 64 --local 64 --arg p=zeros:256 --arg o=zeros:256
kernel void reduction(global const int* p, global int* o) {
    local int t[64];
    int l = get_local_id(0);
    t[l] = p[l];
    for (int s = 32; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) t[l] += t[l + s];
    }
    if (l == 0) o[0] = t[0];
}

// run --global 64 --local 64 --arg p=zeros:256 --arg o=zeros:4
kernel void histogram(global const int* p, global int* o) {
    atomic_add(o + p[get_global_id(0)], 1);
}
