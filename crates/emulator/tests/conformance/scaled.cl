// targets cri
// options -cl-std=CL3.0
// Matrix products with a scale for each 32 inner elements of a row and a column. Expectations are computed by builtins.py.
#define PRODUCT(name, a_type, inner, scale, type) \
  __attribute__((overloadable)) type intel_sub_group_##name##_scaled_matrix_mad_k##inner(a_type, int8, type, scale, scale); \
  __attribute__((intel_reqd_sub_group_size(16))) kernel void name(global type *c, global a_type *a, global int8 *b, global scale *rows, global scale *columns) \
  { int i = get_global_id(0); c[i] = intel_sub_group_##name##_scaled_matrix_mad_k##inner(a[i], b[i], c[i], rows[i], columns[i]); }
PRODUCT(bf16_bf16, short8, 16, uchar, float8)
PRODUCT(f16_f16, short8, 16, uchar, float8)
PRODUCT(bf8_hf8, short8, 32, uchar, float8)
PRODUCT(hf8_bf8, short8, 32, uchar, float8)
PRODUCT(e2m1_e2m1, short8, 64, uchar2, float8)
