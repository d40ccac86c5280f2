// targets skl tgllp dg2
// options -cl-std=CL2.0
// Block reads and writes of images by subgroups. Expectations are computed by builtins.py.
#pragma OPENCL EXTENSION cl_intel_media_block_io : enable
uchar8 __attribute__((overloadable)) intel_sub_group_media_block_read_uc8(int2, int, int, read_only image2d_t);
ushort8 __attribute__((overloadable)) intel_sub_group_media_block_read_us8(int2, int, int, read_only image2d_t);
void __attribute__((overloadable)) intel_sub_group_media_block_write_uc8(int2, int, int, uchar8, write_only image2d_t);

__attribute__((intel_reqd_sub_group_size(16)))
kernel void media(read_only image2d_t a, write_only image2d_t b, global ushort8 *r)
{
  int2 at = (int2)(get_group_id(0) * 16, get_group_id(1) * 8);
  uchar8 v = intel_sub_group_media_block_read_uc8(at, 16, 8, a);
  intel_sub_group_media_block_write_uc8(at, 16, 8, v * (uchar8)(3), b);
  r[get_global_id(1) * get_global_size(0) + get_global_id(0)] = intel_sub_group_media_block_read_us8(at + (int2)(2, 1), 16, 8, a);
}
__attribute__((intel_reqd_sub_group_size(16)))
kernel void rows(read_only image2d_t a, write_only image2d_t b)
{
  int2 at = (int2)(get_group_id(0) * 64, get_group_id(1) * 4);
  uint4 v = intel_sub_group_block_read4(a, at);
  intel_sub_group_block_write4(b, at, v.wzyx + 1);
}
