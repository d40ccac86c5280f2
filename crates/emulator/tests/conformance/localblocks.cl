// targets tgllp dg2 pvc
// options -cl-std=CL2.0
// Block reads and writes of shared local memory. Expectations are computed by builtins.py.
uint8 __attribute__((overloadable)) intel_sub_group_block_read8(const local uint *);
void __attribute__((overloadable)) intel_sub_group_block_write8(local uint *, uint8);
ushort4 __attribute__((overloadable)) intel_sub_group_block_read_us4(const local ushort *);

__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(16, 1, 1)))
kernel void turned(global uint *a)
{
  local uint l[128];
  int i = get_local_id(0), g = get_group_id(0) * 128;
  for (int j = 0; j < 8; j++)
    l[j * 16 + i] = a[g + j * 16 + i] * 7 + j;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint8 v = intel_sub_group_block_read8(l);
  intel_sub_group_block_write8(l, v.s76543210);
  barrier(CLK_LOCAL_MEM_FENCE);
  ushort4 u = intel_sub_group_block_read_us4((local ushort *)l);
  for (int j = 0; j < 8; j++)
    a[g + j * 16 + i] = l[j * 16 + i] + u.s1;
}
