//! Arithmetic: sums, products, quotients, means, minima and maxima.

use std::marker::PhantomData;

use crate::arithmetic::compute::{LaneOp, lane_ops};
use crate::arithmetic::domain::Domain;
use crate::lowering::step::Run;
use crate::lowering::{LowerResult, Lowering, channels, illegal, is_saturated};
use crate::operation::algebra::{self, Integer, Lane as _, Scalar};
use crate::operation::record::{Node, Output, Record, Recording};
use crate::operation::strict::Strict;
use visakit::isa::{Addc, DataType, MinMax, MinMaxOp, Subb, VecOperand};
use visakit::rt::ComponentWise;
use visakit_machine::float::{FloatMode, fused_to_odd};
use visakit_machine::lane::{LANES, from_lanes};
use visakit_machine::region::Start;
use visakit_machine::thread::{ExecMask, Thread};
use visakit_native::ir::Kind;

lane_ops! {
    Add<L: Lane>(a, b) => a.add(b);
    Add3<L: Lane>(a, b, c) => a.add(b).add(c);
    Mul<L: Lane>(a, b) wide L::WORD => a.mul(b);
    Mad<L: Lane>(a, b, c) wide L::FUSED || L::WORD => a.mul_add(b, c);
    Div<L: Lane>(a, b) wide L::WORD => a.div(b);
    Mod<L: Integer>(a, b) wide L::WORD => a.rem(b);
    Avg<L: Integer>(a, b) => a.mean(b);
    Min<L: Lane>(a, b) wide L::WORD => a.min(b);
    Max<L: Lane>(a, b) wide L::WORD => a.max(b);
    /// Linear interpolation of two values with a weight for the first.
    Lrp<L: Real>(weight, a, b) => a.mul(weight).add(b.mul(weight.constant(1.0).add(weight.neg())));
}

pub(crate) fn add(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    match l.reals(inst, Add)? {
        Some(lowered) => Ok(lowered),
        None => l.ring(inst, Add, 1),
    }
}

pub(crate) fn add3(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    l.ring(inst, Add3, 2)
}

pub(crate) fn mul(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    if let Some(lowered) = l.reals(inst, Mul)? {
        return Ok(lowered);
    }
    if matches!(l.type_of(inst.dst)?, DataType::Uq | DataType::Q) && !is_saturated(inst.dst) {
        match l.exact_domain(&inst.src, 0)? {
            Domain::U32 => return l.apply::<u32, _, 2>(inst, WideMul::<u64>(PhantomData)),
            Domain::I32 => return l.apply::<i32, _, 2>(inst, WideMul::<i64>(PhantomData)),
            _ => {}
        }
    }
    let growth = l.widest(&inst.src)?;
    l.ring(inst, Mul, growth)
}

/// Product of twice the width of its factors.
#[derive(Clone, Copy)]
struct WideMul<W>(PhantomData<W>);

impl<T: Scalar, W: Scalar + algebra::Lane + From<T>> LaneOp<T, 2> for WideMul<W> {
    type Out = W;
    const WIDE: bool = true;
    #[inline(always)]
    fn apply(self, [a, b]: [T; 2]) -> W {
        W::from(a).mul(W::from(b))
    }
}

impl<W: Scalar> Record<2> for WideMul<W> {
    fn record<'r>(self, [a, b]: [Node<'r>; 2]) -> Option<Node<'r>> {
        let kind = W::KIND?;
        Some(algebra::Lane::mul(a.convert(kind), b.convert(kind)))
    }
}

pub(crate) fn mad(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    // Only a computation in the short type rounds to it directly; with an F source the result is
    // first rounded to F.
    let data_type = l.type_of(inst.dst)?;
    let mut is_short = matches!(data_type, DataType::Hf | DataType::Bf);
    for source in inst.src {
        is_short = is_short && l.type_of(source)? == data_type;
    }
    if is_short {
        return l.apply::<f32, _, 3>(inst, MadToOdd);
    }
    if let Some(lowered) = l.reals(inst, Mad)? {
        return Ok(lowered);
    }
    let growth = l.widest(&inst.src)? + 1;
    l.ring(inst, Mad, growth)
}

/// As [`Mad`], for results that are rounded again: rounds to odd, to avoid double rounding.
#[derive(Clone, Copy)]
struct MadToOdd;

impl Record<3> for MadToOdd {
    fn record<'r>(self, [a, b, c]: [Node<'r>; 3]) -> Option<Node<'r>> {
        a.fused_to_odd(b, c)
    }
}

impl LaneOp<f32, 3> for MadToOdd {
    type Out = f32;
    fn apply(self, [a, b, c]: [f32; 3]) -> f32 {
        fused_to_odd(a, b, c, FloatMode::PLAIN)
    }
}

impl LaneOp<Strict<f32>, 3> for MadToOdd {
    type Out = Strict<f32>;
    fn apply(self, [a, b, c]: [Strict<f32>; 3]) -> Strict<f32> {
        Strict { value: fused_to_odd(a.value, b.value, c.value, a.mode), ..a }
    }
}

pub(crate) fn avg(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    l.exact(inst, Avg, 1)
}

/// High part of a product, above the low 32 bits.
#[derive(Clone, Copy)]
struct Mulh;

macro_rules! mulh {
    ($($type:ty, $whole:ty;)*) => {$(
        impl LaneOp<$type, 2> for Mulh {
            type Out = $type;
            const WIDE: bool = true;
            #[inline(always)]
            fn apply(self, [a, b]: [$type; 2]) -> $type {
                (algebra::Lane::mul(a as $whole, b as $whole) >> 32) as $type
            }
        }
    )*};
}

mulh! {
    u32, u64;
    i32, i64;
    u64, u64;
    i64, i64;
    i128, i128;
}

impl Record<2> for Mulh {
    fn record<'r>(self, [a, b]: [Node<'r>; 2]) -> Option<Node<'r>> {
        let whole = match a.kind() {
            Kind::U32 => Kind::U64,
            Kind::I32 => Kind::I64,
            _ => return None,
        };
        let product = algebra::Lane::mul(a.convert(whole), b.convert(whole));
        Some(product.shr(product.constant(32), 63).convert(a.kind()))
    }
}

pub(crate) fn mulh(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    match l.word_domain(inst.dst, &inst.src)? {
        Some(Domain::U32) => return l.apply::<u32, _, 2>(inst, Mulh),
        Some(_) => return l.apply::<i32, _, 2>(inst, Mulh),
        None => {}
    }
    let types = l.types(inst)?;
    match l.exact_domain(&inst.src, 32)? {
        Domain::U64 => l.apply_costly::<u64, _, 2>(inst, types, Mulh),
        Domain::I64 => l.apply_costly::<i64, _, 2>(inst, types, Mulh),
        _ => l.apply_costly::<i128, _, 2>(inst, types, Mulh),
    }
}

pub(crate) fn div(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    match l.reals(inst, Div)? {
        Some(lowered) => Ok(lowered),
        None => l.words(inst, Div, 1),
    }
}

/// Lowers an IEEE 754 division.
pub(crate) fn divm(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    l.reals_only(inst, Div, "an IEEE division of integers")
}

pub(crate) fn modulo(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    l.words(inst, Mod, 1)
}

pub(crate) fn lrp(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    l.apply::<f32, _, 3>(inst, Lrp)
}

pub(crate) fn min_max(l: &mut Lowering<'_>, inst: &MinMax) -> LowerResult {
    let operands = &inst.component_wise();
    let min = inst.op == MinMaxOp::Min;
    let lowered = if min { l.reals(operands, Min)? } else { l.reals(operands, Max)? };
    match (lowered, min) {
        (Some(lowered), _) => Ok(lowered),
        (None, true) => l.integers(operands, Min),
        (None, false) => l.integers(operands, Max),
    }
}

/// An operation with two results.
trait Pair: Copy + Send + Sync + 'static {
    /// Computes both results.
    fn compute<L: Integer>(self, a: L, b: L) -> [L; 2];
}

/// Sum and carry.
#[derive(Clone, Copy)]
struct AddCarry;

/// Difference and borrow.
#[derive(Clone, Copy)]
struct SubBorrow;

impl Pair for AddCarry {
    fn compute<L: Integer>(self, a: L, b: L) -> [L; 2] {
        let sum = a.add(b);
        [sum, high_bit(a.and(b).or(a.or(b).and(sum.not())))]
    }
}

impl Pair for SubBorrow {
    fn compute<L: Integer>(self, a: L, b: L) -> [L; 2] {
        let difference = a.add(b.neg());
        [difference, high_bit(a.not().and(b).or(a.not().or(b).and(difference)))]
    }
}

/// Returns the highest bit as 0 or 1.
fn high_bit<L: Integer>(value: L) -> L {
    value.shr(value.constant(value.bits() - 1), u32::MAX)
}

pub(crate) fn addc(l: &mut Lowering<'_>, inst: &Addc) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    two_results(l, enable, [&inst.dst, &inst.carry], [&inst.src0, &inst.src1], AddCarry)
}

pub(crate) fn subb(l: &mut Lowering<'_>, inst: &Subb) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    two_results(l, enable, [&inst.dst, &inst.borrow], [&inst.src0, &inst.src1], SubBorrow)
}

/// Lowers an instruction with two 32-bit results and destinations.
fn two_results(
    l: &mut Lowering<'_>,
    enable: ExecMask,
    destinations: [&VecOperand; 2],
    sources: [&VecOperand; 2],
    op: impl Pair,
) -> LowerResult {
    let lanes = enable.lanes.count_ones() as usize;
    let [a, b] = [l.source::<u32>(sources[0], lanes)?, l.source::<u32>(sources[1], lanes)?];
    l.reads_all_first();
    let first = l.destination::<u32>(destinations[0], lanes)?;
    let second = l.destination::<u32>(destinations[1], lanes)?;
    l.note_action(|l| {
        let recording = Recording::default();
        let input =
            |n: usize, source| recording.source(&l.input::<u32>(sources[n], source, l.type_of(sources[n]).ok()?));
        let output = |n: usize, destination| {
            let operand = destinations[n];
            Some(Output::new::<u32>(destination, l.type_of(operand).ok()?, is_saturated(operand)))
        };
        let [low, high] = op.compute(input(0, &a)?, input(1, &b)?);
        recording.finish(&[(low, &output(0, &first)?), (high, &output(1, &second)?)])
    });
    let run = Run::new(move |thread, _| {
        let enabled = thread.enabled(&enable);
        let part = |thread: &Thread, n| -> [[u32; LANES]; 2] {
            let [a, b]: [[u32; LANES]; 2] = [a.load(thread, n), b.load(thread, n)];
            [from_lanes(|i| op.compute(a[i], b[i])[0]), from_lanes(|i| op.compute(a[i], b[i])[1])]
        };
        let parts = [part(thread, 0), if lanes > LANES { part(thread, 1) } else { Default::default() }];
        // One destination after the other, because they may overlap.
        for (of, destination) in [&first, &second].into_iter().enumerate() {
            for (n, part) in parts.iter().enumerate().take(lanes.div_ceil(LANES)) {
                destination.store(thread, n, &part[of], enabled >> (n * LANES));
            }
        }
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Writes the low halves to the destination and the high halves to the registers after it.
pub(crate) fn madw(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let a = l.source::<i128>(inst.src[0], lanes)?;
    let b = l.source::<i128>(inst.src[1], lanes)?;
    let c = l.source::<i128>(inst.src[2], lanes)?;
    let low = l.destination::<i128>(inst.dst, lanes)?;
    let mut region = l.region(inst.dst, lanes)?;
    // The high halves start at the next register.
    let pitch = (region.extent(4) as u32).next_multiple_of(l.layout.grf_bytes);
    region.start = match region.start {
        Start::At(offset) if offset + pitch + region.extent(4) as u32 <= l.layout.len => Start::At(offset + pitch),
        _ => return illegal("the destination of a wide multiplication must be a general variable"),
    };
    let high = low.moved_to(region);
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let types = l.types(inst)?;
    l.note_action(|l| {
        // A saturated result depends on more than 64 bits.
        (!is_saturated(inst.dst)).then_some(())?;
        let recording = Recording::default();
        let source = |n: usize, source| {
            recording.source(&l.input::<i128>(inst.src[n], source, types.src[n]).in_kind(Kind::I64))
        };
        let wide = source(0, &a)?.mul_add(source(1, &b)?, source(2, &c)?);
        let upper = wide.shr(wide.constant(32), u32::MAX);
        let output = |destination| Output::new::<i128>(destination, types.dst, false);
        recording.finish(&[(wide, &output(&low)), (upper, &output(&high))])
    });
    let run = Run::new(move |thread, _| {
        let enabled = thread.enabled(&enable);
        let part = |thread: &Thread, n| -> [i128; LANES] {
            let [a, b, c]: [[i128; LANES]; 3] = [a.load(thread, n), b.load(thread, n), c.load(thread, n)];
            from_lanes(|i| a[i] * b[i] + c[i])
        };
        let parts = [part(thread, 0), if lanes > LANES { part(thread, 1) } else { [0; LANES] }];
        for (n, value) in parts.iter().enumerate().take(lanes.div_ceil(LANES)) {
            low.store(thread, n, value, enabled >> (n * LANES));
            high.store(thread, n, &from_lanes::<i128, LANES>(|i| value[i] >> 32), enabled >> (n * LANES));
        }
        Ok(())
    });
    Ok(l.step(enable, run))
}
