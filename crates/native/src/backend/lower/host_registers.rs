//! Roles of the host's general registers in the code.

use iced_x86::Register;

/// The frame: what the caller gives ([`crate::frame`]).
pub(crate) const FRAME: Register = Register::RBX;

/// The register file.
pub(crate) const FILE: Register = Register::RBP;

/// The active channels.
pub(crate) const ACTIVE: Register = Register::R12D;

/// Instructions so far.
pub(crate) const EXECUTED: Register = Register::R13;

/// The predicates.
pub(crate) const PREDICATES: Register = Register::R14;

/// For each block, the channels that wait there.
pub(crate) const WAITING: Register = Register::R15;

/// The channels that a step is for, while it is known.
pub(crate) const ENABLED: Register = Register::R8D;

/// The registers that a transfer uses: what is known of the buffer, its first word, the first
/// channel's offset, and the limit of offsets.
pub(crate) const PLACE: Register = Register::RAX;

pub(crate) const WORDS: Register = Register::RSI;

pub(crate) const FIRST: Register = Register::RDI;

pub(crate) const LIMIT: Register = Register::RDX;

/// The bits of an answer, until the next question.
pub(crate) const ANSWER: Register = Register::K1;

/// Where the bits are that say what was accessed; null when nobody wants to know.
pub(crate) const MARKS: Register = Register::RCX;
