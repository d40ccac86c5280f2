// options -cl-intel-use-bindless-buffers
// targets pvc
kernel void bindless_moves(global const uint*p, global uint*o, global uchar*c, global ulong*l){ size_t g=get_global_id(0); uint x=p[g]; o[g]=x*3u; c[g]=(uchar)(x>>7); l[g]+=x; }
kernel void bindless_vectors(global const uint4*p, global uint4*o, global const ushort*s){ size_t g=get_global_id(0); o[g]=p[g].wzyx+convert_uint4(vload4(g,s)); }
kernel void bindless_outside(global const uint*p, global uint*o, uint far){ size_t g=get_global_id(0); o[g]=p[g+far]+1u; o[g+far]=7u; }
