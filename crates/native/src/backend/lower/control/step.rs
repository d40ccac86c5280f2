//! Steps of a block.

use iced_x86::{Code, Register};

use crate::backend::abi::exit;
use crate::backend::abi::offset;
use crate::backend::analysis::ramps::{Check, StepRamps};
use crate::backend::asm::operand::at;
use crate::backend::lower::arithmetic::assign::emit_compute;
use crate::backend::lower::arithmetic::predicate::{emit_compare, emit_logic, emit_set_predicate};
use crate::backend::lower::arithmetic::ramp::{emit_check, emit_ramp};
use crate::backend::lower::control::cold_path::forget_classes;
use crate::backend::lower::control::context::Labels;
use crate::backend::lower::control::entry::emit_exit;
use crate::backend::lower::emitter::{ColdPath, Emitter};
use crate::backend::lower::host_registers::{ENABLED, FILE};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::{Enabled, materialize_mask};
use crate::backend::lower::memory::indirect::emit_indirect;
use crate::backend::lower::memory::transfer::emit_transfer;
use crate::backend::lower::state::emit_set_state;
use crate::ir::{Action, Mask, Step};

/// Writes a step, or lets the caller execute it if it has no lowering.
pub(crate) fn step_or_outside(e: &mut Emitter<'_>, step: &Step, number: u32, labels: &mut Labels) {
    let checks = e.facts.ramps(number).checks.clone();
    if !checks.is_empty() {
        match attempt(e, |e| emit_checks(e, step, number, &checks)) {
            Some(()) => labels.wraps.push(number),
            // Nothing may rely on the checks.
            None => e.facts.annotations.ramps.clear(),
        }
    }
    write_step(e, step, number, labels);
    if !e.masm.is_full && labels.wraps.binary_search(&number).is_ok() && labels.steps[number as usize][1].is_none() {
        // The cold path does not preserve the register of enabled channels.
        e.masm.enabled = None;
        let nobody = e.masm.asm.label();
        e.push_outside(nobody, number, Vec::new());
    }
}

/// Leaves the code for all channels if a value wraps that must not: the caller executes the step,
/// and the code for any channels continues.
fn emit_checks(e: &mut Emitter<'_>, step: &Step, number: u32, checks: &[Check]) -> Option<()> {
    let Action::Compute { expression, .. } = &step.action else { return None };
    for check in checks {
        let from = e.masm.asm.label();
        emit_check(&mut e.masm, &step.mask, expression, *check, from)?;
        let unwritten = e.masm.cache.unwritten();
        e.cold.push(ColdPath::Leave { from, step: number, unwritten });
    }
    Some(())
}

/// Writes a step after its checks, or lets the caller execute it.
fn write_step(e: &mut Emitter<'_>, step: &Step, number: u32, labels: &mut Labels) {
    if attempt(e, |e| emit_step(e, step, number)).is_none() {
        // Retry with more free registers.
        e.masm.write_all();
        if attempt(e, |e| emit_step(e, step, number)).is_none() {
            emit_outside(e, number, labels);
        }
    }
}

/// Runs `write`; on `None`, rolls back code and register state.
pub(crate) fn attempt<'a>(e: &mut Emitter<'a>, write: impl FnOnce(&mut Emitter<'a>) -> Option<()>) -> Option<()> {
    let (written, cache, cold, enabled) = (e.masm.asm.written(), e.masm.cache.clone(), e.cold.len(), e.masm.enabled);
    let done = write(e);
    e.masm.is_branching = false;
    if done.is_none() {
        e.masm.asm.rewind(&written);
        (e.masm.cache, e.masm.enabled) = (cache, enabled);
        e.cold.truncate(cold);
    }
    done
}

/// Prepares for a step: counts it, frees registers, and moves the facts past it.
pub(crate) fn prepare_step(e: &mut Emitter<'_>, step: &Step, number: u32, count: bool) {
    if count {
        emit_step_count(&mut e.masm, number, &step.mask);
    }
    drop_dead_stores(e);
    e.masm.make_room();
    e.facts.live.advance();
    e.facts.live_inactive.advance();
}

/// Drops pending stores to dead registers.
fn drop_dead_stores(e: &mut Emitter<'_>) {
    let live = &e.facts.live;
    while let Some((vector, _)) = e.masm.cache.unwritten_of(|place| !live.touch(place.at, place.bytes)) {
        e.masm.cache.settle(vector);
    }
}

/// Counts a step and its channels.
fn emit_step_count(masm: &mut MacroAssembler, step: u32, mask: &Mask) {
    match materialize_mask(masm, mask) {
        Enabled::All => masm.asm.ri(Code::Mov_r32_imm32, Register::EAX, mask.lanes.count_ones() as i32),
        Enabled::Some => masm.asm.rr(Code::Popcnt_r32_rm32, Register::EAX, ENABLED),
    }
    masm.frame(Register::RDX, offset::COUNTS);
    masm.asm.mi(Code::Add_rm64_imm8, at(Register::RDX, step * 16), 1);
    masm.asm.mr(Code::Add_rm64_r64, at(Register::RDX, step * 16 + 8), Register::RAX);
}

/// Writes a step. Returns `None` if it has no lowering.
pub(crate) fn emit_step(e: &mut Emitter<'_>, step: &Step, number: u32) -> Option<()> {
    let mask = &step.mask;
    match &step.action {
        Action::Outside => None,
        Action::Nothing => Some(()),
        _ if e.facts.is_dead(number) => Some(()),
        Action::Compute { expression, results, pitch } => {
            let StepRamps { result: slope, lanes, .. } = *e.facts.ramps(number);
            if let (Some(slope), [result]) = (slope, &results[..])
                && attempt(e, |e| emit_ramp(&mut e.masm, mask, expression, *result, (slope, lanes))).is_some()
            {
                return Some(());
            }
            emit_compute(&mut e.masm, &e.facts, mask, expression, (results, *pitch))
        }
        Action::Compare { expression, relation, sides, inverse, to } => {
            emit_compare(&mut e.masm, mask, expression, *relation, *sides, (*inverse, *to))
        }
        Action::Logic { logic, from, to } => emit_logic(&mut e.masm, mask, *logic, *from, *to),
        Action::SetPredicate { from, number, to } => emit_set_predicate(&mut e.masm, mask, *from, *number, *to),
        Action::SetState { element, from, number } => {
            emit_set_state(&mut e.masm, &mut e.states, mask, *element, *from, *number)
        }
        // Such steps are written together with the steps between them.
        Action::Rounding { .. } => None,
        Action::Control { at, bits, plain } => {
            emit_control(e, *at, *bits, *plain, number);
            Some(())
        }
        Action::Transfer(transfer) => emit_transfer(e, mask, transfer, number),
        Action::Indirect(indirect) => emit_indirect(e, mask, indirect, number),
    }
}

/// Sets bits of a dword in the registers if it becomes `plain`; otherwise the caller executes the
/// step.
fn emit_control(e: &mut Emitter<'_>, place: u32, bits: u32, plain: u32, step: u32) {
    let masm = &mut e.masm;
    masm.write_all();
    let otherwise = masm.asm.label();
    masm.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(FILE, place));
    masm.asm.ri(Code::Or_rm32_imm32, Register::EAX, bits as i32);
    masm.asm.ri(Code::Cmp_rm32_imm32, Register::EAX, plain as i32);
    masm.asm.jump(Code::Jne_rel32_64, otherwise);
    masm.asm.mr(Code::Mov_rm32_r32, at(FILE, place), Register::EAX);
    masm.cache.forget(place, 4);
    // The cold path does not preserve the register of enabled channels.
    masm.enabled = None;
    e.push_outside(otherwise, step, Vec::new());
}

/// Lets the caller execute a step.
fn emit_outside(e: &mut Emitter<'_>, number: u32, labels: &mut Labels) {
    e.masm.write_all();
    let is_full = e.masm.is_full;
    emit_exit(&mut e.masm, labels.leave, number, if is_full { exit::FULL } else { exit::SOME });
    labels.bind_step(&mut e.masm.asm, number, is_full);
    forget_classes(&mut e.masm, e.facts.annotations.class_count);
    e.masm.cache.clear();
    e.states.clear();
    e.masm.enabled = None;
}
