// environment IGC_FunctionControl=4
// Indirect calls: the option makes the compiler call all functions by address.

typedef struct { short a; long b; uchar c[5]; } mixed;

int few(int a, int b) { return a * 3 - b; }
ulong many(uchar a, short b, int c, long d, uchar e, ushort f, uint g, ulong h, int8 i, float j)
{
  return a + b * 2 + c * 3 + d * 5 + e * 7 + f * 11 + g * 13 + h * 17 + i.s0 * 19 + i.s7 * 23 + (ulong)j;
}
int8 wide(int8 a, int8 b) { return a * b + (int8)(0, 1, 2, 3, 4, 5, 6, 7); }
mixed change(mixed m, int n)
{
  for (int i = 0; i < 5; i++)
    m.c[i] += n * i;
  m.a += m.c[n % 5];
  m.b -= m.a;
  return m;
}
void through(global int *a, int *b, local int *c, constant int *d, int n)
{
  *a += *b;
  *b += c[n];
  c[n] += d[n & 3];
}
int outer(int n, int m) { return n > 0 ? few(n, m) + few(m, n) : -few(n, n); }
constant int table[4] = {5, -7, 11, 13};

kernel void plain(global int *a, global int *r)
{
  int i = get_global_id(0);
  r[i] = few(a[i], i) + outer(a[i] - 3, i);
}
// {"kernel": "plain", "glob": [40], "loc": [20], "args": [{"in": ["int", 40, "i * 7 % 11"]}, {"out": ["int", 40]}]}
kernel void arguments(global int *a, global ulong *r)
{
  int i = get_global_id(0), x = a[i];
  r[i] = many(x, x - 5, x * 1000, (long)x << 33, x + 1, x + 2, x + 3, (ulong)x << 40, (int8)(x, 1, 2, 3, 4, 5, 6, -x), x * 1.5f);
}
// {"kernel": "arguments", "glob": [32], "loc": [16], "args": [{"in": ["int", 32, "i * i + 3"]}, {"out": ["ulong", 32]}]}
kernel void vectors(global int8 *a, global int8 *r)
{
  int i = get_global_id(0);
  r[i] = wide(a[i], a[i].s76543210);
}
// {"kernel": "vectors", "glob": [24], "loc": [8], "args": [{"in": ["int", 192, "i * 37 % 101 - 50"]}, {"out": ["int", 192]}]}
kernel void structures(global mixed *a, global int *n)
{
  int i = get_global_id(0);
  a[i] = change(change(a[i], n[i]), 2);
}
// {"kernel": "structures", "glob": [16], "loc": [16], "args": [{"inout": ["uchar", 384, "i * 3"]}, {"in": ["int", 16, "i % 6"]}]}
kernel void pointers(global int *a)
{
  local int c[64];
  int i = get_local_id(0), b = a[get_global_id(0)] * 3;
  c[i] = i * i;
  through(a + get_global_id(0), &b, c, table, i);
  through(a + get_global_id(0), &b, c, table, i);
  a[get_global_id(0)] += c[i] * 100;
}
// {"kernel": "pointers", "glob": [64], "loc": [32], "args": [{"inout": ["int", 64, "i * 5 % 17"]}]}
// Channels of a thread call different functions.
kernel void divergent(global int *a, global int *r)
{
  int i = get_global_id(0), x = a[i], v = 0;
  for (int k = 0; k < x; k++) {
    if ((i + k) % 3 == 0)
      v += few(v, k);
    else if ((i + k) % 3 == 1)
      v ^= outer(k, v);
    else
      continue;
    if (v > 100000)
      break;
  }
  r[i] = v;
}
// {"kernel": "divergent", "glob": [60], "loc": [20], "args": [{"in": ["int", 60, "i % 13"]}, {"out": ["int", 60]}]}
