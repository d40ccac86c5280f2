// targets skl tgllp dg2
// today nvl-p
// options -cl-std=CL2.0
// Expectations are computed by textures.py.
#pragma OPENCL EXTENSION cl_khr_depth_images : enable

kernel void plain(read_only image2d_depth_t a, sampler_t s, global float *r)
{
  int x = get_global_id(0);
  r[x] = read_imagef(a, s, (float2)(x * 0.0371f - 0.2f, x * 0.0717f - 0.5f));
}
kernel void array(read_only image2d_array_depth_t a, sampler_t s, global float *r)
{
  int x = get_global_id(0);
  r[x] = read_imagef(a, s, (float4)(x * 0.0371f - 0.2f, x * 0.0717f - 0.5f, x % 3, 0));
}
kernel void copy(read_only image2d_depth_t a, write_only image2d_depth_t b)
{
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(b, at, read_imagef(a, at) * 0.5f);
}
kernel void query(read_only image2d_array_depth_t a, global int *r)
{
  r[0] = get_image_width(a), r[1] = get_image_height(a), r[2] = get_image_array_size(a);
  r[3] = get_image_channel_order(a) - CLK_DEPTH, r[4] = get_image_channel_data_type(a) - CLK_FLOAT;
}
