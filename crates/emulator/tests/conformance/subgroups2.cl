// options -cl-std=CL2.0
// Block accesses of 8, 16 and 64 bits in global and shared local memory, and split barriers. Expectations are computed by builtins.py.
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_char : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_long : enable
#define GROUP __attribute__((intel_reqd_sub_group_size(16)))

GROUP kernel void block32(global uint *a)
{
  int g = get_group_id(0) * 64;
  uint4 x = intel_sub_group_block_read4(a + g);
  intel_sub_group_block_write4(a + g, x * 3u + intel_sub_group_shuffle_xor(x, 5));
}
GROUP kernel void block16(global ushort *a)
{
  int g = get_group_id(0) * 128;
  ushort8 x = intel_sub_group_block_read_us8(a + g);
  intel_sub_group_block_write_us8(a + g, x + (ushort8)(intel_sub_group_shuffle(x.s1, 3)));
}
GROUP kernel void block8(global uchar *a)
{
  int g = get_group_id(0) * 256;
  uchar16 x = intel_sub_group_block_read_uc16(a + g);
  intel_sub_group_block_write_uc16(a + g, x + (uchar16)(intel_sub_group_shuffle_up(x.s1, x.s2, 2u)));
}
GROUP kernel void block64(global ulong *a)
{
  int g = get_group_id(0) * 32;
  ulong2 x = intel_sub_group_block_read_ul2(a + g);
  intel_sub_group_block_write_ul2(a + g, x + (ulong2)(intel_sub_group_shuffle_down(x.s0, x.s1, 3u)));
}

void __builtin_spirv_OpControlBarrierArriveINTEL_i32_i32_i32(int, int, int);
void __builtin_spirv_OpControlBarrierWaitINTEL_i32_i32_i32(int, int, int);
kernel void twosteps(global int *a)
{
  local int l[64];
  int i = get_local_id(0);
  l[i] = a[get_global_id(0)];
  __builtin_spirv_OpControlBarrierArriveINTEL_i32_i32_i32(2, 2, 0x110);
  int x = i * 3;
  __builtin_spirv_OpControlBarrierWaitINTEL_i32_i32_i32(2, 2, 0x110);
  a[get_global_id(0)] = l[63 - i] + x;
}
