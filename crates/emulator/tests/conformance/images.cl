// targets skl tgllp dg2
// today nvl-p
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void image_query_q2d(global int*o, read_only image2d_t im, write_only image2d_t iw){ o[0]=get_image_width(im); o[1]=get_image_height(im); int2 d=get_image_dim(im); o[2]=d.x; o[3]=d.y; o[4]=get_image_channel_data_type(im)==CLK_UNORM_INT8; o[5]=get_image_channel_order(im)==CLK_RGBA; o[6]=get_image_width(iw); o[7]=get_image_channel_order(iw)==CLK_R; }
kernel void image_read_rd_rgba8uint(global uint4*o, read_only image2d_t im, sampler_t s){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imageui(im,s,(int2)(x,y)); }
kernel void image_sample_sm_rgba32f_clamp_near_1(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_write_wr_rgba32f(write_only image2d_t im, global const float4*p){ int x=get_global_id(0),y=get_global_id(1); write_imagef(im,(int2)(7-x,y),p[y*8+x]); }
kernel void image_read_rdns_r32f(global float4*o, read_only image2d_t im){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagef(im,(int2)(x,y)); }
kernel void image_sample_sm_rgba8unorm_edge_lin_1(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_write_wr_rgba16sint(write_only image2d_t im, global const int4*p){ int x=get_global_id(0),y=get_global_id(1); write_imagei(im,(int2)(7-x,y),p[y*8+x]); }
kernel void image_read_rd_bgra8unorm(global float4*o, read_only image2d_t im, sampler_t s){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagef(im,s,(int2)(x,y)); }
kernel void image_sample_sm_rgba8unorm_none_near_1(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_write_wr_bgra8unorm(write_only image2d_t im, global const float4*p){ int x=get_global_id(0),y=get_global_id(1); write_imagef(im,(int2)(7-x,y),p[y*8+x]); }
kernel void image_read_rdns_rgba16snorm(global float4*o, read_only image2d_t im){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagef(im,(int2)(x,y)); }
kernel void image_sample_sm_rgba8unorm_mirror_lin_1(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_write_wr_r8unorm(write_only image2d_t im, global const float4*p){ int x=get_global_id(0),y=get_global_id(1); write_imagef(im,(int2)(7-x,y),p[y*8+x]); }
kernel void image_read_rdns_rgba16uint(global uint4*o, read_only image2d_t im){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imageui(im,(int2)(x,y)); }
kernel void image_sample_sm_rgba32f_edge_lin_0(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_write_wr_rgba8uint(write_only image2d_t im, global const uint4*p){ int x=get_global_id(0),y=get_global_id(1); write_imageui(im,(int2)(7-x,y),p[y*8+x]); }
kernel void image_read_rd_rgba32uint(global uint4*o, read_only image2d_t im, sampler_t s){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imageui(im,s,(int2)(x,y)); }
kernel void image_sample_sm_rgba8unorm_clamp_lin_1(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_write_wr_rgba32sint(write_only image2d_t im, global const int4*p){ int x=get_global_id(0),y=get_global_id(1); write_imagei(im,(int2)(7-x,y),p[y*8+x]); }
kernel void image_read_rd2da_rgba8uint(global uint4*o, read_only image2d_array_t im, sampler_t s){ int x=get_global_id(0),y=get_global_id(1),z=get_global_id(2); o[(z*3+y)*4+x]=read_imageui(im,s,(int4)(x,y,z,0)); }
kernel void image_sample_sm_rgba8unorm_edge_near_0(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_write_wr_rgba32uint(write_only image2d_t im, global const uint4*p){ int x=get_global_id(0),y=get_global_id(1); write_imageui(im,(int2)(7-x,y),p[y*8+x]); }
kernel void image_read_rdns_rgba32f(global float4*o, read_only image2d_t im){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagef(im,(int2)(x,y)); }
kernel void image_sample_sm_rgba8unorm_repeat_lin_1(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_write_wr_r32f(write_only image2d_t im, global const float4*p){ int x=get_global_id(0),y=get_global_id(1); write_imagef(im,(int2)(7-x,y),p[y*8+x]); }
kernel void image_read_rd_rgba8unorm(global float4*o, read_only image2d_t im, sampler_t s){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagef(im,s,(int2)(x,y)); }
kernel void image_sample_sm_rgba32f_clamp_lin_0(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_read_rdns_rgba32uint(global uint4*o, read_only image2d_t im){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imageui(im,(int2)(x,y)); }
kernel void image_sample_sm_rgba32f_edge_near_1(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_read_rd_rgba16sint(global int4*o, read_only image2d_t im, sampler_t s){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagei(im,s,(int2)(x,y)); }
kernel void image_sample_sm_rgba32f_edge_lin_1(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_read_rd_rgba16snorm(global float4*o, read_only image2d_t im, sampler_t s){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagef(im,s,(int2)(x,y)); }
kernel void image_sample_sm_rgba8unorm_none_lin_0(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_read_rdns_rgba8sint(global int4*o, read_only image2d_t im){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagei(im,(int2)(x,y)); }
kernel void image_sample_sm_rgba32f_repeat_near_1(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_read_rdns_rgba32sint(global int4*o, read_only image2d_t im){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagei(im,(int2)(x,y)); }
kernel void image_sample_sm_rgba32uint_none_near_1(global uint4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imageui(im,s,c[g]); }
kernel void image_read_rd_r8unorm(global float4*o, read_only image2d_t im, sampler_t s){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagef(im,s,(int2)(x,y)); }
kernel void image_sample_sm_rgba32f_none_lin_0(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_read_rd_rgba32sint(global int4*o, read_only image2d_t im, sampler_t s){ int x=get_global_id(0),y=get_global_id(1); o[y*8+x]=read_imagei(im,s,(int2)(x,y)); }
kernel void image_sample_sm_rgba32uint_clamp_near_0(global uint4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imageui(im,s,c[g]); }
kernel void image_sample_sm_rgba8unorm_edge_lin_0(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
kernel void image_sample_sm_rgba32uint_none_near_0(global uint4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imageui(im,s,c[g]); }
kernel void image_sample_sm_rgba32f_none_near_1(global float4*o, read_only image2d_t im, sampler_t s, global const float2*c){ int g=get_global_id(0); o[g]=read_imagef(im,s,c[g]); }
