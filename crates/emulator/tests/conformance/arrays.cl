// Private arrays with computed indices, which compilers keep in registers: elements through address variables, for each
// element size, in divergent loops, and with one index for all work items of a thread.

// In code for 32 work items, the compiler of 2022 stores 64-bit elements of the last eight in the place of others.
#define SIXTEEN __attribute__((intel_reqd_sub_group_size(16)))
#define MIX(T, N, SIZE) \
  SIZE kernel void mix_##T(global T *o, global const uint *p) { \
    uint g = get_global_id(0); \
    T t[N]; \
    for (int i = 0; i < N; i++) \
      t[i] = (T)(g * i + 3); \
    _Pragma("clang loop unroll(disable)") for (uint k = 0; k < 24; k++) { \
      uint j = p[(g * 7 + k) & 63]; \
      t[j % N] += t[(g * 3 + j) % N] ^ (T)k; \
      if ((j & 3) == 1) \
        t[(j + 1) % N] = (T)j; \
    } \
    T s = 0; \
    for (int i = 0; i < N; i++) \
      s = s * 3 + t[i]; \
    o[g] = s; \
  }

MIX(uchar, 8, )
// {"kernel": "mix_uchar", "glob": [64], "loc": [32], "args": [{"out": ["uchar", 64]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}
MIX(short, 7, )
// {"kernel": "mix_short", "glob": [75], "loc": [25], "args": [{"out": ["short", 75]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}
MIX(uint, 8, )
// {"kernel": "mix_uint", "glob": [75], "loc": [25], "args": [{"out": ["uint", 75]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}
MIX(int, 3, )
// {"kernel": "mix_int", "glob": [64], "loc": [16], "args": [{"out": ["int", 64]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}
MIX(ulong, 6, SIXTEEN)
// {"kernel": "mix_ulong", "glob": [64], "loc": [32], "args": [{"out": ["ulong", 64]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}

kernel void sort_few(global uint *o, global const uint *p) {
  uint g = get_global_id(0);
  uint t[12];
  for (int i = 0; i < 12; i++)
    t[i] = p[(g * 5 + i) & 63];
  for (int i = 1; i < 12; i++) {
    uint v = t[i];
    int j = i - 1;
    for (; j >= 0 && t[j] > v; j--)
      t[j + 1] = t[j];
    t[j + 1] = v;
  }
  uint s = 0;
  for (int i = 0; i < 12; i++)
    s = s * 31 + t[i];
  o[g] = s;
}
// {"kernel": "sort_few", "glob": [64], "loc": [32], "args": [{"out": ["uint", 64]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}

kernel void choose(global float *o, global const uint *p) {
  uint g = get_global_id(0);
  float t[6];
  for (int i = 0; i < 6; i++)
    t[i] = (float)(i * i) + (float)(g & 7) * 0.5f;
  uint j = p[get_group_id(0) & 63] % 6;
  t[j] = 99.0f;
  for (uint k = 0; k < (p[g & 63] & 15); k++)
    t[(j + k) % 6] += t[(g + k) % 6] * 0.25f;
  o[g] = t[(j + 1) % 6] + t[g % 6];
}
// {"kernel": "choose", "glob": [75], "loc": [25], "args": [{"out": ["float", 75]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}

kernel void pairs(global float *o, global const uint *p) {
  uint g = get_global_id(0);
  float2 t[4];
  for (int i = 0; i < 4; i++)
    t[i] = (float2)(i + g, i * 2);
  for (uint k = 0; k < (p[g & 63] & 7); k++) {
    uint j = p[(g + k) & 63] & 3;
    t[j] = t[(j + 1) & 3].yx + 1.0f;
  }
  float2 s = t[p[g & 63] & 3];
  o[g] = s.x * 3.0f - s.y;
}
// {"kernel": "pairs", "glob": [64], "loc": [32], "args": [{"out": ["float", 64]}, {"in": ["uint", 64, "i * i * 2654435761 >> 7"]}]}
