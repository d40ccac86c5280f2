//! Where execution goes behind a block: to the next one, to a target, or to the first block where
//! channels wait.

use std::ops::Range;

use iced_x86::{Code as Opcode, Register};

use crate::asm::{Label, at, indexed};
use crate::code::exit;
use crate::emit::{ACTIVE, ENABLED, Emitter, Enabled, FRAME, WAITING};
use crate::frame::offset;
use crate::ir::Mask;

/// Where channels may wait at more blocks than these on the way of a branch, the code looks for the
/// first in the table.
const NEAR: usize = 32;

impl Emitter<'_> {
    /// Goes to the next block unless the first channel's predicate decides otherwise, and any
    /// channel is active.
    pub(crate) fn decide(&mut self, mask: &Mask, next: Label) {
        if self.enabled(&Mask { always: true, ..*mask }) == Enabled::Some {
            self.asm.ri(Opcode::Test_rm32_imm32, ENABLED, 1);
            self.asm.jump(Opcode::Je_rel32_64, next);
        }
        self.asm.rr(Opcode::Test_rm32_r32, ACTIVE, ACTIVE);
        self.asm.jump(Opcode::Je_rel32_64, next);
    }

    /// All active channels branch: to the target, unless others wait on the way there.
    pub(crate) fn go_all(&mut self, n: u32, target: u32, blocks: &[Label]) {
        let next = n + 1;
        if target > next {
            let kept = self.asm.label();
            self.aside(|this| {
                this.asm.bind(kept);
                this.wait(target, ACTIVE);
                this.asm.rr(Opcode::Xor_r32_rm32, ACTIVE, ACTIVE);
                // Execution goes to the first block where others wait.
                let joins = this.live.joins_in(next..target);
                if joins.len() > NEAR {
                    return this.go_to_first(next);
                }
                for block in joins {
                    this.asm.mi(Opcode::Cmp_rm32_imm8, at(WAITING, block * 4), 0);
                    this.asm.jump(Opcode::Jne_rel32_64, blocks[*block as usize]);
                }
                this.asm.jump(Opcode::Jmp_rel32_64, blocks[target as usize]);
            });
            self.go_if_any_waits(next..target, kept);
        }
        self.asm.jump(Opcode::Jmp_rel32_64, blocks[target as usize]);
    }

    /// Goes to a label if channels wait at any of some blocks.
    fn go_if_any_waits(&mut self, blocks: Range<u32>, label: Label) {
        self.asm.rm(Opcode::Mov_r64_rm64, Register::RCX, at(FRAME, offset::OCCUPIED));
        let (first, last) = (blocks.start / 64, (blocks.end - 1) / 64);
        let bits = |first: u32, end: u32| u64::MAX >> (64 - (end - first)) << (first % 64);
        let between = first + 1..last;
        let is_far = between.len() > NEAR;
        for word in (first..=last).filter(|word| !is_far || !between.contains(word)) {
            let on_the_way = bits(blocks.start.max(word * 64), blocks.end.min(word * 64 + 64));
            self.asm.rq(Register::R9, on_the_way);
            self.asm.mr(Opcode::Test_rm64_r64, at(Register::RCX, word * 8), Register::R9);
            self.asm.jump(Opcode::Jne_rel32_64, label);
        }
        if is_far {
            self.go_if_any_word(between, label);
        }
    }

    /// Goes to a label if any of some words of the table of occupied blocks, which is at RCX, is
    /// not zero.
    pub(crate) fn go_if_any_word(&mut self, words: Range<u32>, label: Label) {
        if words.len() <= NEAR {
            for word in words {
                self.asm.mi(Opcode::Cmp_rm64_imm8, at(Register::RCX, word * 8), 0);
                self.asm.jump(Opcode::Jne_rel32_64, label);
            }
            return;
        }
        self.asm.ri(Opcode::Mov_r32_imm32, Register::EDX, words.start as i32);
        let again = self.asm.here();
        self.asm.mi(Opcode::Cmp_rm64_imm8, indexed(Register::RCX, Register::RDX, 8, 0), 0);
        self.asm.jump(Opcode::Jne_rel32_64, label);
        self.asm.ri(Opcode::Add_rm32_imm32, Register::EDX, 1);
        self.asm.ri(Opcode::Cmp_rm32_imm32, Register::EDX, words.end as i32);
        self.asm.jump(Opcode::Jb_rel32_64, again);
    }

    /// Leaves for the first block from `next` on where channels wait; there has to be one.
    fn go_to_first(&mut self, next: u32) {
        let (word, bits) = (Register::EDX, Register::R9);
        let found = self.asm.label();
        self.asm.rm(Opcode::Mov_r64_rm64, Register::RCX, at(FRAME, offset::OCCUPIED));
        self.asm.ri(Opcode::Mov_r32_imm32, word, (next / 64) as i32);
        self.asm.rq(bits, u64::MAX << (next % 64));
        self.asm.rm(Opcode::And_r64_rm64, bits, indexed(Register::RCX, Register::RDX, 8, 0));
        self.asm.jump(Opcode::Jne_rel32_64, found);
        let again = self.asm.here();
        self.asm.ri(Opcode::Add_rm32_imm32, word, 1);
        self.asm.rm(Opcode::Mov_r64_rm64, bits, indexed(Register::RCX, Register::RDX, 8, 0));
        self.asm.rr(Opcode::Test_rm64_r64, bits, bits);
        self.asm.jump(Opcode::Je_rel32_64, again);
        self.asm.bind(found);
        self.asm.rr(Opcode::Tzcnt_r64_rm64, Register::RAX, bits);
        self.asm.ri(Opcode::Shl_rm32_imm8, word, 6);
        self.asm.rr(Opcode::Add_r32_rm32, Register::EAX, word);
        self.asm.ri(Opcode::Shl_rm32_imm8, Register::EAX, exit::BITS as i32);
        // The number of the exit, whose kind is zero.
        const { assert!(exit::BLOCK == 0) };
        self.asm.jump(Opcode::Jmp_rel32_64, self.leave);
    }

    /// Lets channels wait for a block.
    pub(crate) fn wait(&mut self, block: u32, channels: Register) {
        self.asm.mr(Opcode::Or_rm32_r32, at(WAITING, block * 4), channels);
        self.frame(Register::RCX, offset::OCCUPIED);
        self.asm.mi(Opcode::Bts_rm64_imm8, at(Register::RCX, block / 64 * 8), (block % 64) as i32);
    }
}
