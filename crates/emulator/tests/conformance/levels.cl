// targets skl tgllp dg2
// today nvl-p
// options -cl-std=CL2.0 -cl-ext=+cl_khr_mipmap_image_writes
// Expectations are computed by textures.py.
#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable

kernel void level2d(read_only image2d_t a, sampler_t s, global float4 *r)
{
  int x = get_global_id(0);
  r[x] = read_imagef(a, s, (float2)(x * 0.0371f - 0.2f, x * 0.0717f - 0.5f), x * 0.1543f - 0.7f);
}
kernel void level1d(read_only image1d_t a, sampler_t s, global float4 *r)
{
  int x = get_global_id(0);
  r[x] = read_imagef(a, s, x * 0.0371f - 0.2f, x * 0.1543f - 0.7f);
}
kernel void level3d(read_only image3d_t a, sampler_t s, global float4 *r)
{
  int x = get_global_id(0);
  r[x] = read_imagef(a, s, (float4)(x * 0.0371f - 0.2f, x * 0.0717f - 0.5f, x * 0.0513f - 0.3f, 0), x * 0.1543f - 0.7f);
}
kernel void level2darray(read_only image2d_array_t a, sampler_t s, global float4 *r)
{
  int x = get_global_id(0);
  r[x] = read_imagef(a, s, (float4)(x * 0.0371f - 0.2f, x * 0.0717f - 0.5f, x % 3, 0), x * 0.1543f - 0.7f);
}
kernel void levelint(read_only image2d_t a, sampler_t s, global uint4 *r)
{
  int x = get_global_id(0);
  r[x] = read_imageui(a, s, (float2)(x * 0.0371f - 0.2f, x * 0.0717f - 0.5f), x * 0.1543f - 0.7f);
}
kernel void gradient2d(read_only image2d_t a, sampler_t s, global float4 *r)
{
  int x = get_global_id(0);
  r[x] = read_imagef(a, s, (float2)(x * 0.0371f - 0.2f, x * 0.0717f - 0.5f), (float2)(x * 0.0131f, 0.011f), (float2)(0.003f, x * 0.0071f));
}
kernel void gradient3d(read_only image3d_t a, sampler_t s, global float4 *r)
{
  int x = get_global_id(0);
  r[x] = read_imagef(a, s, (float4)(x * 0.0371f - 0.2f, x * 0.0717f - 0.5f, x * 0.0513f - 0.3f, 0),
                     (float4)(x * 0.0131f, 0.011f, 0.02f, 0), (float4)(0.003f, x * 0.0071f, x * 0.005f, 0));
}
kernel void writes(write_only image2d_t a)
{
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(a, at, at.x % 3, (uint4)(at.x, at.y, 77, 1));
}
kernel void query(read_only image2d_t a, global int *r) { r[get_global_id(0)] = get_image_num_mip_levels(a) * 1000 + get_image_width(a); }
