// targets dg2 pvc
// LSC messages through the vendor's built-in functions. Expectations are computed by builtins.py.
uint __builtin_IB_lsc_load_global_uint(const __global uint *base, int offset, int cache);
uint __builtin_IB_lsc_load_global_uchar_to_uint(const __global uchar *base, int offset, int cache);
uint __builtin_IB_lsc_load_global_ushort_to_uint(const __global ushort *base, int offset, int cache);
uint4 __builtin_IB_lsc_load_global_uint4(const __global uint4 *base, int offset, int cache);
ulong2 __builtin_IB_lsc_load_global_ulong2(const __global ulong2 *base, int offset, int cache);
void __builtin_IB_lsc_store_global_ushort_from_uint(__global ushort *base, int offset, uint value, int cache);
void __builtin_IB_lsc_store_global_uint3(__global uint3 *base, int offset, uint3 value, int cache);
kernel void values(global uint *a, global uint *r, global ushort *s, global uint3 *t)
{
  int i = get_global_id(0);
  uint4 v = __builtin_IB_lsc_load_global_uint4((global uint4 *)a + i, 1, 0);
  ulong2 w = __builtin_IB_lsc_load_global_ulong2((global ulong2 *)a + i, 2, 0);
  uint x = __builtin_IB_lsc_load_global_uint(a + i, 3, 0) + __builtin_IB_lsc_load_global_uchar_to_uint((global uchar *)a + i, 5, 0)
         + __builtin_IB_lsc_load_global_ushort_to_uint((global ushort *)a + i, 7, 0) * 3;
  r[i] = x + v.x + v.y * 3 + v.z * 5 + v.w * 7 + (uint)w.x + (uint)(w.y >> 32);
  __builtin_IB_lsc_store_global_ushort_from_uint(s + i, 2, x, 0);
  __builtin_IB_lsc_store_global_uint3(t + i, 0, v.wzx, 0);
}

#ifdef TARGET_PVC
ushort8 __builtin_IB_subgroup_block_read_flat_u16_m8k16v1(long base, int width, int height, int pitch, int2 at);
uint8 __builtin_IB_subgroup_block_read_flat_transform_u16_k16(long base, int width, int height, int pitch, int2 at);
uint8 __builtin_IB_subgroup_block_read_flat_transpose_u32_k8(long base, int width, int height, int pitch, int2 at);
// A surface of 120 bytes by 30 rows in rows of 128 bytes; sizes are encoded minus one, columns in
// elements.
__attribute__((intel_reqd_sub_group_size(16)))
kernel void rectangles(global uint *a, global ushort8 *r, global uint8 *s, global uint8 *t, int x, int y)
{
  int i = get_global_id(0);
  int2 at = (int2)(x, y);
  r[i] = __builtin_IB_subgroup_block_read_flat_u16_m8k16v1((long)a, 119, 29, 127, at);
  s[i] = __builtin_IB_subgroup_block_read_flat_transform_u16_k16((long)a, 119, 29, 127, at);
  t[i] = __builtin_IB_subgroup_block_read_flat_transpose_u32_k8((long)a, 119, 29, 127, at);
}
#endif
