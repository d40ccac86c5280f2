// Kernels that stop: at faults, in endless loops, or at barriers.

kernel void two_faults(global int* o) {
    int g = get_group_id(0);
    printf("group %d\n", g);
    if (g & 1) ((global int*)(ulong)64)[g * 4] = 1;
    if (g == 2) ((global int*)(ulong)64)[g * 8] = 2;
    o[g] = g + 1;
}

kernel void same_state(global int* o, int n) {
    int i = n;
    while (i != 3) i ^= 4;
    o[get_global_id(0)] = i;
}

kernel void waits_for_nobody(volatile global int* f, global int* o) {
    while (f[0] == 0) {}
    o[get_global_id(0)] = 1;
}

kernel void lock_is_held(volatile global int* f, global int* o) {
    while (atomic_cmpxchg(f, 0, 1) != 0) {}
    o[get_global_id(0)] = 1;
}

kernel void counts_for_long(global int* o, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s = s * 5 + i % 7;
    o[get_global_id(0)] = s;
}

kernel void some_wait(global int* o, local int* t) {
    int l = get_local_id(0);
    t[l] = l;
    if (l < 32) barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = t[l ^ 1];
}

kernel void reads_twice(global int *o, local int *t, local int *u, int n) {
    int l = get_local_id(0);
    if (l < n)
        t[l] = o[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    u[l] = t[(l + 1) & 63] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[l] = u[(l + 20) & 63] + 1;
}
