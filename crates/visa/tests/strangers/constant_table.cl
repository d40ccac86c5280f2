// A table of constants, which compilers pass as a surface.
// run --global 16 --local 16 --arg dag=zeros:4 --arg mask=u32:3 --arg o=zeros:128 --expect o=fill:u32:32:1,2,3,4,5,6,7,8
constant uint2 table[4] = {(uint2)(1, 2), (uint2)(3, 4), (uint2)(5, 6), (uint2)(7, 8)};
kernel void k(global const uint* dag, uint mask, global uint2* o) {
    int g = get_global_id(0);
    o[g] = table[g & mask];
}
