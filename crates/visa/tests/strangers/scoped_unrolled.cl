// One block of inline vISA with a local, in a loop that the compiler unrolls.
// run --global 16 --local 16 --arg o=zeros:64 --arg a=range:i32:19 --expect o=range:i32:16:6:5
__attribute__((intel_reqd_sub_group_size(16)))
kernel void k(global int* o, global const int* a) {
    int i = get_global_id(0), d = a[i];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        __asm__ volatile("{\n.decl t v_type=G type=d num_elts=16 align=GRF\n"
                         "add (M1,16) t(0,0)<1> %0(0,0)<1;1,0> %1(0,0)<1;1,0>\n"
                         "mov (M1,16) %0(0,0)<1> t(0,0)<1;1,0>\n}\n" : "+rw"(d) : "rw"(a[i + j]));
    o[i] = d;
}
