#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void shuffle_shuf2_float8_16(global float* o, global const float* p0, global const float* p1, global const uint* p2){ size_t g=get_global_id(0); float8 a=vload8(g,p0); float8 b=vload8(g,p1); uint16 c=vload16(g,p2); vstore16(shuffle2(a,b,c),g,o); }
kernel void vhalf_vstore_half3_rtz_double(global half*o, global double*p){ size_t g=get_global_id(0); vstore_half3_rtz(vload3(g,p),g,o);}
kernel void vload_constant_vload_long4(global long*o, constant long*p){ size_t g=get_global_id(0); long4 x=vload4(g,p+3); vstore4(x,g,o); }
kernel void vload_global_vload_uchar8(global uchar*o, global uchar*p){ size_t g=get_global_id(0); uchar8 x=vload8(g,p+3); vstore8(x,g,o); }
kernel void vload_local_vload_ulong4(global ulong*o, global ulong*p, local ulong*l){ size_t g=get_global_id(0),i=get_local_id(0),s=get_local_size(0); for(size_t j=i;j<s*4+3;j+=s) l[j]=p[j+get_group_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); ulong4 x=vload4(i,l+1); vstore4(x,g,o); }
kernel void vload_private_vload_ushort16(global ushort*o, global ushort*p){ size_t g=get_global_id(0); ushort l[35]; for(int j=0;j<35;j++) l[j]=p[(j*3+g)%261]; ushort16 x=vload16(g&1,l+(g%3)); vstore16(x,g,o); }
kernel void vstore_vstore_ulong2(global ulong*o, global ulong*p){ size_t g=get_global_id(0); vstore2(vload2(15-g,p),g,o+3); }
kernel void shuffle_shuf2_ushort8_4(global ushort* o, global const ushort* p0, global const ushort* p1, global const ushort* p2){ size_t g=get_global_id(0); ushort8 a=vload8(g,p0); ushort8 b=vload8(g,p1); ushort4 c=vload4(g,p2); vstore4(shuffle2(a,b,c),g,o); }
kernel void vhalf_vstore_half_float(global half*o, global float*p){ size_t g=get_global_id(0); vstore_half(p[g],g,o);}
kernel void vload_constant_vload_long3(global long*o, constant long*p){ size_t g=get_global_id(0); long3 x=vload3(g,p+3); vstore3(x,g,o); }
kernel void vload_global_vload_char3(global char*o, global char*p){ size_t g=get_global_id(0); char3 x=vload3(g,p+3); vstore3(x,g,o); }
kernel void vload_local_vload_ushort3(global ushort*o, global ushort*p, local ushort*l){ size_t g=get_global_id(0),i=get_local_id(0),s=get_local_size(0); for(size_t j=i;j<s*3+3;j+=s) l[j]=p[j+get_group_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); ushort3 x=vload3(i,l+1); vstore3(x,g,o); }
kernel void vload_private_vload_int3(global int*o, global int*p){ size_t g=get_global_id(0); int l[9]; for(int j=0;j<9;j++) l[j]=p[(j*3+g)%53]; int3 x=vload3(g&1,l+(g%3)); vstore3(x,g,o); }
kernel void vstore_arr_double4(global double4*o, global const double4*p){ size_t g=get_global_id(0); o[g]=p[15-g]; }
kernel void shuffle_shuf2_double2_8(global double* o, global const double* p0, global const double* p1, global const ulong* p2){ size_t g=get_global_id(0); double2 a=vload2(g,p0); double2 b=vload2(g,p1); ulong8 c=vload8(g,p2); vstore8(shuffle2(a,b,c),g,o); }
kernel void vhalf_vstore_half2_rtp_double(global half*o, global double*p){ size_t g=get_global_id(0); vstore_half2_rtp(vload2(g,p),g,o);}
kernel void vload_constant_vload_ushort3(global ushort*o, constant ushort*p){ size_t g=get_global_id(0); ushort3 x=vload3(g,p+3); vstore3(x,g,o); }
kernel void vload_global_vload_int8(global int*o, global int*p){ size_t g=get_global_id(0); int8 x=vload8(g,p+3); vstore8(x,g,o); }
kernel void vload_local_vload_float4(global float*o, global float*p, local float*l){ size_t g=get_global_id(0),i=get_local_id(0),s=get_local_size(0); for(size_t j=i;j<s*4+3;j+=s) l[j]=p[j+get_group_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); float4 x=vload4(i,l+1); vstore4(x,g,o); }
kernel void vload_private_vload_float3(global float*o, global float*p){ size_t g=get_global_id(0); float l[9]; for(int j=0;j<9;j++) l[j]=p[(j*3+g)%53]; float3 x=vload3(g&1,l+(g%3)); vstore3(x,g,o); }
kernel void vstore_arr_int8(global int8*o, global const int8*p){ size_t g=get_global_id(0); o[g]=p[15-g]; }
kernel void shuffle_shuf_uchar16_2(global uchar* o, global const uchar* p0, global const uchar* p1){ size_t g=get_global_id(0); uchar16 a=vload16(g,p0); uchar2 b=vload2(g,p1); vstore2(shuffle(a,b),g,o); }
kernel void vhalf_vstore_half_rtz_float(global half*o, global float*p){ size_t g=get_global_id(0); vstore_half_rtz(p[g],g,o);}
kernel void vload_constant_vload_char4(global char*o, constant char*p){ size_t g=get_global_id(0); char4 x=vload4(g,p+3); vstore4(x,g,o); }
kernel void vload_global_vload_double3(global double*o, global double*p){ size_t g=get_global_id(0); double3 x=vload3(g,p+3); vstore3(x,g,o); }
kernel void vload_local_vload_ulong8(global ulong*o, global ulong*p, local ulong*l){ size_t g=get_global_id(0),i=get_local_id(0),s=get_local_size(0); for(size_t j=i;j<s*8+3;j+=s) l[j]=p[j+get_group_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); ulong8 x=vload8(i,l+1); vstore8(x,g,o); }
kernel void vload_private_vload_float16(global float*o, global float*p){ size_t g=get_global_id(0); float l[35]; for(int j=0;j<35;j++) l[j]=p[(j*3+g)%261]; float16 x=vload16(g&1,l+(g%3)); vstore16(x,g,o); }
kernel void vstore_vstore_float3(global float*o, global float*p){ size_t g=get_global_id(0); vstore3(vload3(15-g,p),g,o+3); }
kernel void shuffle_shuf_ushort4_8(global ushort* o, global const ushort* p0, global const ushort* p1){ size_t g=get_global_id(0); ushort4 a=vload4(g,p0); ushort8 b=vload8(g,p1); vstore8(shuffle(a,b),g,o); }
kernel void vhalf_vstore_half16_rte_double(global half*o, global double*p){ size_t g=get_global_id(0); vstore_half16_rte(vload16(g,p),g,o);}
kernel void vload_constant_vload_long2(global long*o, constant long*p){ size_t g=get_global_id(0); long2 x=vload2(g,p+3); vstore2(x,g,o); }
kernel void vload_global_vload_ulong3(global ulong*o, global ulong*p){ size_t g=get_global_id(0); ulong3 x=vload3(g,p+3); vstore3(x,g,o); }
kernel void vload_local_vload_int2(global int*o, global int*p, local int*l){ size_t g=get_global_id(0),i=get_local_id(0),s=get_local_size(0); for(size_t j=i;j<s*2+3;j+=s) l[j]=p[j+get_group_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); int2 x=vload2(i,l+1); vstore2(x,g,o); }
kernel void vload_private_vload_long8(global long*o, global long*p){ size_t g=get_global_id(0); long l[19]; for(int j=0;j<19;j++) l[j]=p[(j*3+g)%133]; long8 x=vload8(g&1,l+(g%3)); vstore8(x,g,o); }
kernel void vstore_vstore_uint16(global uint*o, global uint*p){ size_t g=get_global_id(0); vstore16(vload16(15-g,p),g,o+3); }
kernel void shuffle_shuf_uint2_16(global uint* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint2 a=vload2(g,p0); uint16 b=vload16(g,p1); vstore16(shuffle(a,b),g,o); }
