//! A whole routine, lowered: blocks of steps with the branch that ends each.

use std::collections::HashMap;

use crate::kernels::layout::Layout;
use crate::kernels::lowering::{LowerError, Lowering};
use crate::kernels::record::mask_in;
use crate::kernels::step::{Callee, Exchange, Lowered, Run};
use crate::kernels::text_only;
use crate::kernels::update::Family;
use crate::machine::activation::Function;
use crate::machine::fault::Trap;
use crate::machine::observer::Spot;
use crate::machine::operand::Source;
use crate::machine::thread::ExecMask;
use visakit::isa::{Instruction, LabelId};
use visakit::object::Routine;
use visakit_native::ir::{self, Action, Behind, End};

/// A lowered routine.
pub struct CompiledRoutine {
    /// The places of its variables.
    pub layout: Layout,
    /// The values that stand behind the variables, from [`CompiledRoutine::constants_at`] on.
    pub constants: Vec<u8>,
    /// The operations of all blocks, in program order.
    pub steps: Vec<Run>,
    /// What counting and messages want to know of each step.
    pub marks: Vec<DebugLoc>,
    /// What native code has to do for each step.
    pub actions: Vec<Action>,
    /// The blocks, in program order.
    pub blocks: Vec<Block>,
    /// The first block behind the main routine.
    pub main_end: u32,
    /// The lists of targets that blocks end with.
    pub switches: Vec<Switch>,
    /// Where calls through addresses find theirs.
    pub callees: Vec<Source<u64>>,
    /// Whether the result depends on the order in which groups come to the kernel's atomic
    /// operations.
    pub ordered: bool,
    /// Whether there are atomic operations that do not commute with each other.
    pub mixed: bool,
    /// What neighbouring threads begin together.
    pub exchanges: Vec<Exchange>,
    /// The functions, in the order of their addresses.
    pub functions: Vec<Function>,
    /// Predicates, elements of address variables, elements of state variables that all routines
    /// have together.
    pub counts: [usize; 3],
}

/// A choice among several places.
pub struct Switch {
    /// Gives the place in the list.
    pub index: Source<u32>,
    /// The blocks.
    pub targets: Vec<u32>,
}

/// What is known of a step or a branch beside what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugLoc {
    /// Index of the instruction: those of the kernel, then those of its functions.
    pub instruction: u32,
    /// Line that the program names for it.
    pub source_line: Option<u32>,
    /// The channels it is for.
    pub enable: ExecMask,
}

impl DebugLoc {
    /// The mark of a routine without instructions.
    pub fn nowhere() -> Self {
        Self { instruction: 0, source_line: None, enable: ExecMask::all(1) }
    }

    /// The instruction, for those who watch.
    pub fn spot(&self) -> Spot {
        Spot {
            instruction: self.instruction,
            source_line: self.source_line,
            first_channel: self.enable.shift,
            no_mask: self.enable.always != 0,
        }
    }
}

/// Instructions that are executed one after the other.
#[derive(Clone, Debug)]
pub struct Block {
    /// The steps.
    pub first: u32,
    /// The one behind the last step.
    pub end: u32,
    /// What happens behind them.
    pub next: Terminator,
    /// The branch itself; for a block without one, its last step.
    pub mark: DebugLoc,
    /// How many instructions the block has.
    pub instructions: u32,
}

/// What happens behind a block.
#[derive(Clone, Debug)]
pub enum Terminator {
    /// The next block.
    Fall,
    /// Channels branch.
    Branch {
        /// Whether all of them do the same.
        uniform: bool,
        /// Where to.
        target: u32,
    },
    /// All channels jump, or none.
    Jump {
        /// Where to.
        target: u32,
    },
    /// Channels call.
    Call {
        /// Whether all of them do the same.
        uniform: bool,
        /// The subroutine's blocks.
        routine: (u32, u32),
    },
    /// Channels enter a function.
    Enter {
        /// Whether all of them do the same.
        uniform: bool,
        /// Which of [`CompiledRoutine::functions`].
        function: u32,
    },
    /// Channels leave the subroutine.
    Return {
        /// Whether all of them do the same.
        uniform: bool,
    },
    /// Channels enter the function whose address they have: the n-th of
    /// [`CompiledRoutine::callees`].
    CallAddress {
        /// Whether all of them do the same.
        uniform: bool,
        /// Where the address stands.
        callee: u32,
    },
    /// All channels jump to one of several places: the n-th of [`CompiledRoutine::switches`].
    Switch(u32),
    /// The thread waits for its neighbour, for the n-th of [`CompiledRoutine::exchanges`].
    Exchange(u32),
    /// The thread waits for its group.
    Barrier,
    /// The thread has come to a barrier: that of the group, or a named one of as many threads.
    Signal(Option<[Source<u32>; 2]>),
    /// The thread waits until all have come to a barrier: that of the group, or a named one.
    Wait(Option<Source<u32>>),
}

/// Executes instructions otherwise than by kernels: by what their pages say.
pub trait Interpreter: Sync {
    /// What an instruction becomes; none where it is left to its kernel, or to nobody where it has
    /// none.
    fn lower(&self, instruction: &Instruction, lowering: &mut Lowering<'_>, has_kernel: bool) -> Option<Lowered>;
}

impl CompiledRoutine {
    /// Lowers a kernel and the functions that it may call, each with its layout, the kernel first;
    /// `symbols` are the addresses of the program's data. Instructions that cannot be lowered stop
    /// only threads that reach them.
    ///
    /// # Errors
    /// When a branch has no target.
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

    /// Whether a thread may stop before its end until others have come somewhere.
    pub fn waits(&self) -> bool {
        let waits =
            |block: &Block| matches!(block.next, Terminator::Barrier | Terminator::Wait(_) | Terminator::Exchange(_));
        self.blocks.iter().any(waits)
    }

    /// The routine as native code is made of it, whose steps and channels are counted or not.
    pub fn native(&self, count: bool) -> ir::Routine {
        // Subroutines return to places that the code does not know.
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

    /// Offset of the constants in the register file.
    pub fn constants_at(&self) -> u32 {
        self.layout.len.next_multiple_of(64)
    }
}

/// Where functions seem to be: in the part of the address space that no buffer has.
const FUNCTIONS_AT: u64 = 0x1_0000;
/// From one function to the next.
const FUNCTION_STEP: u64 = 16;

/// The address of the n-th function.
fn function_address(n: usize) -> u64 {
    FUNCTIONS_AT + n as u64 * FUNCTION_STEP
}

/// Which function has an address.
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
    /// First block of each routine, by name, in their order.
    named: Vec<(String, u32)>,
    /// Blocks that call a function of a name.
    calls: Vec<(u32, String)>,
    /// Instructions so far, of all routines.
    instruction: u32,
    /// First step of the current block.
    first: u32,
    /// Line of the instructions to come.
    line: Option<u32>,
}

/// A branch whose target is known when all labels are.
struct Pending {
    block: u32,
    label: LabelId,
    instruction: u32,
}

impl Builder {
    /// A routine begins.
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
            // Line 0 is what the compiler made on its own, of the line before.
            Lowered::Line(line) => self.line = Some(line).filter(|line| *line > 0).or(self.line),
            Lowered::Nothing => {}
        }
    }

    fn refer(&mut self, label: LabelId, instruction: u32) {
        self.pending.push(Pending { block: self.blocks.len() as u32, label, instruction });
    }

    /// Ends the current block with a branch.
    fn end(&mut self, mark: DebugLoc, next: Terminator) {
        let end = self.steps.len() as u32;
        let instructions = end - self.first + 1;
        self.blocks.push(Block { first: self.first, end, next, mark, instructions });
        self.first = end;
    }

    /// Ends the current block where a label stands, unless it is empty and nothing refers to it
    /// yet.
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
                // Where it ends is known when all routines are.
                Terminator::Call { routine, .. } => *routine = (place, place),
                // References come in the order of the labels.
                Terminator::Switch(n) => self.switches[*n as usize].targets.push(place),
                _ => {}
            }
        }
        Ok(())
    }

    fn finish(mut self, mut layouts: Vec<Layout>, constants: Vec<u8>) -> Result<CompiledRoutine, String> {
        let count = self.blocks.len() as u32;
        for (block, name) in &self.calls {
            // The first routine is the kernel, which nobody calls.
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
