// targets dg2 pvc
// options -cl-std=CL2.0
// Matrix products through the vendor's built-in functions, with one row and with eight. Expectations are computed by builtins.py.
#ifdef TARGET_PVC
#define SIZE 16
#define ROW short
#define ROWS short8
#define CALL(name) __builtin_IB_sub_group16_##name
#define FLOATS(name) fdpas_f_f_##name##_8_8
#else
#define SIZE 8
#define ROW int
#define ROWS int8
#define CALL(name) __builtin_IB_sub_group_##name
#define FLOATS(name) fdpas_##name##_8_8
#endif
#define EXPAND(name) CALL(name)
#define GROUP __attribute__((intel_reqd_sub_group_size(SIZE)))

// A has 8 rows of 32 bytes, distributed over the channels of a subgroup; each channel has one column of B and C.
ROWS rows_of(global ROW *a)
{
  ROWS rows;
  for (int m = 0; m < 8; m++)
    rows[m] = a[m * SIZE + get_sub_group_local_id()];
  return rows;
}
int CALL(idpas_s8_s8_8_1)(int, ROW, int8) __attribute__((const));
GROUP kernel void bytes1(global int *c, global ROW *a, global int8 *b)
{
  int i = get_global_id(0);
  c[i] = CALL(idpas_s8_s8_8_1)(c[i], a[get_sub_group_local_id()], b[i]);
}
#define MATRIX(kernel_name, name, type) \
  type EXPAND(name)(type, ROWS, int8) __attribute__((const)); \
  GROUP kernel void kernel_name(global type *c, global ROW *a, global int8 *b) \
  { int i = get_global_id(0); c[i] = EXPAND(name)(c[i], rows_of(a), b[i]); }
MATRIX(unsigned8, idpas_u8_u8_8_8, int8)
MATRIX(mixed8, idpas_u8_s8_8_8, int8)
MATRIX(mixed4, idpas_s8_u4_8_8, int8)
MATRIX(halves, FLOATS(hf_hf), float8)
MATRIX(brains, FLOATS(bf_bf), float8)
