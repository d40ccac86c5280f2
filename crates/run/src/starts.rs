//! Initial states of threads that depend on the group size alone.

use std::sync::OnceLock;

use visakit::isa::predefined;
use visakit_kernels::layout::Layout;
use visakit_launch::payload::ThreadStart;
use visakit_native::PIECE;

/// Register offsets of the predefined variables with initial values.
pub(super) struct Special {
    pub(super) groups: [u32; 3],
    pub(super) state: u32,
    pub(super) message: u32,
    pub(super) scratch: u32,
    pub(super) hardware_id: u32,
    pub(super) stack: u32,
    pub(super) implicit: [u32; 2],
}

impl Special {
    pub(super) fn of(layout: &Layout) -> Self {
        let at = |id| layout.variable(id).map_or(0, |variable| variable.offset);
        Self {
            groups: [predefined::GROUP_ID_X, predefined::GROUP_ID_Y, predefined::GROUP_ID_Z].map(at),
            state: at(predefined::SR0),
            message: at(predefined::MSG0),
            scratch: at(predefined::SCRATCHLOC),
            hardware_id: at(predefined::HW_ID),
            stack: at(predefined::SP),
            implicit: [predefined::IMPL_ARG_BUF_PTR, predefined::LOCAL_ID_BUF_PTR].map(at),
        }
    }
}

/// Number of versions of native code. Each leaves the functions to the interpreter that no thread
/// had called when it was compiled.
pub(super) const VERSIONS: usize = 4;

/// A variant of native code; each has its versions.
#[derive(Clone, Copy)]
pub(super) struct Variant {
    /// True if steps and channels are counted.
    pub(super) counts: bool,
    pub(super) lines: Lines,
}

/// Number of variants of native code.
pub(super) const VARIANTS: usize = 6;

/// Channels of a thread whose work items are a line: their local ids are ramps.
#[derive(Clone, Copy)]
pub(super) enum Lines {
    /// Perhaps none.
    Unknown,
    /// Each half of 32 channels.
    Halves,
    /// All channels.
    Whole,
}

impl Variant {
    /// Returns the variant's number.
    pub(super) fn index(self) -> usize {
        usize::from(self.counts) + self.lines as usize * 2
    }
}

/// Initial states of a group's threads for a group size, independent of arguments.
pub(super) struct Starts {
    pub(super) size: [u32; 3],
    pub(super) order: [u32; 3],
    /// Size of a thread's scratch memory in bytes.
    pub(super) pitch: u64,
    pub(super) threads: Vec<ThreadStart>,
    /// Register templates of each variant and version of native code, once requested. `None` if the
    /// registers depend on the group in other ways than by words that equal its id.
    pub(super) templates: [[OnceLock<Option<Template>>; VERSIONS]; VARIANTS],
}

/// Initial registers that native code reads, without the arguments of a launch.
pub(super) struct Template {
    pub(super) pieces: Vec<TemplatePiece>,
    /// Offsets of words that equal the group's id in a dimension.
    pub(super) ids: Vec<(u32, usize)>,
    /// Offsets of group-id words that are written for each thread.
    pub(super) put: Vec<(u32, usize)>,
}

/// A piece of the register file.
pub(super) struct TemplatePiece {
    pub(super) at: u32,
    pub(super) kind: Kind,
    /// Words that are equal for all threads of a launch, as bits; they include all arguments.
    pub(super) common: u8,
    /// Bytes for each thread.
    pub(super) bytes: Vec<[u8; PIECE]>,
}

/// Frequency of writing a piece to the registers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Once, on first use.
    Once,
    /// For each thread, with equal contents.
    Common,
    /// For each thread, with its own contents.
    Each,
}
