// options -cl-std=CL2.0
// Subgroups with inactive channels, and clusters of subgroups. Expectations are computed by builtins.py.
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_arithmetic : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_clustered_reduce : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_vote : enable

__attribute__((intel_reqd_sub_group_size(16)))
kernel void parts(global int *a, global int *r)
{
  int i = get_global_id(0), n = get_global_size(0), x = a[i], v = 0;
  if (x & 1) {
    v = sub_group_non_uniform_reduce_add(x) + sub_group_non_uniform_scan_inclusive_max(x) * 3 + sub_group_non_uniform_scan_exclusive_add(x) * 5;
    v += sub_group_non_uniform_any(x & 2) * 7 + sub_group_non_uniform_all(x & 4) * 11 + sub_group_elect() * 13;
  }
  r[i] = v;
  r[i + n] = sub_group_clustered_reduce_max(x, 4) + sub_group_clustered_reduce_add(x, 8) * 3;
  r[i + 2 * n] = sub_group_shuffle(x, (i * 7) & 15) + sub_group_shuffle_xor(x, 6u) * 3;
}
