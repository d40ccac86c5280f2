// Groups that meet at barriers: native code runs their threads from barrier to barrier, and one group after the other. The last
// group of a case may have another size.

kernel void sums(global uint *o, global const uint *p) {
  local uint t[64];
  uint l = get_local_id(0), n = get_local_size(0);
  t[l] = p[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 32; s > 0; s >>= 1) {
    if (l < s && l + s < n)
      t[l] += t[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    o[get_group_id(0)] = t[0];
}
// {"kernel": "sums", "glob": [1344], "loc": [64], "args": [{"out": ["uint", 21]}, {"in": ["uint", 1344, "i * 2654435761"]}]}
// {"kernel": "sums", "name": "rest", "glob": [1000], "loc": [64], "args": [{"out": ["uint", 16]}, {"in": ["uint", 1000, "i * 40503"]}]}

kernel void prefixes(global uint *o, global const uint *p) {
  local uint t[128];
  uint l = get_local_id(0), n = get_local_size(0);
  t[l] = p[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = 1; s < n; s <<= 1) {
    uint v = l >= s ? t[l - s] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] += v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[get_global_id(0)] = t[l];
}
// {"kernel": "prefixes", "glob": [1280], "loc": [128], "args": [{"out": ["uint", 1280]}, {"in": ["uint", 1280, "i * i + 7"]}]}
// {"kernel": "prefixes", "name": "rest", "glob": [700], "loc": [96], "args": [{"out": ["uint", 700]}, {"in": ["uint", 700, "i ^ 55"]}]}

kernel void tiles(global int *o, global const int *a, global const int *b, uint n) {
  local int x[8][8], y[8][8];
  uint i = get_local_id(0), j = get_local_id(1), c = get_global_id(0), r = get_global_id(1);
  int s = 0;
  for (uint k = 0; k < n; k += 8) {
    x[j][i] = a[r * n + k + i];
    y[j][i] = b[(k + j) * n + c];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint q = 0; q < 8; q++)
      s += x[j][q] * y[q][i];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[r * n + c] = s;
}
// {"kernel": "tiles", "glob": [32, 32], "loc": [8, 8], "args": [{"out": ["int", 1024]}, {"in": ["int", 1024, "i * 37 % 101 - 50"]}, {"in": ["int", 1024, "i * 91 % 97 - 48"]}, {"val": ["uint", 32]}]}

kernel void some_leave(global uint *o, global const uint *p) {
  local uint t[48];
  uint g = get_group_id(0), l = get_local_id(0), n = get_local_size(0);
  if (p[g] % 3 == 1)
    return;
  t[l] = p[get_global_id(0)];
  for (uint k = 0; k < p[g] % 5; k++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint v = t[(l + 17) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[l] = v * 5 + k;
  }
  o[get_global_id(0)] = t[l] + 1;
}
// {"kernel": "some_leave", "glob": [960], "loc": [48], "args": [{"out": ["uint", 960]}, {"in": ["uint", 960, "i * 7919 >> 3"]}]}

kernel void private_arrays(global uint *o, global const uint *p) {
  local uint t[64];
  uint own[48], l = get_local_id(0), g = get_global_id(0), s = 0;
  for (uint k = 0; k < 48; k++)
    own[k] = p[(g + k) & 1023] ^ k;
  t[l] = own[p[g] % 48];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 9; k++) {
    own[(t[(l + k) & 63] + k) % 48] += k;
    s = s * 31 + own[(s + l) % 48];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  t[63 - l] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[g] = t[l] + own[l % 48];
}
// {"kernel": "private_arrays", "glob": [1024], "loc": [64], "args": [{"out": ["uint", 1024]}, {"in": ["uint", 1024, "i * 2246822519 >> 5"]}]}

kernel void one_is_late(global uint *o, uint trips) {
  local uint t[64];
  uint l = get_local_id(0), s = get_group_id(0);
  for (uint round = 0; round < 3; round++) {
    uint n = l / 16 == round ? trips : 5;
    for (uint k = 0; k < n; k++)
      s = s * 1664525 + k;
    t[l] = s;
    barrier(CLK_LOCAL_MEM_FENCE);
    s += t[(l + 1) & 63];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  o[get_global_id(0)] = s;
}
// {"kernel": "one_is_late", "glob": [640], "loc": [64], "args": [{"out": ["uint", 640]}, {"val": ["uint", 30000]}]}
