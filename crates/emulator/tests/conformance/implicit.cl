// Work-item queries in functions called through a stack, which use the implicit-argument buffer.
// The compiler rejects this for skl and tgllp.
// targets dg2 pvc

__attribute__((noinline)) uint where(uint depth, uint which)
{
  if (depth > 0)
    return where(depth - 1, which) + 1;
  switch (which) {
  case 0: return get_global_id(0);
  case 1: return get_global_id(1);
  case 2: return get_global_id(2);
  case 3: return get_local_id(0);
  case 4: return get_local_id(1);
  case 5: return get_local_id(2);
  case 6: return get_group_id(0);
  case 7: return get_group_id(1);
  case 8: return get_group_id(2);
  case 9: return get_local_size(0);
  case 10: return get_local_size(1);
  case 11: return get_local_size(2);
  case 12: return get_num_groups(0);
  case 13: return get_num_groups(1);
  case 14: return get_num_groups(2);
  case 15: return get_global_size(0);
  case 16: return get_global_size(1);
  case 17: return get_global_size(2);
  case 18: return get_global_offset(0);
  case 19: return get_global_offset(1);
  case 20: return get_global_offset(2);
  case 21: return get_work_dim();
  }
  return 0;
}
kernel void ids(global uint *r)
{
  uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  uint z = get_global_id(2) - get_global_offset(2);
  uint at = (z * get_global_size(1) + y) * get_global_size(0) + x;
  for (uint i = 0; i < 22; i++)
    r[at * 22 + i] = where(at % 3, i);
}
// {"kernel": "ids", "glob": [40], "loc": [20], "args": [{"out": ["uint", 880]}]}
// {"kernel": "ids", "name": "two", "glob": [12, 6], "loc": [6, 3], "off": [5, 9], "args": [{"out": ["uint", 1584]}]}
// {"kernel": "ids", "name": "three", "glob": [10, 4, 6], "loc": [5, 4, 3], "off": [1, 2, 3], "args": [{"out": ["uint", 5280]}]}
