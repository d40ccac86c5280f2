#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void int_char_min_char2(global char* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char2 a=vload2(g,p0); char2 b=vload2(g,p1); vstore2(min(a,b),g,o); }
kernel void int_int_maxs_int8(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int8 a=vload8(g,p0); int b=p1[g]; vstore8(max(a,b),g,o); }
kernel void int_long_maxs_long2(global long* o, global const long* p0, global const long* p1){ size_t g=get_global_id(0); long2 a=vload2(g,p0); long b=p1[g]; vstore2(max(a,b),g,o); }
kernel void int_short_hadd_short3(global short* o, global const short* p0, global const short* p1){ size_t g=get_global_id(0); short3 a=vload3(g,p0); short3 b=vload3(g,p1); vstore3(hadd(a,b),g,o); }
kernel void int_uchar_min_uchar8(global uchar* o, global const uchar* p0, global const uchar* p1){ size_t g=get_global_id(0); uchar8 a=vload8(g,p0); uchar8 b=vload8(g,p1); vstore8(min(a,b),g,o); }
kernel void int_uint_min_uint8(global uint* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint8 a=vload8(g,p0); uint8 b=vload8(g,p1); vstore8(min(a,b),g,o); }
kernel void int_ulong_mul_hi_ulong3(global ulong* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong3 a=vload3(g,p0); ulong3 b=vload3(g,p1); vstore3(mul_hi(a,b),g,o); }
kernel void int_ushort_clamp_ushort4(global ushort* o, global const ushort* p0, global const ushort* p1, global const ushort* p2){ size_t g=get_global_id(0); ushort4 a=vload4(g,p0); ushort4 b=vload4(g,p1); ushort4 c=vload4(g,p2); vstore4(clamp(a,min(b,c),max(b,c)),g,o); }
kernel void int_char_mul_hi_char4(global char* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char4 a=vload4(g,p0); char4 b=vload4(g,p1); vstore4(mul_hi(a,b),g,o); }
kernel void int_int_abs_int16(global uint* o, global const int* p0){ size_t g=get_global_id(0); int16 a=vload16(g,p0); vstore16(abs(a),g,o); }
kernel void int_long_clz_long2(global long* o, global const long* p0){ size_t g=get_global_id(0); long2 a=vload2(g,p0); vstore2(clz(a),g,o); }
kernel void int_short_mins_short8(global short* o, global const short* p0, global const short* p1){ size_t g=get_global_id(0); short8 a=vload8(g,p0); short b=p1[g]; vstore8(min(a,b),g,o); }
kernel void int_uchar_abs_uchar8(global uchar* o, global const uchar* p0){ size_t g=get_global_id(0); uchar8 a=vload8(g,p0); vstore8(abs(a),g,o); }
kernel void int_uint_maxs_uint8(global uint* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint8 a=vload8(g,p0); uint b=p1[g]; vstore8(max(a,b),g,o); }
kernel void int_ulong_maxs_ulong2(global ulong* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong2 a=vload2(g,p0); ulong b=p1[g]; vstore2(max(a,b),g,o); }
kernel void int_ushort_mad_hi_ushort4(global ushort* o, global const ushort* p0, global const ushort* p1, global const ushort* p2){ size_t g=get_global_id(0); ushort4 a=vload4(g,p0); ushort4 b=vload4(g,p1); ushort4 c=vload4(g,p2); vstore4(mad_hi(a,b,c),g,o); }
kernel void int_char_clz_char3(global char* o, global const char* p0){ size_t g=get_global_id(0); char3 a=vload3(g,p0); vstore3(clz(a),g,o); }
kernel void int_int_mul_hi_int3(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int3 a=vload3(g,p0); int3 b=vload3(g,p1); vstore3(mul_hi(a,b),g,o); }
kernel void int_long_rotate_long8(global long* o, global const long* p0, global const long* p1){ size_t g=get_global_id(0); long8 a=vload8(g,p0); long8 b=vload8(g,p1); vstore8(rotate(a,b),g,o); }
kernel void int_short_popcount_short3(global short* o, global const short* p0){ size_t g=get_global_id(0); short3 a=vload3(g,p0); vstore3(popcount(a),g,o); }
kernel void int_uchar_maxs_uchar2(global uchar* o, global const uchar* p0, global const uchar* p1){ size_t g=get_global_id(0); uchar2 a=vload2(g,p0); uchar b=p1[g]; vstore2(max(a,b),g,o); }
kernel void int_uint_max_uint4(global uint* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint4 a=vload4(g,p0); uint4 b=vload4(g,p1); vstore4(max(a,b),g,o); }
kernel void int_ulong_rotate_ulong(global ulong* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong a=p0[g]; ulong b=p1[g]; o[g]=rotate(a,b); }
kernel void int_ushort_mad_hi_ushort2(global ushort* o, global const ushort* p0, global const ushort* p1, global const ushort* p2){ size_t g=get_global_id(0); ushort2 a=vload2(g,p0); ushort2 b=vload2(g,p1); ushort2 c=vload2(g,p2); vstore2(mad_hi(a,b,c),g,o); }
kernel void int_char_maxs_char8(global char* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char8 a=vload8(g,p0); char b=p1[g]; vstore8(max(a,b),g,o); }
kernel void int_int_rhadd_int16(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int16 a=vload16(g,p0); int16 b=vload16(g,p1); vstore16(rhadd(a,b),g,o); }
kernel void int_long_popcount_long2(global long* o, global const long* p0){ size_t g=get_global_id(0); long2 a=vload2(g,p0); vstore2(popcount(a),g,o); }
kernel void int_short_mad_hi_short16(global short* o, global const short* p0, global const short* p1, global const short* p2){ size_t g=get_global_id(0); short16 a=vload16(g,p0); short16 b=vload16(g,p1); short16 c=vload16(g,p2); vstore16(mad_hi(a,b,c),g,o); }
kernel void int_uchar_maxs_uchar4(global uchar* o, global const uchar* p0, global const uchar* p1){ size_t g=get_global_id(0); uchar4 a=vload4(g,p0); uchar b=p1[g]; vstore4(max(a,b),g,o); }
kernel void int_uint_max_uint2(global uint* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint2 a=vload2(g,p0); uint2 b=vload2(g,p1); vstore2(max(a,b),g,o); }
kernel void int_ulong_mins_ulong3(global ulong* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong3 a=vload3(g,p0); ulong b=p1[g]; vstore3(min(a,b),g,o); }
kernel void int_ushort_min_ushort16(global ushort* o, global const ushort* p0, global const ushort* p1){ size_t g=get_global_id(0); ushort16 a=vload16(g,p0); ushort16 b=vload16(g,p1); vstore16(min(a,b),g,o); }
kernel void int_char_abs_diff_char8(global uchar* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char8 a=vload8(g,p0); char8 b=vload8(g,p1); vstore8(abs_diff(a,b),g,o); }
kernel void int_int_mul24_int(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int a=p0[g]; int b=p1[g]; o[g]=mul24(a,b); }
kernel void int_long_clamp_long4(global long* o, global const long* p0, global const long* p1, global const long* p2){ size_t g=get_global_id(0); long4 a=vload4(g,p0); long4 b=vload4(g,p1); long4 c=vload4(g,p2); vstore4(clamp(a,min(b,c),max(b,c)),g,o); }
kernel void int_short_upsample_short4(global int* o, global const short* p0, global const ushort* p1){ size_t g=get_global_id(0); short4 a=vload4(g,p0); ushort4 b=vload4(g,p1); vstore4(upsample(a,b),g,o); }
kernel void int_uchar_max_uchar2(global uchar* o, global const uchar* p0, global const uchar* p1){ size_t g=get_global_id(0); uchar2 a=vload2(g,p0); uchar2 b=vload2(g,p1); vstore2(max(a,b),g,o); }
kernel void int_uint_mad24_uint2(global uint* o, global const uint* p0, global const uint* p1, global const uint* p2){ size_t g=get_global_id(0); uint2 a=vload2(g,p0); uint2 b=vload2(g,p1); uint2 c=vload2(g,p2); vstore2(mad24(a,b,c),g,o); }
kernel void int_ulong_min_ulong16(global ulong* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong16 a=vload16(g,p0); ulong16 b=vload16(g,p1); vstore16(min(a,b),g,o); }
kernel void int_ushort_mins_ushort2(global ushort* o, global const ushort* p0, global const ushort* p1){ size_t g=get_global_id(0); ushort2 a=vload2(g,p0); ushort b=p1[g]; vstore2(min(a,b),g,o); }
kernel void int_char_maxs_char3(global char* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char3 a=vload3(g,p0); char b=p1[g]; vstore3(max(a,b),g,o); }
kernel void int_int_mins_int2(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int2 a=vload2(g,p0); int b=p1[g]; vstore2(min(a,b),g,o); }
kernel void int_long_abs_diff_long8(global ulong* o, global const long* p0, global const long* p1){ size_t g=get_global_id(0); long8 a=vload8(g,p0); long8 b=vload8(g,p1); vstore8(abs_diff(a,b),g,o); }
kernel void int_short_abs_diff_short3(global ushort* o, global const short* p0, global const short* p1){ size_t g=get_global_id(0); short3 a=vload3(g,p0); short3 b=vload3(g,p1); vstore3(abs_diff(a,b),g,o); }
kernel void int_uchar_abs_diff_uchar8(global uchar* o, global const uchar* p0, global const uchar* p1){ size_t g=get_global_id(0); uchar8 a=vload8(g,p0); uchar8 b=vload8(g,p1); vstore8(abs_diff(a,b),g,o); }
kernel void int_uint_clamp_uint3(global uint* o, global const uint* p0, global const uint* p1, global const uint* p2){ size_t g=get_global_id(0); uint3 a=vload3(g,p0); uint3 b=vload3(g,p1); uint3 c=vload3(g,p2); vstore3(clamp(a,min(b,c),max(b,c)),g,o); }
kernel void int_ulong_max_ulong8(global ulong* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong8 a=vload8(g,p0); ulong8 b=vload8(g,p1); vstore8(max(a,b),g,o); }
kernel void int_ushort_popcount_ushort8(global ushort* o, global const ushort* p0){ size_t g=get_global_id(0); ushort8 a=vload8(g,p0); vstore8(popcount(a),g,o); }
kernel void int_char_hadd_char16(global char* o, global const char* p0, global const char* p1){ size_t g=get_global_id(0); char16 a=vload16(g,p0); char16 b=vload16(g,p1); vstore16(hadd(a,b),g,o); }
kernel void int_int_rhadd_int3(global int* o, global const int* p0, global const int* p1){ size_t g=get_global_id(0); int3 a=vload3(g,p0); int3 b=vload3(g,p1); vstore3(rhadd(a,b),g,o); }
kernel void int_long_rhadd_long16(global long* o, global const long* p0, global const long* p1){ size_t g=get_global_id(0); long16 a=vload16(g,p0); long16 b=vload16(g,p1); vstore16(rhadd(a,b),g,o); }
kernel void int_short_upsample_short2(global int* o, global const short* p0, global const ushort* p1){ size_t g=get_global_id(0); short2 a=vload2(g,p0); ushort2 b=vload2(g,p1); vstore2(upsample(a,b),g,o); }
kernel void int_uchar_popcount_uchar4(global uchar* o, global const uchar* p0){ size_t g=get_global_id(0); uchar4 a=vload4(g,p0); vstore4(popcount(a),g,o); }
kernel void int_uint_mul_hi_uint2(global uint* o, global const uint* p0, global const uint* p1){ size_t g=get_global_id(0); uint2 a=vload2(g,p0); uint2 b=vload2(g,p1); vstore2(mul_hi(a,b),g,o); }
kernel void int_ulong_sub_sat_ulong3(global ulong* o, global const ulong* p0, global const ulong* p1){ size_t g=get_global_id(0); ulong3 a=vload3(g,p0); ulong3 b=vload3(g,p1); vstore3(sub_sat(a,b),g,o); }
kernel void int_ushort_rotate_ushort(global ushort* o, global const ushort* p0, global const ushort* p1){ size_t g=get_global_id(0); ushort a=p0[g]; ushort b=p1[g]; o[g]=rotate(a,b); }
