//! Comparison and selection.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, u8x16};

use crate::kernels::compute::{chunks, is_float, pattern, specialize};
use crate::kernels::integer::{floats_of, integers_of, small_of};
use crate::kernels::logic::predicate_id;
use crate::kernels::lowering::{LowerResult, Lowering, channels, is_saturated};
use crate::kernels::step::plain;
use crate::machine::World;
use crate::machine::convert::Compute;
use crate::machine::lane::{LANES, from_lanes};
use crate::machine::operand::Values;
use crate::machine::thread::{ExecMask, Thread};
use visakit::isa::{Cmp, DataType, Operand, Predicate, RelOp, VecOperand};
use visakit::rt::ComponentWise;

pub(super) fn cmp(l: &mut Lowering<'_>, inst: &Cmp) -> LowerResult {
    // Each relation is another one with its sides exchanged or its answer turned over. With a NaN only `ne` holds, so a
    // float is less or equal in its own right.
    let (a, b) = (&inst.src0, &inst.src1);
    let (relation, sources, inverse) = match inst.rel_op {
        RelOp::Eq => (Relation::Equal, [a, b], false),
        RelOp::Ne => (Relation::Equal, [a, b], true),
        RelOp::Lt => (Relation::Less, [a, b], false),
        RelOp::Gt => (Relation::Less, [b, a], false),
        RelOp::Le => (Relation::LessOrEqual, [a, b], false),
        RelOp::Ge => (Relation::LessOrEqual, [b, a], false),
    };
    let inverse = if inverse { u32::MAX } else { 0 };
    if let Some(domain) = l.float_domain(&sources)? {
        return floats_of!(domain, T => match relation {
            Relation::Equal => compare::<T>(l, inst, sources, inverse, |a, b| a == b),
            Relation::Less => compare::<T>(l, inst, sources, inverse, |a, b| a < b),
            Relation::LessOrEqual => compare::<T>(l, inst, sources, inverse, |a, b| a <= b),
        });
    }
    let (sources, inverse) = match relation {
        // Of integers, one is less or equal when the other is not less.
        Relation::LessOrEqual => ([sources[1], sources[0]], !inverse),
        _ => (sources, inverse),
    };
    if let Some(data_type) = l.small_type(&sources)? {
        return small_of!(data_type, T => match relation {
            Relation::Equal => compare::<T>(l, inst, sources, inverse, |a, b| a == b),
            _ => compare::<T>(l, inst, sources, inverse, |a, b| a < b),
        });
    }
    let domain = l.exact_domain(&sources, 0)?;
    if relation == Relation::Equal {
        return integers_of!(
            domain,
            T => compare::<T>(l, inst, sources, inverse, |a, b| a == b),
            wide => compare::<i128>(l, inst, sources, inverse, |a, b| a == b)
        );
    }
    integers_of!(
        domain,
        T => compare::<T>(l, inst, sources, inverse, |a, b| a < b),
        wide => compare::<i128>(l, inst, sources, inverse, |a, b| a < b)
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Equal,
    Less,
    LessOrEqual,
}

fn compare<T: Compute>(
    l: &mut Lowering<'_>,
    inst: &Cmp,
    sources: [&VecOperand; 2],
    inverse: u32,
    holds: impl Fn(T, T) -> bool + Copy + Send + Sync + 'static,
) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let a = l.source::<T>(sources[0], lanes)?;
    let b = l.source::<T>(sources[1], lanes)?;
    let enable = l.enable(inst.exec_size, Predicate::default())?;
    if let Operand::Predicate(_) = inst.dst.operand {
        let dst = predicate_id(l, &inst.dst)?;
        let run = match (a.simple(), b.simple()) {
            (Some(a), Some(b)) => {
                let operands = (a, b, enable, dst, inverse);
                match lanes {
                    1 => plain(operands, move |operands, thread| set_bits::<T, 1>(operands, 1, thread, holds)),
                    2..=LANES => {
                        plain(operands, move |operands, thread| set_bits::<T, LANES>(operands, 1, thread, holds))
                    }
                    _ => plain(operands, move |operands, thread| set_bits::<T, LANES>(operands, 2, thread, holds)),
                }
            }
            _ => {
                let (operands, count) = ((a, b, enable, dst, inverse), lanes.div_ceil(LANES));
                plain(operands, move |operands, thread| set_bits::<T, LANES>(operands, count, thread, holds))
            }
        };
        return Ok(l.step(enable, run));
    }
    // A general destination gets ones or zeros in all bits of its elements.
    let bits = Box::new(move |thread: &Thread| {
        (0..lanes.div_ceil(LANES)).fold(0, |bits, n| {
            let (a, b): ([T; LANES], [T; LANES]) = (a.load(thread, n), b.load(thread, n));
            bits | bits_where(&a, &b, holds) << (n * LANES)
        }) ^ inverse
    });
    let data_type = pattern(l.type_of(&inst.dst)?);
    match data_type.bits() {
        8 => spread::<u8>(l, inst, data_type, enable, bits),
        16 => spread::<u16>(l, inst, data_type, enable, bits),
        64 => spread::<u64>(l, inst, data_type, enable, bits),
        _ => spread::<u32>(l, inst, data_type, enable, bits),
    }
}

/// What a comparison needs: its sources, mask, predicate, and the bits that turn its answer over.
type Comparison<V> = (V, V, ExecMask, u32, u32);

/// Sets the bits of a predicate where the relation holds, for so many chunks.
#[inline(always)]
fn set_bits<T: Compute, const N: usize>(
    (a, b, enable, dst, inverse): &Comparison<impl Values<T>>,
    count: usize,
    thread: &mut Thread,
    holds: impl Fn(T, T) -> bool,
) {
    let mut bits = 0;
    for n in 0..count {
        let (a, b): ([T; N], [T; N]) = (a.load(thread, n), b.load(thread, n));
        bits |= bits_where(&a, &b, &holds) << (n * LANES);
    }
    let enabled = thread.enabled(enable);
    thread.set_predicate(*dst, enable.shift, enabled, bits ^ inverse);
}

fn spread<D: Compute>(
    l: &mut Lowering<'_>,
    inst: &Cmp,
    data_type: DataType,
    enable: ExecMask,
    bits: Box<dyn Fn(&Thread) -> u32 + Send + Sync>,
) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let dst = l.destination_as::<D>(&inst.dst, data_type, lanes)?;
    let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
        let bits = bits(thread);
        let zero = D::default();
        chunks::<D, LANES>(thread, lanes.div_ceil(LANES), &enable, &dst, |_, n| {
            from_lanes(|i| if bits >> (n * LANES + i) & 1 == 1 { zero.inverted() } else { zero })
        });
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// One bit for each channel: whether the relation holds.
#[inline(always)]
fn bits_where<T: Copy, const N: usize>(a: &[T; N], b: &[T; N], holds: impl Fn(T, T) -> bool) -> u32 {
    // Bytes first, of which the host makes bits: this way the compiler uses vectors.
    let bytes: [u8; N] = from_lanes(|i| if holds(a[i], b[i]) { u8::MAX } else { 0 });
    match <&[u8; LANES]>::try_from(&bytes[..]) {
        Ok(bytes) => dispatch!(Level::baseline(), simd => bits_of(simd, bytes)),
        Err(_) => bytes.iter().enumerate().fold(0, |all, (i, byte)| all | u32::from(*byte & 1) << i),
    }
}

#[inline(always)]
fn bits_of<S: Simd>(simd: S, bytes: &[u8; LANES]) -> u32 {
    u8x16::from_slice(simd, bytes).simd_eq(u8x16::splat(simd, u8::MAX)).to_bitmask() as u32
}

/// The predicate chooses between the sources; only the execution mask enables channels.
pub(super) fn sel(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let types = [l.type_of(inst.dst)?, l.type_of(inst.src[0])?, l.type_of(inst.src[1])?];
    let enable = l.enable(inst.exec_size, Predicate::default())?;
    let choice = l.enable(inst.exec_size, inst.pred)?;
    let plain = !is_saturated(inst.dst) && inst.src.iter().all(|source| !is_modified(source));
    if plain && types.iter().all(|t| pattern(*t) == pattern(types[0]) && is_float(*t) == is_float(types[0])) {
        // Only patterns move.
        let data_type = pattern(types[0]);
        return match data_type.bits() {
            8 => select::<u8>(l, inst, data_type, enable, choice),
            16 => select::<u16>(l, inst, data_type, enable, choice),
            64 => select::<u64>(l, inst, data_type, enable, choice),
            _ => select::<u32>(l, inst, data_type, enable, choice),
        };
    }
    match l.float_domain(&inst.src)? {
        Some(domain) => floats_of!(domain, T => select_number::<T>(l, inst, enable, choice)),
        None => {
            let domain = l.exact_domain(&inst.src, 0)?;
            integers_of!(
                domain,
                T => select_number::<T>(l, inst, enable, choice),
                wide => select_number::<i128>(l, inst, enable, choice)
            )
        }
    }
}

pub(super) fn is_modified(operand: &VecOperand) -> bool {
    operand.modifier != visakit::isa::Modifier::None && !matches!(operand.operand, Operand::Immediate(_))
}

fn select<T: Compute>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 2>,
    data_type: DataType,
    enable: ExecMask,
    choice: ExecMask,
) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let a = l.source_as::<T>(inst.src[0], data_type, lanes)?;
    let b = l.source_as::<T>(inst.src[1], data_type, lanes)?;
    let dst = l.destination_as::<T>(inst.dst, data_type, lanes)?;
    let run = specialize!(false, false, lanes, enable, dst, [a, b, choice], |thread, n| [T; N] => {
        let first = if choice.predicate == 0 { u32::MAX } else { thread.predicate_lanes(choice) };
        let (a, b): ([T; N], [T; N]) = (a.load(thread, n), b.load(thread, n));
        let first = first >> (n * LANES);
        from_lanes(|i| if first & 1 << i != 0 { a[i] } else { b[i] })
    });
    Ok(l.step(enable, run))
}

fn select_number<T: Compute>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 2>,
    enable: ExecMask,
    choice: ExecMask,
) -> LowerResult {
    let lanes = channels(inst.exec_size);
    let a = l.source::<T>(inst.src[0], lanes)?;
    let b = l.source::<T>(inst.src[1], lanes)?;
    let dst = l.destination::<T>(inst.dst, lanes)?;
    let run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
        let first = if choice.predicate == 0 { u32::MAX } else { thread.predicate_lanes(&choice) };
        chunks::<T, LANES>(thread, lanes.div_ceil(LANES), &enable, &dst, |thread, n| {
            let (a, b): ([T; LANES], [T; LANES]) = (a.load(thread, n), b.load(thread, n));
            let first = first >> (n * LANES);
            from_lanes(|i| if first & 1 << i != 0 { a[i] } else { b[i] })
        });
        Ok(())
    });
    Ok(l.step(enable, run))
}
