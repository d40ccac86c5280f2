// options -cl-opt-disable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
typedef struct { int a; float b; char c[3]; short d; } S;
typedef struct { S s[2]; long l; uchar4 v; } T;
typedef union { float f; uint u; uchar b[4]; } U;
constant int tab[8]={3,1,4,1,5,9,2,6};
constant float ftab[4]={0.5f,1.25f,-2.0f,8.0f};
constant char str[]="hello world";
int fib(int n){ int a=0,b=1; for(int i=0;i<n;i++){int t=a+b;a=b;b=t;} return a; }
__attribute__((noinline)) int helper(int x, global const int*p){ return x*p[x&7]+1; }
int gcd(int a,int b){ while(b){int t=a%b;a=b;b=t;} return a; }
void swap(int*a,int*b){int t=*a;*a=*b;*b=t;}
S make(int i){ S s; s.a=i; s.b=i*0.5f; s.c[0]=i;s.c[1]=i+1;s.c[2]=i+2; s.d=-i; return s; }
enum E { A=1, B=5, C };
#define SQ(x) ((x)*(x))
kernel void lang_O0_comp_float2(global float*o, global const float*p){ int g=get_global_id(0); float2 v=vload2(g,p); float2 r=(float2)(v.s1); r.s1=v.s0; r.s0+=v.s1; vstore2(r,g,o); }
kernel void localmem_O0_scan(global int*o, global const int*p, local int*l){ int i=get_local_id(0),n=get_local_size(0); l[i]=p[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); for(int d=1;d<n;d*=2){ int v=i>=d?l[i-d]:0; barrier(CLK_LOCAL_MEM_FENCE); l[i]+=v; barrier(CLK_LOCAL_MEM_FENCE); } o[get_global_id(0)]=l[i]; }
kernel void lang_O0_swapk(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int y=p[63-g]; swap(&x,&y); o[g]=x*100+y; }
kernel void localmem_O0_rev_int(global int*o, global const int*p, local int*l){ int i=get_local_id(0),g=get_global_id(0),n=get_local_size(0); l[i]=p[g]; barrier(CLK_LOCAL_MEM_FENCE); o[g]=l[n-1-i]; }
kernel void lang_O0_shifts(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=(x<<(x&7))+(x>>(x&3))+((uint)(-x)>>(x&15))+(-x>>2); }
kernel void localmem_O0_asyncs_char(global char*o, global const char*p, local char*l){ size_t n=get_local_size(0); event_t e=async_work_group_strided_copy(l,p+get_group_id(0),n,4,0); wait_group_events(1,&e); e=async_work_group_strided_copy(o+get_group_id(0),(const local char*)l,n,4,0); wait_group_events(1,&e); prefetch(p,4); }
kernel void lang_O0_comp_short4(global short*o, global const short*p){ int g=get_global_id(0); short4 v=vload4(g,p); short4 r=(short4)(v.s3); r.s1=v.s0; r.s0+=v.s2; vstore4(r,g,o); }
kernel void localmem_O0_async_long(global long*o, global const long*p, local long*l){ size_t n=get_local_size(0),b=get_group_id(0)*n; event_t e=async_work_group_copy(l,p+b,n,0); wait_group_events(1,&e); l[get_local_id(0)]+=(long)(1); barrier(CLK_LOCAL_MEM_FENCE); e=async_work_group_copy(o+b,l,n,0); wait_group_events(1,&e); }
kernel void lang_O0_ptrstruct(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; global const S*q=(global const S*)p; o[g]=q[g%5].a+q[g%5].d; }
kernel void localmem_O0_asyncs_int4(global int4*o, global const int4*p, local int4*l){ size_t n=get_local_size(0); event_t e=async_work_group_strided_copy(l,p+get_group_id(0),n,4,0); wait_group_events(1,&e); e=async_work_group_strided_copy(o+get_group_id(0),(const local int4*)l,n,4,0); wait_group_events(1,&e); prefetch(p,4); }
kernel void lang_O0_structarg(global int*o, global const int*p, S s){ int g=get_global_id(0); int x=p[g]; o[g]=x+s.a+(int)s.b+s.c[1]+s.d; }
kernel void localmem_O0_asyncs_uchar16(global uchar16*o, global const uchar16*p, local uchar16*l){ size_t n=get_local_size(0); event_t e=async_work_group_strided_copy(l,p+get_group_id(0),n,4,0); wait_group_events(1,&e); e=async_work_group_strided_copy(o+get_group_id(0),(const local uchar16*)l,n,4,0); wait_group_events(1,&e); prefetch(p,4); }
kernel void lang_O0_manyargs(global int*o, global const int*p, uchar a, ushort b, uint c, ulong d, char e, short h, char2 i, float3 j, float k0){ int g=get_global_id(0); int x=p[g]; o[g]=a+b*2+c*3+d*4+e*5+h*6+i.x+i.y+j.z+(int)k0; }
kernel void localmem_O0_rev_char(global char*o, global const char*p, local char*l){ int i=get_local_id(0),g=get_global_id(0),n=get_local_size(0); l[i]=p[g]; barrier(CLK_LOCAL_MEM_FENCE); o[g]=l[n-1-i]; }
kernel void lang_O0_gcdk(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=gcd(x+1,p[(g+5)&63]+1); }
kernel void localmem_O0_stat_int4(global int4*o, global const int4*p){ local int4 l[32]; int i=get_local_id(0),g=get_global_id(0); l[i*2%32]=p[g]; barrier(CLK_LOCAL_MEM_FENCE); o[g]=l[(i*2+2)%32]; }
kernel void lang_O0_vec3k(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int3 a=(int3)(x,2,3); int3 b=a.zyx*2; o[g]=b.x+b.y*10+b.z*100; }
kernel void localmem_O0_bitonic(global int*o, global const int*p, local int*l){ int i=get_local_id(0),n=get_local_size(0); l[i]=p[get_global_id(0)]; for(int k=2;k<=n;k*=2) for(int j=k/2;j>0;j/=2){ barrier(CLK_LOCAL_MEM_FENCE); int x=i^j; if(x>i){ bool up=(i&k)==0; if((l[i]>l[x])==up){int t=l[i];l[i]=l[x];l[x]=t;} } } barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0)]=l[i]; }
kernel void lang_O0_varg_short2(global short*o, short2 v, int n){ int g=get_global_id(0); vstore2(v+(short)(g*n),g,o); }
kernel void localmem_O0_hist(global int*o, global const int*p){ local int h[16]; int i=get_local_id(0); if(i<16) h[i]=0; barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(h+(p[get_global_id(0)]&15)); barrier(CLK_LOCAL_MEM_FENCE); if(i<16) atomic_add(o+i,h[i]); }
kernel void lang_O0_comp_double16(global double*o, global const double*p){ int g=get_global_id(0); double16 v=vload16(g,p); double16 r=(double16)(v.sf); r.s1=v.s0; r.s0+=v.s8; vstore16(r,g,o); }
kernel void localmem_O0_stat_float(global float*o, global const float*p){ local float l[32]; int i=get_local_id(0),g=get_global_id(0); l[i*2%32]=p[g]; barrier(CLK_LOCAL_MEM_FENCE); o[g]=l[(i*2+2)%32]; }
kernel void lang_O0_structk(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; S s=make(x); S t=s; t.a+=1; o[g]=s.a+t.a+(int)s.b+s.c[x%3]+s.d; }
kernel void localmem_O0_async_int(global int*o, global const int*p, local int*l){ size_t n=get_local_size(0),b=get_group_id(0)*n; event_t e=async_work_group_copy(l,p+b,n,0); wait_group_events(1,&e); l[get_local_id(0)]+=(int)(1); barrier(CLK_LOCAL_MEM_FENCE); e=async_work_group_copy(o+b,l,n,0); wait_group_events(1,&e); }
