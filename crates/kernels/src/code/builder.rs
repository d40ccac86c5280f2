//! Assembly of a routine's blocks from lowered instructions.

use std::collections::HashMap;

use crate::code::inline::is_whole;
use crate::code::products::products;
use crate::code::routine::{Block, CompiledRoutine, DebugLoc, Switch, Terminator};
use crate::lowering::layout::Layout;
use crate::lowering::step::{Callee, Exchange, Lowered, Run};
use crate::operation::update::Family;
use visakit::isa::LabelId;
use visakit_machine::activation::Function;
use visakit_machine::operand::Source;
use visakit_machine::thread::ExecMask;
use visakit_native::ir::Action;

#[derive(Default)]
pub(super) struct Builder {
    steps: Vec<Run>,
    marks: Vec<DebugLoc>,
    actions: Vec<Action>,
    blocks: Vec<Block>,
    pending: Vec<Pending>,
    labels: HashMap<Place, u32>,
    /// Copies of subroutines that are being added.
    copies: Vec<Copy>,
    /// The number of copies of the routine.
    copy_count: u32,
    /// Channels that a thread may begin with.
    channels: u32,
    /// First block of each subroutine.
    routines: Vec<u32>,
    switches: Vec<Switch>,
    callees: Vec<Source<u64>>,
    exchanges: Vec<Exchange>,
    pauses: bool,
    pub(super) ordered: bool,
    pub(super) updates: Vec<(Family, u32)>,
    /// Name and first block of each routine, in program order.
    named: Vec<(String, u32)>,
    /// Blocks that call a function, with its name.
    calls: Vec<(u32, String)>,
    /// First step of the current block.
    first: u32,
    /// Source line of the following instructions.
    line: Option<u32>,
}

/// A place that branches go to: a label in a copy of a subroutine, or the end of the copy. The
/// copy with number 0 is the routine itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    copy: u32,
    label: Option<LabelId>,
}

/// A branch whose target is not resolved yet.
struct Pending {
    block: u32,
    place: Place,
    instruction: u32,
}

/// A copy of a subroutine.
struct Copy {
    number: u32,
    /// Source line of the call.
    line: Option<u32>,
}

impl Builder {
    /// Returns a builder for threads that may begin with these channels.
    pub(super) fn new(channels: u32) -> Self {
        Self { channels, ..Self::default() }
    }

    /// Starts a routine.
    pub(super) fn begin(&mut self, name: String) {
        self.split();
        self.line = None;
        self.labels.clear();
        self.copy_count = 0;
        self.routines.push(self.blocks.len() as u32);
        self.named.push((name, self.blocks.len() as u32));
    }

    /// Starts a copy of a subroutine, which instruction `instruction` calls.
    pub(super) fn begin_copy(&mut self, enable: ExecMask, instruction: u32) {
        let mark = DebugLoc { instruction, source_line: self.line, enable };
        self.end(mark, Terminator::Jump { target: self.blocks.len() as u32 + 1 });
        self.copy_count += 1;
        self.copies.push(Copy { number: self.copy_count, line: self.line });
    }

    /// Ends the copy.
    pub(super) fn end_copy(&mut self) {
        self.split();
        self.labels.insert(self.place(None), self.blocks.len() as u32);
        self.line = self.copies.pop().and_then(|copy| copy.line);
    }

    /// Adds instruction `instruction`, counted over all routines.
    pub(super) fn add(&mut self, lowered: Lowered, instruction: u32) {
        let line = self.line;
        let mark = |enable| DebugLoc { instruction, source_line: line, enable };
        match lowered {
            Lowered::Op(step) => {
                self.marks.push(mark(step.enable));
                self.steps.push(step.run);
                self.actions.push(step.action);
                if step.pauses {
                    self.pauses = true;
                    self.cut(Terminator::Pause);
                }
            }
            Lowered::Label(label) => {
                self.split();
                self.labels.insert(self.place(Some(label)), self.blocks.len() as u32);
            }
            Lowered::Subroutine(label) => {
                self.split();
                self.labels.insert(self.place(Some(label)), self.blocks.len() as u32);
                self.routines.push(self.blocks.len() as u32);
            }
            Lowered::Branch { enable, label } => {
                self.refer(Some(label), instruction);
                self.end(mark(enable), Terminator::Branch { uniform: enable.is_single(), target: 0 });
            }
            Lowered::Jump { enable, label } => {
                self.refer(Some(label), instruction);
                self.end(mark(enable), Terminator::Jump { target: 0 });
            }
            Lowered::Call { enable, label } => {
                self.refer(Some(label), instruction);
                self.end(mark(enable), Terminator::Call { uniform: enable.is_single(), routine: (0, 0) });
            }
            Lowered::Function { enable, callee } => {
                let uniform = enable.is_single();
                let next = match callee {
                    Callee::Named(name) => {
                        self.calls.push((self.blocks.len() as u32, name));
                        Terminator::Enter { uniform, function: 0 }
                    }
                    Callee::At(source) => {
                        self.callees.push(source);
                        Terminator::CallAddress { uniform, callee: self.callees.len() as u32 - 1 }
                    }
                };
                self.end(mark(enable), next);
            }
            Lowered::Return { enable } if !self.copies.is_empty() => {
                self.refer(None, instruction);
                let uniform = enable.is_single() || is_whole(&enable, self.channels);
                self.end(mark(enable), Terminator::Branch { uniform, target: 0 });
            }
            Lowered::Return { enable } => self.end(mark(enable), Terminator::Return { uniform: enable.is_single() }),
            Lowered::Exchange(exchange) => {
                self.exchanges.push(exchange);
                self.end(mark(ExecMask::all(1)), Terminator::Exchange(self.exchanges.len() as u32 - 1));
            }
            Lowered::Barrier => self.end(mark(ExecMask::all(1)), Terminator::Barrier),
            Lowered::Signal { barrier, threads } => {
                let named = barrier.zip(threads).map(|(barrier, threads)| [barrier, threads]);
                self.end(mark(ExecMask::all(1)), Terminator::Signal(named));
            }
            Lowered::Wait { barrier } => self.end(mark(ExecMask::all(1)), Terminator::Wait(barrier)),
            Lowered::Switch { index, labels } => {
                for label in &labels {
                    self.refer(Some(*label), instruction);
                }
                self.switches.push(Switch { index, targets: Vec::with_capacity(labels.len()) });
                self.end(mark(ExecMask::all(1)), Terminator::Switch(self.switches.len() as u32 - 1));
            }
            // Line 0 marks compiler-generated code, which belongs to the previous line.
            Lowered::Line(line) => self.line = Some(line).filter(|line| *line > 0).or(self.line),
            Lowered::Nothing => {}
        }
    }

    /// Returns a place of the current copy.
    fn place(&self, label: Option<LabelId>) -> Place {
        Place { copy: self.copies.last().map_or(0, |copy| copy.number), label }
    }

    fn refer(&mut self, label: Option<LabelId>, instruction: u32) {
        self.pending.push(Pending { block: self.blocks.len() as u32, place: self.place(label), instruction });
    }

    /// Ends the current block with a terminator.
    fn end(&mut self, mark: DebugLoc, next: Terminator) {
        let end = self.steps.len() as u32;
        let instructions = end - self.first + 1;
        self.blocks.push(Block { first: self.first, end, next, mark, instructions });
        self.first = end;
    }

    /// Ends the current block at a label, unless the block is empty.
    fn split(&mut self) {
        self.cut(Terminator::Fall);
    }

    /// Ends the current block after its last step, unless the block is empty.
    fn cut(&mut self, next: Terminator) {
        let end = self.steps.len() as u32;
        if end == self.first {
            return;
        }
        let mark = self.marks[end as usize - 1];
        self.blocks.push(Block { first: self.first, end, next, mark, instructions: end - self.first });
        self.first = end;
    }

    /// Resolves the labels of a routine.
    pub(super) fn end_routine(&mut self) -> Result<(), String> {
        self.split();
        for pending in std::mem::take(&mut self.pending) {
            // A subroutine that is called is not in the copy.
            let place =
                self.labels.get(&pending.place).or_else(|| self.labels.get(&Place { copy: 0, ..pending.place }));
            let Some(place) = place.copied() else {
                return Err(format!("instruction {} refers to a label that is not defined", pending.instruction));
            };
            match &mut self.blocks[pending.block as usize].next {
                // No channel waits on the way to the next block.
                next @ Terminator::Branch { uniform: true, .. } if place == pending.block + 1 => {
                    *next = Terminator::Jump { target: place };
                }
                Terminator::Branch { target, .. } | Terminator::Jump { target } => *target = place,
                // The end is set when all routines are complete.
                Terminator::Call { routine, .. } => *routine = (place, place),
                // Pending entries are in label order.
                Terminator::Switch(n) => self.switches[*n as usize].targets.push(place),
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self, mut layouts: Vec<Layout>, constants: Vec<u8>) -> Result<CompiledRoutine, String> {
        let count = self.blocks.len() as u32;
        for (block, name) in &self.calls {
            // The first routine is the kernel, which cannot be called.
            let Some(place) = self.named.iter().skip(1).position(|(other, _)| other == name) else {
                return Err(format!("`{name}` is called, but has no body in this program"));
            };
            if let Terminator::Enter { function, .. } = &mut self.blocks[*block as usize].next {
                *function = place as u32;
            }
        }
        let starts = &self.routines;
        let end_of = |start: u32| starts.iter().copied().find(|&other| other > start).unwrap_or(count);
        for block in &mut self.blocks {
            if let Terminator::Call { routine, .. } = &mut block.next {
                routine.1 = end_of(routine.0);
            }
        }
        let main_end = end_of(0);
        let starts = self.named.iter().map(|(_, start)| *start);
        let ends = starts.clone().skip(1).chain([count]);
        let functions = starts.zip(ends).zip(&layouts).skip(1).map(|((start, end), layout)| Function {
            entry: (start, end_of(start)),
            blocks: start..end,
            ..layout.own()
        });
        let functions = functions.collect();
        let last = layouts.last().ok_or("the program has no routine")?;
        let counts = [last.predicate_count() as usize + 1, last.state_count()];
        let layout = layouts.swap_remove(0);
        let (mut steps, marks, actions) = (self.steps, self.marks, self.actions);
        let (blocks, switches) = (self.blocks, self.switches);
        let products = blocks.iter().flat_map(|block| products(block.first..block.end, &actions, &marks));
        let (mut replaced, runs): (Vec<_>, Vec<_>) = products.unzip();
        for (step, run) in replaced.iter().zip(runs) {
            if let Some(run) = run {
                steps[step.step as usize] = run;
            }
        }
        replaced.sort_unstable_by_key(|step| step.step);
        let (callees, exchanges, ordered) = (self.callees, self.exchanges, self.ordered);
        let mixed = self.updates.iter().any(|kind| *kind != self.updates[0]);
        Ok(CompiledRoutine {
            layout,
            constants,
            steps,
            marks,
            actions,
            replaced,
            blocks,
            switches,
            callees,
            ordered,
            mixed,
            pauses: self.pauses,
            exchanges,
            functions,
            counts,
            main_end,
        })
    }
}
