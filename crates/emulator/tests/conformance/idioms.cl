// Frequent idioms that native code has instructions for: counts of bits, vectors of eight elements for each work item,
// products of bytes, conversions of doubles and to halves, atomic operations whose results are used, and small functions.

kernel void counts(global uint *o, global const uint *p) {
  uint g = get_global_id(0), s = 0;
  for (uint k = 0; k < 16; k++) {
    uint v = p[(g + k * 3) & 63] >> (k & 31);
    s = s * 5 + clz(v) + popcount(v ^ s);
  }
  o[g] = s;
}
// {"kernel": "counts", "glob": [75], "loc": [25], "args": [{"out": ["uint", 75]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}

kernel void eights(global uint8 *o, global const uint8 *p) {
  uint g = get_global_id(0);
  uint8 s = p[g & 7];
  for (uint k = 0; k < 8; k++)
    s = s * 3u + p[(g + k) & 7];
  o[g] = s;
}
// {"kernel": "eights", "glob": [75], "loc": [25], "args": [{"out": ["uint", 600]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}

kernel void pairs(global ulong2 *o, global const ulong2 *p) {
  uint g = get_global_id(0);
  ulong2 s = 0;
  for (uint k = 0; k < 8; k++)
    s = s + p[(g * 3 + k) & 15];
  o[g * 2] = s;
}
// {"kernel": "pairs", "glob": [75], "loc": [25], "args": [{"out": ["ulong", 300]}, {"in": ["ulong", 32, "i * i * 2654435761 * 40503 >> 7"]}]}

kernel void bytes(global uchar4 *o, global const uchar4 *p) {
  uint g = get_global_id(0);
  uchar4 s = (uchar4)(1, 2, 3, 5);
  for (uint k = 0; k < 16; k++)
    s = s * p[(g + k) & 63] + (uchar4)7;
  o[g] = s;
}
// {"kernel": "bytes", "glob": [75], "loc": [25], "args": [{"out": ["uchar", 300]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}

kernel void slots(global uint *o, global uint *m, global const uint *p) {
  uint g = get_global_id(0), s = 0;
  for (uint k = 0; k < 16; k++) {
    global uint *slot = m + g * 4 + (p[(g + k) & 63] & 3);
    s = s * 3 + atomic_add(slot, k + g);
    s ^= atomic_max(slot, s & 0xffff);
    s += atomic_cmpxchg(slot, k * 7, s);
    s ^= atomic_xchg(slot, s >> 3);
  }
  o[g] = s;
}
// {"kernel": "slots", "glob": [75], "loc": [25], "args": [{"out": ["uint", 75]}, {"inout": ["uint", 300, "i % 7"]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}

__attribute__((noinline)) uint halvings(uint n) {
#pragma unroll 1
  for (uint k = 0; k < 30; k++) {
    if (n == 1)
      return k;
    n = n & 1 ? n * 3 + 1 : n / 2;
    if (n == 5)
      return k + 100;
  }
  return n;
}
__attribute__((noinline)) uint weight(uint a, uint b) {
  if (a > b)
    return halvings(a) * 3;
  return a == b ? 7 : a ^ halvings(b);
}
// Small functions that are not inlined, called by some channels, which return from different places.
kernel void functions(global uint *o, global const uint *p) {
  uint g = get_global_id(0), s = g;
  for (uint k = 0; k < 9; k++) {
    uint v = p[(g + k * 5) & 63];
    if (v & 1)
      s += weight(v & 63, s & 31);
    else if (v % 3 == 0)
      s ^= halvings(v & 31) << k;
    else
      continue;
    s = s * 7 + weight(s & 15, k);
  }
  o[g] = s;
}
// {"kernel": "functions", "glob": [75], "loc": [25], "args": [{"out": ["uint", 75]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}
