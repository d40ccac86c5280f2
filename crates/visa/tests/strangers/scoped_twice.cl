// Two blocks of inline vISA with a local of one name, each in its own braces.
// run --global 16 --local 16 --arg o=zeros:64 --arg a=range:i32:16 --arg b=range:i32:16:3 --expect o=fill:i32:16:2,7,24,59,118,207,332,499,714,983,1312,1707,2174,2719,3348,4067
__attribute__((intel_reqd_sub_group_size(16)))
kernel void k(global int* o, global const int* a, global const int* b) {
    int i = get_global_id(0), d = b[i];
    __asm__ volatile("{\n.decl t v_type=G type=d num_elts=16 align=GRF\n"
                     "mul (M1,16) t(0,0)<1> %1(0,0)<1;1,0> %0(0,0)<1;1,0>\n"
                     "add (M1,16) %0(0,0)<1> t(0,0)<1;1,0> 0x1:d\n}\n" : "+rw"(d) : "rw"(a[i]));
    __asm__ volatile("{\n.decl t v_type=G type=d num_elts=16 align=GRF\n"
                     "mul (M1,16) t(0,0)<1> %1(0,0)<1;1,0> %0(0,0)<1;1,0>\n"
                     "add (M1,16) %0(0,0)<1> t(0,0)<1;1,0> 0x2:d\n}\n" : "+rw"(d) : "rw"(a[i]));
    o[i] = d;
}
