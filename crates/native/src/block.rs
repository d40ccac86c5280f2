//! Blocks: their steps one after the other, and where execution goes behind them.

use std::collections::HashMap;

use iced_x86::{Code as Opcode, Register};

use crate::Refusal;
use crate::alike;
use crate::asm::{Asm, Label, at};
use crate::cache::Cache;
use crate::check;
use crate::code::{Code, Parts, exit};
use crate::emit::{
    ACTIVE, ENABLED, EXECUTED, Emitter, Enabled, FILE, FRAME, Later, WAITING, constants_of, fixed_constants,
};
use crate::frame::offset;
use crate::host::Level;
use crate::ir::{Action, Behind, Block, End, Mask, Routine, Step};
use crate::live::{Here, Live};
use crate::transfer;
use crate::whole::Pair;

/// Bytes of code that a routine may have.
const CODE: usize = 16 << 20;
/// Cold paths of one block that may wait for its end. Each takes up to 2 KiB.
const LATER: usize = 1 << 13;
/// Cold paths that may wait for the end of the routine.
const LATER_AT_END: usize = 1 << 12;
/// Compiles a routine. The time and the memory that this takes grow with the size of the routine
/// and have a budget.
///
/// # Errors
/// A [`Refusal`]: the caller has to interpret the routine.
pub fn compile(routine: &Routine, level: Level) -> Result<Code, Refusal> {
    (Level::of_host() >= Some(level)).then_some(()).ok_or(Refusal::Host)?;
    check::is_sound(routine).then_some(()).ok_or(Refusal::Unsound)?;
    let mut asm = Asm::new(fixed_constants().into_iter().chain(constants(routine)));
    let (leave, in_turn) = (asm.label(), asm.label());
    let live = Live::of(routine).ok_or(Refusal::Budget)?;
    let has_bits = level == Level::Avx512;
    let cache = Cache::new(has_bits);
    let mut emitter = Emitter {
        asm,
        routine,
        cache,
        is_full: true,
        is_branching: false,
        live: &live,
        behind: Here::new(routine.register_bytes),
        of_others: Here::new(routine.register_bytes),
        first_step: 0,
        members: Vec::new(),
        flags: 0,
        enabled: None,
        has_bits,
        states: HashMap::new(),
        place: 0,
        leave,
        in_turn,
        later: Vec::new(),
        functions: Vec::new(),
    };
    let entry = emitter.asm.here();
    emitter.enter();
    let blocks: Vec<Label> = (0..=routine.blocks.len()).map(|_| emitter.asm.label()).collect();
    emitter.asm.bind(in_turn);
    emitter.begin(blocks[0]);
    let (mut steps, mut full) = (Vec::new(), Vec::new());
    for (n, block) in (0..).zip(&routine.blocks) {
        emitter.block(n, block, &blocks, &mut steps, &mut full).ok_or(Refusal::Budget)?;
    }
    emitter.asm.bind(blocks[routine.blocks.len()]);
    emitter.exit(routine.blocks.len() as u32, exit::BLOCK);
    emitter.write_later(&mut steps);
    let leave = emitter.leave;
    emitter.asm.bind(leave);
    emitter.leave();
    let functions = emitter.functions;
    let (bytes, places) = emitter.asm.finish().ok_or(Refusal::Unsound)?;
    let place = |label: &Label| places.get(label.index()).copied().unwrap_or(usize::MAX);
    let parts = Parts {
        bytes,
        entry: place(&entry),
        in_turn: place(&in_turn),
        blocks: blocks.iter().map(place).collect(),
        steps: steps.iter().map(|labels| labels.map(|label| label.as_ref().map_or(usize::MAX, place))).collect(),
        full,
        functions,
        begin: live.begin.map(|bytes| bytes.plain(routine.register_bytes)),
        written: live.written.plain(routine.register_bytes),
    };
    Code::new(parts, routine).ok_or(Refusal::Host)
}

/// The constants of all expressions and transfers.
fn constants(routine: &Routine) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for step in routine.blocks.iter().flat_map(|block| &block.steps) {
        match &step.action {
            Action::Compute { expression, .. } | Action::Compare { expression, .. } => {
                all.extend(constants_of(expression));
            }
            Action::Transfer(transfer) => all.extend(transfer::constants_of(transfer)),
            _ => {}
        }
    }
    all
}

/// Where it goes on behind each step: with all channels, and with any.
type Steps = Vec<[Option<Label>; 2]>;

impl Emitter<'_> {
    /// Writes a block. Nothing when the code exceeds the budget.
    fn block(
        &mut self,
        n: u32,
        block: &Block,
        blocks: &[Label],
        steps: &mut Steps,
        full: &mut Vec<u32>,
    ) -> Option<()> {
        self.asm.bind(blocks[n as usize]);
        let (join, back) = (self.asm.label(), self.asm.label());
        self.asm.rm(Opcode::Mov_r32_rm32, Register::EAX, at(WAITING, n * 4));
        self.asm.rr(Opcode::Test_rm32_r32, Register::EAX, Register::EAX);
        self.asm.jump(Opcode::Jne_rel32_64, join);
        self.asm.bind(back);
        self.aside(|this| {
            this.asm.bind(join);
            this.asm.rr(Opcode::Or_r32_rm32, ACTIVE, Register::EAX);
            this.asm.mi(Opcode::Mov_rm32_imm32, at(WAITING, n * 4), 0);
            this.frame(Register::RCX, offset::OCCUPIED);
            this.asm.mi(Opcode::Btr_rm64_imm8, at(Register::RCX, n / 64 * 8), (n % 64) as i32);
            this.asm.jump(Opcode::Jmp_rel32_64, back);
        });
        let over = self.exit_at(n, exit::BLOCK);
        self.asm.rm(Opcode::Cmp_r64_rm64, EXECUTED, at(FRAME, offset::UNTIL));
        self.asm.jump(Opcode::Jae_rel32_64, over);
        self.asm.ri(Opcode::Add_rm64_imm32, EXECUTED, block.instructions as i32);
        let channels = channels(block, self.routine.count);
        let first = steps.len() as u32;
        steps.extend(block.steps.iter().map(|_| [None; 2]));
        full.extend(block.steps.iter().map(|_| channels));
        if channels != 0 {
            let some = self.asm.label();
            self.asm.rr(Opcode::Mov_r32_rm32, Register::EAX, ACTIVE);
            self.asm.ri(Opcode::And_rm32_imm32, Register::EAX, channels as i32);
            self.asm.ri(Opcode::Cmp_rm32_imm32, Register::EAX, channels as i32);
            self.asm.jump(Opcode::Jne_rel32_64, some);
            self.body(n, block, blocks, (true, first), steps)?;
            self.asm.bind(some);
            self.body(n, block, blocks, (false, first), steps)
        } else {
            self.body(n, block, blocks, (true, first), steps)
        }
    }

    /// The steps of a block, for all of its channels or for any.
    fn body(
        &mut self,
        n: u32,
        block: &Block,
        blocks: &[Label],
        (is_full, first): (bool, u32),
        steps: &mut Steps,
    ) -> Option<()> {
        (self.is_full, self.enabled) = (is_full, None);
        self.cache.clear();
        self.states.clear();
        (self.members, self.flags) = if is_full { alike::members(block) } else { (Vec::new(), 0) };
        self.first_step = first;
        self.forget_alike();
        self.live.here(n, block, is_full, &mut self.behind);
        if is_full {
            self.of_others.clear();
        } else {
            self.live.of_others(n, block, &mut self.of_others);
        }
        let mut rest = &block.steps[..];
        while let [step, ..] = rest {
            let number = first + (block.steps.len() - rest.len()) as u32;
            let pair = self.pair_of(number, rest);
            let (these, others) = rest.split_at(pair.as_ref().map_or(1, Pair::len));
            rest = others;
            self.count(number, &step.mask);
            self.settle_dead();
            self.make_room();
            for _ in these {
                self.behind.advance();
                self.of_others.advance();
            }
            let done = pair.and_then(|pair| self.attempt(|this| this.pair(&pair, number)));
            if done.is_none() {
                (number..).zip(these).for_each(|(number, step)| self.step_or_outside(step, number, steps));
            }
            (self.asm.len() <= CODE && self.later.len() <= LATER).then_some(())?;
        }
        // Nobody reads the rest.
        let live = self.live.end(n, is_full);
        let _ = self.write_what(|place| live.touch(place.at, place.bytes));
        self.end(n, block, blocks);
        self.cache.clear();
        if self.later.len() > LATER_AT_END {
            self.write_later(steps);
        }
        Some(())
    }

    /// Writes the cold paths that have been put off.
    fn write_later(&mut self, steps: &mut Steps) {
        for later in std::mem::take(&mut self.later) {
            self.later(later, steps);
        }
    }

    /// Writes all that has not been written.
    pub(crate) fn write_all(&mut self) {
        let _ = self.write_what(|_| true);
    }

    /// A step, by the caller if it is not known how.
    fn step_or_outside(&mut self, step: &Step, number: u32, steps: &mut Steps) {
        if self.attempt(|this| this.step(step, number)).is_none() {
            // With more registers, perhaps.
            self.write_all();
            if self.attempt(|this| this.step(step, number)).is_none() {
                self.outside(number, steps);
            }
        }
    }

    /// Something, or nothing, also of code.
    fn attempt(&mut self, write: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let (written, cache, later, enabled) =
            (self.asm.written(), self.cache.clone(), self.later.len(), self.enabled);
        let done = write(self);
        self.is_branching = false;
        if done.is_none() {
            self.asm.rewind(&written);
            (self.cache, self.enabled) = (cache, enabled);
            self.later.truncate(later);
        }
        done
    }

    /// A step; nothing when it is not known how.
    fn step(&mut self, step: &Step, number: u32) -> Option<()> {
        let mask = &step.mask;
        match &step.action {
            Action::Outside => None,
            Action::Nothing => Some(()),
            Action::Compute { expression, result, to } => self.compute(mask, expression, *result, *to),
            Action::Compare { expression, relation, sides, inverse, to } => {
                self.compare(mask, expression, *relation, *sides, (*inverse, *to))
            }
            Action::Logic { logic, from, to } => self.logic(mask, *logic, *from, *to),
            Action::SetState { element, from, number } => self.set_state(mask, *element, *from, *number),
            Action::Control { at, bits, plain } => {
                self.control(*at, *bits, *plain, number);
                Some(())
            }
            Action::Transfer(transfer) => self.transfer(mask, transfer, number),
        }
    }

    /// Sets bits in the registers, where that makes what is wanted of them.
    fn control(&mut self, place: u32, bits: u32, plain: u32, step: u32) {
        self.write_all();
        let otherwise = self.asm.label();
        self.asm.rm(Opcode::Mov_r32_rm32, Register::EAX, at(FILE, place));
        self.asm.ri(Opcode::Or_rm32_imm32, Register::EAX, bits as i32);
        self.asm.ri(Opcode::Cmp_rm32_imm32, Register::EAX, plain as i32);
        self.asm.jump(Opcode::Jne_rel32_64, otherwise);
        self.asm.mr(Opcode::Mov_rm32_r32, at(FILE, place), Register::EAX);
        self.cache.forget(place, 4);
        // Not on the way by the caller.
        self.enabled = None;
        let (back, known) = (self.asm.here(), self.cache.known());
        let unwritten = Vec::new();
        let (is_full, flags) = (self.is_full, self.flags);
        self.later.push(Later::Outside { from: otherwise, step, back, known, unwritten, is_full, flags });
    }

    /// Lets the caller do a step.
    fn outside(&mut self, number: u32, steps: &mut Steps) {
        self.write_all();
        self.exit(number, if self.is_full { exit::FULL } else { exit::SOME });
        let behind = self.asm.here();
        steps[number as usize][usize::from(!self.is_full)] = Some(behind);
        self.forget_alike();
        self.cache.clear();
        self.states.clear();
        self.enabled = None;
    }

    /// What comes behind a block.
    fn end(&mut self, n: u32, block: &Block, blocks: &[Label]) {
        let next = n + 1;
        match block.end {
            End::Outside(Behind::Others(ends)) => return self.end_thread(n, ends),
            End::Outside(_) => return self.exit(n, exit::END),
            _ => {}
        }
        self.count_end(n, &block.end);
        match block.end {
            End::Fall => self.asm.jump(Opcode::Jmp_rel32_64, blocks[next as usize]),
            End::Jump { mask, target } => {
                self.decide(&mask, blocks[next as usize]);
                self.asm.jump(Opcode::Jmp_rel32_64, blocks[target as usize]);
            }
            End::Branch { mask, uniform: true, target } => {
                self.decide(&mask, blocks[next as usize]);
                self.go_all(n, target, blocks);
            }
            End::Branch { mask, uniform: false, target } => {
                let (taken, rest) = (Register::EAX, Register::EDX);
                match self.enabled(&mask) {
                    Enabled::All => {
                        self.asm.ri(Opcode::Mov_r32_imm32, taken, mask.lanes as i32);
                    }
                    Enabled::Some => self.asm.rr(Opcode::Mov_r32_rm32, taken, ENABLED),
                }
                if mask.shift > 0 {
                    self.asm.ri(Opcode::Shl_rm32_imm8, taken, mask.shift as i32);
                }
                self.asm.rr(Opcode::And_r32_rm32, taken, ACTIVE);
                self.asm.jump(Opcode::Je_rel32_64, blocks[next as usize]);
                self.asm.rr(Opcode::Mov_r32_rm32, rest, taken);
                self.asm.r(Opcode::Not_rm32, rest);
                self.asm.rr(Opcode::And_r32_rm32, rest, ACTIVE);
                let all = self.asm.label();
                self.asm.jump(Opcode::Je_rel32_64, all);
                if target < next {
                    // Backwards: those that do not branch wait behind the loop.
                    self.wait(next, rest);
                    self.asm.rr(Opcode::Mov_r32_rm32, ACTIVE, taken);
                    self.asm.jump(Opcode::Jmp_rel32_64, blocks[target as usize]);
                } else {
                    self.wait(target, taken);
                    self.asm.rr(Opcode::Mov_r32_rm32, ACTIVE, rest);
                    self.asm.jump(Opcode::Jmp_rel32_64, blocks[next as usize]);
                }
                self.asm.bind(all);
                self.go_all(n, target, blocks);
            }
            End::Outside(_) => {}
        }
    }

    fn count_end(&mut self, n: u32, end: &End) {
        if !self.routine.count {
            return;
        }
        self.frame(Register::RDX, offset::BRANCHES);
        self.asm.mi(Opcode::Add_rm64_imm8, at(Register::RDX, n * 16), 1);
        if !matches!(end, End::Fall) {
            self.asm.rr(Opcode::Popcnt_r32_rm32, Register::EAX, ACTIVE);
            self.asm.mr(Opcode::Add_rm64_r64, at(Register::RDX, n * 16 + 8), Register::RAX);
        }
    }

    /// What is not in the way, and knows what is asked for behind.
    fn later(&mut self, later: Later, steps: &mut Steps) {
        match later {
            Later::Outside { from, step, back, known, unwritten, is_full, flags } => {
                self.asm.bind(from);
                unwritten.iter().for_each(|(vector, place)| self.store_row(place.at, place.bytes, *vector));
                self.exit(step, if is_full { exit::FULL } else { exit::SOME });
                let behind = self.asm.here();
                steps[step as usize][usize::from(!is_full)] = Some(behind);
                self.flags = flags;
                self.forget_alike();
                self.restore(known, None, is_full);
                self.asm.jump(Opcode::Jmp_rel32_64, back);
            }
            Later::Restore { from, back, known, before, is_full } => {
                self.asm.bind(from);
                self.restore(known, Some(&before), is_full);
                self.asm.jump(Opcode::Jmp_rel32_64, back);
            }
        }
    }
}

/// The channels that the steps of a block and its end have, where it matters which of them are
/// active: where steps are counted, also for those that the caller does.
pub(crate) fn channels(block: &Block, count: bool) -> u32 {
    let of = |mask: &Mask| if mask.always { 0 } else { mask.lanes << mask.shift };
    let steps = block.steps.iter();
    let steps = steps.filter(|step| count || !matches!(step.action, Action::Outside | Action::Nothing));
    let all = steps.fold(0, |all, step| all | of(&step.mask));
    match &block.end {
        End::Branch { mask, uniform: false, .. } => all | of(mask),
        _ => all,
    }
}
