//! Assignments: writes the values of an expression to the register file.

use iced_x86::Code;

use crate::backend::abi::offset;
use crate::backend::analysis::operands::uses;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at};
use crate::backend::lower::arithmetic::evaluation::{Units, units};
use crate::backend::lower::arithmetic::expression::evaluate_unit;
use crate::backend::lower::cache::{ByteRange, CachedValue};
use crate::backend::lower::emitter::BlockFacts;
use crate::backend::lower::host_registers::{FILE, FRAME};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::select_enabled;
use crate::backend::lower::select::{blend_selected, release_select};
use crate::ir::{Expression, Kind, Mask, Node, Value};

/// Computes values for all channels and assigns them.
pub(crate) fn emit_compute(
    masm: &mut MacroAssembler,
    facts: &BlockFacts<'_>,
    mask: &Mask,
    expression: &Expression,
    (results, pitch): (&[(Value, u32)], Option<u32>),
) -> Option<()> {
    let roots: Vec<Value> = results.iter().map(|(root, _)| *root).collect();
    let kinds: Vec<Kind> = roots.iter().map(|root| Some(expression.nodes.get(*root)?.0)).collect::<Option<_>>()?;
    let bytes = kinds.first()?.bytes();
    let uses = uses(expression, &roots)?;
    let units = units(expression, &uses, mask, bytes, masm.widest())?;
    // A unit must not overwrite what a later unit reads.
    let length = (mask.lanes.count_ones() - 1) * pitch.unwrap_or(bytes) + bytes;
    let is_hazard = |to: u32, (node, uses): (&(Kind, Node), &u32)| match (node, uses) {
        (_, 0) => false,
        ((kind, Node::Load { at, step }), _) => {
            let size = kind.bytes() + step * (mask.lanes.count_ones() - 1);
            let is_same = *at == to && *step == pitch.unwrap_or(bytes) && kind.bytes() == bytes;
            !is_same && *at < to + length && to < at + size
        }
        _ => false,
    };
    let has_hazard = |(_, to): &(Value, u32)| expression.nodes.iter().zip(&uses).any(|of| is_hazard(*to, of));
    let waits = units.count > 1 && results.iter().any(has_hazard);
    // Overlapping results are assigned one after the other, which units would interleave.
    if let (2.., [(_, first), (_, second)]) = (units.count, results) {
        (first.abs_diff(*second) >= length).then_some(())?;
    }
    // Narrow results are written two units at a time: a wide load of two narrow stores would stall.
    let size = bytes * units.lanes;
    let is_joined = pitch.is_none() && units.single.is_none() && units.count > 1 && size * 2 <= masm.widest().bytes();
    let written = if is_joined { Units { lanes: units.lanes * 2, count: units.count / 2, ..units } } else { units };
    let mut waiting = Vec::new();
    for number in 0..written.count {
        let mut values = evaluate_unit(masm, expression, &uses, units, number * units.count / written.count, &roots)?;
        if is_joined {
            let others = evaluate_unit(masm, expression, &uses, units, number * 2 + 1, &roots)?;
            for (value, other) in values.iter_mut().zip(others) {
                *value = join_halves(masm, size, [*value, other])?;
            }
        }
        waiting.extend(values.into_iter().zip(&kinds).zip(results).map(|of| (number, of)));
        if !waits || number + 1 == written.count {
            for (number, ((value, kind), (_, to))) in waiting.drain(..) {
                match pitch {
                    Some(pitch) => write_apart(masm, mask, (written, number), (kind.bytes(), pitch), *to, value)?,
                    None => write_unit(masm, facts, mask, (written, number), *kind, *to, value)?,
                }
                masm.cache.drop(value);
            }
        }
    }
    Some(())
}

/// Joins two vectors of `bytes` bytes.
fn join_halves(masm: &mut MacroAssembler, bytes: u32, [a, b]: [Vector; 2]) -> Option<Vector> {
    let d = masm.cache.take()?;
    let registers = |whole, half| [d.register(whole), a.register(whole), b.register(half)];
    match bytes {
        32 => masm.asm.rrri(Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, registers(Width::Z, Width::Y), 1),
        16 => masm.asm.rrri(Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8, registers(Width::Y, Width::X), 1),
        8 => masm.asm.v3(op::PUNPCKLQDQ, Width::X, d, a, b),
        4 => masm.asm.v3(op::PUNPCKLDQ, Width::X, d, a, b),
        _ => masm.asm.v3(op::PUNPCKLWD, Width::X, d, a, b),
    }
    [a, b].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Assigns the values of a unit to the enabled channels.
pub(crate) fn write_unit(
    masm: &mut MacroAssembler,
    facts: &BlockFacts<'_>,
    mask: &Mask,
    (units, unit): (Units, u32),
    kind: Kind,
    to: u32,
    value: Vector,
) -> Option<()> {
    let bytes = kind.bytes();
    let size = if units.single.is_some() { bytes } else { bytes * units.lanes };
    let place = to + unit * size;
    let mut value = value;
    masm.cache.hold(value);
    let is_all = facts.may_spoil(masm.is_full, mask, ByteRange { at: place, bytes: size });
    let enabled = if is_all { None } else { select_enabled(masm, mask, unit * units.lanes, bytes, Width::of(size))? };
    if let Some(enabled) = enabled {
        let row = masm.value(CachedValue::Contiguous { at: place, bytes: size })?;
        let blended = masm.cache.take()?;
        blend_selected(masm, bytes, Width::of(size), blended, [row, value], enabled);
        release_select(masm, enabled);
        [row, value].into_iter().for_each(|vector| masm.cache.drop(vector));
        value = blended;
        masm.give_way(ByteRange { at: place, bytes: size })?;
        masm.cache.forget(place, size);
        masm.cache.name(value, CachedValue::Contiguous { at: place, bytes: size });
        masm.cache.owe(value, ByteRange { at: place, bytes: size });
    } else {
        masm.give_way(ByteRange { at: place, bytes: size })?;
        masm.cache.forget(place, size);
        let tag = if units.single.is_some() {
            single_value(place, bytes, units.lanes)
        } else {
            CachedValue::Contiguous { at: place, bytes: size }
        };
        name_result(masm, value, tag, ByteRange { at: place, bytes: size });
    }
    masm.cache.drop(value);
    Some(())
}

/// Assigns the values of a unit to elements that are `pitch` bytes apart. All channels are enabled.
fn write_apart(
    masm: &mut MacroAssembler,
    mask: &Mask,
    (units, unit): (Units, u32),
    (bytes, pitch): (u32, u32),
    to: u32,
    value: Vector,
) -> Option<()> {
    (masm.is_all(mask) && units.single.is_none()).then_some(())?;
    let first = to + unit * units.lanes * pitch;
    let place = ByteRange { at: first, bytes: (units.lanes - 1) * pitch + bytes };
    masm.write_what(|other| other.touches(place))?;
    masm.cache.forget(place.at, place.bytes);
    masm.asm.store(op::MOVUPS_STORE, Width::of(units.lanes * bytes), at(FRAME, offset::SCRATCH), value);
    for n in 0..units.lanes {
        masm.load_element(bytes, at(FRAME, offset::SCRATCH + n * bytes));
        masm.store_element(bytes, at(FILE, first + n * pitch));
    }
    Some(())
}

/// Records a result in the register cache, with a pending store. A result whose register already
/// has a cached value is copied: a store to be loaded again would take longer.
fn name_result(masm: &mut MacroAssembler, value: Vector, tag: CachedValue, place: ByteRange) {
    let width = if let CachedValue::Splat { width, .. } = tag { width } else { Width::of(place.bytes) };
    masm.cache.hold(value);
    match masm.own(value, width) {
        Some(own) => {
            masm.cache.name(own, tag);
            masm.cache.owe(own, place);
            masm.cache.drop(own);
        }
        None => {
            masm.store_file(place.at, place.bytes, value);
            masm.cache.drop(value);
        }
    }
}

/// Returns the value of a register that has an element in `lanes` places: a narrowed value fills
/// only part of its vector.
pub(crate) fn single_value(at: u32, bytes: u32, lanes: u32) -> CachedValue {
    match bytes * lanes {
        repeated @ 16.. => CachedValue::Splat { at, bytes, width: Width::of(repeated) },
        _ => CachedValue::Contiguous { at, bytes },
    }
}
