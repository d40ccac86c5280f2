// Integer dot products for compilers that declare them without linking them. Products of floats go
// through the same name to the compiler's function.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#if __OPENCL_C_VERSION__ < 120
#define VISAKIT_STATIC
#else
#define VISAKIT_STATIC static
#endif
#define VISAKIT_OVERLOAD VISAKIT_STATIC __attribute__((overloadable))
#define VISAKIT_FLOATS(T) \
    VISAKIT_OVERLOAD T visakit_dot(T a, T b) { return dot(a, b); } \
    VISAKIT_OVERLOAD T visakit_dot(T##2 a, T##2 b) { return dot(a, b); } \
    VISAKIT_OVERLOAD T visakit_dot(T##3 a, T##3 b) { return dot(a, b); } \
    VISAKIT_OVERLOAD T visakit_dot(T##4 a, T##4 b) { return dot(a, b); }
VISAKIT_FLOATS(float)
VISAKIT_FLOATS(half)
#ifdef cl_khr_fp64
VISAKIT_FLOATS(double)
#endif
#define VISAKIT_DOT(A, B, R, PACKED) \
    VISAKIT_OVERLOAD R visakit_dot(A a, B b) { return (R)a.x * b.x + (R)a.y * b.y + (R)a.z * b.z + (R)a.w * b.w; } \
    VISAKIT_OVERLOAD R visakit_dot_acc_sat(A a, B b, R c) { return add_sat(visakit_dot(a, b), c); } \
    VISAKIT_STATIC R visakit_dot_4x8packed_##PACKED(uint a, uint b) { return visakit_dot(as_##A(a), as_##B(b)); } \
    VISAKIT_STATIC R visakit_dot_acc_sat_4x8packed_##PACKED(uint a, uint b, R c) { return visakit_dot_acc_sat(as_##A(a), as_##B(b), c); }
VISAKIT_DOT(uchar4, uchar4, uint, uu_uint)
VISAKIT_DOT(char4, char4, int, ss_int)
VISAKIT_DOT(uchar4, char4, int, us_int)
VISAKIT_DOT(char4, uchar4, int, su_int)
#define dot(a, b) visakit_dot(a, b)
#define dot_acc_sat(a, b, c) visakit_dot_acc_sat(a, b, c)
#define dot_4x8packed_uu_uint(a, b) visakit_dot_4x8packed_uu_uint(a, b)
#define dot_4x8packed_ss_int(a, b) visakit_dot_4x8packed_ss_int(a, b)
#define dot_4x8packed_us_int(a, b) visakit_dot_4x8packed_us_int(a, b)
#define dot_4x8packed_su_int(a, b) visakit_dot_4x8packed_su_int(a, b)
#define dot_acc_sat_4x8packed_uu_uint(a, b, c) visakit_dot_acc_sat_4x8packed_uu_uint(a, b, c)
#define dot_acc_sat_4x8packed_ss_int(a, b, c) visakit_dot_acc_sat_4x8packed_ss_int(a, b, c)
#define dot_acc_sat_4x8packed_us_int(a, b, c) visakit_dot_acc_sat_4x8packed_us_int(a, b, c)
#define dot_acc_sat_4x8packed_su_int(a, b, c) visakit_dot_acc_sat_4x8packed_su_int(a, b, c)
