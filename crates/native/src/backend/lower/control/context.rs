//! The routine that is lowered, and the places of its code.

use crate::backend::analysis::known_ramps::KnownRamps;
use crate::backend::analysis::liveness::Liveness;
use crate::backend::asm::assembler::Assembler;
use crate::backend::asm::stream::Label;
use crate::ir::Routine;

/// The routine and the results of its analyses.
#[derive(Clone, Copy)]
pub(crate) struct RoutineContext<'a> {
    pub(crate) routine: &'a Routine,
    pub(crate) live: &'a Liveness,
    pub(crate) ramps: &'a KnownRamps,
}

/// Places of the code.
pub(crate) struct Labels {
    /// Exits with the number in EAX.
    pub(crate) leave: Label,
    /// Begins the next thread.
    pub(crate) in_turn: Label,
    /// Continues with the next thread, of those that run together.
    pub(crate) switch: Label,
    /// The beginning of each block, and the place after the last one.
    pub(crate) blocks: Vec<Label>,
    /// The code after each step: with all channels of its block active, and with any.
    pub(crate) steps: Vec<[Option<Label>; 2]>,
    /// The channels of each step's block; `None` if the caller may continue only in the code for
    /// any channels.
    pub(crate) full: Vec<Option<u32>>,
    /// Steps of the block whose values must not wrap in the code for all channels, in ascending
    /// order.
    pub(crate) wraps: Vec<u32>,
}

impl Labels {
    /// Creates the labels that a routine needs from its beginning.
    pub(crate) fn new(asm: &mut Assembler) -> Self {
        let [leave, in_turn, switch] = [(); 3].map(|()| asm.label());
        Self { leave, in_turn, switch, blocks: Vec::new(), steps: Vec::new(), full: Vec::new(), wraps: Vec::new() }
    }

    /// Binds the place after a step to the current place.
    pub(crate) fn bind_step(&mut self, asm: &mut Assembler, step: u32, is_full: bool) {
        let after = asm.here();
        self.steps[step as usize][usize::from(!is_full)] = Some(after);
    }
}
