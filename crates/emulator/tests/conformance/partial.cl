// options -cl-std=CL2.0
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

 kernel void part_50_16(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_local_id(0)+get_local_size(0)*100+get_enqueued_local_size(0)*10000+get_num_groups(0)*1000000; }
 kernel void partbar_50_16(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; local int l[64]; l[get_local_id(0)]=x; barrier(CLK_LOCAL_MEM_FENCE); o[g]=l[get_local_size(0)-1-get_local_id(0)]; }
 kernel void partred_50_16(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=work_group_reduce_add(x); }
 kernel void partsub_50_16(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_sub_group_size()*0+sub_group_reduce_add(x)*0+x; }
 kernel void part_33_32(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_local_id(0)+get_local_size(0)*100+get_enqueued_local_size(0)*10000+get_num_groups(0)*1000000; }
 kernel void partbar_33_32(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; local int l[64]; l[get_local_id(0)]=x; barrier(CLK_LOCAL_MEM_FENCE); o[g]=l[get_local_size(0)-1-get_local_id(0)]; }
 kernel void partred_33_32(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=work_group_reduce_add(x); }
 kernel void partsub_33_32(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_sub_group_size()*0+sub_group_reduce_add(x)*0+x; }
 kernel void part_7_4(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_local_id(0)+get_local_size(0)*100+get_enqueued_local_size(0)*10000+get_num_groups(0)*1000000; }
 kernel void partbar_7_4(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; local int l[64]; l[get_local_id(0)]=x; barrier(CLK_LOCAL_MEM_FENCE); o[g]=l[get_local_size(0)-1-get_local_id(0)]; }
 kernel void partred_7_4(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=work_group_reduce_add(x); }
 kernel void partsub_7_4(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_sub_group_size()*0+sub_group_reduce_add(x)*0+x; }
 kernel void part_64_48(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_local_id(0)+get_local_size(0)*100+get_enqueued_local_size(0)*10000+get_num_groups(0)*1000000; }
 kernel void partbar_64_48(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; local int l[64]; l[get_local_id(0)]=x; barrier(CLK_LOCAL_MEM_FENCE); o[g]=l[get_local_size(0)-1-get_local_id(0)]; }
 kernel void partred_64_48(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=work_group_reduce_add(x); }
 kernel void partsub_64_48(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_sub_group_size()*0+sub_group_reduce_add(x)*0+x; }
 kernel void part_17_16(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_local_id(0)+get_local_size(0)*100+get_enqueued_local_size(0)*10000+get_num_groups(0)*1000000; }
 kernel void partbar_17_16(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; local int l[64]; l[get_local_id(0)]=x; barrier(CLK_LOCAL_MEM_FENCE); o[g]=l[get_local_size(0)-1-get_local_id(0)]; }
 kernel void partred_17_16(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=work_group_reduce_add(x); }
 kernel void partsub_17_16(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=get_sub_group_size()*0+sub_group_reduce_add(x)*0+x; }
