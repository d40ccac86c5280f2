//! Comparison and selection.

use fearless_simd::prelude::*;
use fearless_simd::{Level, Simd, dispatch, u8x16};

use crate::kernels::algebra::{Compare, Scalar};
use crate::kernels::compute::{ChunkOp, LaneOp, Types, chunks};
use crate::kernels::domain::{Domain, is_float, is_modified, pattern};
use crate::kernels::logic::predicate_id;
use crate::kernels::lowering::{LowerResult, Lowering, is_saturated};
use crate::kernels::record::{Answer, Node, Recording};
use crate::kernels::step::{Run, plain};
use crate::machine::lane::{LANES, from_lanes};
use crate::machine::operand::{Source, Values, simple};
use crate::machine::thread::{ExecMask, Thread};
use visakit::isa::{Cmp, DataType, Operand, Predicate, RelOp};
use visakit::rt::ComponentWise;

/// A relation that can be recorded.
trait Related: Copy {
    fn relate<'r>(self, sources: [Node<'r>; 2]) -> Answer<'r>;
}

/// Relations of two values.
macro_rules! relations {
    ($($name:ident => $method:ident;)*) => {$(
        #[derive(Clone, Copy)]
        struct $name;

        impl Related for $name {
            fn relate<'r>(self, sources: [Node<'r>; 2]) -> Answer<'r> {
                self.apply(sources)
            }
        }

        impl<L: Compare> LaneOp<L, 2> for $name {
            type Out = L::Answer;
            #[inline(always)]
            fn apply(self, [a, b]: [L; 2]) -> L::Answer {
                a.$method(b)
            }
        }
    )*};
}

relations! {
    Equal => equal;
    Less => less;
    LessOrEqual => less_or_equal;
}

pub(super) fn cmp(l: &mut Lowering<'_>, inst: &Cmp) -> LowerResult {
    // Each relation is another one with its sides exchanged or its answer turned over. With a NaN only `ne` holds, so a
    // float is less or equal in its own right.
    let operands = inst.component_wise();
    let [a, b] = operands.src;
    let exchanged = ComponentWise { src: [b, a], ..operands };
    match inst.rel_op {
        RelOp::Eq => equal(l, &operands, false),
        RelOp::Ne => equal(l, &operands, true),
        RelOp::Lt => less(l, &operands),
        RelOp::Gt => less(l, &exchanged),
        RelOp::Le => less_or_equal(l, &operands),
        RelOp::Ge => less_or_equal(l, &exchanged),
    }
}

fn equal(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>, inverse: bool) -> LowerResult {
    match l.float_domain(&inst.src)? {
        Some(Domain::F64) => return compare::<f64>(l, inst, Equal, inverse),
        Some(_) => return compare::<f32>(l, inst, Equal, inverse),
        None => {}
    }
    match l.small_type(&inst.src)?.map(DataType::bits) {
        Some(8) => return compare_as::<u8>(l, inst, DataType::Ub, Equal, inverse),
        Some(_) => return compare_as::<u16>(l, inst, DataType::Uw, Equal, inverse),
        None => {}
    }
    // Equal numbers of one type have equal bits.
    match l.exact_domain(&inst.src, 0)? {
        Domain::U32 | Domain::I32 => compare::<u32>(l, inst, Equal, inverse),
        Domain::U64 | Domain::I64 => compare::<u64>(l, inst, Equal, inverse),
        _ => compare::<i128>(l, inst, Equal, inverse),
    }
}

fn less(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    match l.float_domain(&inst.src)? {
        Some(Domain::F64) => compare::<f64>(l, inst, Less, false),
        Some(_) => compare::<f32>(l, inst, Less, false),
        None => less_integer(l, inst, false),
    }
}

fn less_or_equal(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    match l.float_domain(&inst.src)? {
        Some(Domain::F64) => compare::<f64>(l, inst, LessOrEqual, false),
        Some(_) => compare::<f32>(l, inst, LessOrEqual, false),
        // Of integers, one is less or equal when the other is not less.
        None => less_integer(l, &ComponentWise { src: [inst.src[1], inst.src[0]], ..*inst }, true),
    }
}

fn less_integer(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>, inverse: bool) -> LowerResult {
    match l.small_type(&inst.src)? {
        Some(DataType::Ub) => return compare::<u8>(l, inst, Less, inverse),
        Some(DataType::B) => return compare::<i8>(l, inst, Less, inverse),
        Some(DataType::Uw) => return compare::<u16>(l, inst, Less, inverse),
        Some(_) => return compare::<i16>(l, inst, Less, inverse),
        None => {}
    }
    match l.exact_domain(&inst.src, 0)? {
        Domain::U32 => compare::<u32>(l, inst, Less, inverse),
        Domain::U64 => compare::<u64>(l, inst, Less, inverse),
        Domain::I32 => compare::<i32>(l, inst, Less, inverse),
        Domain::I64 => compare::<i64>(l, inst, Less, inverse),
        _ => compare::<i128>(l, inst, Less, inverse),
    }
}

fn compare<T: Scalar>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 2>,
    relation: impl LaneOp<T, 2, Out = bool> + Related,
    inverse: bool,
) -> LowerResult {
    let types = l.types(inst)?;
    compare_of(l, inst, types, relation, inverse)
}

/// The same with the sources taken as another type.
fn compare_as<T: Scalar>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 2>,
    data_type: DataType,
    relation: impl LaneOp<T, 2, Out = bool> + Related,
    inverse: bool,
) -> LowerResult {
    let types = Types { dst: l.type_of(inst.dst)?, src: [data_type; 2] };
    compare_of(l, inst, types, relation, inverse)
}

fn compare_of<T: Scalar>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 2>,
    types: Types<2>,
    relation: impl LaneOp<T, 2, Out = bool> + Related,
    inverse: bool,
) -> LowerResult {
    let enable = l.enable(inst.exec_size, inst.pred)?;
    let lanes = enable.lanes.count_ones() as usize;
    let [a, b] = [inst.src[0], inst.src[1]];
    let sources = [l.source_as::<T>(a, types.src[0], lanes)?, l.source_as::<T>(b, types.src[1], lanes)?];
    let inverse = if inverse { u32::MAX } else { 0 };
    let last = lanes.div_ceil(LANES) - 1;
    if let Operand::Predicate(_) = inst.dst.operand {
        let dst = predicate_id(l, inst.dst)?;
        l.note_action(|l| {
            let recording = Recording::default();
            let source = |n: usize| recording.source(&sources[n], types.src[n], l.number(inst.src[n], &sources[n]));
            recording.finish_compare(&relation.relate([source(0)?, source(1)?]), inverse != 0, dst)
        });
        let run = match (simple(&sources), lanes) {
            (Some(sources), 1) => set_bits::<T, _, 1, 0>((sources, enable, dst, inverse), relation),
            (Some(sources), 2..=LANES) => set_bits::<T, _, LANES, 0>((sources, enable, dst, inverse), relation),
            (Some(sources), _) => set_bits::<T, _, LANES, 1>((sources, enable, dst, inverse), relation),
            (None, ..=LANES) => set_bits::<T, _, LANES, 0>((sources, enable, dst, inverse), relation),
            (None, _) => set_bits::<T, _, LANES, 1>((sources, enable, dst, inverse), relation),
        };
        return Ok(l.step(enable, run));
    }
    // A general destination gets ones or zeros in all bits of its elements.
    let numbers = [l.number(a, &sources[0]), l.number(b, &sources[1])];
    let recording = Recording::default();
    let [first, second] = [0, 1].map(|n| recording.source(&sources[n], types.src[n], numbers[n]));
    let holds = first.zip(second).and_then(|(a, b)| recording.holds(&relation.relate([a, b]), inverse != 0));
    let bits = Box::new(move |thread: &Thread| bits_of::<T, LANES>(&sources, last, thread, relation) ^ inverse);
    let data_type = pattern(types.dst);
    match data_type.bits() {
        8 => spread::<u8>(l, inst, data_type, enable, bits, holds.map(|holds| (&recording, holds))),
        16 => spread::<u16>(l, inst, data_type, enable, bits, holds.map(|holds| (&recording, holds))),
        64 => spread::<u64>(l, inst, data_type, enable, bits, holds.map(|holds| (&recording, holds))),
        _ => spread::<u32>(l, inst, data_type, enable, bits, holds.map(|holds| (&recording, holds))),
    }
}

/// Sets the bits of a predicate where the relation holds, up to the last chunk of channels.
fn set_bits<T: Scalar, V: Values<T> + Send + Sync + 'static, const N: usize, const LAST: usize>(
    operands: ([V; 2], ExecMask, u32, u32),
    relation: impl LaneOp<T, 2, Out = bool>,
) -> Run {
    plain(operands, move |(sources, enable, dst, inverse), thread, _| {
        let bits = bits_of::<T, N>(sources, LAST, thread, relation);
        let enabled = thread.enabled(enable);
        thread.set_predicate(*dst, enable.shift, enabled, bits ^ inverse);
        Ok(())
    })
}

/// One bit for each channel: whether the relation holds.
#[inline(always)]
fn bits_of<T: Scalar, const N: usize>(
    [a, b]: &[impl Values<T>; 2],
    last: usize,
    thread: &Thread,
    relation: impl LaneOp<T, 2, Out = bool>,
) -> u32 {
    let mut bits = 0;
    for n in 0..=last {
        let (mut a, mut b): ([T; N], [T; N]) = (a.load(thread, n), b.load(thread, n));
        if const { T::MODED } && !thread.is_plain() {
            [a, b] = [a, b].map(|side| from_lanes(|i| side[i].taken_in(thread.mode)));
        }
        // Bytes first, of which the host makes bits: this way the compiler uses vectors.
        let bytes: [u8; N] = from_lanes(|i| if relation.apply([a[i], b[i]]) { u8::MAX } else { 0 });
        bits |= match <&[u8; LANES]>::try_from(&bytes[..]) {
            Ok(bytes) => dispatch!(Level::baseline(), simd => bits_of_bytes(simd, bytes)) << (n * LANES),
            // One channel has one chunk.
            Err(_) => return bytes.iter().enumerate().fold(0, |all, (i, byte)| all | u32::from(*byte & 1) << i),
        };
    }
    bits
}

#[inline(always)]
fn bits_of_bytes<S: Simd>(simd: S, bytes: &[u8; LANES]) -> u32 {
    u8x16::from_slice(simd, bytes).simd_eq(u8x16::splat(simd, u8::MAX)).to_bitmask() as u32
}

fn spread<D: Scalar>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 2>,
    data_type: DataType,
    enable: ExecMask,
    bits: Box<dyn Fn(&Thread) -> u32 + Send + Sync>,
    recorded: Option<(&Recording, Node<'_>)>,
) -> LowerResult {
    let lanes = enable.lanes.count_ones() as usize;
    let dst = l.destination_as::<D>(inst.dst, data_type, lanes)?;
    l.note_action(|_| {
        let (recording, holds) = recorded?;
        recording.finish(holds, &dst, data_type, false)
    });
    let run = plain((bits, enable, dst, lanes.div_ceil(LANES)), move |(bits, enable, dst, count), thread, _| {
        let bits = bits(thread);
        let zero = D::default();
        chunks(thread, *count, enable, dst, |_, n| {
            from_lanes(|i| if bits >> (n * LANES + i) & 1 == 1 { zero.inverted() } else { zero })
        });
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// The predicate chooses between the sources; only the execution mask enables channels.
pub(super) fn sel(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let types = l.types(inst)?;
    let all = [types.dst, types.src[0], types.src[1]];
    let is_plain = !is_saturated(inst.dst) && inst.src.iter().all(|source| !is_modified(source));
    if is_plain && all.iter().all(|t| pattern(*t) == pattern(types.dst) && is_float(*t) == is_float(types.dst)) {
        // Only patterns move.
        let data_type = pattern(types.dst);
        let types = Types { dst: data_type, src: [data_type; 2] };
        return match data_type.bits() {
            8 => select::<u8>(l, inst, types),
            16 => select::<u16>(l, inst, types),
            64 => select::<u64>(l, inst, types),
            _ => select::<u32>(l, inst, types),
        };
    }
    match l.float_domain(&inst.src)? {
        Some(Domain::F64) => return select::<f64>(l, inst, types),
        Some(_) => return select::<f32>(l, inst, types),
        None => {}
    }
    match l.exact_domain(&inst.src, 0)? {
        Domain::U32 => select::<u32>(l, inst, types),
        Domain::U64 => select::<u64>(l, inst, types),
        Domain::I32 => select::<i32>(l, inst, types),
        Domain::I64 => select::<i64>(l, inst, types),
        _ => select::<i128>(l, inst, types),
    }
}

fn select<T: Scalar>(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>, types: Types<2>) -> LowerResult {
    let op = Select { choice: l.enable(inst.exec_size, inst.pred)? };
    let operands = l.operands::<T, T, 2>(inst, Predicate::default(), types)?;
    Ok(l.operation(operands, op))
}

/// The first source where a predicate holds, else the second.
#[derive(Clone, Copy)]
struct Select {
    choice: ExecMask,
}

impl<T: Scalar> ChunkOp<T, T, 2> for Select {
    const WIDE: bool = false;
    const MODED: bool = false;

    #[inline(always)]
    fn compute<const N: usize>(&self, [a, b]: &[impl Values<T>; 2], thread: &Thread, n: usize) -> [T; N] {
        let first = if self.choice.predicate == 0 { u32::MAX } else { thread.predicate_lanes(&self.choice) };
        let (a, b): ([T; N], [T; N]) = (a.load(thread, n), b.load(thread, n));
        let first = first >> (n * LANES);
        from_lanes(|i| if first & 1 << i != 0 { a[i] } else { b[i] })
    }

    fn compute_in_mode(&self, sources: &[Source<T>; 2], thread: &Thread, n: usize) -> [T; LANES] {
        self.compute(sources, thread, n)
    }

    fn record<'r>(&self, [a, b]: [Node<'r>; 2]) -> Option<Node<'r>> {
        Some(a.pick(b, &self.choice))
    }
}
