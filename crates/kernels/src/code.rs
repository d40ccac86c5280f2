//! A lowered routine: blocks of steps, each ending with a terminator.

use std::collections::HashMap;

use crate::layout::Layout;
use crate::lowering::{LowerError, Lowering};
use crate::record::mask_in;
use crate::step::{Callee, Exchange, Lowered, Run};
use crate::text_only;
use crate::update::Family;
use visakit::isa::{Instruction, LabelId};
use visakit::object::Routine;
use visakit_machine::activation::Function;
use visakit_machine::fault::Trap;
use visakit_machine::observer::Spot;
use visakit_machine::operand::Source;
use visakit_machine::thread::ExecMask;
use visakit_native::ir::{self, Action, Behind, End};

/// A lowered routine.
pub struct CompiledRoutine {
    /// Locations of the routine's variables.
    pub layout: Layout,
    /// Constant values, stored after the variables from [`CompiledRoutine::constants_at`].
    pub constants: Vec<u8>,
    /// Operations of all blocks, in program order.
    pub steps: Vec<Run>,
    /// Debug location of each step, for counts and messages.
    pub marks: Vec<DebugLoc>,
    /// Native action of each step.
    pub actions: Vec<Action>,
    /// Blocks in program order.
    pub blocks: Vec<Block>,
    /// End of the main routine's blocks (exclusive).
    pub main_end: u32,
    /// Target lists of switches.
    pub switches: Vec<Switch>,
    /// Address operands of indirect calls.
    pub callees: Vec<Source<u64>>,
    /// True if the result depends on the order in which groups execute the kernel's atomic
    /// operations.
    pub ordered: bool,
    /// True if the kernel has atomic operations that do not commute.
    pub mixed: bool,
    /// Two-thread operations.
    pub exchanges: Vec<Exchange>,
    /// Functions, in address order.
    pub functions: Vec<Function>,
    /// Number of predicates, address elements and state elements of all routines.
    pub counts: [usize; 3],
}

/// A jump with several targets.
pub struct Switch {
    /// Index in the target list.
    pub index: Source<u32>,
    /// Target blocks.
    pub targets: Vec<u32>,
}

/// Debug location of a step or branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugLoc {
    /// Index of the instruction: the kernel's come first, then those of its functions.
    pub instruction: u32,
    /// Source line that the program names for the instruction.
    pub source_line: Option<u32>,
    /// Enable mask of the instruction.
    pub enable: ExecMask,
}

impl DebugLoc {
    /// Returns the location for a routine without instructions.
    #[inline]
    pub fn nowhere() -> Self {
        Self { instruction: 0, source_line: None, enable: ExecMask::all(1) }
    }

    /// Returns the instruction's location for observers.
    #[inline]
    pub fn spot(&self) -> Spot {
        Spot {
            instruction: self.instruction,
            source_line: self.source_line,
            first_channel: self.enable.shift,
            no_mask: self.enable.always != 0,
        }
    }
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Index of the first step.
    pub first: u32,
    /// End of the steps (exclusive).
    pub end: u32,
    /// Terminator.
    pub next: Terminator,
    /// Location of the branch; without a branch, of the last step.
    pub mark: DebugLoc,
    /// Number of instructions in the block.
    pub instructions: u32,
}

/// Terminator of a block.
#[derive(Clone, Debug)]
pub enum Terminator {
    /// Falls through to the next block.
    Fall,
    /// Conditional branch per channel.
    Branch {
        /// True if all channels branch together.
        uniform: bool,
        /// Target block.
        target: u32,
    },
    /// Jump of all channels or none.
    Jump {
        /// Target block.
        target: u32,
    },
    /// Subroutine call.
    Call {
        /// True if all channels call together.
        uniform: bool,
        /// The subroutine's blocks: the first, and the end (exclusive).
        routine: (u32, u32),
    },
    /// Function call.
    Enter {
        /// True if all channels call together.
        uniform: bool,
        /// Index in [`CompiledRoutine::functions`].
        function: u32,
    },
    /// Return from the routine.
    Return {
        /// True if all channels return together.
        uniform: bool,
    },
    /// Indirect function call.
    CallAddress {
        /// True if all channels call together.
        uniform: bool,
        /// Index of the address in [`CompiledRoutine::callees`].
        callee: u32,
    },
    /// Jump of all channels to one of several targets, given by its index in
    /// [`CompiledRoutine::switches`].
    Switch(u32),
    /// Two-thread operation, given by its index in [`CompiledRoutine::exchanges`]; the thread waits
    /// for its neighbour.
    Exchange(u32),
    /// Barrier of the group.
    Barrier,
    /// Signal to a barrier: the group's (`None`), or a named barrier with its number of threads.
    Signal(Option<[Source<u32>; 2]>),
    /// Wait for a barrier: the group's (`None`), or a named one.
    Wait(Option<Source<u32>>),
}

/// Executes instructions by the semantics on their pages instead of by kernels.
pub trait Interpreter: Sync {
    /// Lowers an instruction. Returns `None` to leave it to its kernel, or to leave it unsupported
    /// if `has_kernel` is false.
    fn lower(&self, instruction: &Instruction, lowering: &mut Lowering<'_>, has_kernel: bool) -> Option<Lowered>;
}

impl CompiledRoutine {
    /// Lowers a kernel and the functions that it may call, each with its layout, the kernel first.
    /// `symbols` are the addresses of the program's data. An instruction that cannot be lowered
    /// stops only the threads that reach it.
    ///
    /// # Errors
    /// A branch without a target.
    pub fn new(
        kernel: &Routine,
        functions: &[&Routine],
        layouts: Vec<Layout>,
        symbols: &HashMap<String, u64>,
        interpreter: Option<&dyn Interpreter>,
        records: bool,
    ) -> Result<Self, String> {
        let mut symbols = symbols.clone();
        for (n, function) in functions.iter().enumerate() {
            symbols.insert(function.name(), function_address(n));
        }
        let mut builder = Builder::default();
        let mut constants = Vec::new();
        for (routine, layout) in std::iter::once(&kernel).chain(functions).zip(&layouts) {
            let mut lowering = Lowering::new(layout, routine).with_symbols(&symbols);
            (lowering.constants, lowering.records) = (constants, records);
            builder.begin(routine.name());
            for instruction in &routine.instructions {
                let otherwise = |l: &mut Lowering<'_>, has| interpreter.and_then(|i| i.lower(instruction, l, has));
                let lowered = match otherwise(&mut lowering, true) {
                    Some(lowered) => Ok(lowered),
                    None => text_only::check(instruction).and_then(|()| instruction.dispatch(&mut lowering)).or_else(
                        |error| match error {
                            LowerError::Stub(_) => otherwise(&mut lowering, false).ok_or(error),
                            error => Err(error),
                        },
                    ),
                };
                let lowered = lowered.unwrap_or_else(|error| {
                    let trouble = Trap::from(error);
                    let run = Run::new(move |_, _| Err(Box::new(trouble.clone())));
                    lowering.step(ExecMask::all(1), run)
                });
                builder.add(lowered);
            }
            builder.end_routine()?;
            builder.ordered |= lowering.ordered();
            builder.updates.extend(lowering.updates());
            constants = lowering.into_constants();
        }
        builder.finish(layouts, constants)
    }

    /// Returns true if a thread may wait for other threads before its end.
    #[inline]
    pub fn waits(&self) -> bool {
        let waits =
            |block: &Block| matches!(block.next, Terminator::Barrier | Terminator::Wait(_) | Terminator::Exchange(_));
        self.blocks.iter().any(waits)
    }

    /// Returns the routine as input of the native code generator. With `count`, native code counts
    /// steps and channels.
    pub fn native(&self, count: bool) -> ir::Routine {
        // The return targets of subroutines are unknown to native code.
        let calls = |block: &Block| {
            matches!(block.next, Terminator::Call { .. } | Terminator::Enter { .. } | Terminator::CallAddress { .. })
        };
        let has_calls = self.blocks.iter().any(calls);
        let block = |block: &Block| {
            let range = block.first as usize..block.end as usize;
            let steps = self.actions[range.clone()].iter().zip(&self.marks[range]);
            let mask = mask_in(&block.mark.enable);
            ir::Block {
                steps: steps
                    .map(|(action, mark)| ir::Step { mask: mask_in(&mark.enable), action: action.clone() })
                    .collect(),
                instructions: block.instructions,
                end: match block.next {
                    Terminator::Fall => End::Fall,
                    Terminator::Branch { uniform, target } => End::Branch { mask, uniform, target },
                    Terminator::Jump { target } => End::Jump { mask, target },
                    Terminator::Barrier | Terminator::Signal(None) | Terminator::Wait(None) => {
                        End::Outside(Behind::Next)
                    }
                    Terminator::Return { .. } if has_calls => End::Outside(Behind::Anything),
                    Terminator::Return { uniform: true } if mask.predicate == 0 => {
                        End::Outside(Behind::Others(u32::MAX))
                    }
                    Terminator::Return { .. } if mask.predicate != 0 => End::Outside(Behind::Others(0)),
                    Terminator::Return { .. } => End::Outside(Behind::Others(mask.lanes << mask.shift)),
                    _ => End::Outside(Behind::Anything),
                },
            }
        };
        let [predicates, _, states] = self.counts;
        ir::Routine {
            register_bytes: self.constants_at() + self.constants.len() as u32,
            predicates: predicates as u32,
            states: states as u32,
            blocks: self.blocks.iter().map(block).collect(),
            count,
        }
    }

    /// Returns the offset of the constants in the register file.
    #[inline]
    pub fn constants_at(&self) -> u32 {
        self.layout.len.next_multiple_of(64)
    }
}

/// Address of the first function, in a part of the address space without buffers.
const FUNCTIONS_AT: u64 = 0x1_0000;
/// Distance between function addresses.
const FUNCTION_STEP: u64 = 16;

/// Returns the address of the n-th function.
fn function_address(n: usize) -> u64 {
    FUNCTIONS_AT + n as u64 * FUNCTION_STEP
}

/// Returns the index of the function at an address.
#[inline]
pub fn function_at(address: u64) -> Option<usize> {
    let distance = address.checked_sub(FUNCTIONS_AT)?;
    distance.is_multiple_of(FUNCTION_STEP).then(|| usize::try_from(distance / FUNCTION_STEP).ok())?
}

#[derive(Default)]
struct Builder {
    steps: Vec<Run>,
    marks: Vec<DebugLoc>,
    actions: Vec<Action>,
    blocks: Vec<Block>,
    pending: Vec<Pending>,
    labels: HashMap<LabelId, u32>,
    /// First block of each subroutine.
    routines: Vec<u32>,
    switches: Vec<Switch>,
    callees: Vec<Source<u64>>,
    exchanges: Vec<Exchange>,
    ordered: bool,
    updates: Vec<(Family, u32)>,
    /// Name and first block of each routine, in program order.
    named: Vec<(String, u32)>,
    /// Blocks that call a function, with its name.
    calls: Vec<(u32, String)>,
    /// Number of instructions so far, over all routines.
    instruction: u32,
    /// First step of the current block.
    first: u32,
    /// Source line of the following instructions.
    line: Option<u32>,
}

/// A branch whose label is not resolved yet.
struct Pending {
    block: u32,
    label: LabelId,
    instruction: u32,
}

impl Builder {
    /// Starts a routine.
    fn begin(&mut self, name: String) {
        self.split();
        self.line = None;
        self.labels.clear();
        self.routines.push(self.blocks.len() as u32);
        self.named.push((name, self.blocks.len() as u32));
    }

    fn add(&mut self, lowered: Lowered) {
        let instruction = self.instruction;
        self.instruction += 1;
        let line = self.line;
        let mark = |enable| DebugLoc { instruction, source_line: line, enable };
        match lowered {
            Lowered::Op(step) => {
                self.marks.push(mark(step.enable));
                self.steps.push(step.run);
                self.actions.push(step.action);
            }
            Lowered::Label(label) => {
                self.split();
                self.labels.insert(label, self.blocks.len() as u32);
            }
            Lowered::Subroutine(label) => {
                self.split();
                self.labels.insert(label, self.blocks.len() as u32);
                self.routines.push(self.blocks.len() as u32);
            }
            Lowered::Branch { enable, label } => {
                self.refer(label, instruction);
                self.end(mark(enable), Terminator::Branch { uniform: enable.is_single(), target: 0 });
            }
            Lowered::Jump { enable, label } => {
                self.refer(label, instruction);
                self.end(mark(enable), Terminator::Jump { target: 0 });
            }
            Lowered::Call { enable, label } => {
                self.refer(label, instruction);
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
                    self.refer(*label, instruction);
                }
                self.switches.push(Switch { index, targets: Vec::with_capacity(labels.len()) });
                self.end(mark(ExecMask::all(1)), Terminator::Switch(self.switches.len() as u32 - 1));
            }
            // Line 0 marks compiler-generated code, which belongs to the previous line.
            Lowered::Line(line) => self.line = Some(line).filter(|line| *line > 0).or(self.line),
            Lowered::Nothing => {}
        }
    }

    fn refer(&mut self, label: LabelId, instruction: u32) {
        self.pending.push(Pending { block: self.blocks.len() as u32, label, instruction });
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
        let end = self.steps.len() as u32;
        if end == self.first {
            return;
        }
        let mark = self.marks[end as usize - 1];
        self.blocks.push(Block {
            first: self.first,
            end,
            next: Terminator::Fall,
            mark,
            instructions: end - self.first,
        });
        self.first = end;
    }

    /// Resolves the labels of a routine.
    fn end_routine(&mut self) -> Result<(), String> {
        self.split();
        for pending in std::mem::take(&mut self.pending) {
            let Some(place) = self.labels.get(&pending.label).copied() else {
                return Err(format!("instruction {} refers to a label that is not defined", pending.instruction));
            };
            match &mut self.blocks[pending.block as usize].next {
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

    fn finish(mut self, mut layouts: Vec<Layout>, constants: Vec<u8>) -> Result<CompiledRoutine, String> {
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
        let counts = [last.predicate_count() as usize + 1, last.address_count(), last.state_count()];
        let layout = layouts.swap_remove(0);
        let (steps, marks, actions) = (self.steps, self.marks, self.actions);
        let (blocks, switches) = (self.blocks, self.switches);
        let (callees, exchanges, ordered) = (self.callees, self.exchanges, self.ordered);
        let mixed = self.updates.iter().any(|kind| *kind != self.updates[0]);
        Ok(CompiledRoutine {
            layout,
            constants,
            steps,
            marks,
            actions,
            blocks,
            switches,
            callees,
            ordered,
            mixed,
            exchanges,
            functions,
            counts,
            main_end,
        })
    }
}
