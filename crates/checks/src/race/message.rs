//! Stores of one message's channels, which happen in channel order.

use crate::race::races::Races;
use crate::race::stamps::Deed;
use visakit_machine::observer::{Access, AccessKind};

impl Races {
    /// Records a store of the current instruction.
    pub(super) fn note(&mut self, access: &Access, at: (usize, u64)) {
        let message = (access.thread, access.spot.instruction, access.lane);
        let goes_on = self.message.is_some_and(|(thread, instruction, lane)| {
            (thread, instruction) == (message.0, message.1) && lane <= access.lane
        });
        if !goes_on {
            self.together.clear();
        }
        self.message = Some(message);
        self.together.push((at.0, at.1, access.lane));
    }

    /// Returns true if an earlier channel of the same message stores to the same location.
    pub(super) fn is_same_message(&self, before: &Deed, access: &Access, at: (usize, u64)) -> bool {
        let message = (access.thread, access.spot.instruction);
        before.spot.instruction == access.spot.instruction
            && before.kind == AccessKind::Store
            && access.kind == AccessKind::Store
            && self
                .message
                .is_some_and(|(thread, instruction, lane)| (thread, instruction) == message && lane <= access.lane)
            && self.together.iter().any(|&(buffer, place, lane)| (buffer, place) == at && lane < access.lane)
    }
}
