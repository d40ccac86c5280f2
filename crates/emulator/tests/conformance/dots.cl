// targets tgllp dg2
// options -cl-std=CL3.0
// Byte dot products. Expectations are computed by builtins.py.
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable

kernel void dots(global char4 *a, global uchar4 *b, global int *r)
{
  int i = get_global_id(0), n = get_global_size(0);
  r[i] = dot_acc_sat(a[i], a[i + 1], i << 26);
  r[i + n] = dot_acc_sat(b[i], b[i + 1], (uint)i << 27);
  r[i + 2 * n] = dot_acc_sat(a[i], b[i], -i << 26);
}
