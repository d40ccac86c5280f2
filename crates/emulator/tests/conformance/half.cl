#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void half_conv_to_half_short4(global half*o, global const short*p){ size_t g=get_global_id(0); vstore4(convert_half4(vload4(g,p)),g,o);}
kernel void half_ops_add_half4(global half* o, global const half* p0, global const half* p1){ size_t g=get_global_id(0); half4 a=vload4(g,p0); half4 b=vload4(g,p1); vstore4(a+b,g,o); }
kernel void half_conv_to_half_int16(global half*o, global const int*p){ size_t g=get_global_id(0); vstore16(convert_half16(vload16(g,p)),g,o);}
kernel void half_ops_cvtrte_short_half4(global short* o, global const half* p0){ size_t g=get_global_id(0); half4 a=vload4(g,p0); vstore4(convert_short4_sat_rte(a),g,o); }
kernel void half_conv_to_half_long(global half*o, global const long*p){ size_t g=get_global_id(0); o[g]=convert_half(p[g]);}
kernel void half_ops_cvt_uchar_half3(global uchar* o, global const half* p0){ size_t g=get_global_id(0); half3 a=vload3(g,p0); vstore3(convert_uchar3_sat(a),g,o); }
kernel void half_conv_to_half_ulong4(global half*o, global const ulong*p){ size_t g=get_global_id(0); vstore4(convert_half4(vload4(g,p)),g,o);}
kernel void half_ops_sin_half8(global half* o, global const half* p0){ size_t g=get_global_id(0); half8 a=vload8(g,p0); vstore8(sin(a),g,o); }
kernel void half_conv_to_half_long4(global half*o, global const long*p){ size_t g=get_global_id(0); vstore4(convert_half4(vload4(g,p)),g,o);}
kernel void half_ops_cvtrte_uchar_half16(global uchar* o, global const half* p0){ size_t g=get_global_id(0); half16 a=vload16(g,p0); vstore16(convert_uchar16_sat_rte(a),g,o); }
kernel void half_conv_to_half_uint(global half*o, global const uint*p){ size_t g=get_global_id(0); o[g]=convert_half(p[g]);}
kernel void half_ops_cvtrte_int_half3(global int* o, global const half* p0){ size_t g=get_global_id(0); half3 a=vload3(g,p0); vstore3(convert_int3_sat_rte(a),g,o); }
kernel void half_conv_to_half_uchar16(global half*o, global const uchar*p){ size_t g=get_global_id(0); vstore16(convert_half16(vload16(g,p)),g,o);}
kernel void half_ops_fma_half4(global half* o, global const half* p0, global const half* p1, global const half* p2){ size_t g=get_global_id(0); half4 a=vload4(g,p0); half4 b=vload4(g,p1); half4 c=vload4(g,p2); vstore4(fma(a,b,c),g,o); }
kernel void half_conv_to_half_uchar(global half*o, global const uchar*p){ size_t g=get_global_id(0); o[g]=convert_half(p[g]);}
kernel void half_ops_cvt_int_half16(global int* o, global const half* p0){ size_t g=get_global_id(0); half16 a=vload16(g,p0); vstore16(convert_int16_sat(a),g,o); }
kernel void half_conv_to_half_float(global half*o, global const float*p){ size_t g=get_global_id(0); o[g]=convert_half(p[g]);}
kernel void half_ops_div_half(global half* o, global const half* p0, global const half* p1){ size_t g=get_global_id(0); half a=p0[g]; half b=p1[g]; o[g]=a/b; }
kernel void half_conv_to_half_int(global half*o, global const int*p){ size_t g=get_global_id(0); o[g]=convert_half(p[g]);}
kernel void half_ops_neg_half2(global half* o, global const half* p0){ size_t g=get_global_id(0); half2 a=vload2(g,p0); vstore2(-a,g,o); }
kernel void half_conv_to_half_ulong(global half*o, global const ulong*p){ size_t g=get_global_id(0); o[g]=convert_half(p[g]);}
kernel void half_ops_pow_half16(global half* o, global const half* p0, global const half* p1){ size_t g=get_global_id(0); half16 a=vload16(g,p0); half16 b=vload16(g,p1); vstore16(pow(a,b),g,o); }
kernel void half_conv_to_half_short(global half*o, global const short*p){ size_t g=get_global_id(0); o[g]=convert_half(p[g]);}
kernel void half_ops_sub_half(global half* o, global const half* p0, global const half* p1){ size_t g=get_global_id(0); half a=p0[g]; half b=p1[g]; o[g]=a-b; }
kernel void half_conv_to_half_ushort16(global half*o, global const ushort*p){ size_t g=get_global_id(0); vstore16(convert_half16(vload16(g,p)),g,o);}
kernel void half_ops_cvt_uchar_half16(global uchar* o, global const half* p0){ size_t g=get_global_id(0); half16 a=vload16(g,p0); vstore16(convert_uchar16_sat(a),g,o); }
kernel void half_conv_to_half_float16(global half*o, global const float*p){ size_t g=get_global_id(0); vstore16(convert_half16(vload16(g,p)),g,o);}
kernel void half_ops_isnan_half16(global short* o, global const half* p0){ size_t g=get_global_id(0); half16 a=vload16(g,p0); vstore16(isnan(a),g,o); }
kernel void half_conv_to_half_uchar4(global half*o, global const uchar*p){ size_t g=get_global_id(0); vstore4(convert_half4(vload4(g,p)),g,o);}
kernel void half_ops_trunc_half4(global half* o, global const half* p0){ size_t g=get_global_id(0); half4 a=vload4(g,p0); vstore4(trunc(a),g,o); }
kernel void half_conv_to_half_char(global half*o, global const char*p){ size_t g=get_global_id(0); o[g]=convert_half(p[g]);}
kernel void half_ops_cvtrte_int_half(global int* o, global const half* p0){ size_t g=get_global_id(0); half a=p0[g]; o[g]=convert_int_sat_rte(a); }
kernel void half_conv_to_half_ushort(global half*o, global const ushort*p){ size_t g=get_global_id(0); o[g]=convert_half(p[g]);}
kernel void half_ops_cvt_short_half2(global short* o, global const half* p0){ size_t g=get_global_id(0); half2 a=vload2(g,p0); vstore2(convert_short2_sat(a),g,o); }
kernel void half_conv_to_half_uint16(global half*o, global const uint*p){ size_t g=get_global_id(0); vstore16(convert_half16(vload16(g,p)),g,o);}
kernel void half_ops_trunc_half2(global half* o, global const half* p0){ size_t g=get_global_id(0); half2 a=vload2(g,p0); vstore2(trunc(a),g,o); }
kernel void half_conv_to_half_ushort4(global half*o, global const ushort*p){ size_t g=get_global_id(0); vstore4(convert_half4(vload4(g,p)),g,o);}
kernel void half_ops_neg_half16(global half* o, global const half* p0){ size_t g=get_global_id(0); half16 a=vload16(g,p0); vstore16(-a,g,o); }
kernel void half_conv_to_half_char4(global half*o, global const char*p){ size_t g=get_global_id(0); vstore4(convert_half4(vload4(g,p)),g,o);}
kernel void half_ops_isnan_half8(global short* o, global const half* p0){ size_t g=get_global_id(0); half8 a=vload8(g,p0); vstore8(isnan(a),g,o); }
