//! Branches: to the next block, a target, or the first block where channels wait.

use std::ops::Range;

use iced_x86::{Code, Register};

use crate::backend::abi::exit;
use crate::backend::abi::offset;
use crate::backend::asm::operand::{at, indexed};
use crate::backend::asm::stream::Label;
use crate::backend::lower::control::context::{Labels, RoutineContext};
use crate::backend::lower::host_registers::{ACTIVE, ENABLED, FRAME, WAITING};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::masks::{Enabled, materialize_mask};
use crate::ir::Mask;

/// Where a branch passes more joins than these, the code searches the table for the first one.
const NEAR: usize = 32;

/// Jumps to the next block unless the first channel's predicate is true and any channel is active.
pub(crate) fn skip_unless_taken(masm: &mut MacroAssembler, mask: &Mask, next: Label) {
    if materialize_mask(masm, &Mask { always: true, ..*mask }) == Enabled::Some {
        masm.asm.ri(Code::Test_rm32_imm32, ENABLED, 1);
        masm.asm.jump(Code::Je_rel32_64, next);
    }
    masm.asm.rr(Code::Test_rm32_r32, ACTIVE, ACTIVE);
    masm.asm.jump(Code::Je_rel32_64, next);
}

/// Branches with all active channels: to the target, unless others wait before it.
pub(crate) fn branch_all(masm: &mut MacroAssembler, cx: RoutineContext<'_>, labels: &Labels, n: u32, target: u32) {
    let (next, blocks) = (n + 1, &labels.blocks);
    if target > next {
        let kept = masm.asm.label();
        masm.cold(|masm| {
            masm.asm.bind(kept);
            park(masm, target, ACTIVE);
            masm.asm.rr(Code::Xor_r32_rm32, ACTIVE, ACTIVE);
            // Execution continues at the first block where others wait.
            let joins = cx.live.joins_in(next..target);
            if joins.len() > NEAR {
                return jump_to_first_waiting(masm, labels.leave, next);
            }
            for block in joins {
                masm.asm.mi(Code::Cmp_rm32_imm8, at(WAITING, block * 4), 0);
                masm.asm.jump(Code::Jne_rel32_64, blocks[*block as usize]);
            }
            masm.asm.jump(Code::Jmp_rel32_64, blocks[target as usize]);
        });
        jump_if_any_waits(masm, next..target, kept);
    }
    masm.asm.jump(Code::Jmp_rel32_64, blocks[target as usize]);
}

/// Jumps if channels wait at any block of a range.
fn jump_if_any_waits(masm: &mut MacroAssembler, blocks: Range<u32>, label: Label) {
    masm.asm.rm(Code::Mov_r64_rm64, Register::RCX, at(FRAME, offset::OCCUPIED));
    let (first, last) = (blocks.start / 64, (blocks.end - 1) / 64);
    let bits = |first: u32, end: u32| u64::MAX >> (64 - (end - first)) << (first % 64);
    let between = first + 1..last;
    let is_far = between.len() > NEAR;
    for word in (first..=last).filter(|word| !is_far || !between.contains(word)) {
        let on_the_way = bits(blocks.start.max(word * 64), blocks.end.min(word * 64 + 64));
        masm.asm.rq(Register::R9, on_the_way);
        masm.asm.mr(Code::Test_rm64_r64, at(Register::RCX, word * 8), Register::R9);
        masm.asm.jump(Code::Jne_rel32_64, label);
    }
    if is_far {
        jump_if_any_word(masm, between, label);
    }
}

/// Jumps if any word of a range of the table of occupied blocks, at RCX, is not zero.
pub(crate) fn jump_if_any_word(masm: &mut MacroAssembler, words: Range<u32>, label: Label) {
    if words.len() <= NEAR {
        for word in words {
            masm.asm.mi(Code::Cmp_rm64_imm8, at(Register::RCX, word * 8), 0);
            masm.asm.jump(Code::Jne_rel32_64, label);
        }
        return;
    }
    masm.asm.ri(Code::Mov_r32_imm32, Register::EDX, words.start as i32);
    let again = masm.asm.here();
    masm.asm.mi(Code::Cmp_rm64_imm8, indexed(Register::RCX, Register::RDX, 8, 0), 0);
    masm.asm.jump(Code::Jne_rel32_64, label);
    masm.asm.ri(Code::Add_rm32_imm32, Register::EDX, 1);
    masm.asm.ri(Code::Cmp_rm32_imm32, Register::EDX, words.end as i32);
    masm.asm.jump(Code::Jb_rel32_64, again);
}

/// Exits to the first block from `next` on at which channels wait; there must be one.
fn jump_to_first_waiting(masm: &mut MacroAssembler, leave: Label, next: u32) {
    let (word, bits) = (Register::EDX, Register::R9);
    let found = masm.asm.label();
    masm.asm.rm(Code::Mov_r64_rm64, Register::RCX, at(FRAME, offset::OCCUPIED));
    masm.asm.ri(Code::Mov_r32_imm32, word, (next / 64) as i32);
    masm.asm.rq(bits, u64::MAX << (next % 64));
    masm.asm.rm(Code::And_r64_rm64, bits, indexed(Register::RCX, Register::RDX, 8, 0));
    masm.asm.jump(Code::Jne_rel32_64, found);
    let again = masm.asm.here();
    masm.asm.ri(Code::Add_rm32_imm32, word, 1);
    masm.asm.rm(Code::Mov_r64_rm64, bits, indexed(Register::RCX, Register::RDX, 8, 0));
    masm.asm.rr(Code::Test_rm64_r64, bits, bits);
    masm.asm.jump(Code::Je_rel32_64, again);
    masm.asm.bind(found);
    masm.asm.rr(Code::Tzcnt_r64_rm64, Register::RAX, bits);
    masm.asm.ri(Code::Shl_rm32_imm8, word, 6);
    masm.asm.rr(Code::Add_r32_rm32, Register::EAX, word);
    masm.asm.ri(Code::Shl_rm32_imm8, Register::EAX, exit::BITS as i32);
    // The kind of this exit is zero.
    const { assert!(exit::BLOCK == 0) };
    masm.asm.jump(Code::Jmp_rel32_64, leave);
}

/// Parks `channels` at the entry of `block`.
pub(crate) fn park(masm: &mut MacroAssembler, block: u32, channels: Register) {
    masm.asm.mr(Code::Or_rm32_r32, at(WAITING, block * 4), channels);
    masm.frame(Register::RCX, offset::OCCUPIED);
    masm.asm.mi(Code::Bts_rm64_imm8, at(Register::RCX, block / 64 * 8), (block % 64) as i32);
}
