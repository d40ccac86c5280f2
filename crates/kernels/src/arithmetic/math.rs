//! Functions of one or two floats. Functions that the hardware approximates are computed in DF and
//! rounded once.

use std::f64::consts::LOG2_E;

use crate::arithmetic::compute::{ChunkOp, lane_ops};
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
    together(l, inst, Sine)
}

pub(crate) fn cos(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    together(l, inst, Cosine)
}

pub(crate) fn tanh(l: &mut Lowering<'_>, inst: &One<'_>) -> LowerResult {
    together(l, inst, Tangent)
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

/// Defines functions: for each its arguments, the condition for the result without branches, that
/// result, and the one of the system's library.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) if $is_near:expr => $near:expr, else $any:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name;

        impl Function<{ [$(stringify!($arg)),*].len() }> for $name {
            #[inline(always)]
            fn is_near(self, [$($arg),*]: [f32; { [$(stringify!($arg)),*].len() }]) -> bool {
                $is_near
            }

            #[inline(always)]
            fn near(self, [$($arg),*]: [f64; { [$(stringify!($arg)),*].len() }]) -> f64 {
                $near
            }

            fn any(self, [$($arg),*]: [f64; { [$(stringify!($arg)),*].len() }]) -> f64 {
                $any
            }
        }
    )*};
}

functions! {
    /// Power of two.
    Power(a) if !a.is_nan() => powers::exp2(a), else a.exp2();
    /// Binary logarithm.
    Logarithm(a) if (a > 0.0) & (a < f32::INFINITY) => powers::log2(a), else a.log2();
    /// The second value as a power of the magnitude of the first one.
    PowerOf(a, b) if (a.abs() > 0.0) & (a.abs() < f32::INFINITY) & (b.abs() < f32::INFINITY)
        => powers::exp2(b * powers::log2(a.abs())), else (b * a.abs().log2()).exp2();
    /// Logistic function.
    Sigmoid(a) if !a.is_nan() => 1.0 / (1.0 + powers::exp2(a * -LOG2_E)), else 1.0 / (1.0 + (-a).exp());
    Sine(a) if angle::is_near(a) => angle::sine(a, 0), else a.sin();
    Cosine(a) if angle::is_near(a) => angle::sine(a, 1), else a.cos();
    /// Hyperbolic tangent, by the library for all values but zeros.
    Tangent(a) if a == 0.0 => a, else a.tanh();
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
        from_lanes(|i| self.any(lane(&values, i), thread.mode))
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
        from_lanes(|i| {
            let values = lane(values, i);
            if self.0.is_near(values) { near[i] } else { self.any(values, FloatMode::PLAIN) }
        })
    }

    fn any<const S: usize>(&self, values: [f32; S], mode: FloatMode) -> f32
    where
        F: Function<S>,
    {
        double_to_single(self.0.any(values.map(|value| value.flushed(mode).into())), mode)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A value that is not near changes no other channel of its chunk.
    #[test]
    fn channels_are_independent() {
        fn check<F: Function<1>>(function: F, far: f32) {
            let near = [0.0, 0.5, 1.0, 3.0].map(|a| if function.is_near([a]) { a } else { 2.0 });
            let [a, b, c, d] = Together(function).near_or_any(&[near]);
            let any = Together(function).any([far], FloatMode::PLAIN);
            assert!(!function.is_near([far]));
            let mixed = Together(function).near_or_any(&[[near[0], near[1], far, near[3]]]);
            assert_eq!(mixed.map(f32::to_bits), [a, b, any, d].map(f32::to_bits), "{c}");
        }
        check(Power, f32::NAN);
        check(Logarithm, 0.0);
        check(Logarithm, -1.0);
        check(Sigmoid, f32::NAN);
        check(Sine, f32::INFINITY);
        check(Cosine, 70_000.0);
        check(Tangent, 0.25);
    }
}
