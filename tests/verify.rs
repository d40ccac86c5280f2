//! Verdicts of `verify` on legal and illegal kernels, compared with the vendor's assembler if it is
//! installed.

use std::process::Command;

use visakit::isa::Platform;
use visakit::text::{Options, parse};
use visakit::verify::{Location, Severity, Violation, routine};

const HEAD: &str = "\
.version 4.1
.kernel \"k\"
.decl V32 v_type=G type=d num_elts=64 align=GRF
.decl V33 v_type=G type=f num_elts=64 align=GRF
.decl V34 v_type=G type=uq num_elts=16 align=GRF
.decl V35 v_type=G type=ub num_elts=64 align=GRF alias=<V32, 0>
.decl V36 v_type=G type=hf num_elts=64 align=GRF
.decl V37 v_type=G type=df num_elts=16 align=GRF
.decl V38 v_type=G type=ud num_elts=64 align=GRF
.decl V39 v_type=G type=bf num_elts=64 align=GRF
.decl V40 v_type=G type=uw num_elts=64 align=GRF
.decl V41 v_type=G type=b num_elts=64 align=GRF
.decl A0 v_type=A num_elts=16
.decl P1 v_type=P num_elts=16
.decl P2 v_type=P num_elts=16
.decl S0 v_type=S num_elts=1 v_name=S0
.decl T6 v_type=T num_elts=1 v_name=T6
";

const TAIL: &str = ".kernel_attr SimdSize=16\n";

/// Statements with a platform and the violated rule; the rule is empty for a legal statement.
const STATEMENTS: &[(&str, &str, &str)] = &[
    ("add (M1, 16) V33(0,0)<1> V33(0,0)<1;1,0> 0x3f800000:f", "skl", ""),
    ("add (M1, 16) V33(0,0)<1> V33(0,0)<1;1,0> V36(0,0)<1;1,0>", "skl", ""),
    ("add (M1, 16) V33(0,0)<1> V32(0,0)<1;1,0> 0x3f800000:f", "skl", "type-map"),
    ("add (M1, 16) V33(0,0)<0> V33(0,0)<1;1,0> 0x3f800000:f", "skl", "region"),
    ("add (M7, 16) V33(0,0)<1> V33(0,0)<1;1,0> 0x3f800000:f", "skl", "mask"),
    ("add (M1, 16) V33(0,0)<1> (~)V33(0,0)<1;1,0> 0x3f800000:f", "skl", "modifier"),
    ("add (M1, 2) V33(0,0)<1> V33(0,0)<4;4,1> 0x3f800000:f", "skl", "region"),
    ("add (M1, 16) %r0(0,0)<1> V38(0,0)<1;1,0> 0x1:ud", "skl", "read-only"),
    ("(P1) sel (M1, 16) V33(0,0)<1> V33(0,0)<1;1,0> 0x0:f", "skl", ""),
    ("mul (M1, 8) V34(0,0)<1> V34(0,0)<1;1,0> V34(0,0)<1;1,0>", "skl", "type-map"),
    ("sin (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>", "skl", "type"),
    ("lzd (M1, 16) V32(0,0)<1> V38(0,0)<1;1,0>", "skl", "type"),
    ("and (M1, 16) V32(0,0)<1> V33(0,0)<1;1,0> 0x1:d", "skl", "type"),
    ("and (M1, 16) V32(0,0)<1> (~)V32(0,0)<1;1,0> 0x1:d", "skl", ""),
    ("and.sat (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:d", "skl", "saturation"),
    ("mulh.sat (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0> 0x1:d", "skl", "saturation"),
    ("and (M1, 16) P1 P1 P2", "skl", ""),
    ("cmp.lt (M1, 16) P1 V33(0,0)<1;1,0> 0x0:f", "skl", ""),
    ("mov (M1, 16) V36(0,0)<1> V32(0,0)<1;1,0>", "skl", ""),
    ("mov (M1, 1) V38(0,0)<1> P1", "skl", ""),
    ("mov (M1, 1) V33(0,0)<1> P1", "skl", "boolean"),
    ("rol (M1, 16) V38(0,0)<1> V38(0,0)<1;1,0> 0x3:ud", "skl", "platform"),
    ("rol (M1, 16) V38(0,0)<1> V38(0,0)<1;1,0> 0x3:ud", "tgllp", ""),
    ("div (M1, 8) V37(0,0)<1> V37(0,0)<1;1,0> V37(0,0)<1;1,0>", "tgllp", "double"),
    ("div (M1, 8) V37(0,0)<1> V37(0,0)<1;1,0> V37(0,0)<1;1,0>", "skl", ""),
    ("addr_add (M1, 1) A0(0)<1> &V32[64] 0x4:uw", "skl", ""),
    ("addr_add (M1, 1) A0(0)<1> &V32[64] V38(0,0)<0;1,0>", "skl", "type"),
    ("gather_scaled.4 (M1, 16) T6 0x0:ud V38.0 V33.0", "skl", ""),
    ("gather_scaled.4 (M1, 16) T6 0x0:ud V38.4 V33.0", "skl", "raw-place"),
    ("dword_atomic.add (M1, 8) T6 V38.0 V32.0 %null.0 %null.0", "skl", ""),
    ("dword_atomic.inc (M1, 8) T6 V38.0 V38.0 %null.0 %null.0", "skl", "message"),
    ("dword_atomic.maxsint (M1, 8) T6 V38.0 V38.0 %null.0 %null.0", "skl", "message"),
    ("media_ld.nomod (33,8) T6 0 V38(0,0)<0;1,0> V38(0,1)<0;1,0> V32.0", "skl", "message"),
    ("lsc_load.ugm (M1, 16)  V33:d32  flat[V34]:a64", "dg2", ""),
    ("lsc_load.ugm.ca.ca (M1, 16)  V33:d32  flat[V34]:a64", "dg2", ""),
    ("lsc_load.ugm.wb.wb (M1, 16)  V33:d32  flat[V34]:a64", "dg2", "message"),
    ("lsc_load.slm (M1, 16)  V33:d32  flat[V34]:a64", "dg2", "message"),
    ("lsc_load.ugm (M1, 16)  V33:d32x2t  flat[V34]:a64", "dg2", "message"),
    ("lsc_load.ugm (M1, 16)  V33:d32  flat[0x3*V34]:a64", "dg2", "message"),
    ("lsc_fence.slm.evict.group", "dg2", "message"),
    ("lsc_load_block2d.ugm (M1_NM, 1)  V38:d16.16x33tn  flat[V34(0,0),0x1f,0x1f,0x3f,0x0,0x0]", "pvc", "message"),
    ("lsc_load_block2d.ugm (M1_NM, 1)  V38:d32.32x8tn  flat[V34(0,0),0x3f,0x1f,0x3f,0x0,0x0]", "pvc", ""),
    ("lsc_load_block2d.ugm (M1_NM, 1)  V38:d32.8x32tn  flat[V34(0,0),0x3f,0x1f,0x3f,0x0,0x0]", "pvc", "message"),
    ("lsc_load_block2d.ugm (M1_NM, 1)  V38:d8.4x4nn  flat[V34(0,0),0x1f,0x1f,0x3f,0x0,0x0]", "pvc", ""),
    ("lsc_load_block2d.ugm (M1_NM, 1)  V38:d8c32.4x4nn  flat[V34(0,0),0x1f,0x1f,0x3f,0x0,0x0]", "pvc", "message"),
    ("dword_atomic.add.16 (M1, 8) T6 V38.0 V38.0 %null.0 V38.0", "pvc", ""),
    ("dword_atomic.fadd (M1, 8) T6 V38.0 V38.0 %null.0 V33.0", "pvc", "message"),
    ("lsc_load.ugm (M1, 16)  V33:d32  flat[V34]:a64", "tgllp", "platform"),
    ("lsc_load.ugm (M1, 16)  V33:d32  flat[%null]:a64", "dg2", "message"),
    ("lsc_load.ugm (M1, 32)  V33:d32  flat[V34]:a64", "dg2", "message"),
    ("lsc_load.ugm (M1, 16)  %r0:d32  flat[V34]:a64", "dg2", "message"),
    ("lsc_load.ugm (M1, 8)  %r0:d32  flat[V34]:a64", "dg2", ""),
    ("gather_scaled.4 (M1, 16) T6 0x0:ud %null.4 V33.0", "skl", "raw-place"),
    ("movs (M1, 1) T6(0) V38(0,0)<0;1,0>", "skl", ""),
    ("movs (M1, 1) V38(0,0)<1> V38(1,0)<0;1,0>", "skl", "message"),
    ("mov (M1, 1) V38(0,0)<1> A0(0)<1>", "skl", ""),
    ("mov (M1, 16) V33(0,0)<1> V39(0,0)<1;1,0>", "pvc", ""),
    ("mov (M1, 16) V32(0,0)<1> V39(0,0)<1;1,0>", "pvc", "source-type"),
    ("min (M1, 8) V33(0,0)<0> V33(0,0)<1;1,0> V33(0,0)<1;1,0>", "skl", ""),
    ("max (M1, 8) V33(0,0)<8> V33(0,0)<1;1,0> V33(0,0)<1;1,0>", "skl", "region"),
    ("rndu (M1, 8) V33(0,0)<1> V36(0,0)<1;1,0>", "skl", ""),
    ("rndu (M1, 8) V36(0,0)<1> V36(0,0)<1;1,0>", "skl", "type-map"),
    ("sqrtm (M1, 8) V36(0,0)<1> V33(0,0)<1;1,0>", "skl", ""),
    ("fbl (M1, 8) V38(0,0)<1> V34(0,0)<1;1,0>", "skl", "source-type"),
    ("add3 (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0> 0x20:v", "skl", "source-type"),
    ("addc (M1, 8) V38(0,0)<1> V32(0,0)<1> V38(2,0)<1;1,0> 0x1:ud", "skl", ""),
    ("addc (M1, 8) V38(0,0)<1> V38(1,0)<1> V38(2,0)<1;1,0> 0x1:uw", "skl", "source-type"),
    ("div (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", "skl", ""),
    ("div (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", "dg2", "type-map"),
    ("rol (M1, 8) V32(0,0)<1> (-)V32(0,0)<1;1,0> V32(0,0)<1;1,0>", "tgllp", ""),
    ("mad (M1, 8) V34(0,0)<1> V34(0,0)<1;1,0> V34(0,0)<1;1,0> V34(0,0)<1;1,0>", "skl", ""),
    ("div.sat (M1, 8) V37(0,0)<1> V37(0,0)<1;1,0> V37(0,0)<1;1,0>", "skl", "saturated"),
    ("mod.sat (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", "skl", "saturated"),
    ("div (M1, 8) V34(0,0)<1> V32(0,0)<1;1,0> V32(0,0)<1;1,0>", "skl", ""),
    ("oword_ld (16) T6 0x0:ud V32.0", "skl", ""),
    ("oword_ld (4) T6 V38(0,0)<8;1,8> V32.0", "skl", "region"),
    ("oword_ld (4) T6 V38(0,0)<0;32,1> V32.0", "skl", "region"),
    ("oword_ld (4) T6 V38(0,0)<8;16,4> V32.0", "skl", ""),
    ("sample_3d.R (M1, 8) 0x0:uw S31 %bss V33.0 V33.0 V33.0", "skl", ""),
    ("oword_ld (4) %slm 0x0:ud V32.0", "skl", "message"),
    ("oword_ld (4) %slm 0x0:ud V32.0", "tgllp", ""),
    ("dpas.bf.bf.8.8 (M1, 16) V33.0 %null.0 V38.0 V38(0,0)", "pvc", ""),
    ("dpas.bf.bf.8.8 (M1, 16) V34.0 %null.0 V38.0 V38(0,0)", "pvc", "message"),
    ("dpas.bf.bf.8.8 (M1, 16) V33.0 %null.0 V33.0 V38(0,0)", "pvc", "message"),
    ("rsqrt (M1, 8) V37(0,0)<1> V37(0,0)<1;1,0>", "skl", "double"),
    ("line (M1, 8) V36(0,0)<1> V36(0,0)<0;1,0> V36(0,0)<1;1,0>", "skl", "double"),
    ("lrp (M1, 8) V33(0,0)<1> V36(0,0)<1;1,0> V36(0,0)<1;1,0> V36(0,0)<1;1,0>", "skl", ""),
    ("sin (M1, 8) V36(0,0)<1> 0x30:vf", "skl", "source-type"),
    ("sad2 (M1, 8) V40(0,0)<1> V35(0,0)<1;1,0> V35(0,0)<1;1,0>", "skl", ""),
    ("sad2 (M1, 8) V40(0,0)<1> V32(0,0)<1;1,0> V35(0,0)<1;1,0>", "skl", "type"),
    ("mov (M1, 1) %sr0(0,0)<1> 0x0:ud", "skl", "read-only"),
    ("mov (M1, 1) %sr0(0,2)<1> 0x0:ud", "skl", ""),
    ("srnd (M1_NM, 8) V36(0,0)<1> V33(0,0)<1;1,0> V33(0,0)<1;1,0>", "pvcxt", ""),
    ("srnd (M1_NM, 8) V35(0,0)<1> 0x3c00:hf V36(0,0)<1;1,0>", "pvcxt", ""),
    ("srnd.sat (M1_NM, 8) V36(0,0)<1> V33(0,0)<1;1,0> V33(0,0)<1;1,0>", "pvcxt", "saturation"),
    ("srnd (M1_NM, 8) V36(0,0)<1> V33(0,0)<1;1,0> V38(0,0)<1;1,0>", "pvcxt", "type-map"),
    ("srnd (M1_NM, 8) V38(0,0)<1> V38(0,0)<1;1,0> V38(0,0)<1;1,0>", "pvcxt", "type-map"),
    ("add (M1, 8) V39(0,0)<1> V39(0,0)<1;1,0> V33(0,0)<1;1,0>", "dg2", ""),
    ("add (M1, 8) V39(0,0)<1> V39(0,0)<1;1,0> V33(0,0)<1;1,0>", "mtl", "type-map"),
    ("mov (M1, 8) V39(0,0)<1> V33(0,0)<1;1,0>", "mtl", "type"),
    ("cmp.lt (M1, 8) P1 V39(0,0)<1;1,0> V33(0,0)<1;1,0>", "mtl", "type"),
    ("add (M1, 8) V39(0,0)<1> V39(0,0)<1;1,0> 0x30303030:vf", "dg2", "source-type"),
    ("add (M1, 8) V33(0,0)<1> V36(0,0)<1;1,0> 0x30303030:vf", "dg2", ""),
    ("add (M1, 8) V36(0,0)<1> V36(0,0)<1;1,0> 0x30303030:vf", "dg2", "source-type"),
    ("cmp.lt (M1, 8) V38(0,0)<1> V39(0,0)<1;1,0> V39(0,0)<1;1,0>", "dg2", ""),
    ("cmp.lt (M1, 8) V38(0,0)<1> V39(0,0)<1;1,0> V36(0,0)<1;1,0>", "dg2", "source-type"),
    ("min (M1, 8) V33(0,0)<1> V33(0,0)<1;1,0> V39(0,0)<1;1,0>", "skl", ""),
    ("min (M1, 8) V33(0,0)<1> V39(0,0)<1;1,0> V33(0,0)<1;1,0>", "skl", "type"),
    ("div (M1, 8) V37(0,0)<1> V37(0,0)<1;1,0> V37(0,0)<1;1,0>", "mtl", "double"),
    ("sqrtm (M1, 8) V33(0,0)<1> V33(0,0)<1;1,0>", "mtl", "double"),
    ("sqrtm (M1, 8) V33(0,0)<1> V33(0,0)<1;1,0>", "pvc", ""),
    ("plane (M1, 8) V33(0,0)<1> V36(0,0)<0;1,0> 0x3f800000:f", "skl", ""),
    ("plane (M1, 8) V36(0,0)<1> V36(0,0)<0;1,0> V36(0,0)<1;1,0>", "skl", "type-map"),
    ("lrp (M1, 8) r[A0(0),0]<1>:f r[A0(0),0]<1;1,0>:f V33(0,0)<1;1,0> 0x3f800000:f", "skl", ""),
    ("fcvt (M1, 8) V38(0,0)<1> V33(0,0)<1;1,0>", "pvc", ""),
    ("fcvt (M1, 8) V33(0,0)<1> V38(0,0)<1;1,0>", "pvc", ""),
    ("fcvt (M1_NM, 8) V41(0,0)<1> V36(0,0)<1;1,0>", "pvcxt", "type-map"),
    ("div (M1, 8) V34(0,0)<1> V38(0,0)<1;1,0> V38(0,0)<1;1,0>", "xehp_sdv", "double"),
    ("div (M1, 8) V34(0,0)<1> V38(0,0)<1;1,0> V38(0,0)<1;1,0>", "pvc", "double"),
    ("madw (M1, 32) V38(0,0)<1> V38(0,0)<1;1,0> V38(0,0)<1;1,0> V38(0,0)<1;1,0>", "pvc", ""),
    ("media_st.top (32,8) T6 0 V38(0,0)<0;1,0> V38(0,1)<0;1,0> V32.0", "skl", ""),
    ("media_ld.top_mod (32,8) T6 0 V38(0,0)<0;1,0> V38(0,1)<0;1,0> V32.0", "skl", ""),
    ("urb_write_3d (M1, 1) 4 0 %null.0 V38.0 %null.0 V33.0", "skl", ""),
    ("urb_write_3d (M1, 16) 4 0 %null.0 V38.0 %null.0 V33.0", "skl", "value"),
    ("raw_sends.3.1.0.1 (M1, 8) 0xa:ud 0x2100000:ud V38.0 %null.0 V38.0", "skl", ""),
    ("raw_sends.3.0.1.1 (M1, 8) 0xa:ud 0x2000000:ud V38.0 %null.0 V38.0", "skl", "range"),
    ("raw_sends.3.1.33.0 (M1, 8) 0xa:ud 0x2000000:ud V38.0 %null.0 V38.0", "skl", "range"),
    ("sample_b_c.cps.RGBA (M1, 16) 0x0:uw S0 T6 V33.0 V33.0 V33.0", "bdw", ""),
    ("sample_3d.cps.RGBA (M1, 32) 0x0:uw S0 T6 V33.0 V33.0 V33.0", "skl", "message"),
    ("sample_l.cps.RGBA (M1, 16) 0x0:uw S0 T6 V33.0 V33.0 V33.0", "skl", "message"),
    ("lsc_load_strided.ugm (M1, 16)  V33:d32  flat[V34,0xffff]:a64", "pvc", ""),
    ("lsc_load_strided.ugm (M1, 16)  V33:d32  flat[V34,0x10000]:a64", "pvc", "message"),
    ("dpas.hf.hf.8.8 (M1, 8) V33.0 V33.0 V38.0 V38(0,0)", "dg2", ""),
    ("dpas.hf.hf.8.8 (M1, 8) V36.0 V33.0 V38.0 V38(0,0)", "dg2", "message"),
    ("dpas.hf.hf.8.8 (M1, 8) V33.0 V36.0 V38.0 V38(0,0)", "xehp_sdv", "message"),
    ("dpas.hf.hf.8.8 (M1, 8) V36.0 V36.0 V38.0 V38(0,0)", "mtl", "message"),
    ("dpas.hf.hf.8.8 (M1, 16) V36.0 V36.0 V38.0 V38(0,0)", "pvc", ""),
    ("dword_atomic.cmpxchg (M1, 8) T6 V38.0 V38.0 V38.0 %null.0", "skl", ""),
];

/// Statements that the packaged assembler does not support; the verdicts follow the vendor's
/// published sources.
const NEWER: &[(&str, &str, &str)] = &[
    ("tanh (M1, 16) V33(0,0)<1> V33(0,0)<1;1,0>", "xe3p", ""),
    ("tanh (M1, 16) V33(0,0)<1> V33(0,0)<1;1,0>", "xe3", "platform"),
    ("sigm (M1, 16) V32(0,0)<1> V32(0,0)<1;1,0>", "xe3p", "type"),
    ("breakpoint", "skl", ""),
    ("mov (M1_NM, 1) %sr0(0,1)<1> V38(0,0)<0;1,0>", "mtl", ""),
    ("lfsr.b32 (M1, 16) V38(0,0)<1> V38(0,0)<1;1,0> V38(0,0)<1;1,0>", "xe3p", ""),
    ("lfsr.b32 (M1, 16) V38(0,0)<1> 0x1:ud V38(0,0)<1;1,0>", "xe3p", "class"),
    ("shfl_idx4 (M1, 8) V38.0 V38(0,0)<1;1,0> V40(0,0)<2;1,0>", "xe3p", "value"),
    ("bdpas.e2m1.e2m1.8.8 (M1, 16) V33.0 V33.0 V38.0 V38.0 V35(0,0) V35(0,0)", "xe3p", ""),
    ("bdpas.e2m1.e2m1.8.4 (M1, 16) V33.0 V33.0 V38.0 V38.0 V35(0,0) V35(0,0)", "xe3p", "range"),
    ("dnscl.bftoint4.mode0.rne (M1, 16) V38.0 V38.0 V38.0 %null.0", "xe3p", ""),
    ("raw_sendg.0xe (M1, 16) %null.0/0 V38.0/64 V38.0/64 V34(0,0)<0;1,0> V34(0,1)<0;1,0> 0x0", "xe3p", ""),
    ("raw_sendg.0xe (M1, 16) %null.0/0 V38.0/1985 V38.0/64 V34(0,0)<0;1,0> V34(0,1)<0;1,0> 0x0", "xe3p", "range"),
    ("div.sat (M1, 8) V37(0,0)<1> V37(0,0)<1;1,0> V37(0,0)<1;1,0>", "pvc", ""),
    ("div.sat (M1, 8) V37(0,0)<1> V37(0,0)<1;1,0> V37(0,0)<1;1,0>", "skl", "saturated"),
    ("lsc_store_quad.ugm (M1, 16)  flat[V34]:a64  V38:d32.xz", "cri", ""),
    ("lsc_store_quad.ugm (M1, 16)  flat[V34]:a64  V38:d32.xz", "xe3", "message"),
    ("lsc_store_quad.tgm (M1, 16)  bti(0x4)[V38, V38, V38, V38]:a32  V33:d32.xz", "cri", "message"),
    ("lsc_load_block2d.ugm (M1_NM, 1)  V38:d32.4x4x8nn  flat[V34(0,0),0x1f,0x1f,0x3f,0x0,0x0]", "cri", ""),
    ("lsc_load_block2d.ugm (M1_NM, 1)  V38:d32.4x4x8nn  flat[V34(0,0),0x1f,0x1f,0x3f,0x0,0x0]", "xe3", "message"),
    ("lsc_load_block2d.ugm (M1_NM, 1)  V38:d32.4x16x8nn  flat[V34(0,0),0x1f,0x1f,0x3f,0x0,0x0]", "cri", "message"),
    ("lsc_load_block2d.ugm (M1_NM, 1)  %null:d32.4x16x8nn  flat[V34(0,0),0x1f,0x1f,0x3f,0x0,0x0]", "cri", ""),
    ("lsc_load_block2d.ugm (M1_NM, 1)  %null:d32.32x8nn  flat[V34(0,0),0x1f,0x1f,0x3f,0x0,0x0]", "cri", "message"),
    ("lsc_atomic_bfadd.ugm (M1, 16)  V38:d16c32  flat[V34]:a64  V38  %null", "xe3p", ""),
    ("lsc_atomic_bfadd.ugm (M1, 16)  V38:d16c32  flat[V34]:a64  V38  %null", "xe3", "value"),
    ("lsc_atomic_bfcas.ugm (M1, 16)  V38:d16c32  flat[V34]:a64  V38  %null", "xe3p", "message"),
    ("lsc_load.ugm (M1, 16)  V33:d32  flat[V38]:a32u", "xe3p", ""),
    ("lsc_load.ugm (M1, 16)  V33:d32  flat[V38]:a32u", "pvc", "value"),
    ("lsc_load.slm (M1, 16)  V33:d32  surf(0x40)[V38]:a32", "xe3p", "message"),
    ("lsc_load_quad_msrt.tgm (M1, 16)  V33:d32.xy  bti(0x4)[V38, V38, V38, V38]:a32", "xe3", ""),
    ("lsc_load_quad_msrt.tgm (M1, 16)  V33:d32.xy  bti(0x4)[V38, V38, V38, V38]:a32", "xe2", "value"),
    ("lsc_store_quad_msrt.tgm (M1, 16)  bti(0x4)[V38, V38, V38, V38]:a32  V33:d32.xz", "xe3", "message"),
    ("fcvt (M1_NM, 8) V41(0,0)<1> V36(0,0)<1;1,0>", "xe3", ""),
    ("fcvt (M1, 8) V41(0,0)<1> V36(0,0)<1;1,0>", "xe3", "message"),
    ("exp (M1, 16) V39(0,0)<1> V39(0,0)<1;1,0>", "cri", ""),
    ("exp (M1, 16) V39(0,0)<1> V39(0,0)<1;1,0>", "xe3", "type"),
    ("exp (M1, 16) V33(0,0)<1> V39(0,0)<1;1,0>", "nvl", "type-map"),
    ("srnd (M1_NM, 16) V35(0,0)<4> V36(0,0)<1;1,0> V40(0,0)<1;1,0>", "xe2", ""),
    ("srnd (M1_NM, 16) V41(0,0)<4> V39(0,0)<1;1,0> V40(0,0)<1;1,0>", "cri", ""),
    ("srnd (M1_NM, 16) V36(0,0)<1> V40(0,0)<1;1,0> V40(0,0)<1;1,0>", "xe2", "message"),
    ("lsc_load_quad.tgm.ca.ca (M1, 16)  V33:d32.x  bti(0x4)[V38, V38, %null, %null]:a32", "xe2", ""),
    ("lsc_load.ugm (M1, 16)  V33:d32  flat(V34)[V38]:a32u", "cri", ""),
    ("lsc_load.ugm (M1, 16)  V33:d32  flat(V34)[V38]:a32u", "xe3", "message"),
    ("lsc_load.ugm.ca.cc (M1, 16)  V33:d32  flat[V34]:a64", "xe2", ""),
    ("lsc_load.ugm.ca.cc (M1, 16)  V33:d32  flat[V34]:a64", "pvc", "message"),
    ("lsc_load.ugm.ri.ri (M1, 16)  V33:d32  flat[V34]:a64", "xe3", ""),
    ("lsc_load.ugm.st.cc (M1, 16)  V33:d32  flat[V34]:a64", "xe2", "message"),
    ("lsc_load.ugml.ca.ca (M1, 16)  V33:d32  flat[V34]:a64", "xe2", ""),
    ("lsc_atomic_fadd.slm (M1, 16)  V33:d32  flat[V38]:a32  V33  %null", "xe3p", ""),
    ("lsc_atomic_fadd.slm (M1, 16)  V33:d32  flat[V38]:a32  V33  %null", "xe2", "message"),
    ("lsc_load.ugml.ca.ca (M1, 16)  V33:d32  flat[V34]:a64", "pvc", "message"),
];

/// Declarations and inputs with the violated rule.
const DECLARATIONS: &[(&str, &str)] = &[
    (".decl V50 v_type=G type=d num_elts=8 alias=<V33, 32>", ""),
    (".decl V50 v_type=G type=d num_elts=8 alias=<V33, 256>", "alias"),
    (".decl V50 v_type=G type=b num_elts=1\n.decl V51 v_type=G type=w num_elts=1 alias=<V50, 0>", ""),
    (".decl V50 v_type=G type=d num_elts=1\n.decl V51 v_type=G type=q num_elts=1 alias=<V50, 0>", "alias"),
    (".decl V50 v_type=G type=d num_elts=1 align=GRF\n.decl V51 v_type=G type=d num_elts=8 alias=<V50, 0>", "alias"),
    (".decl V50 v_type=G type=d num_elts=1 align=hword\n.decl V51 v_type=G type=d num_elts=8 alias=<V50, 0>", ""),
    (".decl S1 v_type=S num_elts=128", ""),
    (".decl S1 v_type=S num_elts=129", "size"),
    (".decl V50 v_type=G type=bool num_elts=8", "type"),
    (".decl V50 v_type=G type=d num_elts=0", "size"),
    (".decl P50 v_type=P num_elts=12", "size"),
    (".decl A50 v_type=A num_elts=17", "size"),
    (".input V32 offset=32 size=256\n.input V33 offset=288 size=256", ""),
    (".input V32 offset=32 size=256\n.input V33 offset=160 size=256", "input"),
    (".input V32 offset=8100 size=256", "input"),
    (".decl V50 v_type=G type=uq num_elts=1\n.input V50 offset=60 size=8", "input"),
    (".kernel_attr SLMSize=4\n.kernel_attr SLMSize=4", "attribute"),
];

fn kernel(declarations: &str, statement: &str) -> String {
    format!("{HEAD}{declarations}\n{TAIL}    {statement}\n    ret (M1, 1)\n")
}

fn errors(text: &str, platform: &str) -> Vec<Violation> {
    let platform = Platform::from_name(platform);
    let parsed = parse(text, Options { file: String::new(), platform }).unwrap_or_else(|e| panic!("{text}{e:#?}"));
    let found = routine(&parsed.routine, platform);
    found.into_iter().filter(|v| v.severity == Severity::Error).collect()
}

#[test]
fn statements() {
    for (statement, platform, code) in STATEMENTS.iter().chain(NEWER) {
        let found = errors(&kernel("", statement), platform);
        assert_eq!(found.is_empty(), code.is_empty(), "{statement} on {platform}: {found:#?}");
        assert!(found.iter().all(|v| v.place == Location::Instruction(0)), "{found:#?}");
        assert!(code.is_empty() || found.iter().any(|v| v.code == *code), "{statement}: {found:#?}");
    }
}

#[test]
fn declarations() {
    for (lines, code) in DECLARATIONS {
        let found = errors(&kernel(lines, ""), "skl");
        assert_eq!(found.is_empty(), code.is_empty(), "{lines}: {found:#?}");
        assert!(code.is_empty() || found.iter().any(|v| v.code == *code), "{lines}: {found:#?}");
    }
}

#[test]
fn labels() {
    let twice = errors(&kernel("", "goto (M1, 16) a\na:\n    goto (M1, 16) a\na:"), "skl");
    assert_eq!(twice.len(), 1, "{twice:#?}");
    assert_eq!((twice[0].code, &twice[0].place), ("label", &Location::Instruction(3)));
    assert!(errors(&kernel("", "call (M1, 16) f\n    ret (M1, 1)\n.function \"f\"\nf:"), "skl").is_empty());
}

/// A rule of the documents that the vendor's assembler does not enforce gives a warning.
#[test]
fn warnings() {
    let text = kernel("", "add (M3, 16) V33(0,0)<1> V33(0,0)<1;1,0> 0x3f800000:f");
    let parsed = parse(&text, Options::default()).unwrap();
    let found = routine(&parsed.routine, None);
    let codes: Vec<_> = found.iter().map(|v| (v.code, v.severity)).collect();
    assert_eq!(codes, [("mask", Severity::Warning)]);
}

/// Rules of today's compiler that give warnings, and types that it writes without one.
#[test]
fn rules_of_todays_compiler() {
    for (statement, platform, expected) in [
        (
            "lsc_load.ugm (M1, 16)  V33:d32  flat[V32]:a64",
            "cri",
            &["addresses of 64 bits must have type q or uq"][..],
        ),
        ("lsc_load.slm (M1, 16)  V33:d32  flat[V34]:a32", "nvl", &["addresses of 32 bits must have type d or ud"]),
        ("lsc_load.slm (M1, 16)  V33:d32  flat[V38]:a32", "cri", &[]),
        ("lsc_load.slm (M1, 16)  V33:d32  flat[V34]:a32", "xe3", &[]),
        (
            "lsc_load_block2d.ugm (M1_NM, 1)  V38:d32.2x16x8nn  flat[V34(0,0),0x1f,0x1f,0x3f,0x0,0x0]",
            "xe2",
            &["the blocks of a load must have at most 64 bytes in a row"],
        ),
        ("lsc_load_block2d.ugm (M1_NM, 1)  V38:d32.2x8x8nn  flat[V34(0,0),0x1f,0x1f,0x3f,0x0,0x0]", "xe2", &[]),
        ("nbarrier.signal 0x1:ud 0x2:ud", "pvc", &[]),
        ("nbarrier.wait 0x1:b", "xe2", &[]),
    ] {
        let platform = Platform::from_name(platform);
        let text = kernel("", statement);
        let parsed =
            parse(&text, Options { file: String::new(), platform }).unwrap_or_else(|e| panic!("{text}{e:#?}"));
        let found = routine(&parsed.routine, platform);
        let messages: Vec<_> = found.iter().filter(|v| v.code != "unwritten").map(|v| v.message.as_str()).collect();
        let are_expected =
            messages.len() == expected.len() && messages.iter().zip(expected).all(|(m, e)| m.ends_with(e));
        assert!(are_expected, "{statement}: {messages:?}");
    }
}

/// Only the producer uses pseudo inputs, so a kernel may have them between its arguments. The
/// packaged assembler refuses them; the current compiler writes them.
#[test]
fn pseudo_inputs_are_no_errors() {
    let text = kernel(".implicit_PSEUDO_INPUT V32 offset=32 size=256\n.input V33 offset=160 size=256", "");
    assert!(errors(&text, "skl").is_empty());
    let text = kernel(".implicit_LOCAL_SIZE V32 offset=32 size=256\n.input V33 offset=160 size=256", "");
    assert_eq!(errors(&text, "skl").len(), 2);
}

/// The vendor's assembler gives the same verdict on all tables above.
#[test]
fn genx_ir_agrees() {
    if !visakit_testing::have("genx_ir_agrees", "vendor", visakit_testing::program("GenX_IR"), "GenX_IR") {
        return;
    }
    let dir = visakit_testing::scratch("verify-genx");
    let declared = DECLARATIONS.iter().map(|(lines, code)| (kernel(lines, ""), "skl", *code));
    let stated = STATEMENTS.iter().map(|(statement, platform, code)| (kernel("", statement), *platform, *code));
    let mut different = Vec::new();
    for (text, platform, code) in declared.chain(stated) {
        std::fs::write(dir.join("k.visaasm"), &text).unwrap();
        let _ = std::fs::remove_file(dir.join("k.isa"));
        let _ = std::fs::remove_file(dir.join("k.errors.txt"));
        let output = Command::new("GenX_IR")
            .args(["k.visaasm", "-platform", &platform.to_uppercase(), "-binary", "-noschedule"])
            .args(["-outputCisaBinaryName", "k.isa"])
            .current_dir(&dir)
            .output()
            .unwrap();
        // The assembler may crash later in native code generation; an object without findings
        // counts as accepted.
        let complaint = output.status.code() == Some(1) || dir.join("k.errors.txt").exists();
        let legal = dir.join("k.isa").exists() && !complaint;
        if legal != code.is_empty() {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let report = std::fs::read_to_string(dir.join("k.errors.txt")).unwrap_or_default();
            different.push(format!("{text}expected {code:?} on {platform}, it says: {said}{report}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n=====\n"));
}
