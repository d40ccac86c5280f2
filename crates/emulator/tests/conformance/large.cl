// Features of the newest hardware: groups with more than 128 KiB of shared local memory, and threads with 512 registers.
// options -cl-intel-512-GRF-per-thread
// targets cri
// today cri
#define WORDS 96000
kernel void wide(global uint *out) {
    local uint shared[WORDS];
    uint i = get_local_id(0), n = get_local_size(0), sum = 0;
    for (uint j = i; j < WORDS; j += n) shared[j] = j * 3 + get_group_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = i; j < WORDS; j += n) sum += shared[WORDS - 1 - j] ^ j;
    out[get_global_id(0)] = sum;
}
#define VALUES 240
kernel void registers(global uint *out, global const uint *in) {
    uint value[VALUES], i = get_global_id(0), sum = 0;
    for (uint j = 0; j < VALUES; j++) value[j] = in[j * 64 + i];
    for (uint j = 0; j < VALUES; j++) value[j] = value[j] * value[(j * 7 + 3) % VALUES] + value[(j + 11) % VALUES];
    for (uint j = 0; j < VALUES; j++) sum = sum * 31 + value[j];
    out[i] = sum;
}
