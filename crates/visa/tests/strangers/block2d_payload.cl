// A block of two dimensions by an address payload: eight rows of sixteen shorts are copied.
// only pvc bmg ptl
// where it compiles
// run --global 16 --local 16 --arg a=range:i16:128 --arg o=zeros:256 --arg w=i32:16 --expect o=range:i16:128
__attribute__((intel_reqd_sub_group_size(16)))
kernel void k(global short* a, global short* o, int w) {
    ulong b = (ulong)a;
    uint16 p = (uint16)((uint)b, (uint)(b >> 32), w * 2 - 1, 7, w * 2 - 1, 0, 0, 0x070F, 0, 0, 0, 0, 0, 0, 0, 0);
    short8 d;
    __asm__("lsc_load_block2d.ugm (M1, 1) %0:d16.16x8nn flat[%1+(0,0)]" : "=rw"(d) : "rw.u"(p));
    int l = get_sub_group_local_id();
    for (int i = 0; i < 8; i++) o[i * 16 + l] = d[i];
}
