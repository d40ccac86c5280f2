// Compiled for the four targets into the programs beside this file.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void as_as_ushort4_ushort(global ushort* o, global const ushort* p0){ size_t g=get_global_id(0); ushort4 a=vload4(g,p0); vstore4(as_ushort4(a),g,o); }
kernel void conv_char_conv_uchar4__rte(global char* o, global const uchar* p0){ size_t g=get_global_id(0); uchar4 a=vload4(g,p0); vstore4(convert_char4_rte(a),g,o); }
kernel void conv_double_conv_ulong4__rte(global double* o, global const ulong* p0){ size_t g=get_global_id(0); ulong4 a=vload4(g,p0); vstore4(convert_double4_rte(a),g,o); }
kernel void conv_float_conv_float4__rtn(global float* o, global const float* p0){ size_t g=get_global_id(0); float4 a=vload4(g,p0); vstore4(convert_float4_rtn(a),g,o); }
kernel void conv_int_conv_char_(global int* o, global const char* p0){ size_t g=get_global_id(0); char a=p0[g]; o[g]=convert_int(a); }
kernel void conv_long_conv_uchar4__sat_rte(global long* o, global const uchar* p0){ size_t g=get_global_id(0); uchar4 a=vload4(g,p0); vstore4(convert_long4_sat_rte(a),g,o); }
kernel void conv_short_conv_char16_(global short* o, global const char* p0){ size_t g=get_global_id(0); char16 a=vload16(g,p0); vstore16(convert_short16(a),g,o); }
kernel void conv_uchar_conv_short8__sat(global uchar* o, global const short* p0){ size_t g=get_global_id(0); short8 a=vload8(g,p0); vstore8(convert_uchar8_sat(a),g,o); }
kernel void conv_uint_conv_float4__rtz(global uint* o, global const float* p0){ size_t g=get_global_id(0); float4 a=vload4(g,p0); vstore4(convert_uint4_rtz(a),g,o); }
kernel void conv_ulong_conv_int__sat_rte(global ulong* o, global const int* p0){ size_t g=get_global_id(0); int a=p0[g]; o[g]=convert_ulong_sat_rte(a); }
kernel void conv_ushort_conv_int4__sat_rtp(global ushort* o, global const int* p0){ size_t g=get_global_id(0); int4 a=vload4(g,p0); vstore4(convert_ushort4_sat_rtp(a),g,o); }
kernel void as_as_ulong4_double(global double* o, global const ulong* p0){ size_t g=get_global_id(0); ulong4 a=vload4(g,p0); vstore4(as_double4(a),g,o); }
kernel void conv_char_conv_int__sat_rtz(global char* o, global const int* p0){ size_t g=get_global_id(0); int a=p0[g]; o[g]=convert_char_sat_rtz(a); }
kernel void conv_double_conv_int_(global double* o, global const int* p0){ size_t g=get_global_id(0); int a=p0[g]; o[g]=convert_double(a); }
kernel void conv_float_conv_double4__rtz(global float* o, global const double* p0){ size_t g=get_global_id(0); double4 a=vload4(g,p0); vstore4(convert_float4_rtz(a),g,o); }
kernel void conv_int_conv_long__rte(global int* o, global const long* p0){ size_t g=get_global_id(0); long a=p0[g]; o[g]=convert_int_rte(a); }
kernel void conv_long_conv_ulong4__sat_rtz(global long* o, global const ulong* p0){ size_t g=get_global_id(0); ulong4 a=vload4(g,p0); vstore4(convert_long4_sat_rtz(a),g,o); }
kernel void conv_short_conv_short4__sat(global short* o, global const short* p0){ size_t g=get_global_id(0); short4 a=vload4(g,p0); vstore4(convert_short4_sat(a),g,o); }
kernel void conv_uchar_conv_ushort4__sat_rtz(global uchar* o, global const ushort* p0){ size_t g=get_global_id(0); ushort4 a=vload4(g,p0); vstore4(convert_uchar4_sat_rtz(a),g,o); }
kernel void conv_uint_conv_char16__sat(global uint* o, global const char* p0){ size_t g=get_global_id(0); char16 a=vload16(g,p0); vstore16(convert_uint16_sat(a),g,o); }
kernel void conv_ulong_conv_int__sat_rtp(global ulong* o, global const int* p0){ size_t g=get_global_id(0); int a=p0[g]; o[g]=convert_ulong_sat_rtp(a); }
kernel void conv_ushort_conv_uchar__sat(global ushort* o, global const uchar* p0){ size_t g=get_global_id(0); uchar a=p0[g]; o[g]=convert_ushort_sat(a); }
kernel void as_as_ulong16_long(global long* o, global const ulong* p0){ size_t g=get_global_id(0); ulong16 a=vload16(g,p0); vstore16(as_long16(a),g,o); }
kernel void conv_char_conv_char16_(global char* o, global const char* p0){ size_t g=get_global_id(0); char16 a=vload16(g,p0); vstore16(convert_char16(a),g,o); }
kernel void conv_double_conv_char4_(global double* o, global const char* p0){ size_t g=get_global_id(0); char4 a=vload4(g,p0); vstore4(convert_double4(a),g,o); }
kernel void conv_float_conv_uchar__rtn(global float* o, global const uchar* p0){ size_t g=get_global_id(0); uchar a=p0[g]; o[g]=convert_float_rtn(a); }
kernel void conv_int_conv_float_(global int* o, global const float* p0){ size_t g=get_global_id(0); float a=p0[g]; o[g]=convert_int(a); }
kernel void conv_long_conv_char_(global long* o, global const char* p0){ size_t g=get_global_id(0); char a=p0[g]; o[g]=convert_long(a); }
kernel void conv_short_conv_short__rtz(global short* o, global const short* p0){ size_t g=get_global_id(0); short a=p0[g]; o[g]=convert_short_rtz(a); }
kernel void conv_uchar_conv_uchar16_(global uchar* o, global const uchar* p0){ size_t g=get_global_id(0); uchar16 a=vload16(g,p0); vstore16(convert_uchar16(a),g,o); }
kernel void conv_uint_conv_uchar4__rtz(global uint* o, global const uchar* p0){ size_t g=get_global_id(0); uchar4 a=vload4(g,p0); vstore4(convert_uint4_rtz(a),g,o); }
kernel void conv_ulong_conv_float8__sat(global ulong* o, global const float* p0){ size_t g=get_global_id(0); float8 a=vload8(g,p0); vstore8(convert_ulong8_sat(a),g,o); }
kernel void conv_ushort_conv_ulong4__sat(global ushort* o, global const ulong* p0){ size_t g=get_global_id(0); ulong4 a=vload4(g,p0); vstore4(convert_ushort4_sat(a),g,o); }
kernel void as_as_uchar8_uchar(global uchar* o, global const uchar* p0){ size_t g=get_global_id(0); uchar8 a=vload8(g,p0); vstore8(as_uchar8(a),g,o); }
kernel void conv_char_conv_char__sat_rtz(global char* o, global const char* p0){ size_t g=get_global_id(0); char a=p0[g]; o[g]=convert_char_sat_rtz(a); }
kernel void conv_double_conv_int4_(global double* o, global const int* p0){ size_t g=get_global_id(0); int4 a=vload4(g,p0); vstore4(convert_double4(a),g,o); }
kernel void conv_float_conv_double4__rtp(global float* o, global const double* p0){ size_t g=get_global_id(0); double4 a=vload4(g,p0); vstore4(convert_float4_rtp(a),g,o); }
kernel void conv_int_conv_long4__rtp(global int* o, global const long* p0){ size_t g=get_global_id(0); long4 a=vload4(g,p0); vstore4(convert_int4_rtp(a),g,o); }
kernel void conv_long_conv_uint2__sat(global long* o, global const uint* p0){ size_t g=get_global_id(0); uint2 a=vload2(g,p0); vstore2(convert_long2_sat(a),g,o); }
kernel void conv_short_conv_float4__sat_rtp(global short* o, global const float* p0){ size_t g=get_global_id(0); float4 a=vload4(g,p0); vstore4(convert_short4_sat_rtp(a),g,o); }
kernel void conv_uchar_conv_short4__sat(global uchar* o, global const short* p0){ size_t g=get_global_id(0); short4 a=vload4(g,p0); vstore4(convert_uchar4_sat(a),g,o); }
kernel void conv_uint_conv_float4__sat_rtn(global uint* o, global const float* p0){ size_t g=get_global_id(0); float4 a=vload4(g,p0); vstore4(convert_uint4_sat_rtn(a),g,o); }
kernel void conv_ulong_conv_double4__sat_rtz(global ulong* o, global const double* p0){ size_t g=get_global_id(0); double4 a=vload4(g,p0); vstore4(convert_ulong4_sat_rtz(a),g,o); }
kernel void conv_ushort_conv_char4_(global ushort* o, global const char* p0){ size_t g=get_global_id(0); char4 a=vload4(g,p0); vstore4(convert_ushort4(a),g,o); }
kernel void as_as_uint4_int(global int* o, global const uint* p0){ size_t g=get_global_id(0); uint4 a=vload4(g,p0); vstore4(as_int4(a),g,o); }
kernel void conv_char_conv_double8_(global char* o, global const double* p0){ size_t g=get_global_id(0); double8 a=vload8(g,p0); vstore8(convert_char8(a),g,o); }
kernel void conv_double_conv_ulong4__rtp(global double* o, global const ulong* p0){ size_t g=get_global_id(0); ulong4 a=vload4(g,p0); vstore4(convert_double4_rtp(a),g,o); }
kernel void conv_float_conv_float2_(global float* o, global const float* p0){ size_t g=get_global_id(0); float2 a=vload2(g,p0); vstore2(convert_float2(a),g,o); }
kernel void conv_int_conv_uint__sat_rte(global int* o, global const uint* p0){ size_t g=get_global_id(0); uint a=p0[g]; o[g]=convert_int_sat_rte(a); }
kernel void conv_long_conv_char8__sat(global long* o, global const char* p0){ size_t g=get_global_id(0); char8 a=vload8(g,p0); vstore8(convert_long8_sat(a),g,o); }
kernel void conv_short_conv_short4__sat_rte(global short* o, global const short* p0){ size_t g=get_global_id(0); short4 a=vload4(g,p0); vstore4(convert_short4_sat_rte(a),g,o); }
kernel void conv_uchar_conv_ulong4__sat_rtn(global uchar* o, global const ulong* p0){ size_t g=get_global_id(0); ulong4 a=vload4(g,p0); vstore4(convert_uchar4_sat_rtn(a),g,o); }
kernel void conv_uint_conv_short4__rte(global uint* o, global const short* p0){ size_t g=get_global_id(0); short4 a=vload4(g,p0); vstore4(convert_uint4_rte(a),g,o); }
kernel void conv_ulong_conv_uchar__sat_rtn(global ulong* o, global const uchar* p0){ size_t g=get_global_id(0); uchar a=p0[g]; o[g]=convert_ulong_sat_rtn(a); }
kernel void conv_ushort_conv_float16__sat(global ushort* o, global const float* p0){ size_t g=get_global_id(0); float16 a=vload16(g,p0); vstore16(convert_ushort16_sat(a),g,o); }
kernel void as_as_ulong16_double(global double* o, global const ulong* p0){ size_t g=get_global_id(0); ulong16 a=vload16(g,p0); vstore16(as_double16(a),g,o); }
kernel void conv_char_conv_long__rtn(global char* o, global const long* p0){ size_t g=get_global_id(0); long a=p0[g]; o[g]=convert_char_rtn(a); }
kernel void conv_double_conv_double4__rtn(global double* o, global const double* p0){ size_t g=get_global_id(0); double4 a=vload4(g,p0); vstore4(convert_double4_rtn(a),g,o); }
kernel void conv_float_conv_ushort4__rtz(global float* o, global const ushort* p0){ size_t g=get_global_id(0); ushort4 a=vload4(g,p0); vstore4(convert_float4_rtz(a),g,o); }
kernel void conv_int_conv_ulong__sat_rte(global int* o, global const ulong* p0){ size_t g=get_global_id(0); ulong a=p0[g]; o[g]=convert_int_sat_rte(a); }
