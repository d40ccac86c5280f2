//! Blocks: their steps in sequence.

use iced_x86::{Code, Register};

use crate::backend::abi::exit;
use crate::backend::abi::offset;
use crate::backend::analysis::annotations::Annotations;
use crate::backend::analysis::channels::channels;
use crate::backend::analysis::contiguity::Pair;
use crate::backend::asm::operand::at;
use crate::backend::lower::control::cold_path::{emit_cold_paths, forget_classes};
use crate::backend::lower::control::context::{Labels, RoutineContext};
use crate::backend::lower::control::end::emit_end;
use crate::backend::lower::control::entry::{cold_exit, emit_exit};
use crate::backend::lower::control::rounding::{emit_rounded, rounded};
use crate::backend::lower::control::step::{attempt, prepare_step, step_or_outside};
use crate::backend::lower::emitter::Emitter;
use crate::backend::lower::host_registers::{ACTIVE, EXECUTED, FRAME, WAITING};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::memory::pair::{emit_pair, pair_at};

/// Maximum code size of a routine in bytes.
const CODE: usize = 16 << 20;
/// Maximum number of pending cold paths of a block. Each takes up to 2 KiB.
const COLD_PATHS: usize = 1 << 13;
/// Maximum number of cold paths that are pending until the end of the routine.
const COLD_PATHS_AT_END: usize = 1 << 12;

/// Writes block `n`. Returns `None` when the code exceeds the budget.
pub(crate) fn emit_block<'a>(e: &mut Emitter<'a>, cx: RoutineContext<'a>, labels: &mut Labels, n: u32) -> Option<()> {
    let block = &cx.routine.blocks[n as usize];
    e.masm.asm.bind(labels.blocks[n as usize]);
    let first = labels.steps.len() as u32;
    labels.steps.extend(block.steps.iter().map(|_| [None; 2]));
    let channels = channels(block, cx.routine.count);
    labels.full.extend(block.steps.iter().map(|_| Some(channels)));
    labels.wraps.clear();
    if cx.routine.is_left(n) {
        emit_exit(&mut e.masm, labels.leave, n, exit::BLOCK);
        return Some(());
    }
    emit_join(&mut e.masm, n);
    let over = cold_exit(&mut e.masm, labels.leave, n, exit::BLOCK);
    let asm = &mut e.masm.asm;
    asm.rm(Code::Cmp_r64_rm64, EXECUTED, at(FRAME, offset::UNTIL));
    asm.jump(Code::Jae_rel32_64, over);
    asm.ri(Code::Add_rm64_imm32, EXECUTED, block.instructions as i32);
    if channels == 0 {
        return emit_body(e, cx, labels, n, (true, first));
    }
    let some = asm.label();
    if channels == u32::MAX {
        asm.ri(Code::Cmp_rm32_imm32, ACTIVE, channels as i32);
    } else {
        asm.rr(Code::Mov_r32_rm32, Register::EAX, ACTIVE);
        asm.ri(Code::And_rm32_imm32, Register::EAX, channels as i32);
        asm.ri(Code::Cmp_rm32_imm32, Register::EAX, channels as i32);
    }
    asm.jump(Code::Jne_rel32_64, some);
    emit_body(e, cx, labels, n, (true, first))?;
    if !labels.wraps.is_empty() {
        // The interpreter does not check the values.
        labels.full[first as usize..].fill(None);
    }
    e.masm.asm.bind(some);
    emit_body(e, cx, labels, n, (false, first))
}

/// Activates the channels that wait for block `n`.
fn emit_join(masm: &mut MacroAssembler, n: u32) {
    let (join, back) = (masm.asm.label(), masm.asm.label());
    masm.asm.rm(Code::Mov_r32_rm32, Register::EAX, at(WAITING, n * 4));
    masm.asm.rr(Code::Test_rm32_r32, Register::EAX, Register::EAX);
    masm.asm.jump(Code::Jne_rel32_64, join);
    masm.asm.bind(back);
    masm.cold(|masm| {
        masm.asm.bind(join);
        masm.asm.rr(Code::Or_r32_rm32, ACTIVE, Register::EAX);
        masm.asm.mi(Code::Mov_rm32_imm32, at(WAITING, n * 4), 0);
        masm.frame(Register::RCX, offset::OCCUPIED);
        masm.asm.mi(Code::Btr_rm64_imm8, at(Register::RCX, n / 64 * 8), (n % 64) as i32);
        masm.asm.jump(Code::Jmp_rel32_64, back);
    });
}

/// Writes the steps of block `n` for all channels of the block, or for any. `first` is the number
/// of its first step.
fn emit_body<'a>(
    e: &mut Emitter<'a>,
    cx: RoutineContext<'a>,
    labels: &mut Labels,
    n: u32,
    (is_full, first): (bool, u32),
) -> Option<()> {
    let block = &cx.routine.blocks[n as usize];
    begin_body(e, cx, n, (is_full, first));
    let mut rest = &block.steps[..];
    while let [step, ..] = rest {
        let number = first + (block.steps.len() - rest.len()) as u32;
        if let Some((these, others)) = rounded(rest).and_then(|count| rest.split_at_checked(count)) {
            // These steps have no checks.
            e.facts.annotations.ramps.clear();
            if emit_rounded(e, these, number, cx.routine.count).is_some() {
                rest = others;
                continue;
            }
        }
        let pair = if cx.routine.count { None } else { pair_at(e, number, step) };
        let (these, others) = rest.split_at(pair.as_ref().map_or(1, Pair::len));
        rest = others;
        prepare_step(e, step, number, cx.routine.count);
        for _ in &these[1..] {
            e.facts.live.advance();
            e.facts.live_inactive.advance();
        }
        let done = pair.and_then(|pair| attempt(e, |e| emit_pair(e, &pair, number)));
        if done.is_none() {
            (number..).zip(these).for_each(|(number, step)| step_or_outside(e, step, number, labels));
        }
        (e.masm.asm.len() <= CODE && e.cold.len() <= COLD_PATHS).then_some(())?;
    }
    // The remaining bytes are dead.
    let live = cx.live.end(n, is_full);
    let _ = e.masm.write_what(|place| live.touch(place.at, place.bytes));
    emit_end(&mut e.masm, cx, labels, n);
    e.masm.cache.clear();
    if e.cold.len() > COLD_PATHS_AT_END {
        emit_cold_paths(e, labels);
    }
    Some(())
}

/// Sets the facts of block `n`, and forgets those of the block before.
fn begin_body<'a>(e: &mut Emitter<'a>, cx: RoutineContext<'a>, n: u32, (is_full, first): (bool, u32)) {
    let block = &cx.routine.blocks[n as usize];
    (e.masm.is_full, e.masm.enabled) = (is_full, None);
    e.masm.cache.clear();
    e.states.clear();
    cx.live.here(n, block, is_full, &mut e.facts.live);
    e.facts.annotations = if is_full {
        e.facts.wanted.set(cx.live.end(n, true));
        Annotations::of(n, block, cx.ramps, &mut e.facts.wanted, &e.facts.live)
    } else {
        Annotations::default()
    };
    e.facts.first_step = first;
    forget_classes(&mut e.masm, e.facts.annotations.class_count);
    if is_full {
        e.facts.live_inactive.clear();
    } else {
        cx.live.of_others(n, block, &mut e.facts.live_inactive);
    }
}
