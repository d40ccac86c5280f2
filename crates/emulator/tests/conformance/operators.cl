#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void op_char_ge_char3(global char* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char3 a=vload3(g,p0); char3 b=vload3(g,p1); vstore3(a>=b,g,o); }
kernel void op_double_ne_double8(global long* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double8 a=vload8(g,p0); double8 b=vload8(g,p1); vstore8(a!=b,g,o); }
kernel void op_float_mul_float4(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float4 a=vload4(g,p0); float4 b=vload4(g,p1); vstore4(a*b,g,o); }
kernel void op_int_sub_int16(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int16 a=vload16(g,p0); int16 b=vload16(g,p1); vstore16(a-b,g,o); }
kernel void op_long_shl_long8(global long* o, global const long* p0, global const long* p1){ size_t g=get_global_id(0); long8 a=vload8(g,p0); long8 b=vload8(g,p1); vstore8(a<<b,g,o); }
kernel void op_short_or_short2(global short* o, global const short* p0, global const short* p1){ size_t g=get_global_id(0); short2 a=vload2(g,p0); short2 b=vload2(g,p1); vstore2(a|b,g,o); }
kernel void op_uchar_rem_uchar(global uchar* o, global const uchar* p0, global const uchar* p1){ size_t g=get_global_id(0); uchar a=p0[g]; uchar b=p1[g]; o[g]=a%b; }
kernel void op_uint_shl_uint(global uint* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint a=p0[g]; uint b=p1[g]; o[g]=a<<b; }
kernel void op_ulong_div_ulong4(global ulong* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong4 a=vload4(g,p0); ulong4 b=vload4(g,p1); vstore4(a/b,g,o); }
kernel void op_ushort_adds_ushort4(global ushort* o, global const ushort* p0, global const ushort* p1){ size_t g=get_global_id(0); ushort4 a=vload4(g,p0); ushort b=p1[g]; vstore4(a+b,g,o); }
kernel void op_char_neg_char8(global char* o, global const char* p0){ size_t g=get_global_id(0); char8 a=vload8(g,p0); vstore8(-a,g,o); }
kernel void op_double_ne_double3(global long* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double3 a=vload3(g,p0); double3 b=vload3(g,p1); vstore3(a!=b,g,o); }
kernel void op_float_add_float8(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float8 a=vload8(g,p0); float8 b=vload8(g,p1); vstore8(a+b,g,o); }
kernel void op_int_not_int8(global int* o, global const int* p0){ size_t g=get_global_id(0); int8 a=vload8(g,p0); vstore8(~a,g,o); }
kernel void op_long_rem_long3(global long* o, global const long* p0, global const long* p1){ size_t g=get_global_id(0); long3 a=vload3(g,p0); long3 b=vload3(g,p1); vstore3((a/(long3)2)%b,g,o); }
kernel void op_short_ge_short4(global short* o, global const short* p0, global const short* p1){ size_t g=get_global_id(0); short4 a=vload4(g,p0); short4 b=vload4(g,p1); vstore4(a>=b,g,o); }
kernel void op_uchar_ne_uchar2(global char* o, global const uchar* p0, global const uchar* p1){ size_t g=get_global_id(0); uchar2 a=vload2(g,p0); uchar2 b=vload2(g,p1); vstore2(a!=b,g,o); }
kernel void op_uint_add_uint8(global uint* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint8 a=vload8(g,p0); uint8 b=vload8(g,p1); vstore8(a+b,g,o); }
kernel void op_ulong_sub_ulong3(global ulong* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong3 a=vload3(g,p0); ulong3 b=vload3(g,p1); vstore3(a-b,g,o); }
kernel void op_ushort_sub_ushort(global ushort* o, global const ushort* p0, global const ushort* p1){ size_t g=get_global_id(0); ushort a=p0[g]; ushort b=p1[g]; o[g]=a-b; }
kernel void op_char_and_char3(global char* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char3 a=vload3(g,p0); char3 b=vload3(g,p1); vstore3(a&b,g,o); }
kernel void op_double_div_double16(global double* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double16 a=vload16(g,p0); double16 b=vload16(g,p1); vstore16(a/b,g,o); }
kernel void op_float_ge_float2(global int* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float2 a=vload2(g,p0); float2 b=vload2(g,p1); vstore2(a>=b,g,o); }
kernel void op_int_lt_int2(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int2 a=vload2(g,p0); int2 b=vload2(g,p1); vstore2(a<b,g,o); }
kernel void op_long_sel_long4(global long* o, global const long* p0, global const long* p1){ size_t g=get_global_id(0); long4 a=vload4(g,p0); long4 b=vload4(g,p1); vstore4(a>b?a:b,g,o); }
kernel void op_short_eq_short(global int* o, global const short* p0, global const short* p1){ size_t g=get_global_id(0); short a=p0[g]; short b=p1[g]; o[g]=a==b; }
kernel void op_uchar_lnot_uchar16(global char* o, global const uchar* p0){ size_t g=get_global_id(0); uchar16 a=vload16(g,p0); vstore16(!a,g,o); }
kernel void op_uint_ge_uint4(global int* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint4 a=vload4(g,p0); uint4 b=vload4(g,p1); vstore4(a>=b,g,o); }
kernel void op_ulong_le_ulong(global int* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong a=p0[g]; ulong b=p1[g]; o[g]=a<=b; }
kernel void op_ushort_lt_ushort16(global short* o, global const ushort* p0, global const ushort* p1){ size_t g=get_global_id(0); ushort16 a=vload16(g,p0); ushort16 b=vload16(g,p1); vstore16(a<b,g,o); }
kernel void op_char_eq_char2(global char* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char2 a=vload2(g,p0); char2 b=vload2(g,p1); vstore2(a==b,g,o); }
kernel void op_double_ge_double4(global long* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double4 a=vload4(g,p0); double4 b=vload4(g,p1); vstore4(a>=b,g,o); }
kernel void op_float_cond_float2(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float2 a=vload2(g,p0); float2 b=vload2(g,p1); vstore2(a>b?a:b,g,o); }
kernel void op_int_ge_int2(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int2 a=vload2(g,p0); int2 b=vload2(g,p1); vstore2(a>=b,g,o); }
kernel void op_long_eq_long8(global long* o, global const long* p0, global const long* p1){ size_t g=get_global_id(0); long8 a=vload8(g,p0); long8 b=vload8(g,p1); vstore8(a==b,g,o); }
kernel void op_short_shl_short3(global short* o, global const short* p0, global const short* p1){ size_t g=get_global_id(0); short3 a=vload3(g,p0); short3 b=vload3(g,p1); vstore3(a<<b,g,o); }
kernel void op_uchar_xor_uchar2(global uchar* o, global const uchar* p0, global const uchar* p1){ size_t g=get_global_id(0); uchar2 a=vload2(g,p0); uchar2 b=vload2(g,p1); vstore2(a^b,g,o); }
kernel void op_uint_not_uint4(global uint* o, global const uint* p0){ size_t g=get_global_id(0); uint4 a=vload4(g,p0); vstore4(~a,g,o); }
kernel void op_ulong_ne_ulong2(global long* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong2 a=vload2(g,p0); ulong2 b=vload2(g,p1); vstore2(a!=b,g,o); }
kernel void op_ushort_neg_ushort(global ushort* o, global const ushort* p0){ size_t g=get_global_id(0); ushort a=p0[g]; o[g]=-a; }
kernel void op_char_lt_char16(global char* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char16 a=vload16(g,p0); char16 b=vload16(g,p1); vstore16(a<b,g,o); }
kernel void op_double_lt_double8(global long* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double8 a=vload8(g,p0); double8 b=vload8(g,p1); vstore8(a<b,g,o); }
kernel void op_float_cond_float(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float a=p0[g]; float b=p1[g]; o[g]=a>b?a:b; }
kernel void op_int_ge_int(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int a=p0[g]; int b=p1[g]; o[g]=a>=b; }
kernel void op_long_add_long8(global long* o, global const long* p0, global const long* p1){ size_t g=get_global_id(0); long8 a=vload8(g,p0); long8 b=vload8(g,p1); vstore8(a+b,g,o); }
kernel void op_short_and_short16(global short* o, global const short* p0, global const short* p1){ size_t g=get_global_id(0); short16 a=vload16(g,p0); short16 b=vload16(g,p1); vstore16(a&b,g,o); }
kernel void op_uchar_or_uchar8(global uchar* o, global const uchar* p0, global const uchar* p1){ size_t g=get_global_id(0); uchar8 a=vload8(g,p0); uchar8 b=vload8(g,p1); vstore8(a|b,g,o); }
kernel void op_uint_sub_uint2(global uint* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint2 a=vload2(g,p0); uint2 b=vload2(g,p1); vstore2(a-b,g,o); }
kernel void op_ulong_add_ulong16(global ulong* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong16 a=vload16(g,p0); ulong16 b=vload16(g,p1); vstore16(a+b,g,o); }
kernel void op_ushort_ge_ushort3(global short* o, global const ushort* p0, global const ushort* p1){ size_t g=get_global_id(0); ushort3 a=vload3(g,p0); ushort3 b=vload3(g,p1); vstore3(a>=b,g,o); }
kernel void op_char_sel_char2(global char* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char2 a=vload2(g,p0); char2 b=vload2(g,p1); vstore2(a>b?a:b,g,o); }
kernel void op_double_mul_double(global double* o, global const double* p0, global const double* p1){ size_t g=get_global_id(0); double a=p0[g]; double b=p1[g]; o[g]=a*b; }
kernel void op_float_sub_float3(global float* o, global const float* p0, global const float* p1){ size_t g=get_global_id(0); float3 a=vload3(g,p0); float3 b=vload3(g,p1); vstore3(a-b,g,o); }
kernel void op_int_sel_int8(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int8 a=vload8(g,p0); int8 b=vload8(g,p1); vstore8(a>b?a:b,g,o); }
kernel void op_long_sel_long16(global long* o, global const long* p0, global const long* p1){ size_t g=get_global_id(0); long16 a=vload16(g,p0); long16 b=vload16(g,p1); vstore16(a>b?a:b,g,o); }
kernel void op_short_lor_short4(global short* o, global const short* p0, global const short* p1){ size_t g=get_global_id(0); short4 a=vload4(g,p0); short4 b=vload4(g,p1); vstore4(a||b,g,o); }
kernel void op_uchar_lnot_uchar3(global char* o, global const uchar* p0){ size_t g=get_global_id(0); uchar3 a=vload3(g,p0); vstore3(!a,g,o); }
kernel void op_uint_shl_uint2(global uint* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint2 a=vload2(g,p0); uint2 b=vload2(g,p1); vstore2(a<<b,g,o); }
kernel void op_ulong_not_ulong(global ulong* o, global const ulong* p0){ size_t g=get_global_id(0); ulong a=p0[g]; o[g]=~a; }
kernel void op_ushort_muls_ushort4(global ushort* o, global const ushort* p0, global const ushort* p1){ size_t g=get_global_id(0); ushort4 a=vload4(g,p0); ushort b=p1[g]; vstore4(a*b,g,o); }
