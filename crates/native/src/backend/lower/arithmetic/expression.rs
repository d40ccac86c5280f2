//! Expressions: the nodes of one channel become vectors of channels.
//!
//! If a node has no lowering, the functions return `None`, and the caller executes the step.

use std::sync::Arc;

use iced_x86::{Code, Register};

use crate::backend::abi::call;
use crate::backend::abi::offset;
use crate::backend::analysis::constant::constant_value;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at, indexed};
use crate::backend::lower::arithmetic::convert::emit_convert;
use crate::backend::lower::arithmetic::evaluation::{Evaluation, Units};
use crate::backend::lower::arithmetic::operation::{emit_binary, emit_shift, emit_unary};
use crate::backend::lower::arithmetic::relation::compare_to_ones;
use crate::backend::lower::arithmetic::ternary::{FusedLogic, fuse};
use crate::backend::lower::cache::{ByteRange, CachedValue};
use crate::backend::lower::host_registers::{ANSWER, ENABLED, FILE, FRAME};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::{materialize_mask, select_enabled};
use crate::backend::lower::patterns::steps;
use crate::backend::lower::select::{blend_by_answer, blend_selected, gather_selected, release_select};
use crate::ir::{Binary, Expression, Function, Kind, Mask, Node, Operands, Value};

/// Computes the values of `roots` for one vector of channels, and adds a user to each.
pub(crate) fn evaluate_unit(
    masm: &mut MacroAssembler,
    expression: &Expression,
    uses: &[u32],
    units: Units,
    unit: u32,
    roots: &[Value],
) -> Option<Vec<Vector>> {
    let registers = vec![None; expression.nodes.len()];
    let mut evaluation = Evaluation { expression, units, unit, registers, uses: uses.to_vec() };
    roots.iter().map(|root| evaluate_node(masm, &mut evaluation, *root)).collect()
}

/// Returns the value of a node and adds a user, which the caller must drop.
pub(crate) fn evaluate_node(masm: &mut MacroAssembler, e: &mut Evaluation<'_>, value: Value) -> Option<Vector> {
    let found = match e.registers[value] {
        Some(found) => found,
        None => {
            let found = emit_node(masm, e, value)?;
            e.registers[value] = Some(found);
            found
        }
    };
    // The node holds the register until its last use.
    e.uses[value] -= 1;
    if e.uses[value] > 0 {
        masm.cache.hold(found);
    }
    Some(found)
}

/// Writes the code of a node.
fn emit_node(masm: &mut MacroAssembler, e: &mut Evaluation<'_>, value: Value) -> Option<Vector> {
    let (kind, node) = e.expression.nodes[value];
    let (lanes, bytes) = (e.units.lanes, kind.bytes());
    let width = Width::of(bytes * lanes);
    if masm.has_bits
        && let Some(logic) = fuse(e, value)
    {
        return emit_ternary(masm, e, &logic, width);
    }
    match node {
        Node::Load { at, step } if step == 0 || e.units.single.is_some() => {
            let at = at + e.units.single.unwrap_or(0) * step;
            masm.value(CachedValue::Splat { at, bytes, width })
        }
        Node::Load { at, step } if step == bytes => {
            masm.value(CachedValue::Contiguous { at: at + e.unit * lanes * bytes, bytes: lanes * bytes })
        }
        Node::Load { at, step } => load_apart(masm, e.units.lanes, bytes, (at + e.unit * lanes * step, step)),
        Node::Constant(bits) => masm.number(bits, bytes, width),
        Node::Unary(unary, a) => {
            let a = evaluate_node(masm, e, a)?;
            let d = emit_unary(masm, kind, width, unary, a)?;
            masm.cache.drop(a);
            Some(d)
        }
        Node::Binary(Binary::Mul, a, b) if bytes == 8 && !kind.is_float() => emit_product(masm, e, kind, width, a, b),
        Node::Binary(binary, a, b) => emit_two(masm, e, kind, width, binary, a, b),
        Node::Fused(a, b, c) => emit_fused(masm, e, kind, width, [a, b, c]),
        Node::Convert { value: from, saturate } => {
            let from_kind = e.expression.nodes.get(from)?.0;
            let a = evaluate_node(masm, e, from)?;
            let d = emit_convert(masm, from_kind, kind, saturate, lanes, a)?;
            masm.cache.drop(a);
            Some(d)
        }
        Node::Holds(relation, a, b) => {
            let of = |value: Value| e.expression.nodes[value].0;
            (of(a) == of(b) && of(a).bytes() == bytes).then_some(())?;
            let from = of(a);
            let (a, b) = (evaluate_node(masm, e, a)?, evaluate_node(masm, e, b)?);
            let d = compare_to_ones(masm, from, width, relation, a, b)?;
            [a, b].into_iter().for_each(|vector| masm.cache.drop(vector));
            Some(d)
        }
        Node::Call(function, a, b) => {
            let function = e.expression.functions.get(function)?;
            let is_word = |value: Value| e.expression.nodes[value].0.bytes() == 4;
            (bytes == 4 && is_word(a) && is_word(b)).then_some(())?;
            let (a, b) = (evaluate_node(masm, e, a)?, evaluate_node(masm, e, b)?);
            emit_call(masm, function, width, [a, b])
        }
        Node::Pick(mask, a, b) => emit_pick(masm, e, &mask, (bytes, width), [a, b]),
    }
}

/// Loads elements that are `step` bytes apart.
fn load_apart(masm: &mut MacroAssembler, lanes: u32, bytes: u32, (first, step): (u32, u32)) -> Option<Vector> {
    // A gather fills a vector.
    (bytes >= 4 && lanes * bytes >= 16).then_some(())?;
    let place = ByteRange { at: first, bytes: (lanes - 1) * step + bytes };
    masm.write_what(|other| other.touches(place))?;
    let (width, row) = (Width::of(lanes * bytes), Width::of(lanes * 4));
    let (d, places, scratch) = (masm.cache.take()?, masm.cache.take()?, masm.cache.take()?);
    let steps = masm.asm.constant(steps(step));
    masm.asm.load(op::MOVUPS, row, places, steps);
    let memory = indexed(FILE, places.register(row), 1, first.into());
    gather_selected(masm, width, (d, bytes == 8), memory, None, scratch);
    [places, scratch].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Multiplies and adds, with one rounding.
fn emit_fused(
    masm: &mut MacroAssembler,
    e: &mut Evaluation<'_>,
    kind: Kind,
    width: Width,
    [a, b, c]: [Value; 3],
) -> Option<Vector> {
    let (a, b, c) = (evaluate_node(masm, e, a)?, evaluate_node(masm, e, b)?, evaluate_node(masm, e, c)?);
    let fused = match kind {
        Kind::F32 => op::FMADD213PS,
        Kind::F64 => op::FMADD213PD,
        _ => return None,
    };
    // Of several NaNs the host gives that of its second operand.
    let d = masm.copy(b, width)?;
    masm.asm.v3(fused, width, d, a, c);
    [a, c].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Selects the first value where a mask holds, otherwise the second.
fn emit_pick(
    masm: &mut MacroAssembler,
    e: &mut Evaluation<'_>,
    mask: &Mask,
    (bytes, width): (u32, Width),
    [a, b]: [Value; 2],
) -> Option<Vector> {
    let (a, b) = (evaluate_node(masm, e, a)?, evaluate_node(masm, e, b)?);
    if masm.is_all(mask) {
        masm.cache.drop(b);
        return Some(a);
    }
    let d = masm.cache.take()?;
    if let Some(channel) = e.units.single {
        (channel == 0).then_some(())?;
        pick_single(masm, mask, (bytes, width), d, [a, b]);
    } else {
        let select = select_enabled(masm, mask, e.unit * e.units.lanes, bytes, width)??;
        blend_selected(masm, bytes, width, d, [b, a], select);
        release_select(masm, select);
    }
    [a, b].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Selects between two values of a single channel, which fill vectors, by the first channel of a
/// mask.
fn pick_single(
    masm: &mut MacroAssembler,
    mask: &Mask,
    (bytes, width): (u32, Width),
    d: Vector,
    [yes, no]: [Vector; 2],
) {
    materialize_mask(masm, mask);
    masm.asm.rr(Code::Mov_r32_rm32, Register::ECX, ENABLED);
    masm.asm.ri(Code::And_rm32_imm8, Register::ECX, 1);
    masm.asm.r(Code::Neg_rm32, Register::ECX);
    if masm.has_bits {
        masm.asm.rr(Code::VEX_Kmovd_kr_r32, ANSWER, Register::ECX);
        blend_by_answer(masm, bytes, width, d, [no, yes]);
    } else {
        masm.asm.rr(Code::VEX_Vmovd_xmm_rm32, d.register(Width::X), Register::ECX);
        masm.asm.v2(op::BROADCASTD, width, d, d, Width::X);
        masm.asm.v4(op::PBLENDVB, width, d, no, yes, d);
    }
}

/// Computes logic of up to three values by one instruction. The inner result is `None` if too few
/// registers are free.
fn emit_ternary(
    masm: &mut MacroAssembler,
    e: &mut Evaluation<'_>,
    logic: &FusedLogic,
    width: Width,
) -> Option<Vector> {
    let FusedLogic { leaves, distinct, table } = logic;
    let vectors: Option<Vec<Vector>> = distinct.iter().map(|leaf| evaluate_node(masm, e, *leaf)).collect();
    let vectors = vectors?;
    for leaf in distinct {
        for _ in 1..leaves.iter().filter(|other| *other == leaf).count() {
            let again = evaluate_node(masm, e, *leaf)?;
            masm.cache.drop(again);
        }
    }
    let d = masm.copy(vectors[0], width)?;
    let [b, c] = [1, 2].map(|n| vectors.get(n).copied().unwrap_or(d));
    masm.asm.v3i(op::TERNLOGD, width, d, b, c, i32::from(*table));
    vectors[1..].iter().for_each(|vector| masm.cache.drop(*vector));
    Some(d)
}

/// Calls a function for eight channels at a time.
fn emit_call(masm: &mut MacroAssembler, function: &Function, width: Width, values: [Vector; 2]) -> Option<Vector> {
    masm.write_all();
    let operands = |half: u32, n: u32| at(FRAME, offset::OPERANDS + half * size_of::<Operands>() as u32 + n * 32);
    for (n, value) in (0..).zip(values) {
        masm.asm.store(op::MOVUPS_STORE, Width::Y, operands(0, n), value);
        if width == Width::Z {
            masm.asm.store_upper(operands(1, n), value);
        }
        masm.cache.drop(value);
    }
    // The function may clobber all registers.
    let used = masm.cache.keep_used()?;
    let widest = masm.widest();
    let place = |vector: Vector| at(FRAME, offset::SPILLED + u32::from(vector.0) * 64);
    used.iter().for_each(|vector| masm.asm.store(op::MOVUPS_STORE, widest, place(*vector), *vector));
    masm.asm.plain(Code::VEX_Vzeroupper);
    for half in 0..if width == Width::Z { 2 } else { 1 } {
        masm.asm.rm(Code::Lea_r64_m, Register::RDI, operands(half, 0));
        masm.asm.rq(Register::RSI, Arc::as_ptr(&function.0) as u64);
        masm.asm.rq(Register::RAX, call as *const () as u64);
        masm.asm.r(Code::Call_rm64, Register::RAX);
    }
    masm.functions.push(function.clone());
    masm.enabled = None;
    used.iter().for_each(|vector| masm.asm.load(op::MOVUPS, widest, *vector, place(*vector)));
    let d = masm.cache.take()?;
    masm.asm.load(op::MOVUPS, Width::Y, d, operands(0, 0));
    if width == Width::Z {
        masm.asm.load_upper(d, operands(1, 0));
    }
    Some(d)
}

/// Removes a use of a node that is not computed.
fn release_node(masm: &mut MacroAssembler, e: &mut Evaluation<'_>, value: Value) {
    e.uses[value] -= 1;
    if e.uses[value] == 0
        && let Some(vector) = e.registers[value]
    {
        masm.cache.drop(vector);
    }
}

/// Computes a node of two operands.
fn emit_two(
    masm: &mut MacroAssembler,
    e: &mut Evaluation<'_>,
    kind: Kind,
    width: Width,
    binary: Binary,
    a: Value,
    b: Value,
) -> Option<Vector> {
    let is_shift = matches!(binary, Binary::Shl | Binary::Shr | Binary::Rotate);
    if let Some(count) = constant_value(e.expression, b).filter(|_| is_shift) {
        let a = evaluate_node(masm, e, a)?;
        let d = emit_shift(masm, kind, width, binary, a, count as u32)?;
        masm.cache.drop(a);
        // The count is not computed.
        release_node(masm, e, b);
        return Some(d);
    }
    let (a, b) = (evaluate_node(masm, e, a)?, evaluate_node(masm, e, b)?);
    let d = emit_binary(masm, kind, width, binary, a, b)?;
    [a, b].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Computes the low 64 bits of a product; for operands that have just been extended, the product of
/// their low halves.
fn emit_product(
    masm: &mut MacroAssembler,
    e: &mut Evaluation<'_>,
    kind: Kind,
    w: Width,
    a: Value,
    b: Value,
) -> Option<Vector> {
    let extended = |value: Value| match e.expression.nodes[value].1 {
        Node::Convert { value, .. } => Some(e.expression.nodes[value].0),
        _ => None,
    };
    let op = match (extended(a), extended(b)) {
        (Some(Kind::U32), Some(Kind::U32)) => Some(op::PMULUDQ),
        (Some(Kind::I32), Some(Kind::I32)) if kind.is_signed() => Some(op::PMULDQ),
        _ => None,
    };
    let (a, b) = (evaluate_node(masm, e, a)?, evaluate_node(masm, e, b)?);
    let d = masm.cache.take()?;
    match op {
        Some(op) => masm.asm.v3(op, w, d, a, b),
        None if masm.has_bits => masm.asm.v3(op::MULLQ, w, d, a, b),
        None => {
            let other = masm.cache.take()?;
            masm.asm.v2i(op::PSRLQ, w, d, a, 32);
            masm.asm.v3(op::PMULUDQ, w, d, d, b);
            masm.asm.v2i(op::PSRLQ, w, other, b, 32);
            masm.asm.v3(op::PMULUDQ, w, other, other, a);
            masm.asm.v3(op::PADDQ, w, d, d, other);
            masm.asm.v2i(op::PSLLQ, w, d, d, 32);
            masm.asm.v3(op::PMULUDQ, w, other, a, b);
            masm.asm.v3(op::PADDQ, w, d, d, other);
            masm.cache.drop(other);
        }
    }
    [a, b].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}
