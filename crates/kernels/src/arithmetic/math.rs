//! Functions of one or two floats. Functions that the hardware approximates are computed in DF and
//! rounded once.

use crate::arithmetic::angle;
use crate::arithmetic::compute::{ChunkOp, Op, lane_ops};
use crate::lowering::{LowerResult, Lowering};
use crate::operation::record::Node;
use visakit::rt::ComponentWise;
use visakit_machine::float::{Float, FloatMode};
use visakit_machine::lane::{LANES, from_lanes};
use visakit_machine::operand::{Chunk, Values};
use visakit_machine::rounding::double_to_single;
use visakit_machine::thread::Thread;

type One<'a> = ComponentWise<'a, 1>;

lane_ops! {
    Inv<L: Real>(a) wide true => a.constant(1.0).div(a);
    Sqrt<L: Real>(a) wide true => a.sqrt();
    Rsqrt<L: Real>(a) wide true => a.rsqrt();
    Frc<L: Real>(a) wide true => a.fract();
    Rndd<L: Real>(a) wide true => a.floor();
    Rndu<L: Real>(a) wide true => a.ceil();
    Rnde<L: Real>(a) wide true => a.round();
    Rndz<L: Real>(a) wide true => a.trunc();
}

pub(crate) fn inv(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    l.reals_only(inst, Inv, "the inverse of an integer")
}

/// Lowers a square root. The machine's square root ([`SQRTM`](visakit::isa::Sqrtm)) is also the one
/// of IEEE 754.
pub(crate) fn sqrt(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    l.reals_only(inst, Sqrt, "the square root of an integer")
}

pub(crate) fn rsqrt(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    l.reals_only(inst, Rsqrt, "the square root of an integer")
}

pub(crate) fn frc(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    l.reals_only(inst, Frc, ROUNDING)
}

pub(crate) fn rndd(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    l.reals_only(inst, Rndd, ROUNDING)
}

pub(crate) fn rndu(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    l.reals_only(inst, Rndu, ROUNDING)
}

pub(crate) fn rnde(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    l.reals_only(inst, Rnde, ROUNDING)
}

pub(crate) fn rndz(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    l.reals_only(inst, Rndz, ROUNDING)
}

const ROUNDING: &str = "rounding an integer";

pub(crate) fn exp(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    approximate(l, inst, |[a]| a.exp2())
}

pub(crate) fn log(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    approximate(l, inst, |[a]| a.log2())
}

pub(crate) fn pow(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    approximate(l, inst, |[a, b]| (b * a.abs().log2()).exp2())
}

pub(crate) fn tanh(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    approximate(l, inst, |[a]| a.tanh())
}

pub(crate) fn sigm(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    approximate(l, inst, |[a]| 1.0 / (1.0 + (-a).exp()))
}

/// Lowers a function of F values that is computed in DF.
fn approximate<const S: usize>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, S>,
    f: fn([f64; S]) -> f64,
) -> LowerResult {
    let types = l.types(inst)?;
    l.apply_costly::<f32, _, S>(inst, types, Approximate(f))
}

#[derive(Clone, Copy)]
struct Approximate<const S: usize>(fn([f64; S]) -> f64);

impl<const S: usize> Op<f32, S> for Approximate<S> {
    type Result = f32;
    const WIDE: bool = false;

    fn compute(self, sources: [f32; S]) -> f32 {
        self.compute_in_mode(sources, FloatMode::PLAIN)
    }

    fn compute_in_mode(self, sources: [f32; S], mode: FloatMode) -> f32 {
        double_to_single((self.0)(sources.map(|source| source.flushed(mode).into())), mode)
    }

    fn record<'r>(self, nodes: [Node<'r>; S]) -> Option<Node<'r>> {
        Node::call_with(nodes, move |sources| self.compute(sources))
    }
}

pub(crate) fn sin(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    turned(l, inst, Sine { quarters: 0, any: f64::sin })
}

pub(crate) fn cos(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    turned(l, inst, Sine { quarters: 1, any: f64::cos })
}

fn turned(l: &mut Lowering<'_>, inst: &One<'_>, op: Sine) -> LowerResult {
    let types = l.types(inst)?;
    let operands = l.operands::<f32, f32, 1>(inst, inst.pred, types)?;
    Ok(l.operation(operands, op))
}

/// Sine of F values plus a number of quarter turns; `any` handles values outside the range of
/// [`angle::sine`].
#[derive(Clone, Copy)]
struct Sine {
    quarters: u64,
    any: fn(f64) -> f64,
}

impl ChunkOp<f32, f32, 1> for Sine {
    const WIDE: bool = true;
    const MODED: bool = true;

    #[inline(always)]
    fn compute<const N: usize>(&self, [a]: &[impl Values<f32>; 1], thread: &Thread, n: usize) -> [f32; N] {
        self.near_or_any(a.load(thread, n))
    }

    fn compute_in_mode(&self, [a]: &[Chunk<f32>; 1], thread: &Thread, n: usize) -> [f32; LANES] {
        one_by_one(&a.load(thread, n), self.any, thread.mode)
    }

    fn record<'r>(&self, [a]: [Node<'r>; 1]) -> Option<Node<'r>> {
        let sine = *self;
        Some(a.call_chunk(
            a,
            #[inline(always)]
            move |a: [f32; 8], _| sine.near_or_any(a),
        ))
    }
}

impl Sine {
    #[inline(always)]
    fn near_or_any<const N: usize>(&self, a: [f32; N]) -> [f32; N] {
        let near = from_lanes(|i| angle::sine(a[i].into(), self.quarters) as f32);
        if angle::are_near(&a) { near } else { self.with_any(&a, &near) }
    }

    /// Slow path for chunks with values out of range.
    #[cold]
    #[inline(never)]
    fn with_any<const N: usize>(&self, a: &[f32; N], near: &[f32; N]) -> [f32; N] {
        let any = one_by_one(a, self.any, FloatMode::PLAIN);
        from_lanes(|i| if angle::are_near(&[a[i]]) { near[i] } else { any[i] })
    }
}

#[cold]
#[inline(never)]
fn one_by_one<const N: usize>(values: &[f32; N], f: fn(f64) -> f64, mode: FloatMode) -> [f32; N] {
    from_lanes(|i| double_to_single(f(values[i].flushed(mode).into()), mode))
}
