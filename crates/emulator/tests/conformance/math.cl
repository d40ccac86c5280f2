#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void common_double_max_double3(global double* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double3 a=vload3(g,p0); double3 b=vload3(g,p1); vstore3(max(a,b),g,o); }
kernel void common_float_step_float2(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float2 a=vload2(g,p0); float2 b=vload2(g,p1); vstore2(step(a,b),g,o); }
kernel void math1_double_cos_double(global double* o, global const double* p0){ size_t g=get_global_id(0); double a=p0[g]; o[g]=cos(a); }
kernel void math1_float_round_float4(global float* o, global const float* p0){ size_t g=get_global_id(0); float4 a=vload4(g,p0); vstore4(round(a),g,o); }
kernel void math2_double_fmax_double8(global double* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double8 a=vload8(g,p0); double8 b=vload8(g,p1); vstore8(fmax(a,b),g,o); }
kernel void math2_float_sincos_float3(global float* o, global float* q, global const float* p0){ size_t g=get_global_id(0); float3 a=vload3(g,p0); float3 r; float3 s=sincos(a,&r); vstore3(s,g,o); vstore3(r,g,q); }
kernel void native_half_log2_float4(global float* o, global const float* p0){ size_t g=get_global_id(0); float4 a=vload4(g,p0); vstore4(half_log2(a),g,o); }
kernel void common_double_step_double4(global double* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double4 a=vload4(g,p0); double4 b=vload4(g,p1); vstore4(step(a,b),g,o); }
kernel void common_float_fast_distance_float(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float a=p0[g]; float b=p1[g]; o[g]=fast_distance(a,b); }
kernel void math1_double_exp2_double2(global double* o, global const double* p0){ size_t g=get_global_id(0); double2 a=vload2(g,p0); vstore2(exp2(a),g,o); }
kernel void math1_float_asin_float3(global float* o, global const float* p0){ size_t g=get_global_id(0); float3 a=vload3(g,p0); vstore3(asin(a),g,o); }
kernel void math2_double_fmax_double2(global double* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double2 a=vload2(g,p0); double2 b=vload2(g,p1); vstore2(fmax(a,b),g,o); }
kernel void math2_float_mad_float4(global float* o, global const float* p0, global const float* p1, global const float* p2){ size_t g=get_global_id(0); float4 a=vload4(g,p0); float4 b=vload4(g,p1); float4 c=vload4(g,p2); vstore4(mad(a,b,c),g,o); }
kernel void native_half_sin_float4(global float* o, global const float* p0){ size_t g=get_global_id(0); float4 a=vload4(g,p0); vstore4(half_sin(a),g,o); }
kernel void common_double_radians_double(global double* o, global const double* p0){ size_t g=get_global_id(0); double a=p0[g]; o[g]=radians(a); }
kernel void common_float_distance_float3(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float3 a=vload3(g,p0); float3 b=vload3(g,p1); o[g]=distance(a,b); }
kernel void math1_double_log1p_double2(global double* o, global const double* p0){ size_t g=get_global_id(0); double2 a=vload2(g,p0); vstore2(log1p(a),g,o); }
kernel void math1_float_exp_float8(global float* o, global const float* p0){ size_t g=get_global_id(0); float8 a=vload8(g,p0); vstore8(exp(a),g,o); }
kernel void math2_double_copysign_double8(global double* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double8 a=vload8(g,p0); double8 b=vload8(g,p1); vstore8(copysign(a,b),g,o); }
kernel void math2_float_atan2_float3(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float3 a=vload3(g,p0); float3 b=vload3(g,p1); vstore3(atan2(a,b),g,o); }
kernel void native_half_powr_float3(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float3 a=vload3(g,p0); float3 b=vload3(g,p1); vstore3(half_powr(a,b),g,o); }
kernel void common_double_smoothstep_double8(global double* o, global const double* p0, global const double* p1, global const double* p2){ size_t g=get_global_id(0); double8 a=vload8(g,p0); double8 b=vload8(g,p1); double8 c=vload8(g,p2); vstore8(smoothstep(a,b,c),g,o); }
kernel void common_float_smoothstep_float8(global float* o, global const float* p0, global const float* p1, global const float* p2){ size_t g=get_global_id(0); float8 a=vload8(g,p0); float8 b=vload8(g,p1); float8 c=vload8(g,p2); vstore8(smoothstep(a,b,c),g,o); }
kernel void math1_double_cospi_double(global double* o, global const double* p0){ size_t g=get_global_id(0); double a=p0[g]; o[g]=cospi(a); }
kernel void math1_float_sinpi_float(global float* o, global const float* p0){ size_t g=get_global_id(0); float a=p0[g]; o[g]=sinpi(a); }
kernel void math2_double_pown_double3(global double* o, global const double* p0, global const int* p1){ size_t g=get_global_id(0); double3 a=vload3(g,p0); int3 b=vload3(g,p1); vstore3(pown(a,b-5),g,o); }
kernel void math2_float_ilogb_float3(global int* o, global const float* p0){ size_t g=get_global_id(0); float3 a=vload3(g,p0); vstore3(ilogb(a),g,o); }
kernel void native_half_tan_float2(global float* o, global const float* p0){ size_t g=get_global_id(0); float2 a=vload2(g,p0); vstore2(half_tan(a),g,o); }
kernel void common_double_cross_double3(global double* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double3 a=vload3(g,p0); double3 b=vload3(g,p1); vstore3(cross(a,b),g,o); }
kernel void common_float_sign_float8(global float* o, global const float* p0){ size_t g=get_global_id(0); float8 a=vload8(g,p0); vstore8(sign(a),g,o); }
kernel void math1_double_sinpi_double2(global double* o, global const double* p0){ size_t g=get_global_id(0); double2 a=vload2(g,p0); vstore2(sinpi(a),g,o); }
kernel void math1_float_rint_float8(global float* o, global const float* p0){ size_t g=get_global_id(0); float8 a=vload8(g,p0); vstore8(rint(a),g,o); }
kernel void math2_double_fmins_double4(global double* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double4 a=vload4(g,p0); double b=p1[g]; vstore4(fmin(a,b),g,o); }
kernel void math2_float_fract_float(global float* o, global float* q, global const float* p0){ size_t g=get_global_id(0); float a=p0[g]; float r; float s=fract(a,&r); o[g]=s; q[g]=r; }
kernel void native_native_log_float2(global float* o, global const float* p0){ size_t g=get_global_id(0); float2 a=vload2(g,p0); vstore2(native_log(a),g,o); }
kernel void common_double_clamp_double2(global double* o, global const double* p0, global const double* p1, global const double* p2){ size_t g=get_global_id(0); double2 a=vload2(g,p0); double2 b=vload2(g,p1); double2 c=vload2(g,p2); vstore2(clamp(a,b,c),g,o); }
kernel void common_float_step_float8(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float8 a=vload8(g,p0); float8 b=vload8(g,p1); vstore8(step(a,b),g,o); }
kernel void math1_double_log_double(global double* o, global const double* p0){ size_t g=get_global_id(0); double a=p0[g]; o[g]=log(a); }
kernel void math1_float_expm1_float3(global float* o, global const float* p0){ size_t g=get_global_id(0); float3 a=vload3(g,p0); vstore3(expm1(a),g,o); }
kernel void math2_double_maxmag_double3(global double* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double3 a=vload3(g,p0); double3 b=vload3(g,p1); vstore3(maxmag(a,b),g,o); }
kernel void math2_float_lgamma_r_float16(global float* o, global int* q, global const float* p0){ size_t g=get_global_id(0); float16 a=vload16(g,p0); int16 r; float16 s=lgamma_r(a,&r); vstore16(s,g,o); vstore16(r,g,q); }
kernel void native_half_recip_float3(global float* o, global const float* p0){ size_t g=get_global_id(0); float3 a=vload3(g,p0); vstore3(half_recip(a),g,o); }
kernel void common_double_length_double4(global double* o, global const double* p0){ size_t g=get_global_id(0); double4 a=vload4(g,p0); o[g]=length(a); }
kernel void common_float_clamp_float3(global float* o, global const float* p0, global const float* p1, global const float* p2){ size_t g=get_global_id(0); float3 a=vload3(g,p0); float3 b=vload3(g,p1); float3 c=vload3(g,p2); vstore3(clamp(a,b,c),g,o); }
kernel void math1_double_atan_double(global double* o, global const double* p0){ size_t g=get_global_id(0); double a=p0[g]; o[g]=atan(a); }
kernel void math1_float_sin_float(global float* o, global const float* p0){ size_t g=get_global_id(0); float a=p0[g]; o[g]=sin(a); }
