// options -cl-std=CL2.0
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
global int counter=5; global int gbuf[16]={1,2,3}; global int* gp=&gbuf[3]; global float gf=1.5f;
constant int* constant ptrs[2]={0,0};
int gsum(const int*p,int n){ int s=0; for(int i=0;i<n;i++) s+=p[i]; return s; }
kernel void progvar(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=x+counter+gbuf[g&15]+(int)(gf*2)+gp[0]; }
kernel void genlocal(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; local int l[16]; l[get_local_id(0)]=x; barrier(CLK_LOCAL_MEM_FENCE); int t[4]={1,2,3,x}; int*q; if(x>25) q=l; else q=t; o[g]=q[3]; }
kernel void wgall(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=work_group_all(x<60)+2*work_group_any(x==p[0]); }
kernel void wgscan(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=work_group_scan_inclusive_add(x)*1000+work_group_scan_exclusive_add(x); }
