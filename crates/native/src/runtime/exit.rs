//! Reasons: why a routine has no code, and why code has come back to its caller.

/// The reason why a routine has no native code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The host's processor lacks the instructions, or the system gives no executable memory.
    Host,
    /// The routine contradicts itself.
    Unsound,
    /// The code, or what has to be known to write it, exceeds the budget.
    Budget,
    /// The compiler has made an instruction that does not exist, which is its error.
    Encoding,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Host => "the processor lacks the instructions, or the host allows no executable memory",
            Self::Unsound => "the kernel has offsets outside the registers",
            Self::Budget => "the kernel is too large for native code",
            Self::Encoding => "the native compiler encoded an illegal instruction; please report the kernel",
        })
    }
}

/// The reason why the code has come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The caller has to begin a block: the thread's turn may be over, or the block does not exist.
    Block(u32),
    /// The caller has to do a whole step; it has been counted.
    Step {
        /// The number of the step, among those of all blocks.
        step: u32,
        /// The place to continue at.
        resume: Resume,
    },
    /// All steps of a block have been done; the caller has to find the next block.
    End {
        /// The block.
        block: u32,
    },
}

/// The place after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resume {
    pub(crate) step: u32,
    /// True if any channels may be active; otherwise all channels of the block are.
    pub(crate) some: bool,
}
