//! The state that lowering carries from step to step.

use std::collections::HashMap;

use crate::backend::analysis::address_classes::StepClasses;
use crate::backend::analysis::annotations::Annotations;
use crate::backend::analysis::byte_set::WorkingSet;
use crate::backend::analysis::liveness::Cursor;
use crate::backend::analysis::ramps::StepRamps;
use crate::backend::asm::operand::Vector;
use crate::backend::asm::stream::Label;
use crate::backend::lower::cache::{ByteRange, PendingStore, Snapshot};
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::ir::Mask;

/// The state of a routine's code while its steps are lowered.
pub(crate) struct Emitter<'a> {
    pub(crate) masm: MacroAssembler,
    pub(crate) facts: BlockFacts<'a>,
    /// Known values of elements in the table of state variables.
    pub(crate) states: HashMap<u32, u32>,
    /// Cold paths to write later.
    pub(crate) cold: Vec<ColdPath>,
}

/// Facts of the current block and of the current place in it.
pub(crate) struct BlockFacts<'a> {
    /// The number of the first step.
    pub(crate) first_step: u32,
    /// The annotations of the steps; empty in code for any channels.
    pub(crate) annotations: Annotations<'a>,
    /// Memory for a set of bytes.
    pub(crate) wanted: WorkingSet,
    /// Bytes that are live after the current step.
    pub(crate) live: Cursor,
    /// Bytes whose values of inactive channels are live after the current step.
    pub(crate) live_inactive: Cursor,
}

/// Code that is written once its return state is known.
pub(crate) enum ColdPath {
    /// The caller executes a step; the code then restores the registers and returns.
    Outside {
        from: Label,
        step: u32,
        back: Label,
        known: Snapshot,
        unwritten: Vec<(Vector, PendingStore)>,
        is_full: bool,
        /// Number of address classes whose facts become unknown.
        classes: u32,
    },
    /// The caller executes a step, and the code for any channels continues after it.
    Leave { from: Label, step: u32, unwritten: Vec<(Vector, PendingStore)> },
    /// Restores the registers, some of which still hold their values, and returns.
    Restore { from: Label, back: Label, known: Snapshot, before: Snapshot, is_full: bool },
}

impl Emitter<'_> {
    /// Adds the cold path in which the caller executes a step; the code continues here. `unwritten`
    /// are the stores that are pending where the path begins.
    pub(crate) fn push_outside(&mut self, from: Label, step: u32, unwritten: Vec<(Vector, PendingStore)>) {
        let (back, known) = (self.masm.asm.here(), self.masm.cache.known());
        let (is_full, classes) = (self.masm.is_full, self.facts.annotations.class_count);
        self.cold.push(ColdPath::Outside { from, step, back, known, unwritten, is_full, classes });
    }
}

impl BlockFacts<'_> {
    /// Returns empty facts, for a register file of `register_bytes` bytes.
    pub(crate) fn new(register_bytes: u32) -> Self {
        Self {
            first_step: 0,
            annotations: Annotations::default(),
            wanted: WorkingSet::new(register_bytes),
            live: Cursor::new(register_bytes),
            live_inactive: Cursor::new(register_bytes),
        }
    }

    /// Returns the address classes of a step.
    pub(crate) fn classes(&self, step: u32) -> StepClasses {
        self.annotations.classes.get((step - self.first_step) as usize).copied().unwrap_or_default()
    }

    /// Returns the part that ramps have in a step.
    pub(crate) fn ramps(&self, step: u32) -> &StepRamps {
        self.annotations.ramps.get((step - self.first_step) as usize).unwrap_or(const { &StepRamps::none() })
    }

    /// Returns true if nothing needs the results of a step.
    pub(crate) fn is_dead(&self, step: u32) -> bool {
        self.live.is_dead((step - self.first_step) as usize)
    }

    /// Returns true if the inactive channels' bytes at `place` are dead, so that a step of `mask`
    /// may store all channels. `is_full` is true in code for all channels.
    pub(crate) fn may_spoil(&self, is_full: bool, mask: &Mask, place: ByteRange) -> bool {
        mask.predicate == 0 && !is_full && !self.live_inactive.touch(place.at, place.bytes)
    }
}
