//! Arithmetic: sums, products, quotients, means, extrema.

use crate::kernels::compute::{Domain, Target, specialize};
use crate::kernels::integer::{Integer, Word, floats_of, integers_of, ring_of, small_of};
use crate::kernels::lowering::{LowerResult, Lowering, channels, illegal};
use crate::machine::World;
use crate::machine::convert::Compute;
use crate::machine::float::{Float, FloatMode, fused_to_odd};
use crate::machine::lane::{Element, LANES, from_lanes};
use crate::machine::operand::Start;
use crate::machine::thread::Thread;
use visakit::isa::{Addc, DataType, MinMax, MinMaxOp, Subb, VecOperand};
use visakit::rt::ComponentWise;

pub(super) fn add(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let target = Target::from(inst);
    if let Some(domain) = l.float_domain(&inst.src)? {
        return floats_of!(domain, T => l.float_binary::<T>(target, inst.src, |a, b| a + b, T::sum));
    }
    if l.saturates(&target) {
        return l.exact(target, inst.src, 1, |[a, b]| a.plus(b), |[a, b]| a.plus(b));
    }
    match l.small_ring(target.dst, &inst.src)? {
        Some(DataType::Ub) => return l.binary_of::<u8>(target, inst.src, DataType::Ub, u8::plus),
        Some(DataType::Uw) => return l.binary_of::<u16>(target, inst.src, DataType::Uw, u16::plus),
        _ => {}
    }
    let domain = l.ring_domain(target.dst)?;
    ring_of!(domain, T => l.binary::<T>(target, inst.src, T::plus))
}

pub(super) fn mul(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let target = Target::from(inst);
    if let Some(domain) = l.float_domain(&inst.src)? {
        return floats_of!(domain, T => l.float_binary::<T>(target, inst.src, |a, b| a * b, T::product));
    }
    if l.saturates(&target) {
        let growth = widest(l, &inst.src)?;
        return l.exact(target, inst.src, growth, |[a, b]| a.times(b), |[a, b]| a.times(b));
    }
    if matches!(l.type_of(target.dst)?, DataType::Uq | DataType::Q) {
        match l.exact_domain(&inst.src, 0)? {
            Domain::U32 => return widening::<u32, u64>(l, target, inst.src),
            Domain::I32 => return widening::<i32, i64>(l, target, inst.src),
            _ => {}
        }
    }
    if let Some(DataType::Uw) = l.small_ring(target.dst, &inst.src)? {
        return l.binary_of::<u16>(target, inst.src, DataType::Uw, u16::times);
    }
    let domain = l.ring_domain(target.dst)?;
    ring_of!(domain, T => l.wide_binary::<T>(target, inst.src, T::times))
}

/// A product that is twice as wide as its factors.
fn widening<T: Compute, W: Integer + From<T>>(
    l: &mut Lowering<'_>,
    target: Target<'_>,
    sources: [&VecOperand; 2],
) -> LowerResult {
    let lanes = channels(target.exec_size);
    let a = l.source::<T>(sources[0], lanes)?;
    let b = l.source::<T>(sources[1], lanes)?;
    let dst = l.destination::<W>(target.dst, lanes)?;
    let enable = l.enable(target.exec_size, target.pred)?;
    let run = specialize!(true, false, lanes, enable, dst, [a, b], |thread, n| [W; N] => {
        let (a, b): ([T; N], [T; N]) = (a.load(thread, n), b.load(thread, n));
        from_lanes(|i| W::from(a[i]).times(W::from(b[i])))
    });
    Ok(l.step(enable, run))
}

pub(super) fn mad(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    let target = Target::from(inst);
    if let Some(domain) = l.float_domain(&inst.src)? {
        if domain == Domain::F32 && matches!(l.type_of(inst.dst)?, DataType::Hf | DataType::Bf) {
            // What has been rounded to F must not be rounded again.
            let plain = |a, b, c| fused_to_odd(a, b, c, FloatMode::PLAIN);
            return l.float_ternary::<f32>(target, inst.src, plain, fused_to_odd);
        }
        return floats_of!(domain, T => l.fused::<T>(target, inst.src));
    }
    if l.saturates(&target) {
        let growth = widest(l, &inst.src)? + 1;
        return l.exact(target, inst.src, growth, |[a, b, c]| a.times(b).plus(c), |[a, b, c]| a.times(b).plus(c));
    }
    let domain = l.ring_domain(target.dst)?;
    ring_of!(domain, T => l.wide_ternary::<T>(target, inst.src, |a, b, c| a.times(b).plus(c)))
}

/// Bits of the widest source: as many more than the sources a product needs.
fn widest(l: &Lowering<'_>, sources: &[&VecOperand]) -> LowerResult<u32> {
    let mut widest = 0;
    for source in sources {
        widest = widest.max(l.type_of(source)?.bits());
    }
    Ok(widest)
}

pub(super) fn add3(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    let target = Target::from(inst);
    if l.saturates(&target) {
        return l.exact(target, inst.src, 2, |[a, b, c]| a.plus(b).plus(c), |[a, b, c]| a.plus(b).plus(c));
    }
    let domain = l.ring_domain(target.dst)?;
    ring_of!(domain, T => l.ternary::<T>(target, inst.src, |a, b, c| a.plus(b).plus(c)))
}

pub(super) fn avg(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    l.exact(inst.into(), inst.src, 1, |[a, b]| a.mean(b), |[a, b]| a.mean(b))
}

pub(super) fn mulh(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    match words(l, &inst.into(), &inst.src)? {
        Some(Domain::U32) => {
            return l.wide_binary::<u32>(inst.into(), inst.src, |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32);
        }
        Some(_) => {
            return l.wide_binary::<i32>(inst.into(), inst.src, |a, b| ((i64::from(a) * i64::from(b)) >> 32) as i32);
        }
        None => {}
    }
    match l.exact_domain(&inst.src, 32)? {
        Domain::U64 => l.binary::<u64>(inst.into(), inst.src, |a, b| a.times(b).shr(32, 63)),
        Domain::I64 => l.binary::<i64>(inst.into(), inst.src, |a, b| a.times(b).shr(32, 63)),
        _ => l.per_lane::<i128, 2>(inst.into(), inst.src, |[a, b], _| a.times(b) >> 32),
    }
}

pub(super) fn div(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    if let Some(domain) = l.float_domain(&inst.src)? {
        return floats_of!(domain, T => l.float_binary::<T>(
            inst.into(),
            inst.src,
            |a, b| a / b,
            |a, b, mode| a.quotient(b, mode)
        ));
    }
    match words(l, &inst.into(), &inst.src)? {
        Some(Domain::U32) => l.wide_binary::<u32>(inst.into(), inst.src, u32::quotient),
        Some(_) => l.wide_binary::<i32>(inst.into(), inst.src, i32::quotient),
        None => l.exact(inst.into(), inst.src, 1, |[a, b]| a.div(b), |[a, b]| a.div(b)),
    }
}

/// The domain of operands that all have 32 bits, or fewer for sources, of which the results are not saturated.
fn words(l: &Lowering<'_>, target: &Target<'_>, sources: &[&VecOperand]) -> LowerResult<Option<Domain>> {
    let data_type = l.type_of(target.dst)?;
    if l.saturates(target) || !matches!(data_type, DataType::Ud | DataType::D) {
        return Ok(None);
    }
    let domain = l.exact_domain(sources, 0)?;
    Ok(matches!(domain, Domain::U32 | Domain::I32).then_some(domain))
}

/// Division as IEEE 754 has it.
pub(super) fn divm(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    match l.float_domain(&inst.src)? {
        Some(domain) => {
            floats_of!(domain, T => l.float_binary::<T>(inst.into(), inst.src, |a, b| a / b, T::quotient))
        }
        None => illegal("an IEEE division of integers"),
    }
}

pub(super) fn modulo(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    match words(l, &inst.into(), &inst.src)? {
        Some(Domain::U32) => l.wide_binary::<u32>(inst.into(), inst.src, rest_of),
        Some(_) => l.wide_binary::<i32>(inst.into(), inst.src, rest_of),
        None => l.exact(inst.into(), inst.src, 1, |[a, b]| a.modulo(b), |[a, b]| a.modulo(b)),
    }
}

/// As [`Integer::modulo`].
#[inline(always)]
fn rest_of<T: Word>(a: T, b: T) -> T {
    // With a divisor of zero the quotient is left out by the product.
    let product = a.quotient(b).times(b);
    a.plus(product.negative())
}

pub(super) fn lrp(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    l.float_ternary::<f32>(
        inst.into(),
        inst.src,
        |weight, a, b| a * weight + b * (1.0 - weight),
        |weight, a, b, mode| {
            let rest = 1.0_f32.sum(-weight, mode);
            a.product(weight, mode).sum(b.product(rest, mode), mode)
        },
    )
}

/// With a NaN on one side the result is the other side; with two it is the second.
pub(super) fn min_max(l: &mut Lowering<'_>, inst: &MinMax) -> LowerResult {
    let target = Target { exec_size: inst.exec_size, pred: Default::default(), dst: &inst.dst };
    let sources = [&inst.src0, &inst.src1];
    let min = inst.op == MinMaxOp::Min;
    if let Some(domain) = l.float_domain(&sources)? {
        return floats_of!(domain, T => if min {
            l.float_binary::<T>(target, sources, min_num, |a, b, mode| min_num(a.flushed(mode), b.flushed(mode)))
        } else {
            l.float_binary::<T>(target, sources, max_num, |a, b, mode| max_num(a.flushed(mode), b.flushed(mode)))
        });
    }
    if let (Some(data_type), false) = (l.small_type(&[&inst.dst, sources[0], sources[1]])?, l.saturates(&target)) {
        return small_of!(data_type, T => match min {
            true => l.binary_of::<T>(target, sources, data_type, T::min),
            false => l.binary_of::<T>(target, sources, data_type, T::max),
        });
    }
    let domain = l.exact_domain(&sources, 0)?;
    match min {
        true => integers_of!(
            domain,
            T => l.wide_binary::<T>(target, sources, T::min),
            wide => l.per_lane::<i128, 2>(target, sources, |[a, b], _| a.min(b))
        ),
        false => integers_of!(
            domain,
            T => l.wide_binary::<T>(target, sources, T::max),
            wide => l.per_lane::<i128, 2>(target, sources, |[a, b], _| a.max(b))
        ),
    }
}

/// The smaller; a NaN yields the other value.
#[expect(clippy::eq_op, reason = "only a NaN differs from itself, and integers cost nothing")]
#[inline(always)]
fn min_num<T: Element>(a: T, b: T) -> T {
    if a < b || b != b { a } else { b }
}

/// The larger; a NaN yields the other value.
#[expect(clippy::eq_op, reason = "only a NaN differs from itself, and integers cost nothing")]
#[inline(always)]
fn max_num<T: Element>(a: T, b: T) -> T {
    if a > b || b != b { a } else { b }
}

pub(super) fn addc(l: &mut Lowering<'_>, inst: &Addc) -> LowerResult {
    let target = Target { exec_size: inst.exec_size, pred: inst.pred, dst: &inst.dst };
    two_results(l, target, &inst.carry, [&inst.src0, &inst.src1], |a, b| {
        let sum = a + b;
        (sum, sum >> 32)
    })
}

pub(super) fn subb(l: &mut Lowering<'_>, inst: &Subb) -> LowerResult {
    let target = Target { exec_size: inst.exec_size, pred: inst.pred, dst: &inst.dst };
    two_results(l, target, &inst.borrow, [&inst.src0, &inst.src1], |a, b| (a.wrapping_sub(b), (a < b).into()))
}

/// Two results of 32 bits in two destinations; the sources are of 32 bits, zero-extended.
fn two_results(
    l: &mut Lowering<'_>,
    target: Target<'_>,
    second: &VecOperand,
    sources: [&VecOperand; 2],
    f: impl Fn(u64, u64) -> (u64, u64) + Copy + Send + Sync + 'static,
) -> LowerResult {
    let lanes = channels(target.exec_size);
    let a = l.source::<u32>(sources[0], lanes)?;
    let b = l.source::<u32>(sources[1], lanes)?;
    let first = l.destination::<u32>(target.dst, lanes)?;
    let second = l.destination::<u32>(second, lanes)?;
    let enable = l.enable(target.exec_size, target.pred)?;
    let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
        let enabled = thread.enabled(&enable);
        let part = |thread: &Thread, n| -> [[u32; LANES]; 2] {
            let (a, b): ([u32; LANES], [u32; LANES]) = (a.load(thread, n), b.load(thread, n));
            let low = from_lanes(|i| f(a[i].into(), b[i].into()).0 as u32);
            [low, from_lanes(|i| f(a[i].into(), b[i].into()).1 as u32)]
        };
        let parts = [part(thread, 0), if lanes > LANES { part(thread, 1) } else { Default::default() }];
        for (n, [low, high]) in parts.iter().enumerate().take(lanes.div_ceil(LANES)) {
            first.store(thread, n, low, enabled >> (n * LANES));
            second.store(thread, n, high, enabled >> (n * LANES));
        }
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// The low halves go to the destination, the high halves to the registers behind it.
pub(super) fn madw(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let a = l.source::<i128>(inst.src[0], lanes)?;
    let b = l.source::<i128>(inst.src[1], lanes)?;
    let c = l.source::<i128>(inst.src[2], lanes)?;
    let low = l.destination::<i128>(inst.dst, lanes)?;
    let pitch = (lanes as u32).max(l.layout.grf_bytes / 4) * 4;
    let mut region = l.region(inst.dst, lanes)?;
    region.start = match region.start {
        Start::At(offset) if offset + pitch + region.extent(4) as u32 <= l.layout.len => Start::At(offset + pitch),
        _ => return illegal("the destination of a wide multiplication is a general variable"),
    };
    let high = low.moved_to(region);
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
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
