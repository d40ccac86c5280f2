//! One method a page: which kernel fills which stub.

use crate::kernels::lowering::{LowerError, LowerResult, Lowering};
use crate::kernels::step::Lowered;
use crate::kernels::{
    arithmetic, block, compare, control, dot, image, logic, lsc, math, matrix, movement, narrow, sampler, surface,
    svm,
};
use crate::machine::thread::ExecMask;
use visakit::isa::{
    Addc, AddrAdd, Barrier, Bfn, CacheFlush, Call, Cmp, Dpas, Dpasw, DwordAtomic, Faddr, Fcall, Fcvt, Fence, File,
    Fret, Gather, Gather4Scaled, Gather4Typed, GatherScaled, Goto, Ifcall, Info, Jmp, Kernels, Label, Lifetime,
    Load3d, Loc, LscFence, LscTyped, LscUntyped, MediaLd, MediaSt, MinMax, Movs, Nbarrier, OwordLd, OwordLdUnaligned,
    OwordSt, QwGather, QwScatter, Ret, Sample3d, Sample43d, Sbarrier, Scatter, Scatter4Scaled, Scatter4Typed,
    ScatterScaled, Setp, Srnd, Subb, Subroutine, SvmAtomic, SvmBlockLd, SvmBlockSt, SvmGather, SvmGather4Scaled,
    SvmScatter, SvmScatter4Scaled, Switchjmp, TypedAtomic, Wait, Yield,
};
use visakit::rt::ComponentWise;

impl Kernels for Lowering<'_> {
    type Output = Lowered;
    type Error = LowerError;

    // Arithmetic.

    fn add(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        arithmetic::add(self, &inst)
    }

    fn mul(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        arithmetic::mul(self, &inst)
    }

    fn mad(&mut self, inst: ComponentWise<'_, 3>) -> LowerResult {
        arithmetic::mad(self, &inst)
    }

    fn add3(&mut self, inst: ComponentWise<'_, 3>) -> LowerResult {
        arithmetic::add3(self, &inst)
    }

    fn madw(&mut self, inst: ComponentWise<'_, 3>) -> LowerResult {
        arithmetic::madw(self, &inst)
    }

    fn mulh(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        arithmetic::mulh(self, &inst)
    }

    fn avg(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        arithmetic::avg(self, &inst)
    }

    fn div(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        arithmetic::div(self, &inst)
    }

    fn mod_(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        arithmetic::modulo(self, &inst)
    }

    fn lrp(&mut self, inst: ComponentWise<'_, 3>) -> LowerResult {
        arithmetic::lrp(self, &inst)
    }

    fn min_max(&mut self, inst: &MinMax) -> LowerResult {
        arithmetic::min_max(self, inst)
    }

    fn addc(&mut self, inst: &Addc) -> LowerResult {
        arithmetic::addc(self, inst)
    }

    fn subb(&mut self, inst: &Subb) -> LowerResult {
        arithmetic::subb(self, inst)
    }

    fn divm(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        arithmetic::divm(self, &inst)
    }

    fn dp4a(&mut self, inst: ComponentWise<'_, 3>) -> LowerResult {
        dot::dp4a(self, &inst)
    }

    fn sad2(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        dot::sad2(self, &inst)
    }

    fn sad2add(&mut self, inst: ComponentWise<'_, 3>) -> LowerResult {
        dot::sad2add(self, &inst)
    }

    fn plane(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        dot::plane(self, &inst)
    }

    fn dpas(&mut self, inst: &Dpas) -> LowerResult {
        matrix::dpas(self, inst)
    }

    fn dpasw(&mut self, inst: &Dpasw) -> LowerResult {
        matrix::dpasw(self, inst)
    }

    // Functions of floats.

    fn inv(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::inv(self, &inst)
    }

    fn sqrt(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::sqrt(self, &inst)
    }

    // The square root of the machine is the one of IEEE 754.
    fn sqrtm(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::sqrt(self, &inst)
    }

    fn rsqrt(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::rsqrt(self, &inst)
    }

    fn exp(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::exp(self, &inst)
    }

    fn log(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::log(self, &inst)
    }

    fn pow(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        math::pow(self, &inst)
    }

    fn sin(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::sin(self, &inst)
    }

    fn cos(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::cos(self, &inst)
    }

    fn frc(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::frc(self, &inst)
    }

    fn rndd(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::rndd(self, &inst)
    }

    fn rndu(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::rndu(self, &inst)
    }

    fn rnde(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::rnde(self, &inst)
    }

    fn rndz(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        math::rndz(self, &inst)
    }

    // Bits.

    fn and(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        logic::and(self, &inst)
    }

    fn or(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        logic::or(self, &inst)
    }

    fn xor(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        logic::xor(self, &inst)
    }

    fn not(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        logic::not(self, &inst)
    }

    fn shl(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        logic::shl(self, &inst)
    }

    fn shr(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        logic::shr(self, &inst)
    }

    fn asr(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        logic::asr(self, &inst)
    }

    fn rol(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        logic::rol(self, &inst)
    }

    fn ror(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        logic::ror(self, &inst)
    }

    fn cbit(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        logic::cbit(self, &inst)
    }

    fn fbl(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        logic::fbl(self, &inst)
    }

    fn fbh(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        logic::fbh(self, &inst)
    }

    fn lzd(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        logic::lzd(self, &inst)
    }

    fn bfrev(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        logic::bfrev(self, &inst)
    }

    fn bfe(&mut self, inst: ComponentWise<'_, 3>) -> LowerResult {
        logic::bfe(self, &inst)
    }

    fn bfi(&mut self, inst: ComponentWise<'_, 4>) -> LowerResult {
        logic::bfi(self, &inst)
    }

    fn bfn(&mut self, inst: &Bfn) -> LowerResult {
        logic::bfn(self, inst)
    }

    // Comparison and moves.

    fn cmp(&mut self, inst: &Cmp) -> LowerResult {
        compare::cmp(self, inst)
    }

    fn sel(&mut self, inst: ComponentWise<'_, 2>) -> LowerResult {
        compare::sel(self, &inst)
    }

    fn mov(&mut self, inst: ComponentWise<'_, 1>) -> LowerResult {
        movement::mov(self, &inst)
    }

    fn fcvt(&mut self, inst: &Fcvt) -> LowerResult {
        narrow::fcvt(self, inst)
    }

    fn srnd(&mut self, inst: &Srnd) -> LowerResult {
        narrow::srnd(self, inst)
    }

    fn movs(&mut self, inst: &Movs) -> LowerResult {
        movement::movs(self, inst)
    }

    fn setp(&mut self, inst: &Setp) -> LowerResult {
        movement::setp(self, inst)
    }

    fn faddr(&mut self, inst: &Faddr) -> LowerResult {
        movement::faddr(self, inst)
    }

    fn addr_add(&mut self, inst: &AddrAdd) -> LowerResult {
        movement::addr_add(self, inst)
    }

    // Control flow.

    fn label(&mut self, inst: &Label) -> LowerResult {
        Ok(Lowered::Label(inst.label))
    }

    fn subroutine(&mut self, inst: &Subroutine) -> LowerResult {
        Ok(Lowered::Subroutine(inst.label))
    }

    fn goto(&mut self, inst: &Goto) -> LowerResult {
        control::goto(self, inst)
    }

    fn jmp(&mut self, inst: &Jmp) -> LowerResult {
        control::jmp(self, inst)
    }

    fn switchjmp(&mut self, inst: &Switchjmp) -> LowerResult {
        control::switchjmp(self, inst)
    }

    fn call(&mut self, inst: &Call) -> LowerResult {
        control::call(self, inst)
    }

    fn ret(&mut self, inst: &Ret) -> LowerResult {
        control::ret(self, inst)
    }

    fn fcall(&mut self, inst: &Fcall) -> LowerResult {
        control::fcall(self, inst)
    }

    fn ifcall(&mut self, inst: &Ifcall) -> LowerResult {
        control::ifcall(self, inst)
    }

    fn fret(&mut self, inst: &Fret) -> LowerResult {
        control::fret(self, inst)
    }

    // Surfaces.

    fn gather(&mut self, inst: &Gather) -> LowerResult {
        surface::gather(self, inst)
    }

    fn scatter(&mut self, inst: &Scatter) -> LowerResult {
        surface::scatter(self, inst)
    }

    fn gather_scaled(&mut self, inst: &GatherScaled) -> LowerResult {
        surface::gather_scaled(self, inst)
    }

    fn scatter_scaled(&mut self, inst: &ScatterScaled) -> LowerResult {
        surface::scatter_scaled(self, inst)
    }

    fn gather4_scaled(&mut self, inst: &Gather4Scaled) -> LowerResult {
        surface::gather4_scaled(self, inst)
    }

    fn scatter4_scaled(&mut self, inst: &Scatter4Scaled) -> LowerResult {
        surface::scatter4_scaled(self, inst)
    }

    fn oword_ld(&mut self, inst: &OwordLd) -> LowerResult {
        surface::oword_ld(self, inst)
    }

    fn oword_ld_unaligned(&mut self, inst: &OwordLdUnaligned) -> LowerResult {
        surface::oword_ld_unaligned(self, inst)
    }

    fn oword_st(&mut self, inst: &OwordSt) -> LowerResult {
        surface::oword_st(self, inst)
    }

    fn qw_gather(&mut self, inst: &QwGather) -> LowerResult {
        surface::qw_gather(self, inst)
    }

    fn qw_scatter(&mut self, inst: &QwScatter) -> LowerResult {
        surface::qw_scatter(self, inst)
    }

    fn dword_atomic(&mut self, inst: &DwordAtomic) -> LowerResult {
        surface::dword_atomic(self, inst)
    }

    // Flat memory.

    fn svm_block_ld(&mut self, inst: &SvmBlockLd) -> LowerResult {
        svm::block_ld(self, inst)
    }

    fn svm_block_st(&mut self, inst: &SvmBlockSt) -> LowerResult {
        svm::block_st(self, inst)
    }

    fn svm_gather(&mut self, inst: &SvmGather) -> LowerResult {
        svm::gather(self, inst)
    }

    fn svm_scatter(&mut self, inst: &SvmScatter) -> LowerResult {
        svm::scatter(self, inst)
    }

    fn svm_gather4_scaled(&mut self, inst: &SvmGather4Scaled) -> LowerResult {
        svm::gather4_scaled(self, inst)
    }

    fn svm_scatter4_scaled(&mut self, inst: &SvmScatter4Scaled) -> LowerResult {
        svm::scatter4_scaled(self, inst)
    }

    fn svm_atomic(&mut self, inst: &SvmAtomic) -> LowerResult {
        svm::atomic(self, inst)
    }

    fn lsc_untyped(&mut self, inst: &LscUntyped) -> LowerResult {
        lsc::untyped(self, inst)
    }

    // Images.

    fn load_3d(&mut self, inst: &Load3d) -> LowerResult {
        image::load(self, inst)
    }

    fn sample4_3d(&mut self, inst: &Sample43d) -> LowerResult {
        sampler::sample4(self, inst)
    }

    fn sample_3d(&mut self, inst: &Sample3d) -> LowerResult {
        sampler::sample(self, inst)
    }

    fn gather4_typed(&mut self, inst: &Gather4Typed) -> LowerResult {
        image::gather4_typed(self, inst)
    }

    fn scatter4_typed(&mut self, inst: &Scatter4Typed) -> LowerResult {
        image::scatter4_typed(self, inst)
    }

    fn media_ld(&mut self, inst: &MediaLd) -> LowerResult {
        block::media_ld(self, inst)
    }

    fn media_st(&mut self, inst: &MediaSt) -> LowerResult {
        block::media_st(self, inst)
    }

    fn typed_atomic(&mut self, inst: &TypedAtomic) -> LowerResult {
        image::typed_atomic(self, inst)
    }

    fn info(&mut self, inst: &Info) -> LowerResult {
        image::info(self, inst)
    }

    fn lsc_typed(&mut self, inst: &LscTyped) -> LowerResult {
        image::lsc_typed(self, inst)
    }

    // Synchronisation. Memory is coherent and every access is done before the next instruction, so fences have nothing
    // to wait for.

    fn barrier(&mut self, _: &Barrier) -> LowerResult {
        Ok(Lowered::Barrier)
    }

    fn sbarrier(&mut self, inst: &Sbarrier) -> LowerResult {
        Ok(control::sbarrier(inst))
    }

    fn nbarrier(&mut self, inst: &Nbarrier) -> LowerResult {
        control::nbarrier(self, inst)
    }

    // Threads that a thread depends on have run before it or do not matter: no two groups are ordered.
    fn wait(&mut self, _: &Wait) -> LowerResult {
        Ok(self.step(ExecMask::all(1), Box::new(|_, _| Ok(()))))
    }

    fn yield_(&mut self, _: &Yield) -> LowerResult {
        Ok(self.step(ExecMask::all(1), Box::new(|_, _| Ok(()))))
    }

    fn cache_flush(&mut self, _: &CacheFlush) -> LowerResult {
        Ok(self.step(ExecMask::all(1), Box::new(|_, _| Ok(()))))
    }

    fn fence(&mut self, _: &Fence) -> LowerResult {
        Ok(self.step(ExecMask::all(1), Box::new(|_, _| Ok(()))))
    }

    fn lsc_fence(&mut self, _: &LscFence) -> LowerResult {
        Ok(self.step(ExecMask::all(1), Box::new(|_, _| Ok(()))))
    }

    // Marks that execute nothing.

    fn file(&mut self, _: &File) -> LowerResult {
        Ok(Lowered::Nothing)
    }

    fn loc(&mut self, inst: &Loc) -> LowerResult {
        Ok(Lowered::Line(inst.line_number))
    }

    fn lifetime(&mut self, _: &Lifetime) -> LowerResult {
        Ok(Lowered::Nothing)
    }
}
