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
kernel void constidx(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int s=0; for(int i=0;i<8;i++) s+=tab[(x+i)&7]*i; o[g]=s; }
kernel void switch1(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; switch(x%7){ case 0:o[g]=5;break; case 1:o[g]=x; case 2:o[g]+=3;break; case 3: case 4:o[g]=x*x;break; case 5: o[g]=-1;break; default:o[g]=9; } }
kernel void nested(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int s=0; for(int i=0;i<x;i++){ for(int j=0;j<i;j++){ if((i^j)&1) continue; s+=j; if(s>500) goto out; } } out: o[g]=s; }
kernel void privarr2(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int a[8][4]; for(int i=0;i<8;i++) for(int j=0;j<4;j++) a[i][j]=x+i*j; o[g]=a[x&7][x&3]+a[(x>>2)&7][(x+1)&3]; }
kernel void varg_short2(global short*o, short2 v, int n){ int g=get_global_id(0); vstore2(v+(short)(g*n),g,o); }
kernel void varg_int4(global int*o, int4 v, int n){ int g=get_global_id(0); vstore4(v+(int)(g*n),g,o); }
kernel void ifelse(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; if(x>30) o[g]=x*2; else if(x>10) o[g]=x+100; else o[g]=-x; }
kernel void swizzle(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int4 v=(int4)(x,x+1,x+2,x+3); int4 w=v.wzyx; v.xz=w.yw; v.lo+=v.hi; w.even=v.odd; o[g]=v.x+v.y*3+v.z*5+v.w*7+w.s0*11+w.s2*13; }
kernel void varg_char16(global char*o, char16 v, int n){ int g=get_global_id(0); vstore16(v+(char)(g*n),g,o); }
kernel void varg_float8(global float*o, float8 v, int n){ int g=get_global_id(0); vstore8(v+(float)(g*n),g,o); }
kernel void union1(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; U u; u.f=x*1.5f; o[g]=u.u^u.b[3];  }
kernel void comp_double2(global double*o, global const double*p){ int g=get_global_id(0); double2 v=vload2(g,p); double2 r=(double2)(v.s1); r.s1=v.s0; r.s0+=v.s1; vstore2(r,g,o); }
kernel void varg_int8(global int*o, int8 v, int n){ int g=get_global_id(0); vstore8(v+(int)(g*n),g,o); }
kernel void vecidx(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int8 v=(int8)(1,2,3,4,5,6,7,x); int s=0; for(int i=0;i<8;i++) s=s*2+((int*)&v)[(i+x)&7]; o[g]=s; }
kernel void varg_char8(global char*o, char8 v, int n){ int g=get_global_id(0); vstore8(v+(char)(g*n),g,o); }
kernel void comp_double8(global double*o, global const double*p){ int g=get_global_id(0); double8 v=vload8(g,p); double8 r=(double8)(v.s7); r.s1=v.s0; r.s0+=v.s4; vstore8(r,g,o); }
kernel void comp_int4(global int*o, global const int*p){ int g=get_global_id(0); int4 v=vload4(g,p); int4 r=(int4)(v.s3); r.s1=v.s0; r.s0+=v.s2; vstore4(r,g,o); }
kernel void sincosl(global float*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=(x&1)?1.0f:2.0f; o[g]*=x; }
kernel void bools(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; bool a=x>20,b=x&1; bool c=a&&!b||x==7; o[g]=c+2*a+4*(a^b); }
kernel void varg_double16(global double*o, double16 v, int n){ int g=get_global_id(0); vstore16(v+(double)(g*n),g,o); }
kernel void comp_short4(global short*o, global const short*p){ int g=get_global_id(0); short4 v=vload4(g,p); short4 r=(short4)(v.s3); r.s1=v.s0; r.s0+=v.s2; vstore4(r,g,o); }
kernel void varg_long3(global long*o, long3 v, int n){ int g=get_global_id(0); vstore3(v+(long)(g*n),g,o); }
kernel void comp_long3(global long*o, global const long*p){ int g=get_global_id(0); long3 v=vload3(g,p); long3 r=(long3)(v.s2); r.s1=v.s0; r.s0+=v.s1; vstore3(r,g,o); }
kernel void divergebar(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; local int l[8]; l[get_local_id(0)]=x; barrier(CLK_LOCAL_MEM_FENCE); int s=0; if(x&1){ for(int i=0;i<8;i++) s+=l[i]; } else s=l[7-get_local_id(0)]; o[g]=s; }
kernel void privvec(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int4 a[6]; for(int i=0;i<6;i++) a[i]=(int4)(x,i,x+i,x*i); int4 r=a[x%6]; o[g]=r.x+r.y*3+r.z*5+r.w*7; }
kernel void nestedstruct(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; T t; t.s[0]=make(x); t.s[1]=make(x*2); t.l=(long)x<<33; t.v=(uchar4)(1,2,3,x); o[g]=t.s[x&1].a+(int)(t.l>>30)+t.v.w+t.s[1].c[2]; }
kernel void privarr(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int a[16]; for(int i=0;i<16;i++) a[i]=x*i; a[x&15]=7; int s=0; for(int i=0;i<16;i++) s=s*3+a[(i*5)&15]; o[g]=s; }
kernel void varg_int16(global int*o, int16 v, int n){ int g=get_global_id(0); vstore16(v+(int)(g*n),g,o); }
kernel void fibk(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=fib(x%30); }
kernel void comp_float2(global float*o, global const float*p){ int g=get_global_id(0); float2 v=vload2(g,p); float2 r=(float2)(v.s1); r.s1=v.s0; r.s0+=v.s1; vstore2(r,g,o); }
kernel void comp_char2(global char*o, global const char*p){ int g=get_global_id(0); char2 v=vload2(g,p); char2 r=(char2)(v.s1); r.s1=v.s0; r.s0+=v.s1; vstore2(r,g,o); }
kernel void divs(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int y=p[63-g]+1; o[g]=x/y+(-x)/y*3+x%y+(-x)%y*5+(int)((uint)(-x)/(uint)y)+(int)((uint)(-x)%(uint)y); }
kernel void comp_double16(global double*o, global const double*p){ int g=get_global_id(0); double16 v=vload16(g,p); double16 r=(double16)(v.sf); r.s1=v.s0; r.s0+=v.s8; vstore16(r,g,o); }
kernel void structarr(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; S a[4]; for(int i=0;i<4;i++) a[i]=make(x+i); int s=0; for(int i=0;i<4;i++) s+=a[(x+i)&3].c[i%3]*a[i].d; o[g]=s; }
kernel void varg_int3(global int*o, int3 v, int n){ int g=get_global_id(0); vstore3(v+(int)(g*n),g,o); }
kernel void shadow(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int s=x; { int s=5; x+=s; } for(int s=0;s<3;s++) x+=s; o[g]=x*100+s; }
kernel void comp_float4(global float*o, global const float*p){ int g=get_global_id(0); float4 v=vload4(g,p); float4 r=(float4)(v.s3); r.s1=v.s0; r.s0+=v.s2; vstore4(r,g,o); }
kernel void chars(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; char a=x*5; uchar b=x*9; short c=a*b; ushort d=c; o[g]=a+b+c+d; }
kernel void sizes(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=sizeof(S)+100*sizeof(T)+10000*sizeof(U)+sizeof(int3); }
kernel void call(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=helper(x,p)+helper(x+1,p); }
kernel void gcdk(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=gcd(x+1,p[(g+5)&63]+1); }
kernel void comp_float3(global float*o, global const float*p){ int g=get_global_id(0); float3 v=vload3(g,p); float3 r=(float3)(v.s2); r.s1=v.s0; r.s0+=v.s1; vstore3(r,g,o); }
kernel void swapk(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int y=p[63-g]; swap(&x,&y); o[g]=x*100+y; }
kernel void comp_int16(global int*o, global const int*p){ int g=get_global_id(0); int16 v=vload16(g,p); int16 r=(int16)(v.sf); r.s1=v.s0; r.s0+=v.s8; vstore16(r,g,o); }
kernel void comp_char8(global char*o, global const char*p){ int g=get_global_id(0); char8 v=vload8(g,p); char8 r=(char8)(v.s7); r.s1=v.s0; r.s0+=v.s4; vstore8(r,g,o); }
kernel void comp_char3(global char*o, global const char*p){ int g=get_global_id(0); char3 v=vload3(g,p); char3 r=(char3)(v.s2); r.s1=v.s0; r.s0+=v.s1; vstore3(r,g,o); }
kernel void manyargs(global int*o, global const int*p, uchar a, ushort b, uint c, ulong d, char e, short h, char2 i, float3 j, float k0){ int g=get_global_id(0); int x=p[g]; o[g]=a+b*2+c*3+d*4+e*5+h*6+i.x+i.y+j.z+(int)k0; }
kernel void comp_int2(global int*o, global const int*p){ int g=get_global_id(0); int2 v=vload2(g,p); int2 r=(int2)(v.s1); r.s1=v.s0; r.s0+=v.s1; vstore2(r,g,o); }
kernel void comp_short2(global short*o, global const short*p){ int g=get_global_id(0); short2 v=vload2(g,p); short2 r=(short2)(v.s1); r.s1=v.s0; r.s0+=v.s1; vstore2(r,g,o); }
kernel void varg_double3(global double*o, double3 v, int n){ int g=get_global_id(0); vstore3(v+(double)(g*n),g,o); }
kernel void varg_float3(global float*o, float3 v, int n){ int g=get_global_id(0); vstore3(v+(float)(g*n),g,o); }
kernel void early(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; if(x>25) return; o[g]=x; if(x>10) return; o[g]=x+1000; }
kernel void nullptr(global int*o, global const int*p, global int*q){ int g=get_global_id(0); int x=p[g]; o[g]=q?q[0]:x; }
kernel void comp_char4(global char*o, global const char*p){ int g=get_global_id(0); char4 v=vload4(g,p); char4 r=(char4)(v.s3); r.s1=v.s0; r.s0+=v.s2; vstore4(r,g,o); }
kernel void comp_float16(global float*o, global const float*p){ int g=get_global_id(0); float16 v=vload16(g,p); float16 r=(float16)(v.sf); r.s1=v.s0; r.s0+=v.s8; vstore16(r,g,o); }
kernel void consttab(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; o[g]=tab[x&7]+(int)(ftab[x&3]*4)+str[x%11]; }
kernel void varg_char4(global char*o, char4 v, int n){ int g=get_global_id(0); vstore4(v+(char)(g*n),g,o); }
kernel void varg_float2(global float*o, float2 v, int n){ int g=get_global_id(0); vstore2(v+(float)(g*n),g,o); }
kernel void varg_double8(global double*o, double8 v, int n){ int g=get_global_id(0); vstore8(v+(double)(g*n),g,o); }
kernel void comp_short3(global short*o, global const short*p){ int g=get_global_id(0); short3 v=vload3(g,p); short3 r=(short3)(v.s2); r.s1=v.s0; r.s0+=v.s1; vstore3(r,g,o); }
kernel void varg_long2(global long*o, long2 v, int n){ int g=get_global_id(0); vstore2(v+(long)(g*n),g,o); }
kernel void whileloop(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int s=0; while(x>0){ s+=x&1; x>>=1; } o[g]=s; }
kernel void varg_float16(global float*o, float16 v, int n){ int g=get_global_id(0); vstore16(v+(float)(g*n),g,o); }
kernel void varg_double2(global double*o, double2 v, int n){ int g=get_global_id(0); vstore2(v+(double)(g*n),g,o); }
kernel void floatloop(global float*o, global const int*p){ int g=get_global_id(0); int x=p[g]; float s=0; for(int i=1;i<=x;i++) s+=1.0f/i; o[g]=s; }
kernel void comp_double3(global double*o, global const double*p){ int g=get_global_id(0); double3 v=vload3(g,p); double3 r=(double3)(v.s2); r.s1=v.s0; r.s0+=v.s1; vstore3(r,g,o); }
kernel void privchar(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; char a[40]; for(int i=0;i<40;i++) a[i]=i*x; short b[9]; for(int i=0;i<9;i++) b[i]=a[i*4]*3; o[g]=a[x%40]+b[x%9]; }
kernel void switch2(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; int r=0; switch(x){case 0: r=0; break;case 1: r=1; break;case 2: r=4; break;case 3: r=9; break;case 4: r=16; break;case 5: r=25; break;case 6: r=36; break;case 7: r=12; break;case 8: r=27; break;case 9: r=7; break;case 10: r=26; break;case 11: r=10; break;case 12: r=33; break;case 13: r=21; break;case 14: r=11; break;case 15: r=3; break;case 16: r=34; break;case 17: r=30; break;case 18: r=28; break;case 19: r=28; break;case 20: r=30; break;case 21: r=34; break;case 22: r=3; break;case 23: r=11; break;case 24: r=21; break;case 25: r=33; break;case 26: r=10; break;case 27: r=26; break;case 28: r=7; break;case 29: r=27; break;case 30: r=12; break;case 31: r=36; break;case 32: r=25; break;case 33: r=16; break;case 34: r=9; break;case 35: r=4; break;case 36: r=1; break;case 37: r=0; break;case 38: r=1; break;case 39: r=4; break;case 40: r=9; break;case 41: r=16; break;case 42: r=25; break;case 43: r=36; break;case 44: r=12; break;case 45: r=27; break;case 46: r=7; break;case 47: r=26; break;case 48: r=10; break;case 49: r=33; break;} o[g]=r; }
kernel void constptr(global int*o, global const int*p, constant int*c){ int g=get_global_id(0); int x=p[g]; o[g]=x+c[x&7]; }
kernel void structk(global int*o, global const int*p){ int g=get_global_id(0); int x=p[g]; S s=make(x); S t=s; t.a+=1; o[g]=s.a+t.a+(int)s.b+s.c[x%3]+s.d; }
