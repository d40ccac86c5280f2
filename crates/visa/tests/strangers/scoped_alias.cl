// Two blocks of inline vISA whose locals have the same names and are aliases of other variables.
// run --global 16 --local 16 --arg o=zeros:128 --arg a=range:u32:32:65536:65537 --expect o=fill:u32:32:1,2228256,2,2359330,3,2490404,4,2621478,5,2752552,6,2883626,7,3014700,8,3145774,9,3276848,10,3407922,11,3538996,12,3670070,13,3801144,14,3932218,15,4063292,16,4194366,type=u32
__attribute__((intel_reqd_sub_group_size(16)))
kernel void k(global uint* o, global const uint* a) {
    int i = get_global_id(0);
    uint x = a[i], y = a[i + 16], u = 0, v = 0;
    __asm__("{\n.decl IN_UD v_type=G type=UD num_elts=16 alias=<%1,0>\n.decl OUT_UD v_type=G type=UD num_elts=16 alias=<%0,0>\n"
            "shr (M1_NM,16) OUT_UD(0,0)<1> IN_UD(0,0)<1;1,0> 0x10:uw\n}\n" : "=rw"(u) : "rw"(x));
    __asm__("{\n.decl IN_UD v_type=G type=UD num_elts=16 alias=<%1,0>\n.decl OUT_UD v_type=G type=UD num_elts=16 alias=<%0,0>\n"
            "shl (M1_NM,16) OUT_UD(0,0)<1> IN_UD(0,0)<1;1,0> 0x1:uw\n}\n" : "=rw"(v) : "rw"(y));
    o[2 * i] = u;
    o[2 * i + 1] = v;
}
