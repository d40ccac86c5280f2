// Kernels with intentional races between groups, and similar kernels without races. Delays make groups overlap.
// `../conformance/compile.py ../races/races` builds the programs.
// options -cl-std=CL2.0

uint delay(uint n)
{
    uint x = n;
    for (uint i = 0; i < 20 + n % 61; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

// All groups store to the same location.
kernel void last_store(global uint *out)
{
    out[get_local_id(0)] = delay(get_group_id(0));
}

// Data with a ready flag, without atomics.
kernel void flag(global volatile uint *data, global volatile uint *ready, global uint *out)
{
    uint group = get_group_id(0);
    if (group % 8 == 0) {
        data[0] = delay(group);
        ready[0] = group + 1;
    }
    out[get_global_id(0)] = ready[0] ? data[0] + ready[0] : 0xffffffffu;
}

// A histogram without atomics.
kernel void counts(global const uint *in, global uint *bins)
{
    bins[in[get_global_id(0)] % 64]++;
}

// Reads data that a neighbouring group writes.
kernel void neighbour(global uint *x)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    x[i] = x[(i + n - 64) % n] * 3 + delay(get_group_id(0)) % 7;
}

// Reads bytes that a neighbouring group writes; with an odd group size, groups share words.
kernel void neighbour_bytes(global uchar *x)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    x[i] = x[(i + n - 1) % n] + delay(get_group_id(0)) % 7;
}

// Atomic operations that do not commute.
kernel void mixed(global volatile int *x)
{
    int group = get_group_id(0);
    if (delay(group) & 1)
        atomic_add(&x[get_local_id(0) % 4], group);
    else
        atomic_xor(&x[get_local_id(0) % 4], group * 5);
}

// Atomic operations on data that others access non-atomically.
kernel void peek(global volatile int *x, global int *out)
{
    int group = get_group_id(0);
    if (delay(group) % 3 == 0)
        atomic_add(&x[0], group);
    else if (group % 16 == 5)
        x[0] = group;
    out[get_global_id(0)] = x[0];
}

// The result of an atomic operation is used as an index.
kernel void list(global volatile uint *count, global uint *out)
{
    uint i = get_global_id(0);
    if (delay(i) & 1)
        out[atomic_inc(count)] = i;
}

// The store address may come from another group: a fault in some orders.
kernel void wild(global volatile uint *at, global uint *out)
{
    uint group = get_group_id(0);
    out[at[0] * 64 + get_local_id(0)] = delay(group);
    if (group == 40)
        at[0] = 0x1000000;
    else if (group < 40)
        at[0] = (at[0] + group) % 8;
}

// Faults in several groups: effects of groups after the first faulty one are not visible.
kernel void faults(global uint *out, uint far)
{
    uint group = get_group_id(0);
    out[get_global_id(0)] = delay(group);
    if (group % 8 == 7)
        out[far + group] = 1;
}

// Contents and address of uninitialised private memory.
kernel void unwritten(global uint *out, uint n)
{
    uint own[256];
    if (n == 12345)
        for (uint i = 0; i < 256; i++)
            own[i] = delay(i);
    out[2 * get_global_id(0)] = own[(get_local_id(0) * 7 + n) % 256];
    own[(get_local_id(0) * 7 + n) % 256] = delay(get_group_id(0));
    out[2 * get_global_id(0) + 1] = (uint)(size_t)&own[n % 256] + own[n % 256];
}

// No races: rows of bytes whose ends share words.
kernel void rows(global const uchar *in, global uchar *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i] + delay(get_group_id(0));
}

// No races: many columns per cache line.
kernel void columns(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0), n = get_num_groups(0);
    out[get_local_id(0) * n + get_group_id(0)] = in[i] ^ delay(get_group_id(0));
}

// No races: in-place update, and some groups only read.
kernel void in_place(global uint *x)
{
    size_t i = get_global_id(0);
    if (x[i] % 4 == 3 && get_group_id(0) > 30)
        x[i] += delay(get_group_id(0));
}

// No races: all groups count atomically.
kernel void counted(global const uint *in, global volatile uint *bins)
{
    atomic_inc(&bins[in[get_global_id(0)] % 64]);
    atomic_add(&bins[64], delay(get_group_id(0)));
}
