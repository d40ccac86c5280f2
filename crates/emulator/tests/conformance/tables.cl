// Tables of function addresses in constant data: work items of one thread call different functions.
// The legacy compiler of 2026 built the program; the others refuse the source.
// options -cl-std=CL3.0
// targets skl
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*function)(int, int);
__attribute__((noinline)) int triple(int a, int b) { return a * 3 - b; }
__attribute__((noinline)) int mixed(int a, int b) { return (a ^ b) - 1000; }
__attribute__((noinline)) int indexed(int a, int b)
{
  int values[8];
  for (int i = 0; i < 8; i++)
    values[i] = a * i + b;
  return values[(a ^ b) & 7];
}
kernel void chosen(global int *a, global int *r)
{
  function table[4] = {triple, mixed, indexed, triple};
  int i = get_global_id(0);
  r[i] = table[a[i] & 3](a[i], i);
}
// {"kernel": "chosen", "glob": [64], "loc": [32], "args": [{"in": ["int", 64, "i * 7 % 13"]}, {"out": ["int", 64]}]}
