// options -cl-std=CL2.0
// Pipes. Expectations are computed by builtins.py.

kernel void fill(write_only pipe int p, global int *a, global int *failed)
{
  int i = get_global_id(0);
  failed[i] = write_pipe(p, &a[i]) != 0;
}
kernel void take(read_only pipe int p, global int *r, global int *failed)
{
  int i = get_global_id(0), v = -1;
  failed[i] = read_pipe(p, &v) != 0;
  r[i] = v;
}
kernel void query(read_only pipe int p, global uint *r)
{
  r[0] = get_pipe_num_packets(p);
  r[1] = get_pipe_max_packets(p);
}
