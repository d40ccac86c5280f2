//! Memory of a group, and the state that its threads share.

use std::cell::Cell;

use crate::plan::Plan;
use visakit_machine::World;
use visakit_machine::buffer::Buffer;
use visakit_machine::observer::{Observer, Spot, Watch};
use visakit_machine::trace::Trace;

/// Resources of one group at a time. Every group finds them zeroed and at the same addresses, so
/// that no result depends on earlier groups.
pub(super) struct Own<'a> {
    /// Observer, if all groups run on this thread.
    pub(super) observer: Option<&'a dyn Observer>,
    pub(super) local: Buffer,
    pub(super) private: Vec<Buffer>,
    pub(super) trace: Trace,
    /// Current instruction, for observers.
    pub(super) spot: Cell<Spot>,
}

impl<'a> Own<'a> {
    pub(super) fn new(plan: &Plan<'_>, observer: Option<&'a dyn Observer>) -> Self {
        let (mapped, shared) = (plan.mapped, plan.mapped.memory.buffers().len());
        let private = mapped.private.iter().enumerate().map(|(n, bytes)| {
            let mut buffer = Buffer::zeros(*bytes);
            buffer.note_pages(shared + n);
            buffer
        });
        Self {
            observer,
            local: Buffer::zeros(plan.local_bytes() as usize),
            private: private.collect(),
            trace: Trace::new(shared + mapped.private.len(), plan.code.mixed),
            spot: Cell::default(),
        }
    }

    /// Returns the state that the threads of a group share.
    pub(super) fn world<'w>(&'w self, plan: &'w Plan<'_>, group: [u32; 3]) -> World<'w> {
        let mapped = plan.mapped;
        World {
            memory: &mapped.memory,
            local: &self.local,
            scratch: self.scratch(plan),
            private: &self.private,
            bindings: &mapped.bindings,
            images: &mapped.images,
            samplers: &mapped.samplers,
            watch: self.observer.map(|observer| Watch { observer, group, spot: &self.spot }),
            trace: &self.trace,
        }
    }

    /// Returns the scratch memory of a group.
    pub(super) fn scratch<'w>(&'w self, plan: &'w Plan<'_>) -> &'w Buffer {
        plan.mapped.scratch.buffer.and_then(|index| self.private.get(index)).unwrap_or(&plan.mapped.nothing)
    }

    /// Zeroes the memory that a group has written. Returns the end of the written pages of scratch
    /// memory.
    pub(super) fn renew(&self, plan: &Plan<'_>) -> u64 {
        if !self.local.is_empty() {
            self.local.clear();
        }
        let mut written = 0;
        for (index, buffer) in self.private.iter().enumerate() {
            let end = self.trace.clear(buffer);
            if plan.mapped.scratch.buffer == Some(index) {
                written = end;
            }
        }
        written
    }

    /// Returns the recorded accesses.
    pub(super) fn into_trace(self) -> Trace {
        self.trace
    }
}
