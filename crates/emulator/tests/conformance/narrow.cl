// targets dg2 pvc
// bfloat16 through the vendor's built-in functions. Expectations are computed by builtins.py.
short __builtin_IB_ftobf_1(float a) __attribute__((const));
float __builtin_IB_bftof_1(short a) __attribute__((const));
kernel void brain(global float *a, global ushort *r, global float *s)
{
  int i = get_global_id(0);
  r[i] = __builtin_IB_ftobf_1(a[i]);
  s[i] = __builtin_IB_bftof_1(r[i]);
}
