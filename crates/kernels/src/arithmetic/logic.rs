//! Bit operations: logic, shifts, counts, bit fields.

use bytemuck::Pod;

use crate::arithmetic::compute::{Arity, LaneOp, Map, Op, Types, lane_ops};
use crate::arithmetic::domain::RingOp;
use crate::lowering::step::Run;
use crate::lowering::{LowerResult, Lowering, illegal, is_float, is_saturated, is_signed, pattern};
use crate::operation::record::{Node, Record, Recording, unrecorded};
use visakit::isa::{Bfn, DataType, Modifier, Operand, VecOperand};
use visakit::rt::ComponentWise;
use visakit_machine::lane::Element;
use visakit_native::ir::Action;

lane_ops! {
    And<L: Integer>(a, b) => a.and(b);
    Or<L: Integer>(a, b) => a.or(b);
    Xor<L: Integer>(a, b) => a.xor(b);
    Not<L: Integer>(a) => a.not();
    /// Shift left; the count is masked to the destination's width.
    Shl { mask: u32 }<L: Integer>(a, b) wide true => a.shl(b, mask);
    Shr { mask: u32 }<L: Integer>(a, b) wide true => a.shr(b, mask);
    /// Shift right of the lowest bits of a value.
    ShrOf { mask: u32, ones: u32 }<L: Integer>(a, b) wide true => a.and(a.constant(ones)).shr(b, mask);
    Rol<L: Integer>(a, b) wide true => a.rotate(b);
    Ror<L: Integer>(a, b) wide true => a.rotate(b.neg());
    /// Bit-field extraction. An empty field is zero.
    Bfe { signed: bool }<L: Integer>(width, first, value) => {
        let one = width.constant(1);
        let field = value.shr(first, 31).and(one.shl(width, 31).add(one.neg()));
        if signed {
            let sign = field.shr(width.add(one.neg()), 31).and(one);
            field.add(sign.shl(width, 31).neg())
        } else {
            field
        }
    };
    /// Bit-field insertion.
    Bfi<L: Integer>(width, first, field, rest) => {
        let one = width.constant(1);
        let mask = one.shl(width, 31).add(one.neg()).shl(first, 31);
        field.shl(first, 31).and(mask).or(rest.and(mask.not()))
    };
    /// Bitwise choice: the three source bits select an entry of a table of eight; each entry is all
    /// ones or all zeros.
    Choose { table: [u32; 8] }<L: Integer>(a, b, c) => {
        let entry = |n: usize| a.constant(table[n]);
        let choose = |bit: L, set: L, clear: L| bit.and(set).or(bit.not().and(clear));
        let low = |n: usize| choose(b, choose(a, entry(n + 3), entry(n + 2)), choose(a, entry(n + 1), entry(n)));
        choose(c, low(4), low(0))
    };
}

pub(crate) fn and(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    bitwise(l, inst, And)
}

pub(crate) fn or(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    bitwise(l, inst, Or)
}

pub(crate) fn xor(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    bitwise(l, inst, Xor)
}

pub(crate) fn not(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    bitwise(l, inst, Not)
}

/// Lowers a bitwise operation on numbers or predicates; floats are used as bit patterns.
fn bitwise<const S: usize>(l: &mut Lowering<'_>, inst: &ComponentWise<'_, S>, op: impl RingOp<S>) -> LowerResult
where
    Arity<S>: Map<S>,
{
    if let Operand::Predicate(_) = inst.dst.operand {
        return predicates(l, inst, op);
    }
    if let Some(lowered) = l.small_ring(inst, op)? {
        return Ok(lowered);
    }
    let bits = |data_type| if is_float(data_type) { pattern(data_type) } else { data_type };
    let types = l.types(inst)?;
    let types = Types { dst: bits(types.dst), src: types.src.map(bits) };
    match types.dst.bits() {
        64 => l.apply_as::<u64, _, S>(inst, types, op),
        _ => l.apply_as::<u32, _, S>(inst, types, op),
    }
}

/// Returns the global number of a predicate operand.
pub(crate) fn predicate_id(l: &Lowering<'_>, operand: &VecOperand) -> LowerResult<u32> {
    match &operand.operand {
        Operand::Predicate(predicate) => l.predicate(predicate.value.id.into()),
        _ => illegal("predicates are mixed with other operands"),
    }
}

/// Lowers a predicate operation on the enabled channels of the instruction.
fn predicates<const S: usize>(
    l: &mut Lowering<'_>,
    inst: &ComponentWise<'_, S>,
    op: impl Op<u32, S, Result = u32>,
) -> LowerResult {
    let mut sources = [0; S];
    for (id, source) in sources.iter_mut().zip(inst.src) {
        *id = predicate_id(l, source)?;
    }
    let dst = predicate_id(l, inst.dst)?;
    let enable = l.enable(inst.exec_size, inst.pred)?;
    l.note_action(|_| {
        let recording = Recording::default();
        let logic = recording.logic(op.record(recording.placeholders())?)?;
        let from = [*sources.first()?, *sources.last()?];
        Some(Action::Logic { logic, from, to: dst })
    });
    let run = Run::new(move |thread, _| {
        let bits = op.compute(sources.map(|id| thread.predicates[id as usize])) >> enable.shift;
        let enabled = thread.enabled(&enable);
        thread.set_predicate(dst, enable.shift, enabled, bits);
        Ok(())
    });
    Ok(l.step(enable, run))
}

/// Returns the mask of a shift count, from the destination's width.
fn count_mask(l: &Lowering<'_>, dst: &VecOperand) -> LowerResult<u32> {
    Ok(if l.type_of(dst)?.bits() == 64 { 63 } else { 31 })
}

pub(crate) fn shl(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let op = Shl { mask: count_mask(l, inst.dst)? };
    let types = l.types(inst)?;
    // An absolute value depends on the whole number.
    let has_magnitude = inst.src.iter().any(|s| matches!(s.modifier, Modifier::Abs | Modifier::NegateAbs));
    if is_saturated(inst.dst) || has_magnitude && types.src.iter().any(|t| t.bits() > types.dst.bits().max(32)) {
        return l.apply_costly::<i128, _, 2>(inst, types, op);
    }
    if is_float(types.dst) {
        return illegal("the sources are integers and the destination is a float");
    }
    match types.dst.bits() {
        64 => l.apply_as::<u64, _, 2>(inst, types, op),
        _ => l.apply_as::<u32, _, 2>(inst, types, op),
    }
}

/// Lowers a logical right shift of the value in the computation type, including its sign bits.
pub(crate) fn shr(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let mask = count_mask(l, inst.dst)?;
    let types = l.types(inst)?;
    let [value, count] = types.src;
    let bits = value.bits().max(count.bits()).max(16);
    let has_sign = is_signed(value) || inst.src[0].modifier != Modifier::None;
    match (mask == 63 || bits == 64, bits) {
        (true, 64) => l.apply::<u64, _, 2>(inst, Shr { mask }),
        (true, _) if !has_sign => l.apply::<u64, _, 2>(inst, Shr { mask }),
        (true, _) => l.apply::<u64, _, 2>(inst, ShrOf { mask, ones: u32::MAX >> (32 - bits) }),
        (false, 16) if has_sign => l.apply::<u32, _, 2>(inst, ShrOf { mask, ones: u32::from(u16::MAX) }),
        (false, _) => l.apply::<u32, _, 2>(inst, Shr { mask }),
    }
}

pub(crate) fn asr(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    let mask = count_mask(l, inst.dst)?;
    let value = l.type_of(inst.src[0])?;
    let signed = is_signed(value);
    // Negating an unsigned number, or the minimum signed number, needs one more bit.
    if is_saturated(inst.dst) || inst.src[0].modifier != Modifier::None {
        let types = l.types(inst)?;
        return l.apply_costly::<i128, _, 2>(inst, types, Shr { mask });
    }
    match (signed, mask == 63 || value.bits() == 64) {
        (true, false) => l.apply::<i32, _, 2>(inst, Shr { mask }),
        (true, true) => l.apply::<i64, _, 2>(inst, Shr { mask }),
        (false, false) => l.apply::<u32, _, 2>(inst, Shr { mask }),
        (false, true) => l.apply::<u64, _, 2>(inst, Shr { mask }),
    }
}

pub(crate) fn rol(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    match usual_rotation(l, inst)? {
        Some(32) => l.apply::<u32, _, 2>(inst, Rol),
        Some(64) => l.apply::<u64, _, 2>(inst, Rol),
        _ => rotate(l, inst, |count, bits| count % bits),
    }
}

pub(crate) fn ror(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult {
    match usual_rotation(l, inst)? {
        Some(32) => l.apply::<u32, _, 2>(inst, Ror),
        Some(64) => l.apply::<u64, _, 2>(inst, Ror),
        _ => rotate(l, inst, |count, bits| (bits - count % bits) % bits),
    }
}

/// Returns the common width in bits of value and result, if the result does not saturate: the usual
/// case.
fn usual_rotation(l: &Lowering<'_>, inst: &ComponentWise<'_, 2>) -> LowerResult<Option<u32>> {
    let [result, value] = [l.type_of(inst.dst)?, l.type_of(inst.src[0])?];
    let is_usual = value.bits() == result.bits() && ![value, result].into_iter().any(is_float);
    Ok((is_usual && !is_saturated(inst.dst)).then_some(value.bits()))
}

/// Lowers a left rotation within the width of the value's type. `places` computes the distance from
/// the count and the width.
fn rotate(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 2>, places: fn(u64, u64) -> u64) -> LowerResult {
    let Types { dst, src: [value, count] } = l.types(inst)?;
    let op = RotateWithin { bits: value.bits().into(), signed: is_signed(value), places };
    let types = Types { dst, src: [pattern(value), count] };
    l.apply_costly::<i128, _, 2>(inst, types, op)
}

#[derive(Clone, Copy)]
struct RotateWithin {
    bits: u64,
    /// True if the result is sign-extended, as the value's type is signed.
    signed: bool,
    places: fn(u64, u64) -> u64,
}

unrecorded! {
    [2] RotateWithin;
}

impl LaneOp<i128, 2> for RotateWithin {
    type Out = i128;
    fn apply(self, [a, b]: [i128; 2]) -> i128 {
        let up = (self.places)(b as u64, self.bits);
        // Bits shifted out at the top re-enter at the bottom.
        let turned = a << up | a >> (self.bits - up);
        let unused = 128 - self.bits;
        let high = turned << unused;
        if self.signed { high >> unused } else { (high as u128 >> unused) as i128 }
    }
}

/// A function called for each channel, for rare or long operations.
#[derive(Clone, Copy)]
pub(crate) struct Function<T, const S: usize>(pub(crate) fn([T; S]) -> T);

impl<T: Pod + Element, const S: usize> Record<S> for Function<T, S> {
    fn record<'r>(self, nodes: [Node<'r>; S]) -> Option<Node<'r>> {
        Node::call_with(nodes, self.0)
    }
}

impl<T: Copy + 'static, const S: usize> LaneOp<T, S> for Function<T, S> {
    type Out = T;
    #[inline(always)]
    fn apply(self, sources: [T; S]) -> T {
        (self.0)(sources)
    }
}

pub(crate) fn bfe(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 3>) -> LowerResult {
    let signed = l.type_of(inst.dst)? == DataType::D;
    l.apply::<u32, _, 3>(inst, Bfe { signed })
}

pub(crate) fn bfi(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 4>) -> LowerResult {
    l.apply::<u32, _, 4>(inst, Bfi)
}

/// Lowers a Boolean function whose truth table is the control operand.
pub(crate) fn bfn(l: &mut Lowering<'_>, inst: &Bfn) -> LowerResult {
    let entry = |n| if inst.control >> n & 1 == 1 { u32::MAX } else { 0 };
    let (op, inst) = (Choose { table: std::array::from_fn(entry) }, &inst.component_wise());
    match l.small_ring(inst, op)? {
        Some(lowered) => Ok(lowered),
        None => l.apply::<u32, _, 3>(inst, op),
    }
}
