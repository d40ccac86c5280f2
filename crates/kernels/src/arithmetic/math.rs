//! Functions of one or two floats. Functions that the hardware approximates are computed in DF and
//! rounded once.

use std::f64::consts::LOG2_E;

use crate::arithmetic::compute::{ChunkOp, Op, lane_ops};
use crate::arithmetic::{angle, powers};
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
    together(l, inst, Power)
}

pub(crate) fn log(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    together(l, inst, Logarithm)
}

pub(crate) fn pow(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    together(l, inst, PowerOf)
}

pub(crate) fn sigm(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    together(l, inst, Sigmoid)
}

pub(crate) fn sin(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    together(l, inst, Sine { quarters: 0, any: f64::sin })
}

pub(crate) fn cos(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    together(l, inst, Sine { quarters: 1, any: f64::cos })
}

pub(crate) fn tanh(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    let types = l.types(inst)?;
    l.apply_costly::<f32, _, 1>(inst, types, Tanh)
}

/// Hyperbolic tangent of F values, by the system's library.
#[derive(Clone, Copy)]
struct Tanh;

impl Op<f32, 1> for Tanh {
    type Result = f32;
    const WIDE: bool = false;

    fn compute(self, sources: [f32; 1]) -> f32 {
        self.compute_in_mode(sources, FloatMode::PLAIN)
    }

    fn compute_in_mode(self, [a]: [f32; 1], mode: FloatMode) -> f32 {
        double_to_single(f64::from(a.flushed(mode)).tanh(), mode)
    }

    fn record<'r>(self, nodes: [Node<'r>; 1]) -> Option<Node<'r>> {
        Node::call_with(nodes, move |sources| self.compute(sources))
    }
}

/// Function of F values that is computed in DF and rounded once.
trait Function<const S: usize>: Copy + Send + Sync + 'static {
    /// Returns true if [`Function::near`] is valid for the values.
    fn is_near(self, values: [f32; S]) -> bool;
    /// Returns the result without branches and calls.
    fn near(self, values: [f64; S]) -> f64;
    /// Returns the result for any values, by the system's library.
    fn any(self, values: [f64; S]) -> f64;
}

/// Power of two.
#[derive(Clone, Copy)]
struct Power;

impl Function<1> for Power {
    #[inline(always)]
    fn is_near(self, [a]: [f32; 1]) -> bool {
        !a.is_nan()
    }

    #[inline(always)]
    fn near(self, [a]: [f64; 1]) -> f64 {
        powers::exp2(a)
    }

    fn any(self, [a]: [f64; 1]) -> f64 {
        a.exp2()
    }
}

/// Binary logarithm.
#[derive(Clone, Copy)]
struct Logarithm;

impl Function<1> for Logarithm {
    #[inline(always)]
    fn is_near(self, [a]: [f32; 1]) -> bool {
        (a > 0.0) & (a < f32::INFINITY)
    }

    #[inline(always)]
    fn near(self, [a]: [f64; 1]) -> f64 {
        powers::log2(a)
    }

    fn any(self, [a]: [f64; 1]) -> f64 {
        a.log2()
    }
}

/// The second value as a power of the magnitude of the first one.
#[derive(Clone, Copy)]
struct PowerOf;

impl Function<2> for PowerOf {
    #[inline(always)]
    fn is_near(self, [a, b]: [f32; 2]) -> bool {
        (a.abs() > 0.0) & (a.abs() < f32::INFINITY) & (b.abs() < f32::INFINITY)
    }

    #[inline(always)]
    fn near(self, [a, b]: [f64; 2]) -> f64 {
        powers::exp2(b * powers::log2(a.abs()))
    }

    fn any(self, [a, b]: [f64; 2]) -> f64 {
        (b * a.abs().log2()).exp2()
    }
}

/// Logistic function.
#[derive(Clone, Copy)]
struct Sigmoid;

impl Function<1> for Sigmoid {
    #[inline(always)]
    fn is_near(self, [a]: [f32; 1]) -> bool {
        !a.is_nan()
    }

    #[inline(always)]
    fn near(self, [a]: [f64; 1]) -> f64 {
        1.0 / (1.0 + powers::exp2(a * -LOG2_E))
    }

    fn any(self, [a]: [f64; 1]) -> f64 {
        1.0 / (1.0 + (-a).exp())
    }
}

/// Sine of F values plus a number of quarter turns; `any` is the function for all angles.
#[derive(Clone, Copy)]
struct Sine {
    quarters: u64,
    any: fn(f64) -> f64,
}

impl Function<1> for Sine {
    #[inline(always)]
    fn is_near(self, [a]: [f32; 1]) -> bool {
        angle::is_near(a)
    }

    #[inline(always)]
    fn near(self, [a]: [f64; 1]) -> f64 {
        angle::sine(a, self.quarters)
    }

    fn any(self, [a]: [f64; 1]) -> f64 {
        (self.any)(a)
    }
}

/// Lowers a function that is computed for all channels of a chunk together.
fn together<F: Function<S>, const S: usize>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, S>,
    function: F,
) -> LowerResult {
    let types = l.types(inst)?;
    let operands = l.operands::<f32, f32, S>(inst, inst.pred, types)?;
    Ok(l.operation(operands, Together(function)))
}

/// A function of chunks.
#[derive(Clone, Copy)]
struct Together<F>(F);

impl<F: Function<S>, const S: usize> ChunkOp<f32, f32, S> for Together<F> {
    const WIDE: bool = true;
    const MODED: bool = true;

    #[inline(always)]
    fn compute<const N: usize>(&self, sources: &[impl Values<f32>; S], thread: &Thread, n: usize) -> [f32; N] {
        let mut values = [[0.0; N]; S];
        for s in 0..S {
            values[s] = sources[s].load(thread, n);
        }
        self.near_or_any(&values)
    }

    fn compute_in_mode(&self, sources: &[Chunk<f32>; S], thread: &Thread, n: usize) -> [f32; LANES] {
        let mut values = [[0.0; LANES]; S];
        for s in 0..S {
            values[s] = sources[s].load(thread, n);
        }
        self.one_by_one(&values, thread.mode)
    }

    fn record<'r>(&self, nodes: [Node<'r>; S]) -> Option<Node<'r>> {
        let (first, last, whole) = (*nodes.first()?, *nodes.last()?, *self);
        (S <= 2).then(|| {
            first.call_chunk(
                last,
                #[inline(always)]
                move |a: [f32; 8], b| {
                    let mut values = [a; S];
                    values[S - 1] = b;
                    whole.near_or_any(&values)
                },
            )
        })
    }
}

impl<F> Together<F> {
    #[inline(always)]
    fn near_or_any<const N: usize, const S: usize>(&self, values: &[[f32; N]; S]) -> [f32; N]
    where
        F: Function<S>,
    {
        let near = from_lanes(|i| self.0.near(lane(values, i).map(f64::from)) as f32);
        let are_near = (0..N).fold(true, |all, i| all & self.0.is_near(lane(values, i)));
        if are_near { near } else { self.with_any(values, &near) }
    }

    /// Slow path for chunks with values that are not near.
    #[cold]
    #[inline(never)]
    fn with_any<const N: usize, const S: usize>(&self, values: &[[f32; N]; S], near: &[f32; N]) -> [f32; N]
    where
        F: Function<S>,
    {
        let any = |i| double_to_single(self.0.any(lane(values, i).map(f64::from)), FloatMode::PLAIN);
        from_lanes(|i| if self.0.is_near(lane(values, i)) { near[i] } else { any(i) })
    }

    #[cold]
    #[inline(never)]
    fn one_by_one<const N: usize, const S: usize>(&self, values: &[[f32; N]; S], mode: FloatMode) -> [f32; N]
    where
        F: Function<S>,
    {
        from_lanes(|i| double_to_single(self.0.any(lane(values, i).map(|a| a.flushed(mode).into())), mode))
    }
}

/// Returns the values of a channel.
#[inline(always)]
fn lane<const N: usize, const S: usize>(values: &[[f32; N]; S], i: usize) -> [f32; S] {
    let mut of_lane = [0.0; S];
    for s in 0..S {
        of_lane[s] = values[s][i];
    }
    of_lane
}
