// Kernels whose output depends on the order of groups.
kernel void append(global const uint*p, global uint*count, global uint*o){ uint x=p[get_global_id(0)]; if(x&1) o[atomic_inc(count)]=x; }
kernel void sum(global const float*p, volatile global uint*o){ float x=p[get_global_id(0)]; uint old,new; do { old=*o; new=as_uint(as_float(old)+x); } while(atomic_cmpxchg(o,old,new)!=old); }
kernel void say(global const uint*p){ if(get_local_id(0)==0) printf("group %u has %u\n",(uint)get_group_id(0),p[get_global_id(0)]); }
