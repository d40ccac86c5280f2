#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void atomic_float_fxchg(global float*o, global const float*p){ size_t g=get_global_id(0); o[64+g]=atomic_xchg(o+g,p[g]); }
kernel void atomic_int_cmpxchg_local(global int*o, global const int*p, local int*l){ size_t g=get_global_id(0); local int*q=l+g; *q=o[g]; int old=atomic_cmpxchg(q,p[g],(int)77); o[64+g]=old; o[g]=*q; }
kernel void atomic_long_atom_cmpxchg_ret(global long*o, global const long*p){ size_t g=get_global_id(0); o[16+g]=atom_cmpxchg(o+g,p[g],(long)99); }
kernel void atomic_uint_atomic_inc_global_ret(global uint*o, global const uint*p){ uint x=p[0]; o[1]=atomic_inc(o); }
kernel void atomic_ulong_atom_cmpxchg_ret(global ulong*o, global const ulong*p){ size_t g=get_global_id(0); o[16+g]=atom_cmpxchg(o+g,p[g],(ulong)99); }
kernel void atomic_int_atomic_add_local(global int*o, global const int*p, local int*l){ size_t g=get_global_id(0),i=get_local_id(0); int x=p[g]; if(i<4) l[i]=o[i]; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(l+(i&3),x); barrier(CLK_LOCAL_MEM_FENCE); if(i<4) o[get_group_id(0)*4+i+4]=l[i]; }
kernel void atomic_long_atom_add_global(global long*o, global const long*p){ size_t g=get_global_id(0); atom_add(o+(g&3),p[g]); }
kernel void atomic_uint_atomic_xor_global(global uint*o, global const uint*p){ size_t g=get_global_id(0); uint x=p[g]; atomic_xor(o+(g&3),x); }
kernel void atomic_ulong_atom_or_global(global ulong*o, global const ulong*p){ size_t g=get_global_id(0); atom_or(o+(g&3),p[g]); }
kernel void atomic_int_atomic_sub_local(global int*o, global const int*p, local int*l){ size_t g=get_global_id(0),i=get_local_id(0); int x=p[g]; if(i<4) l[i]=o[i]; barrier(CLK_LOCAL_MEM_FENCE); atomic_sub(l+(i&3),x); barrier(CLK_LOCAL_MEM_FENCE); if(i<4) o[get_group_id(0)*4+i+4]=l[i]; }
kernel void atomic_long_atom_sub_ret(global long*o, global const long*p){ size_t g=get_global_id(0); o[16+g]=atom_sub(o+g,p[g]); }
kernel void atomic_uint_atomic_or_local_ret(global uint*o, global const uint*p, local uint*l){ uint x=p[0]; l[0]=o[0]; o[1]=atomic_or(l,x); o[0]=l[0];}
kernel void atomic_ulong_atom_xor_ret(global ulong*o, global const ulong*p){ size_t g=get_global_id(0); o[16+g]=atom_xor(o+g,p[g]); }
kernel void atomic_int_atomic_add_global(global int*o, global const int*p){ size_t g=get_global_id(0); int x=p[g]; atomic_add(o+(g&3),x); }
kernel void atomic_long_atom_dec_global(global long*o, global const long*p){ size_t g=get_global_id(0); atom_dec(o+(g&3)); }
kernel void atomic_uint_atomic_inc_local_ret(global uint*o, global const uint*p, local uint*l){ uint x=p[0]; l[0]=o[0]; o[1]=atomic_inc(l); o[0]=l[0];}
kernel void atomic_ulong_atom_and_ret(global ulong*o, global const ulong*p){ size_t g=get_global_id(0); o[16+g]=atom_and(o+g,p[g]); }
kernel void atomic_int_atomic_xchg_global(global int*o, global const int*p){ size_t g=get_global_id(0); int x=p[g]; int y=atomic_xchg(o+g,x); o[64+g]=y; }
kernel void atomic_long_atom_min_global(global long*o, global const long*p){ size_t g=get_global_id(0); atom_min(o+(g&3),p[g]); }
kernel void atomic_uint_atomic_sub_local_ret(global uint*o, global const uint*p, local uint*l){ uint x=p[0]; l[0]=o[0]; o[1]=atomic_sub(l,x); o[0]=l[0];}
kernel void atomic_ulong_atom_max_ret(global ulong*o, global const ulong*p){ size_t g=get_global_id(0); o[16+g]=atom_max(o+g,p[g]); }
kernel void atomic_int_atomic_max_global(global int*o, global const int*p){ size_t g=get_global_id(0); int x=p[g]; atomic_max(o+(g&3),x); }
kernel void atomic_long_atom_add_ret(global long*o, global const long*p){ size_t g=get_global_id(0); o[16+g]=atom_add(o+g,p[g]); }
kernel void atomic_uint_atomic_max_global_ret(global uint*o, global const uint*p){ uint x=p[0]; o[1]=atomic_max(o,x); }
kernel void atomic_ulong_atom_sub_ret(global ulong*o, global const ulong*p){ size_t g=get_global_id(0); o[16+g]=atom_sub(o+g,p[g]); }
kernel void atomic_int_atomic_xchg_local(global int*o, global const int*p, local int*l){ size_t g=get_global_id(0),i=get_local_id(0); int x=p[g]; if(i<4) l[i]=o[i]; barrier(CLK_LOCAL_MEM_FENCE); if(i<4) atomic_xchg(l+i,x); barrier(CLK_LOCAL_MEM_FENCE); if(i<4) o[get_group_id(0)*4+i+4]=l[i]; }
kernel void atomic_long_atom_or_global(global long*o, global const long*p){ size_t g=get_global_id(0); atom_or(o+(g&3),p[g]); }
kernel void atomic_uint_old_names(global uint*o, global const uint*p){ size_t g=get_global_id(0); atom_add(o,p[g]); atom_inc(o+1); atom_max(o+2,p[g]); atom_xor(o+3,p[g]); }
kernel void atomic_ulong_atom_min_ret(global ulong*o, global const ulong*p){ size_t g=get_global_id(0); o[16+g]=atom_min(o+g,p[g]); }
kernel void atomic_int_atomic_inc_global(global int*o, global const int*p){ size_t g=get_global_id(0); int x=p[g]; atomic_inc(o+(g&3)); }
kernel void atomic_long_atom_dec_ret(global long*o, global const long*p){ size_t g=get_global_id(0); o[16+g]=atom_dec(o+g); }
kernel void atomic_uint_atomic_max_local_ret(global uint*o, global const uint*p, local uint*l){ uint x=p[0]; l[0]=o[0]; o[1]=atomic_max(l,x); o[0]=l[0];}
kernel void atomic_ulong_atom_dec_global(global ulong*o, global const ulong*p){ size_t g=get_global_id(0); atom_dec(o+(g&3)); }
kernel void atomic_int_old_names(global int*o, global const int*p){ size_t g=get_global_id(0); atom_add(o,p[g]); atom_inc(o+1); atom_max(o+2,p[g]); atom_xor(o+3,p[g]); }
kernel void atomic_long_atom_xor_global(global long*o, global const long*p){ size_t g=get_global_id(0); atom_xor(o+(g&3),p[g]); }
kernel void atomic_uint_atomic_add_global(global uint*o, global const uint*p){ size_t g=get_global_id(0); uint x=p[g]; atomic_add(o+(g&3),x); }
kernel void atomic_ulong_atom_dec_ret(global ulong*o, global const ulong*p){ size_t g=get_global_id(0); o[16+g]=atom_dec(o+g); }
kernel void atomic_int_atomic_xor_global_ret(global int*o, global const int*p){ int x=p[0]; o[1]=atomic_xor(o,x); }
kernel void atomic_long_atom_xor_ret(global long*o, global const long*p){ size_t g=get_global_id(0); o[16+g]=atom_xor(o+g,p[g]); }
kernel void atomic_uint_atomic_dec_local(global uint*o, global const uint*p, local uint*l){ size_t g=get_global_id(0),i=get_local_id(0); uint x=p[g]; if(i<4) l[i]=o[i]; barrier(CLK_LOCAL_MEM_FENCE); atomic_dec(l+(i&3)); barrier(CLK_LOCAL_MEM_FENCE); if(i<4) o[get_group_id(0)*4+i+4]=l[i]; }
