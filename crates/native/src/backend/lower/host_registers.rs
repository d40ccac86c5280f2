//! Roles of the host's registers in the code.

use iced_x86::Register;

/// Frame of a run, in the layout that the code expects.
pub(crate) const FRAME: Register = Register::RBX;

/// The register file.
pub(crate) const FILE: Register = Register::RBP;

/// The active channels.
pub(crate) const ACTIVE: Register = Register::R12D;

/// The number of executed instructions.
pub(crate) const EXECUTED: Register = Register::R13;

/// The predicates.
pub(crate) const PREDICATES: Register = Register::R14;

/// The channels that wait at each block.
pub(crate) const WAITING: Register = Register::R15;

/// The enabled channels of a step, if
/// [`MacroAssembler::enabled`](crate::backend::lower::macro_assembler::MacroAssembler::enabled)
/// names their mask.
pub(crate) const ENABLED: Register = Register::R8D;

/// The entry of a transfer's buffer.
pub(crate) const PLACE: Register = Register::RAX;

/// The first word of a transfer's buffer.
pub(crate) const WORDS: Register = Register::RSI;

/// The offset of a transfer's first channel.
pub(crate) const FIRST: Register = Register::RDI;

/// An element that is being moved between the registers and memory, or inside of one of them.
pub(crate) const ELEMENT: Register = Register::R11;

/// The largest offset at which a channel's data are inside the buffer.
pub(crate) const LIMIT: Register = Register::RDX;

/// The result of a comparison.
pub(crate) const ANSWER: Register = Register::K1;

/// The bits that record accesses; null if nothing observes them.
pub(crate) const MARKS: Register = Register::RCX;
