//! Predicates: comparisons and logic, one bit for each channel.

use iced_x86::{Code, Register};

use crate::backend::analysis::operands::uses;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Vector, Width, at};
use crate::backend::lower::arithmetic::evaluation::{Units, units};
use crate::backend::lower::arithmetic::expression::evaluate_unit;
use crate::backend::lower::arithmetic::relation::{compare_to_mask, compare_to_ones};
use crate::backend::lower::cache::{ByteRange, MaskRegister};
use crate::backend::lower::host_registers::{ANSWER, ENABLED, FILE, PREDICATES};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::{
    Enabled, Select, mask_bits_tag, materialize_mask, predicate_bytes, select_enabled,
};
use crate::ir::{Combine, Expression, Logic, Mask, Relation, Value};

/// Sets the bits of a predicate where a relation holds.
pub(crate) fn emit_compare(
    masm: &mut MacroAssembler,
    mask: &Mask,
    expression: &Expression,
    relation: Relation,
    sides: [Value; 2],
    (inverse, to): (bool, u32),
) -> Option<()> {
    let kind = expression.nodes.get(sides[0])?.0;
    // Functions may clobber the register that holds the bits.
    if expression.nodes.get(sides[1])?.0 != kind || !expression.functions.is_empty() {
        return None;
    }
    let uses = uses(expression, &sides)?;
    let units = units(expression, &uses, mask, kind.bytes(), masm.widest())?;
    if masm.has_bits && units.count <= 2 && predicate_bytes(masm, &of_predicate(mask, to), 0).is_some() {
        return compare_mask_bytes(masm, mask, expression, (relation, inverse), sides, (units, &uses), to);
    }
    let bits = Register::R9D;
    for unit in 0..units.count {
        let values = evaluate_unit(masm, expression, &uses, units, unit, &sides)?;
        let width = Width::of(kind.bytes() * units.lanes);
        let some = if unit == 0 { bits } else { Register::EDX };
        if masm.has_bits {
            compare_to_mask(masm, kind, width, (relation, false), [values[0], values[1]], ANSWER)?;
            masm.asm.rr(Code::VEX_Kmovd_r32_kr, some, ANSWER);
        } else {
            let answer = compare_to_ones(masm, kind, width, relation, values[0], values[1])?;
            ones_to_bits(masm, answer, kind.bytes(), width, some);
            masm.cache.drop(answer);
        }
        values.iter().for_each(|value| masm.cache.drop(*value));
        if unit > 0 {
            masm.asm.ri(Code::Shl_rm32_imm8, Register::EDX, (unit * units.lanes) as i32);
            masm.asm.rr(Code::Or_r32_rm32, bits, Register::EDX);
        }
    }
    if inverse {
        masm.asm.r(Code::Not_rm32, bits);
    }
    set_predicate(masm, mask, to, bits);
    Some(())
}

/// Sets whole bytes of a predicate where a relation holds; mask registers keep the bits.
fn compare_mask_bytes(
    masm: &mut MacroAssembler,
    mask: &Mask,
    expression: &Expression,
    relation: (Relation, bool),
    sides: [Value; 2],
    (units, uses): (Units, &[u32]),
    to: u32,
) -> Option<()> {
    let kind = expression.nodes[sides[0]].0;
    let mut answers = Vec::new();
    for unit in 0..units.count {
        let values = evaluate_unit(masm, expression, uses, units, unit, &sides)?;
        let (first, width) = (unit * units.lanes, Width::of(kind.bytes() * units.lanes));
        let answer = masm.cache.take_bits()?;
        compare_to_mask(masm, kind, width, relation, [values[0], values[1]], answer.register())?;
        values.iter().for_each(|value| masm.cache.drop(*value));
        let mut enabled = None;
        if let Some(Select::Bits(bits)) = select_enabled(masm, mask, first, kind.bytes(), width)? {
            masm.asm.rrr(Code::VEX_Kandd_kr_kr_kr, answer.register(), answer.register(), bits.register());
            enabled = Some(bits);
        }
        answers.push((first, answer, enabled));
    }
    set_mask_bytes(masm, mask, units.lanes, to, answers)
}

/// Replaces whole bytes of a predicate for the enabled channels. Each answer has its first channel,
/// its bits, and the enabled channels unless all are enabled.
fn set_mask_bytes(
    masm: &mut MacroAssembler,
    mask: &Mask,
    lanes: u32,
    to: u32,
    answers: Vec<(u32, MaskRegister, Option<MaskRegister>)>,
) -> Option<()> {
    // All inputs are in registers.
    forget_predicate(masm, mask, to);
    for (first, answer, enabled) in answers {
        let place = Mask { lanes: u32::MAX >> (32 - lanes), shift: mask.shift + first, ..of_predicate(mask, to) };
        let ([load, store], memory) = predicate_bytes(masm, &place, 0)?;
        let mut all = answer.register();
        if let Some(enabled) = enabled {
            masm.asm.rm(load, ANSWER, memory);
            masm.asm.rrr(Code::VEX_Kandnd_kr_kr_kr, ANSWER, enabled.register(), ANSWER);
            masm.asm.rrr(Code::VEX_Kord_kr_kr_kr, ANSWER, ANSWER, all);
            all = ANSWER;
            masm.cache.drop(enabled.0);
        }
        masm.asm.mr(store, memory, all);
        // From here on these bits are the mask of the active channels.
        if mask.predicate == 0 {
            let tag = mask_bits_tag(masm, &Mask { always: mask.always, ..place }, 0, lanes);
            masm.cache.name(answer.0, tag);
        }
        masm.cache.drop(answer.0);
    }
    Some(())
}

/// Computes logic of predicates.
pub(crate) fn emit_logic(
    masm: &mut MacroAssembler,
    mask: &Mask,
    logic: Logic,
    [a, b]: [u32; 2],
    to: u32,
) -> Option<()> {
    if masm.has_bits && predicate_bytes(masm, &of_predicate(mask, to), 0).is_some() {
        return logic_mask_bytes(masm, mask, logic, [a, b], to);
    }
    let bits = Register::R9D;
    masm.asm.rm(Code::Mov_r32_rm32, bits, at(PREDICATES, a * 4));
    match logic {
        Logic::And => masm.asm.rm(Code::And_r32_rm32, bits, at(PREDICATES, b * 4)),
        Logic::Or => masm.asm.rm(Code::Or_r32_rm32, bits, at(PREDICATES, b * 4)),
        Logic::Xor => masm.asm.rm(Code::Xor_r32_rm32, bits, at(PREDICATES, b * 4)),
        Logic::Not => masm.asm.r(Code::Not_rm32, bits),
    }
    if mask.shift > 0 {
        masm.asm.ri(Code::Shr_rm32_imm8, bits, mask.shift as i32);
    }
    set_predicate(masm, mask, to, bits);
    Some(())
}

/// Replaces the bits of a predicate for the channels of a mask, active or not.
pub(crate) fn emit_set_predicate(
    masm: &mut MacroAssembler,
    mask: &Mask,
    from: u32,
    number: Option<u32>,
    to: u32,
) -> Option<()> {
    let bits = Register::R9D;
    match number {
        Some(number) => masm.asm.ri(Code::Mov_r32_imm32, bits, number as i32),
        None => {
            masm.write_what(|place| place.touches(ByteRange { at: from, bytes: 4 }))?;
            masm.asm.rm(Code::Mov_r32_rm32, bits, at(FILE, from));
        }
    }
    set_predicate(masm, &Mask { predicate: 0, ..of_predicate(mask, to) }, to, bits);
    Some(())
}

/// Computes logic of whole bytes of predicates.
fn logic_mask_bytes(masm: &mut MacroAssembler, mask: &Mask, logic: Logic, [a, b]: [u32; 2], to: u32) -> Option<()> {
    let lanes = mask.lanes.count_ones().min(16);
    let mut answers = Vec::new();
    for first in (0..mask.lanes.count_ones()).step_by(lanes as usize) {
        let mut enabled = None;
        if let Some(Select::Bits(bits)) = select_enabled(masm, mask, first, 4, Width::of(lanes * 4))? {
            enabled = Some(bits);
        }
        let part = Mask { lanes: u32::MAX >> (32 - lanes), shift: mask.shift + first, ..*mask };
        let answer = masm.cache.take_bits()?;
        let (k, other) = (answer.register(), ANSWER);
        for (bits, predicate) in [(k, a), (other, b)] {
            let place = of_predicate(&part, predicate);
            match masm.cache.find_bits(&place) {
                Some(known) => masm.asm.rr(Code::VEX_Kmovd_kr_km32, bits, known.register()),
                None => {
                    let ([load, _], memory) = predicate_bytes(masm, &place, 0)?;
                    masm.asm.rm(load, bits, memory);
                }
            }
        }
        match logic {
            Logic::And => masm.asm.rrr(Code::VEX_Kandd_kr_kr_kr, k, k, other),
            Logic::Or => masm.asm.rrr(Code::VEX_Kord_kr_kr_kr, k, k, other),
            Logic::Xor => masm.asm.rrr(Code::VEX_Kxord_kr_kr_kr, k, k, other),
            Logic::Not => masm.asm.rr(Code::VEX_Knotd_kr_kr, k, k),
        }
        if let Some(enabled) = enabled {
            masm.asm.rrr(Code::VEX_Kandd_kr_kr_kr, k, k, enabled.register());
        }
        answers.push((first, answer, enabled));
    }
    set_mask_bytes(masm, mask, lanes, to, answers)
}

/// Moves one bit for each element of ones to a register.
fn ones_to_bits(masm: &mut MacroAssembler, a: Vector, bytes: u32, width: Width, to: Register) {
    let x = Width::X;
    match (bytes, width) {
        (8, _) => masm.asm.rr(op::MOVMSKPD.code(width), to, a.register(width)),
        (4, _) => masm.asm.rr(op::MOVMSKPS.code(width), to, a.register(width)),
        (2, Width::X) => {
            masm.asm.v3(op::PACKSSWB, x, a, a, a);
            masm.asm.rr(op::PMOVMSKB.code(x), to, a.register(x));
            masm.asm.ri(Code::And_rm32_imm32, to, 0xff);
        }
        (2, Width::Y) => {
            // The halves are packed separately: 8 bits at 0 and at 16.
            masm.asm.v3(op::PACKSSWB, width, a, a, a);
            masm.asm.rr(op::PMOVMSKB.code(width), to, a.register(width));
            masm.asm.rr(Code::Movzx_r32_rm8, Register::ECX, low_byte(to));
            masm.asm.ri(Code::Shr_rm32_imm8, to, 16);
            masm.asm.ri(Code::Shl_rm32_imm8, to, 8);
            masm.asm.ri(Code::And_rm32_imm32, to, 0xff00);
            masm.asm.rr(Code::Or_r32_rm32, to, Register::ECX);
        }
        _ => masm.asm.rr(op::PMOVMSKB.code(width), to, a.register(width)),
    }
}

/// Replaces the bits of a predicate for the enabled channels.
fn set_predicate(masm: &mut MacroAssembler, mask: &Mask, to: u32, bits: Register) {
    let memory = at(PREDICATES, to * 4);
    let all = mask.lanes << mask.shift;
    let is_some = materialize_mask(masm, mask) == Enabled::Some;
    if is_some {
        masm.asm.rr(Code::And_r32_rm32, bits, ENABLED);
    } else if mask.lanes != u32::MAX {
        masm.asm.ri(Code::And_rm32_imm32, bits, mask.lanes as i32);
    }
    if mask.shift > 0 {
        masm.asm.ri(Code::Shl_rm32_imm8, bits, mask.shift as i32);
    }
    if is_some || all != u32::MAX {
        let old = Register::EDX;
        if is_some {
            masm.asm.rr(Code::Mov_r32_rm32, Register::ECX, ENABLED);
            if mask.shift > 0 {
                masm.asm.ri(Code::Shl_rm32_imm8, Register::ECX, mask.shift as i32);
            }
            masm.asm.r(Code::Not_rm32, Register::ECX);
            masm.asm.rm(Code::Mov_r32_rm32, old, memory);
            masm.asm.rr(Code::And_r32_rm32, old, Register::ECX);
        } else {
            masm.asm.rm(Code::Mov_r32_rm32, old, memory);
            masm.asm.ri(Code::And_rm32_imm32, old, !all as i32);
        }
        masm.asm.rr(Code::Or_r32_rm32, bits, old);
    }
    masm.asm.mr(Code::Mov_rm32_r32, memory, bits);
    forget_predicate(masm, mask, to);
}

/// Forgets the bits of a predicate that are about to change.
pub(crate) fn forget_predicate(masm: &mut MacroAssembler, mask: &Mask, predicate: u32) {
    masm.cache.forget_predicate(predicate, mask.lanes << mask.shift);
    masm.enabled = masm.enabled.filter(|enabled| enabled.predicate != predicate);
}

/// Returns the mask of a predicate for the channels of `mask`, active or not.
fn of_predicate(mask: &Mask, predicate: u32) -> Mask {
    Mask { always: true, predicate, combine: Combine::Each, inverse: false, ..*mask }
}

/// Returns the low byte of a register.
fn low_byte(register: Register) -> Register {
    match register {
        Register::EDX => Register::DL,
        _ => Register::R9L,
    }
}
