// Bugs that the compiler's optimisations remove, and similar correct kernels. All are run as sources.
// Above each kernel: its options, and the findings of `--check all`. Lines are relative to the `kernel` line.

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:64
// found check-uninit 3
kernel void set_on_one_way(global int* a, global int* o) {
    int i = get_global_id(0), x;
    if (a[i] > 3) x = a[i];
    o[i] = x;
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:64
kernel void set_where_it_is_used(global int* a, global int* o) {
    int i = get_global_id(0), x;
    if (a[i] > 3) x = a[i];
    if (a[i] > 3) o[i] = x;
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:64
// found check-uninit 3
kernel void sum_of_nothing_first(global int* a, global int* o) {
    int i = get_global_id(0), sum;
    for (int n = 0; n < 16; n++) sum += a[n] * i;
    o[i] = sum;
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:64
// found check-uninit 3
kernel void compared_with_a_number(global int* a, global int* o) {
    int i = get_global_id(0), x;
    if (a[i] > 5) x = a[i];
    if (x == 77) o[i] = 1; else o[i] = 2;
}

// run --global 16 --local 16 --arg a=range:i32:64 --arg o=zeros:64
// found check-bounds 4
kernel void member_of_a_neighbour(global int4* a, global int* o) {
    int i = get_global_id(0);
    int4 v = a[i];
    int* p = (int*)&v;
    o[i] = p[v.x & 7];
}

// run --global 16 --local 16 --arg a=range:i32:64 --arg o=zeros:64
kernel void member_of_its_own(global int4* a, global int* o) {
    int i = get_global_id(0);
    int4 v = a[i];
    int* p = (int*)&v;
    o[i] = p[(v.x >> 2) & 3];
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:64
// found check-race 3
kernel void all_store_their_own(global int* a, global int* o) {
    local int s;
    int l = get_local_id(0);
    s = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s;
}

// run --global 16 --local 16 --arg a=range:i32:16 --arg o=zeros:64
kernel void all_store_the_same(global int* a, global int* o) {
    local int s;
    int l = get_local_id(0);
    s = a[3];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = s;
}

// run --global 16 --local 16 --arg p=range:i32:64 --arg o=zeros:64 --arg m=i32:8
// found check-bounds 6
kernel void read_behind_an_array(global const int* p, global int* o, int m) {
    int i = get_global_id(0);
    int a[8];
    for (int n = 0; n < m; n++)
        a[n] = p[i] * n;
    int s = 0;
    for (int n = 0; n <= m; n++) s += a[n];
    o[i] = s;
}

// run --global 16 --local 16 --arg p=range:i32:64 --arg o=zeros:64 --arg m=i32:40
// found check-bounds 4 check-bounds 6
kernel void far_behind_an_array(global const int* p, global int* o, int m) {
    int i = get_global_id(0);
    int a[8];
    for (int n = 0; n < m; n++)
        a[n] = p[i] * n;
    int s = 0;
    for (int n = 0; n <= m; n++) s += a[n];
    o[i] = s;
}

// run --global 16 --local 16 --arg p=range:i32:16 --arg o=zeros:64
// found check-bounds 4
kernel void over_the_variables_of_another(global const int* p, global int* o) {
    int a[8];
    int i = get_global_id(0);
    for (int n = 0; n <= 8; n++)
        a[n] = p[i] + n;
    int s = 0;
    for (int n = 0; n < 8; n++) s += a[(i + n) & 7];
    o[i] = s;
}
