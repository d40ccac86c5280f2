//! Comparison and selection.

use crate::arithmetic::compute::{ChunkOp, LaneOp, Types, chunks};
use crate::arithmetic::domain::Domain;
use crate::arithmetic::logic::predicate_id;
use crate::lowering::step::{Run, plain};
use crate::lowering::{LowerResult, Lowering, is_float, is_modified, is_saturated, pattern};
use crate::operation::algebra::{Compare, Scalar};
use crate::operation::record::{Answer, Node, Output, Recording};
use visakit::isa::{Cmp, DataType, Operand, Predicate, RelOp};
use visakit::rt::ComponentWise;
use visakit_machine::fault::Trap;
use visakit_machine::lane::{LANES, from_lanes};
use visakit_machine::operand::{Chunk, Source, Values, simple};
use visakit_machine::thread::{ExecMask, Thread};
use visakit_native::host::high_bits;

/// A recordable relation.
trait Related: Copy {
    fn relate<'r>(self, sources: [Node<'r>; 2]) -> Answer<'r>;
}

/// Defines relations of two values.
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

pub(crate) fn cmp(l: &mut Lowering<'_>, inst: &Cmp) -> LowerResult {
    // The other relations swap the operands or invert the result. Since only `ne` holds for NaN,
    // less-or-equal of floats is a relation of its own.
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
        // For integers, `a <= b` is `!(b < a)`.
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

/// As [`compare`], with the sources interpreted as another type.
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
    let count = lanes.div_ceil(LANES);
    let [first, second] = [0, 1].map(|n| l.input(inst.src[n], &sources[n], types.src[n]));
    let recording = Recording::default();
    let sides = recording.source(&first).zip(recording.source(&second));
    let answer = sides.map(|(a, b)| relation.relate([a, b]));
    if let Operand::Predicate(_) = inst.dst.operand {
        let dst = predicate_id(l, inst.dst)?;
        l.note_action(|_| recording.finish_compare(&answer?, inverse != 0, dst));
        let run = match simple(&sources) {
            Some(sources) if lanes == 1 => plain((sources, enable, dst, inverse), move |all, thread, _| {
                let (sources, enable, dst, inverse) = all;
                let bits = bits_of::<T, 1>(sources, 0, thread, relation);
                set_bits(thread, enable, *dst, bits ^ inverse)
            }),
            Some(sources) => plain((sources, enable, dst, inverse, count), move |all, thread, _| {
                let (sources, enable, dst, inverse, count) = all;
                let bits = (0..*count).fold(0, |bits, n| bits | bits_of::<T, LANES>(sources, n, thread, relation));
                set_bits(thread, enable, *dst, bits ^ inverse)
            }),
            None => {
                let bits = general(sources, count, relation);
                Run::new(move |thread, _| {
                    let bits = bits(thread);
                    set_bits(thread, &enable, dst, bits ^ inverse)
                })
            }
        };
        return Ok(l.step(enable, run));
    }
    // A general destination receives all ones or all zeros per element.
    let holds = answer.and_then(|answer| recording.holds(&answer, inverse != 0));
    let bits = general(sources, count, relation);
    let bits = (bits, inverse);
    let data_type = pattern(types.dst);
    match data_type.bits() {
        8 => spread::<u8>(l, inst, data_type, enable, bits, holds.map(|holds| (&recording, holds))),
        16 => spread::<u16>(l, inst, data_type, enable, bits, holds.map(|holds| (&recording, holds))),
        64 => spread::<u64>(l, inst, data_type, enable, bits, holds.map(|holds| (&recording, holds))),
        _ => spread::<u32>(l, inst, data_type, enable, bits, holds.map(|holds| (&recording, holds))),
    }
}

/// Function that returns the channels for which a relation holds.
type Bits = Box<dyn Fn(&Thread) -> u32 + Send + Sync>;

/// Returns the result of a relation on any sources, computed out of line.
fn general<T: Scalar>(sources: [Source<T>; 2], count: usize, relation: impl LaneOp<T, 2, Out = bool>) -> Bits {
    Box::new(move |thread| {
        let mut bits = 0;
        for n in 0..count {
            let chunks = [Chunk(sources[0].chunk(thread, n)), Chunk(sources[1].chunk(thread, n))];
            bits |= bits_of::<T, LANES>(&chunks, n, thread, relation);
        }
        bits
    })
}

/// Sets the enabled bits of a predicate.
#[inline(always)]
fn set_bits(thread: &mut Thread, enable: &ExecMask, dst: u32, bits: u32) -> Result<(), Box<Trap>> {
    let enabled = thread.enabled(enable);
    thread.set_predicate(dst, enable.shift, enabled, bits);
    Ok(())
}

/// Returns one bit per channel of the n-th chunk, set if the relation holds.
#[inline(always)]
fn bits_of<T: Scalar, const N: usize>(
    [a, b]: &[impl Values<T>; 2],
    n: usize,
    thread: &Thread,
    relation: impl LaneOp<T, 2, Out = bool>,
) -> u32 {
    let (mut a, mut b): ([T; N], [T; N]) = (a.load(thread, n), b.load(thread, n));
    if const { T::MODED } && !thread.is_plain() {
        a = from_lanes(|i| a[i].taken_in(thread.mode));
        b = from_lanes(|i| b[i].taken_in(thread.mode));
    }
    // A byte mask first, then one host operation for its bits: in this form the compiler
    // vectorises.
    let bytes: [u8; N] = from_lanes(|i| if relation.apply([a[i], b[i]]) { u8::MAX } else { 0 });
    match <&[u8; LANES]>::try_from(&bytes[..]) {
        Ok(bytes) => high_bits(bytes) << (n * LANES),
        // A single channel.
        Err(_) => u32::from(bytes[0] & 1),
    }
}

fn spread<D: Scalar>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, 2>,
    data_type: DataType,
    enable: ExecMask,
    (bits, inverse): (Bits, u32),
    recorded: Option<(&Recording, Node<'_>)>,
) -> LowerResult {
    let lanes = enable.lanes.count_ones() as usize;
    let dst = l.destination_as::<D>(inst.dst, data_type, lanes)?;
    l.note_action(|_| {
        let (recording, holds) = recorded?;
        recording.finish(&[(holds, &Output::new(&dst, data_type, false))])
    });
    let run = plain((bits, enable, dst, lanes.div_ceil(LANES)), move |(bits, enable, dst, count), thread, _| {
        let bits = bits(thread) ^ inverse;
        let zero = D::default();
        chunks(thread, *count, enable, dst, |_, n| {
            from_lanes(|i| if bits >> (n * LANES + i) & 1 == 1 { zero.inverted() } else { zero })
        });
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Lowers a selection. The predicate selects between the sources; the execution mask alone enables
/// channels.
pub(crate) fn sel(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let types = l.types(inst)?;
    let all = [types.dst, types.src[0], types.src[1]];
    let is_plain = !is_saturated(inst.dst) && inst.src.iter().all(|source| !is_modified(source));
    if is_plain && all.iter().all(|t| pattern(*t) == pattern(types.dst) && is_float(*t) == is_float(types.dst)) {
        // Bit patterns are only moved.
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

/// The first source where the predicate is set, otherwise the second.
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

    fn compute_in_mode(&self, sources: &[Chunk<T>; 2], thread: &Thread, n: usize) -> [T; LANES] {
        self.compute(sources, thread, n)
    }

    fn record<'r>(&self, [a, b]: [Node<'r>; 2]) -> Option<Node<'r>> {
        Some(a.pick(b, &self.choice))
    }
}
