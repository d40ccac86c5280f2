//! Functions of one or two floats. Those that the hardware approximates are computed in DF and rounded once.

use crate::kernels::angle;
use crate::kernels::compute::{Target, specialize};
use crate::kernels::integer::floats_of;
use crate::kernels::lowering::{LowerResult, Lowering, channels, illegal};
use crate::machine::float::{Float, FloatMode, double_to_single};
use crate::machine::lane::from_lanes;
use visakit::rt::ComponentWise;

type One<'a> = ComponentWise<'a, 1>;

pub(super) fn inv(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    let domain = l.float_domain(&inst.src)?;
    let Some(domain) = domain else { return illegal("the inverse of an integer") };
    floats_of!(domain, T => l.wide_float_unary::<T>(
        inst.into(),
        inst.src[0],
        |a| 1.0 / a,
        |a, mode| (1.0 as T).quotient(a, mode)
    ))
}

pub(super) fn sqrt(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    let Some(domain) = l.float_domain(&inst.src)? else { return illegal("the square root of an integer") };
    floats_of!(domain, T => l.wide_float_unary::<T>(inst.into(), inst.src[0], T::sqrt, |a, mode| a.root(mode)))
}

pub(super) fn rsqrt(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    let Some(domain) = l.float_domain(&inst.src)? else { return illegal("the square root of an integer") };
    floats_of!(domain, T => l.wide_float_unary::<T>(
        inst.into(),
        inst.src[0],
        |a| 1.0 / a.sqrt(),
        |a, mode| (1.0 as T).quotient(a.flushed(mode).sqrt(), mode)
    ))
}

pub(super) fn exp(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    approximate(l, inst.into(), inst.src, |[a]| a.exp2())
}

pub(super) fn log(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    approximate(l, inst.into(), inst.src, |[a]| a.log2())
}

pub(super) fn sin(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    turned(l, inst, 0, f64::sin)
}

pub(super) fn cos(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    turned(l, inst, 1, f64::cos)
}

pub(super) fn pow(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    approximate(l, inst.into(), inst.src, |[a, b]| a.powf(b))
}

/// The sine of F values and so many quarters of a turn; `any` computes it for those that [`angle::sine`] does not take.
fn turned(l: &mut Lowering<'_>, inst: &One<'_>, quarters: u64, any: fn(f64) -> f64) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let a = l.source::<f32>(inst.src[0], lanes)?;
    let dst = l.destination::<f32>(inst.dst, lanes)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let run = specialize!(true, true, lanes, enable, dst, [a, quarters, any], |thread, n| [f32; N] => {
        let a: [f32; N] = a.load(thread, n);
        if thread.is_plain() && angle::are_near(&a) {
            from_lanes(|i| angle::sine(a[i].into(), *quarters) as f32)
        } else {
            let copy = a;
            one_by_one(&copy, *any, thread.mode)
        }
    });
    Ok(l.step(enable, run))
}

#[cold]
#[inline(never)]
fn one_by_one<const N: usize>(values: &[f32; N], f: fn(f64) -> f64, mode: FloatMode) -> [f32; N] {
    from_lanes(|i| double_to_single(f(values[i].flushed(mode).into()), mode))
}

/// A function of F values, computed in DF.
fn approximate<const S: usize>(
    l: &mut Lowering<'_>,
    target: Target<'_>,
    sources: [&visakit::isa::VecOperand; S],
    f: fn([f64; S]) -> f64,
) -> LowerResult {
    l.per_lane::<f32, S>(target, sources, move |values, mode: FloatMode| {
        double_to_single(f(values.map(|value| value.flushed(mode).into())), mode)
    })
}

pub(super) fn frc(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    round(l, inst, |a| a - a.floor(), |a| a - a.floor())
}

pub(super) fn rndd(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    round(l, inst, f32::floor, f64::floor)
}

pub(super) fn rndu(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    round(l, inst, f32::ceil, f64::ceil)
}

pub(super) fn rnde(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    round(l, inst, f32::round_ties_even, f64::round_ties_even)
}

pub(super) fn rndz(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    round(l, inst, f32::trunc, f64::trunc)
}

fn round(
    l: &mut Lowering<'_>,
    inst: &One<'_>,
    single: impl Fn(f32) -> f32 + Copy + Send + Sync + 'static,
    double: impl Fn(f64) -> f64 + Copy + Send + Sync + 'static,
) -> LowerResult {
    use crate::kernels::compute::Domain;
    match l.float_domain(&inst.src)? {
        Some(Domain::F64) => l.wide_unary::<f64>(inst.into(), inst.src[0], double),
        Some(_) => l.wide_unary::<f32>(inst.into(), inst.src[0], single),
        None => illegal("rounding an integer"),
    }
}
