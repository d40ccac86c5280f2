//! Table of kernels by specification page.

use crate::arithmetic::{basic, bits, dot, logic, math, matrix};
use crate::control;
use crate::image::{block, lsc as typed_lsc, sampler, typed};
use crate::lowering::step::Lowered;
use crate::lowering::{LowerError, LowerResult, Lowering};
use crate::memory::{lsc, surface, svm};
use crate::moves::{address, compare, movement, narrow, table};
use visakit::isa::{
    Addc, Barrier, Bdpas, Bfn, CacheFlush, Call, Cmp, Dpas, Dpasw, DwordAtomic, Faddr, Fcall, Fence, File, Fret,
    Gather, Gather4Scaled, Gather4Typed, GatherScaled, Goto, Ifcall, Info, Jmp, Kernels, Label, Lifetime, Load3d,
    Loc, LscFence, LscTyped, LscUntyped, MediaLd, MediaSt, MinMax, Nbarrier, OwordLd, OwordLdUnaligned, OwordSt,
    QwGather, QwScatter, Ret, Sample3d, Sample43d, Sbarrier, Scatter, Scatter4Scaled, Scatter4Typed, ScatterScaled,
    ShflIdx4, Subb, Subroutine, SvmAtomic, SvmBlockLd, SvmBlockSt, SvmGather, SvmGather4Scaled, SvmScatter,
    SvmScatter4Scaled, Switchjmp, TypedAtomic, Wait, Yield,
};
use visakit::rt::ComponentWise;

/// Implements the stubs. A row has the page's method, the kernel's input (the number of sources for
/// a component-wise page) and the kernel. A page without a row stays a stub that reports itself; a
/// row fails to compile if the page's operands change.
macro_rules! kernels {
    ($($page:ident($inst:tt) => $kernel:path;)*) => {
        impl Kernels for Lowering<'_> {
            type Output = Lowered;
            type Error = LowerError;

            $(fn $page(&mut self, inst: &kernels!(@inst $inst)) -> LowerResult {
                $kernel(self, inst)
            })*
        }
    };
    (@inst $sources:literal) => { ComponentWise<'_, $sources> };
    (@inst $inst:ident) => { $inst };
}

kernels! {
    // Arithmetic.
    add(2) => basic::add;
    mul(2) => basic::mul;
    mad(3) => basic::mad;
    add3(3) => basic::add3;
    madw(3) => basic::madw;
    mulh(2) => basic::mulh;
    avg(2) => basic::avg;
    div(2) => basic::div;
    mod_(2) => basic::modulo;
    lrp(3) => basic::lrp;
    min_max(MinMax) => basic::min_max;
    addc(Addc) => basic::addc;
    subb(Subb) => basic::subb;
    divm(2) => basic::divm;
    dp4a(3) => dot::dp4a;
    sad2(2) => dot::sad2;
    sad2add(3) => dot::sad2add;
    plane(2) => dot::plane;
    dpas(Dpas) => matrix::dpas;
    dpasw(Dpasw) => matrix::dpasw;
    bdpas(Bdpas) => matrix::bdpas;

    // Float functions.
    inv(1) => math::inv;
    sqrt(1) => math::sqrt;
    sqrtm(1) => math::sqrt;
    rsqrt(1) => math::rsqrt;
    exp(1) => math::exp;
    log(1) => math::log;
    pow(2) => math::pow;
    sin(1) => math::sin;
    cos(1) => math::cos;
    tanh(1) => math::tanh;
    sigm(1) => math::sigm;
    frc(1) => math::frc;
    rndd(1) => math::rndd;
    rndu(1) => math::rndu;
    rnde(1) => math::rnde;
    rndz(1) => math::rndz;

    // Bit operations.
    and(2) => logic::and;
    or(2) => logic::or;
    xor(2) => logic::xor;
    not(1) => logic::not;
    shl(2) => logic::shl;
    shr(2) => logic::shr;
    asr(2) => logic::asr;
    rol(2) => logic::rol;
    ror(2) => logic::ror;
    cbit(1) => bits::cbit;
    fbl(1) => bits::fbl;
    fbh(1) => bits::fbh;
    lzd(1) => bits::lzd;
    bfrev(1) => bits::bfrev;
    bfe(3) => logic::bfe;
    bfi(4) => logic::bfi;
    bfn(Bfn) => logic::bfn;

    // Comparison and moves.
    cmp(Cmp) => compare::cmp;
    sel(2) => compare::sel;
    mov(1) => movement::mov;
    fcvt(1) => narrow::fcvt;
    srnd(2) => narrow::srnd;
    movs(1) => movement::movs;
    shfl_idx4(ShflIdx4) => table::shfl_idx4;
    setp(1) => movement::setp;
    faddr(Faddr) => movement::faddr;
    addr_add(2) => address::addr_add;

    // Control flow.
    label(Label) => control::label;
    subroutine(Subroutine) => control::subroutine;
    goto(Goto) => control::goto;
    jmp(Jmp) => control::jmp;
    switchjmp(Switchjmp) => control::switchjmp;
    call(Call) => control::call;
    ret(Ret) => control::ret;
    fcall(Fcall) => control::fcall;
    ifcall(Ifcall) => control::ifcall;
    fret(Fret) => control::fret;

    // Surfaces.
    gather(Gather) => surface::gather;
    scatter(Scatter) => surface::scatter;
    gather_scaled(GatherScaled) => surface::gather_scaled;
    scatter_scaled(ScatterScaled) => surface::scatter_scaled;
    gather4_scaled(Gather4Scaled) => surface::gather4_scaled;
    scatter4_scaled(Scatter4Scaled) => surface::scatter4_scaled;
    oword_ld(OwordLd) => surface::oword_ld;
    oword_ld_unaligned(OwordLdUnaligned) => surface::oword_ld_unaligned;
    oword_st(OwordSt) => surface::oword_st;
    qw_gather(QwGather) => surface::qw_gather;
    qw_scatter(QwScatter) => surface::qw_scatter;
    dword_atomic(DwordAtomic) => surface::dword_atomic;

    // Flat memory.
    svm_block_ld(SvmBlockLd) => svm::block_ld;
    svm_block_st(SvmBlockSt) => svm::block_st;
    svm_gather(SvmGather) => svm::gather;
    svm_scatter(SvmScatter) => svm::scatter;
    svm_gather4_scaled(SvmGather4Scaled) => svm::gather4_scaled;
    svm_scatter4_scaled(SvmScatter4Scaled) => svm::scatter4_scaled;
    svm_atomic(SvmAtomic) => svm::atomic;
    lsc_untyped(LscUntyped) => lsc::untyped;

    // Images.
    load_3d(Load3d) => typed::load;
    sample4_3d(Sample43d) => sampler::sample4;
    sample_3d(Sample3d) => sampler::sample;
    gather4_typed(Gather4Typed) => typed::gather4_typed;
    scatter4_typed(Scatter4Typed) => typed::scatter4_typed;
    media_ld(MediaLd) => block::media_ld;
    media_st(MediaSt) => block::media_st;
    typed_atomic(TypedAtomic) => typed::typed_atomic;
    info(Info) => typed::info;
    lsc_typed(LscTyped) => typed_lsc::lsc_typed;

    // Synchronisation.
    barrier(Barrier) => control::barrier;
    sbarrier(Sbarrier) => control::sbarrier;
    nbarrier(Nbarrier) => control::nbarrier;
    // The threads that a thread depends on have run before it or are irrelevant, because groups are
    // unordered.
    wait(Wait) => control::done;
    yield_(Yield) => control::done;
    cache_flush(CacheFlush) => control::done;
    fence(Fence) => control::fence;
    lsc_fence(LscFence) => control::lsc_fence;

    // Marks without effect.
    file(File) => control::mark;
    loc(Loc) => control::line;
    lifetime(Lifetime) => control::mark;
}
