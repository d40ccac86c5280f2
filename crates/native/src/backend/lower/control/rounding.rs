//! Steps that round toward zero, between two steps that change the rounding.
//!
//! The host's control word has another rounding in between, so the code must not return to the
//! caller there: either all of these steps have a lowering, or the caller executes them.

use iced_x86::{Code, Register};

use crate::backend::abi::offset;
use crate::backend::asm::operand::at;
use crate::backend::lower::cache::ByteRange;
use crate::backend::lower::control::step::{attempt, emit_step, prepare_step};
use crate::backend::lower::emitter::Emitter;
use crate::backend::lower::host_registers::{FILE, FRAME};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::ir::{Action, Step};

/// Returns the number of steps from a change of the rounding to the change back, both included.
/// `None` if the first step is no such change, or if other steps than computations are in between.
pub(crate) fn rounded(steps: &[Step]) -> Option<usize> {
    let Action::Rounding { toward_zero: true, .. } = steps.first()?.action else { return None };
    let others = steps.get(1..)?.iter();
    let computed = others.clone().take_while(|step| is_computation(&step.action)).count();
    let Action::Rounding { toward_zero: false, .. } = steps.get(computed + 1)?.action else { return None };
    Some(computed + 2)
}

/// Returns true for computations that do not call functions of the caller, which expect the host's
/// usual rounding.
fn is_computation(action: &Action) -> bool {
    match action {
        Action::Compute { expression, .. } | Action::Compare { expression, .. } => expression.functions.is_empty(),
        Action::Logic { .. } | Action::SetPredicate { .. } | Action::Nothing => true,
        _ => false,
    }
}

/// Writes the steps that [`rounded`] counts; `number` is that of the first. Returns `None`, with
/// nothing written, if one has no lowering.
pub(crate) fn emit_rounded(e: &mut Emitter<'_>, steps: &[Step], number: u32, count: bool) -> Option<()> {
    let (live, live_inactive) = (e.facts.live.clone(), e.facts.live_inactive.clone());
    let done = attempt(e, |e| {
        (number..).zip(steps).try_for_each(|(number, step)| {
            prepare_step(e, step, number, count);
            match step.action {
                Action::Rounding { at, bits, toward_zero } => emit_rounding(&mut e.masm, at, bits, toward_zero),
                _ => attempt(e, |e| emit_step(e, step, number)).or_else(|| {
                    e.masm.write_all();
                    emit_step(e, step, number)
                }),
            }
        })
    });
    if done.is_none() {
        (e.facts.live, e.facts.live_inactive) = (live, live_inactive);
    }
    done
}

/// Flips bits of a dword in the registers, and changes the host's rounding.
fn emit_rounding(masm: &mut MacroAssembler, place: u32, bits: u32, toward_zero: bool) -> Option<()> {
    masm.write_what(|other| other.touches(ByteRange { at: place, bytes: 4 }))?;
    masm.asm.mi(Code::Xor_rm32_imm32, at(FILE, place), bits as i32);
    masm.cache.forget(place, 4);
    let [usual, other] = [0, 4].map(|word| at(FRAME, offset::ROUNDING + word));
    if toward_zero {
        masm.asm.m(Code::VEX_Vstmxcsr_m32, usual);
        masm.asm.rm(Code::Mov_r32_rm32, Register::EAX, usual);
        masm.asm.ri(Code::Or_rm32_imm32, Register::EAX, TOWARD_ZERO);
        masm.asm.mr(Code::Mov_rm32_r32, other, Register::EAX);
        masm.asm.m(Code::VEX_Vldmxcsr_m32, other);
    } else {
        masm.asm.m(Code::VEX_Vldmxcsr_m32, usual);
    }
    Some(())
}

/// The bits of the control word that select rounding toward zero.
const TOWARD_ZERO: i32 = 0x6000;
