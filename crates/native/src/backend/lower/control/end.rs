//! Ends of blocks: the continuation after the steps.

use iced_x86::{Code, Register};

use crate::backend::abi::exit;
use crate::backend::abi::offset;
use crate::backend::asm::operand::at;
use crate::backend::lower::control::branch::{branch_all, park, skip_unless_taken};
use crate::backend::lower::control::context::{Labels, RoutineContext};
use crate::backend::lower::control::entry::{cold_exit, emit_exit};
use crate::backend::lower::control::thread_loop::{emit_barrier, emit_thread_end};
use crate::backend::lower::host_registers::{ACTIVE, ENABLED, EXECUTED, FRAME};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::{Enabled, materialize_mask};
use crate::ir::{Behind, End, Mask};

/// Writes the end of block `n`.
pub(crate) fn emit_end(masm: &mut MacroAssembler, cx: RoutineContext<'_>, labels: &Labels, n: u32) {
    let (next, blocks) = (n + 1, &labels.blocks);
    let end = &cx.routine.blocks[n as usize].end;
    if cx.routine.count && !matches!(end, End::Outside(_)) {
        emit_end_count(masm, n, end);
    }
    match *end {
        End::Outside(Behind::Others(ends)) => emit_thread_end(masm, cx.routine, labels, n, ends),
        End::Outside(Behind::Barrier) => emit_barrier(masm, cx.routine, labels, n),
        End::Outside(_) => emit_exit(masm, labels.leave, n, exit::END),
        End::Fall => masm.asm.jump(Code::Jmp_rel32_64, blocks[next as usize]),
        End::Pause(left) => {
            let over = cold_exit(masm, labels.leave, n, exit::END);
            masm.asm.rr(Code::Mov_r64_rm64, Register::RAX, EXECUTED);
            masm.asm.ri(Code::Add_rm64_imm32, Register::RAX, left as i32);
            masm.asm.rm(Code::Cmp_r64_rm64, Register::RAX, at(FRAME, offset::UNTIL));
            masm.asm.jump(Code::Jae_rel32_64, over);
            masm.asm.jump(Code::Jmp_rel32_64, blocks[next as usize]);
        }
        End::Jump { mask, target } => {
            skip_unless_taken(masm, &mask, blocks[next as usize]);
            masm.asm.jump(Code::Jmp_rel32_64, blocks[target as usize]);
        }
        End::Branch { mask, uniform: true, target } => {
            skip_unless_taken(masm, &mask, blocks[next as usize]);
            branch_all(masm, cx, labels, n, target);
        }
        End::Branch { mask, uniform: false, target } => emit_divergent(masm, cx, labels, n, &mask, target),
    }
}

/// Writes a branch that each channel decides for itself.
fn emit_divergent(
    masm: &mut MacroAssembler,
    cx: RoutineContext<'_>,
    labels: &Labels,
    n: u32,
    mask: &Mask,
    target: u32,
) {
    let (next, blocks) = (n + 1, &labels.blocks);
    let (taken, rest) = (Register::EAX, Register::EDX);
    match materialize_mask(masm, mask) {
        Enabled::All => {
            masm.asm.ri(Code::Mov_r32_imm32, taken, mask.lanes as i32);
        }
        Enabled::Some => masm.asm.rr(Code::Mov_r32_rm32, taken, ENABLED),
    }
    if mask.shift > 0 {
        masm.asm.ri(Code::Shl_rm32_imm8, taken, mask.shift as i32);
    }
    masm.asm.rr(Code::And_r32_rm32, taken, ACTIVE);
    masm.asm.jump(Code::Je_rel32_64, blocks[next as usize]);
    masm.asm.rr(Code::Mov_r32_rm32, rest, taken);
    masm.asm.r(Code::Not_rm32, rest);
    masm.asm.rr(Code::And_r32_rm32, rest, ACTIVE);
    let all = masm.asm.label();
    masm.asm.jump(Code::Je_rel32_64, all);
    if target < next {
        // Backward branch: the channels that do not branch wait after the loop.
        park(masm, next, rest);
        masm.asm.rr(Code::Mov_r32_rm32, ACTIVE, taken);
        masm.asm.jump(Code::Jmp_rel32_64, blocks[target as usize]);
    } else {
        park(masm, target, taken);
        masm.asm.rr(Code::Mov_r32_rm32, ACTIVE, rest);
        masm.asm.jump(Code::Jmp_rel32_64, blocks[next as usize]);
    }
    masm.asm.bind(all);
    branch_all(masm, cx, labels, n, target);
}

/// Counts the end of a block, and its channels if they may diverge.
fn emit_end_count(masm: &mut MacroAssembler, n: u32, end: &End) {
    masm.frame(Register::RDX, offset::BRANCHES);
    masm.asm.mi(Code::Add_rm64_imm8, at(Register::RDX, n * 16), 1);
    if !matches!(end, End::Fall | End::Pause(_)) {
        masm.asm.rr(Code::Popcnt_r32_rm32, Register::EAX, ACTIVE);
        masm.asm.mr(Code::Add_rm64_r64, at(Register::RDX, n * 16 + 8), Register::RAX);
    }
}
