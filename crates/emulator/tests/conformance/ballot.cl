// targets skl tgllp dg2
// options -cl-std=CL3.0
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

__attribute__((intel_reqd_sub_group_size(16))) kernel void bal(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; uint4 b=sub_group_ballot(x>20); o[g]=b.x; }
__attribute__((intel_reqd_sub_group_size(16))) kernel void balcnt(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; uint4 b=sub_group_ballot(x>20); o[g]=sub_group_ballot_bit_count(b)*100+sub_group_ballot_inclusive_scan(b); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void shfl(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_shuffle(x,(get_sub_group_local_id()+5)&15)*100+sub_group_shuffle_xor(x,3); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void shfr(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; uint l=get_sub_group_local_id(); int a=sub_group_shuffle_up(x,1),b=sub_group_shuffle_down(x,1); o[g]=(l>0?a:0)*100+(l<15?b:0); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void clus(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_clustered_reduce_add(x,4); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void elect(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_elect()?1:0; }
__attribute__((intel_reqd_sub_group_size(16))) kernel void nured(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int r=0; if(x&1) r=sub_group_non_uniform_reduce_add(x); o[g]=r; }
__attribute__((intel_reqd_sub_group_size(16))) kernel void nuscan(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int r=0; if(x&1) r=sub_group_non_uniform_scan_inclusive_max(x); o[g]=r; }
__attribute__((intel_reqd_sub_group_size(16))) kernel void mulred(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_non_uniform_reduce_mul(x%5+1)+sub_group_non_uniform_reduce_xor(x); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void bc(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_non_uniform_broadcast(x,2)+sub_group_broadcast_first(x)*100; }
