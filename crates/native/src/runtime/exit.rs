//! Why there is no code, and why code has come back.

/// Why a routine has no native code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The host's processor lacks the instructions, or the system gives no executable memory.
    Host,
    /// The routine contradicts itself.
    Unsound,
    /// The code, or what has to be known to write it, exceeds the budget.
    Budget,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Host => "the processor lacks the instructions, or the host allows no executable memory",
            Self::Unsound => "the kernel has offsets outside the registers",
            Self::Budget => "the kernel is too large for native code",
        })
    }
}

/// Why the code has come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// A block has to be begun by the caller: the turn of the thread may be over, or there is no
    /// such block.
    Block(u32),
    /// The caller has to do a step, all of it; it has been counted.
    Step {
        /// The number of the step, of those of all blocks.
        step: u32,
        /// Where to go on.
        resume: Resume,
    },
    /// All steps of a block have been done; the caller has to find out what comes behind.
    End {
        /// The block.
        block: u32,
    },
}

/// A place behind a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resume {
    pub(crate) step: u32,
    /// Whether any channels may be active.
    pub(crate) some: bool,
}
