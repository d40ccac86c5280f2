// options -cl-std=CL2.0
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
__attribute__((intel_reqd_sub_group_size(16))) kernel void ids(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_sub_group_local_id()+100*get_sub_group_id()+10000*get_num_sub_groups(); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void size(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_sub_group_size()+100*get_max_sub_group_size(); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void radd(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_reduce_add(x); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void rmax(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_reduce_max(x)*100+sub_group_reduce_min(x); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void sinc(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_scan_inclusive_add(x)*1000+sub_group_scan_exclusive_add(x); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void smax(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_scan_inclusive_max(x)*1000+sub_group_scan_inclusive_min(x); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void bcast(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_broadcast(x,3); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void all(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sub_group_all(x<60)+2*sub_group_any(x>48); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void shuf(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=intel_sub_group_shuffle(x,(get_sub_group_local_id()*3)%get_sub_group_size()); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void shufx(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=intel_sub_group_shuffle_xor(x,1); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void shufd(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=intel_sub_group_shuffle_down(x,x+100,2); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void shufu(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=intel_sub_group_shuffle_up(x+100,x,2); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void blk(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; uint b=intel_sub_group_block_read((global const uint*)p+get_sub_group_id()*16); intel_sub_group_block_write((global uint*)o+get_sub_group_id()*16,b+1); }
__attribute__((intel_reqd_sub_group_size(16))) kernel void barr(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; local int l[64]; l[get_local_id(0)]=x; sub_group_barrier(CLK_LOCAL_MEM_FENCE); o[g]=l[get_local_id(0)^1]; }
