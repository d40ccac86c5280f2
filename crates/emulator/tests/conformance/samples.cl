// targets skl tgllp dg2
// today nvl-p
// options -cl-std=CL2.0 -cl-ext=+cl_khr_gl_msaa_sharing,+cl_khr_gl_depth_images,+cl_khr_depth_images
// Expectations are computed by textures.py.
#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable
#pragma OPENCL EXTENSION cl_khr_gl_depth_images : enable

kernel void weighted(read_only image2d_msaa_t a, global float4 *r)
{
  int x = get_global_id(0), y = get_global_id(1), n = get_image_num_samples(a);
  float4 v = 0;
  for (int i = 0; i < n; i++)
    v += read_imagef(a, (int2)(x, y), i) * (i + 1);
  r[y * get_global_size(0) + x] = v;
}
kernel void layers(read_only image2d_array_msaa_t a, global float4 *r)
{
  int x = get_global_id(0), y = get_global_id(1), n = get_image_num_samples(a);
  float4 v = get_image_array_size(a);
  for (int i = 0; i < n; i++)
    v += read_imagef(a, (int4)(x, y, (x + i) & 1, 0), i) * (i + 1);
  r[y * get_global_size(0) + x] = v;
}
kernel void one(read_only image2d_msaa_t a, global uint4 *r)
{
  int x = get_global_id(0), y = get_global_id(1);
  r[y * get_global_size(0) + x] = read_imageui(a, (int2)(x, y), (x + y) & 3);
}
kernel void deep(read_only image2d_msaa_depth_t a, global float *r)
{
  int x = get_global_id(0), y = get_global_id(1);
  r[y * get_global_size(0) + x] = read_imagef(a, (int2)(x, y), 1) + read_imagef(a, (int2)(x, y), 3) * 2;
}
