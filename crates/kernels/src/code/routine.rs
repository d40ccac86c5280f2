//! A lowered routine: blocks of steps, each ending with a terminator.

use crate::lowering::layout::Layout;
use crate::lowering::step::{Exchange, Run};
use visakit_machine::activation::Function;
use visakit_machine::observer::Spot;
use visakit_machine::operand::Source;
use visakit_machine::thread::ExecMask;
use visakit_native::ir::Action;

/// A lowered routine.
pub struct CompiledRoutine {
    /// Locations of the routine's variables.
    pub layout: Layout,
    /// Constant values, stored from [`Layout::constants_at`] on.
    pub constants: Vec<u8>,
    /// Operations of all blocks, in program order.
    pub steps: Vec<Run>,
    /// Debug location of each step, for counts and messages.
    pub marks: Vec<DebugLoc>,
    /// Native action of each step.
    pub actions: Vec<Action>,
    /// Steps that native code replaces, in order.
    pub replaced: Vec<Replaced>,
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
    /// True if a thread may pause.
    pub pauses: bool,
    /// Two-thread operations.
    pub exchanges: Vec<Exchange>,
    /// Functions, in address order.
    pub functions: Vec<Function>,
    /// Number of predicates and state elements of all routines.
    pub counts: [usize; 2],
}

/// A step of native code that differs from its instruction: it multiplies, or it does nothing
/// because a later step multiplies.
pub struct Replaced {
    /// Index of the step.
    pub step: u32,
    /// Enable mask.
    pub enable: ExecMask,
    /// Native action.
    pub action: Action,
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
    /// Falls through after a pause: other threads may run.
    Pause,
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

impl Terminator {
    /// Returns true if the terminator is an instruction.
    #[inline]
    pub fn is_instruction(&self) -> bool {
        !matches!(self, Self::Fall | Self::Pause)
    }
}

impl CompiledRoutine {
    /// Returns true if a thread may wait for other threads before its end.
    #[inline]
    pub fn waits(&self) -> bool {
        let waits =
            |block: &Block| matches!(block.next, Terminator::Barrier | Terminator::Wait(_) | Terminator::Exchange(_));
        self.blocks.iter().any(waits)
    }
}
