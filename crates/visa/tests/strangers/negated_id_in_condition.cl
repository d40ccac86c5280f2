// A condition on a negated local id, and a function of doubles. The last five of each group compute nothing.
// only skl pvc mtl bmg ptl
// run --global 32 --local 16 --arg a=fill:f64:22:0,1 --arg n1=i32:10 --arg o=zeros:176 --expect o=fill:f64:22:1,0.5403023058681398,abs=1e-12
kernel void __attribute__((reqd_work_group_size(16, 1, 1)))
k(global double const* restrict a, int const n1, global double* restrict o) {
    int l = get_local_id(0), g = get_group_id(0);
    if (-1 * l + n1 >= 0) o[(1 + n1) * g + l] = cos(a[(1 + n1) * g + l]);
}
