//! Reasons: why a routine has no code, and why code returned to its caller.

/// The reason why a routine has no native code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The host's processor lacks the instructions, or the system gives no executable memory.
    Host,
    /// The routine is inconsistent.
    Unsound,
    /// The code or its analysis exceeds the budget.
    Budget,
    /// The compiler created an invalid instruction, which is a defect of the compiler.
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

/// Reason why the code returned to its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The caller must begin a block: the thread's time slice may be over, or the block does not
    /// exist.
    Block(u32),
    /// The caller must execute a whole step; the step is already counted.
    Step {
        /// Number of the step, counted over all blocks.
        step: u32,
        /// The place to continue at.
        resume: Resume,
    },
    /// All steps of a block are done; the caller must find the next block.
    End {
        /// Number of the block.
        block: u32,
    },
}

/// The place after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resume {
    pub(crate) step: u32,
    /// True if any channels may be active; otherwise all channels of the block are active.
    pub(crate) some: bool,
}

/// Result of threads that run together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Together {
    /// The thread that returned to the caller; the number of threads if all have ended.
    pub thread: usize,
    /// Reason why it returned.
    pub exit: Option<Exit>,
    /// True if the threads before it have ended; otherwise they wait at their next barrier.
    pub have_ended: bool,
}
