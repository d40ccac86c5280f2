// Recursive and mutually recursive functions, compiled as calls through a stack.

__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
kernel void fibonacci(global int *a) { int i = get_global_id(0); a[i] = fib(a[i]); }
// {"kernel": "fibonacci", "glob": [45], "loc": [15], "args": [{"inout": ["int", 45, "(i * 7) % 13"]}]}

int odd(uint n);
__attribute__((noinline)) int even(uint n) { return n == 0 ? 1 : odd(n - 1); }
__attribute__((noinline)) int odd(uint n) { return n == 0 ? 0 : even(n - 1); }
kernel void parity(global uint *a, global int *r) { int i = get_global_id(0); r[i] = even(a[i]) * 2 + odd(a[i]); }
// {"kernel": "parity", "glob": [64], "loc": [32], "args": [{"in": ["uint", 64, "i * i % 23"]}, {"out": ["int", 64]}]}

__attribute__((noinline)) void sort(global int *a, int n)
{
  if (n < 2)
    return;
  int pivot = a[n / 2], i = 0, j = n - 1;
  while (i <= j) {
    while (a[i] < pivot)
      i++;
    while (a[j] > pivot)
      j--;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  sort(a, j + 1);
  sort(a + i, n - i);
}
kernel void quicksort(global int *a, int n) { sort(a + get_global_id(0) * n, n - get_global_id(0)); }
// {"kernel": "quicksort", "glob": [20], "loc": [10], "args": [{"inout": ["int", 600, "(i * i * 37 + 11) % 101 - 50"]}, {"val": ["int", 30]}]}

// Local arrays in every activation, and access to the caller's array through a pointer.
__attribute__((noinline)) void walk(global int *o, int n, int *a)
{
  if (n <= 0) {
    a[0]++;
    return;
  }
  int b[4] = {n, 2, 3, 4};
  walk(o, n - 1, b);
  a[n & 3] += b[0] + b[3];
  if (n % 3 == 0)
    walk(o, n - 2, a);
  o[0] += a[1] * n;
}
kernel void arrays(global int *o)
{
  int g = get_global_id(0), a[4] = {0, 0, 0, 0};
  walk(o + g, g % 9, a);
  o[g] += a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7;
}
// {"kernel": "arrays", "glob": [50], "loc": [25], "args": [{"inout": ["int", 50, "i"]}]}

// Structures as arguments and results that exceed the argument registers.
typedef struct { int v[24]; } wide;
__attribute__((noinline)) wide turn(wide w, int n)
{
  if (n == 0)
    return w;
  wide next;
  for (int i = 0; i < 24; i++)
    next.v[i] = w.v[(i + n) % 24] + n * i;
  return turn(next, n - 1);
}
kernel void structures(global int *a, global int *r)
{
  int g = get_global_id(0);
  wide w;
  for (int i = 0; i < 24; i++)
    w.v[i] = a[g] * i;
  w = turn(w, a[g]);
  for (int i = 0; i < 24; i++)
    r[g * 24 + i] = w.v[i];
}
// {"kernel": "structures", "glob": [24], "loc": [8], "args": [{"in": ["int", 24, "i % 7"]}, {"out": ["int", 576]}]}

// Arguments of several types, including 64-bit and 8-bit ones.
__attribute__((noinline)) long digits(ulong n, uchar base, short *count, float scale)
{
  if (n < base)
    return (long)n;
  *count += 1;
  return digits(n / base, base, count, scale * 0.5f) * 3 + (long)(n % base) + (long)(scale * 16.0f);
}
kernel void types(global ulong *a, global long *r, uchar base)
{
  int g = get_global_id(0);
  short count = 1;
  long value = digits(a[g], base, &count, 1.0f + g);
  r[g] = value * 100 + count;
}
// {"kernel": "types", "glob": [33], "loc": [11], "args": [{"in": ["ulong", 33, "i ** 9 + 5"]}, {"out": ["long", 33]}, {"val": ["uchar", 7]}]}
