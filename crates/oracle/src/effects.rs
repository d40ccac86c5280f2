//! Effects of an instruction on a thread.

use visakit_codegen::model::SourceSpan;
use visakit_machine::thread::Thread;

use crate::convert::Allowed;
use crate::sent::Going;

/// Effects of an instruction on a thread.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Writes in their order.
    pub writes: Vec<Write>,
    /// True if channels wrote different bytes to one address: the last writer is undefined.
    pub clashes: bool,
    /// True if an address overflowed by less than the size of a message. Chapter 3 leaves open
    /// whether a channel's access wraps around.
    pub around: bool,
    /// Channels that branch or wait.
    pub going: Vec<Going>,
}

/// Write to a thread's state.
#[derive(Clone, Debug)]
pub struct Write {
    /// Destination of the write.
    pub target: Target,
    /// New bits.
    pub bits: u64,
    /// Alternatives that the pages allow.
    pub allowed: Allowed,
    /// Position of the statement on the page.
    pub at: SourceSpan,
}

/// Element of a thread's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Bytes of the register file: offset and count.
    Register(u32, u32),
    /// Bit of a predicate, by its number in the thread.
    Predicate(u32, u32),
    /// Element of the address variables, by its register offset.
    Address(u32),
    /// Element of the state variables.
    State(u32),
}

impl Write {
    pub(crate) fn apply(&self, thread: &mut Thread) {
        match self.target {
            Target::Register(at, bytes) => {
                let bytes = bytes as usize;
                thread.registers.bytes_mut(at)[..bytes].copy_from_slice(&self.bits.to_le_bytes()[..bytes]);
            }
            Target::Predicate(number, bit) => thread.set_predicate(number, bit, 1, self.bits as u32 & 1),
            Target::Address(at) => thread.registers.set(at, self.bits as u32),
            Target::State(element) => {
                if let Some(place) = thread.surfaces.get_mut(element as usize) {
                    *place = self.bits as u32;
                }
            }
        }
    }
}
