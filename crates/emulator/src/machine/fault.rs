//! What stops a thread: the reason, and the place once it is known.

use std::fmt;

use serde::Serialize;

use crate::machine::access::{Miss, MissKind};
use crate::run::ThreadState;
use visakit::rt::Stub;

/// Why an instruction could not be executed.
#[derive(Clone, Debug)]
pub enum Trap {
    /// A memory access that cannot be carried out.
    Access(Miss),
    /// An indirect operand points outside the registers.
    Indirect {
        /// The channel.
        lane: u32,
        /// The offset that it points to.
        offset: u32,
    },
    /// The instruction has no kernel.
    Stub(Stub),
    /// The instruction is not one that can be executed; the text says why.
    Illegal(String),
    /// The program calls a function of this name, or takes its address, and has no body for it.
    Undefined(String),
    /// A barrier was reached while channels of the thread wait elsewhere; by these, as bits.
    DivergentBarrier(u32),
    /// Threads of the group wait at barriers that others never reach.
    UnreachedBarrier {
        /// How many wait.
        waiting: u32,
        /// How many have ended.
        ended: u32,
    },
    /// The thread executed more instructions than it may.
    Budget(u64),
    /// The thread does the same again and again.
    Endless {
        /// Instructions after which everything is the same.
        instructions: u64,
        /// Whether it looks at memory all the while, which no thread of its group changes.
        waits: bool,
    },
    /// Functions called each other until the thread's stack, of so many bytes, was full.
    Stack(u64),
    /// Control flow ran behind the last instruction.
    RanOff,
    /// The kernel raised an exception; the text is what it says of an assertion that failed.
    Exception(String),
    /// A bug that was looked for, see [`crate::check`].
    Found {
        /// Stable name of the kind.
        code: &'static str,
        /// What is wrong.
        message: String,
        /// What to do.
        help: &'static str,
    },
}

impl Trap {
    /// The channel of the instruction that is to blame, where there is one.
    pub fn lane(&self) -> Option<u32> {
        match self {
            Self::Access(miss) => Some(miss.lane),
            Self::Indirect { lane, .. } => Some(*lane),
            _ => None,
        }
    }

    /// Stable name of the kind of fault.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Access(Miss { kind: MissKind::Misaligned, .. }) => "fault-misaligned",
            Self::Access(_) => "fault-memory",
            Self::Indirect { .. } => "fault-register",
            Self::Stub(_) => "fault-stub",
            Self::Illegal(_) => "fault-illegal",
            Self::Undefined(_) => "fault-undefined",
            Self::DivergentBarrier(_) | Self::UnreachedBarrier { .. } => "fault-barrier",
            Self::Budget(_) => "fault-budget",
            Self::Endless { .. } => "fault-endless",
            Self::Stack(_) => "fault-stack",
            Self::RanOff => "fault-end",
            Self::Exception(_) => "fault-assert",
            Self::Found { code, .. } => code,
        }
    }

    /// What is probably wrong with the kernel or with what it was given; nothing where the trap
    /// says it all.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Access(miss) => match miss.kind {
                MissKind::Outside => {
                    "the kernel accesses memory outside its buffers: check the index and the size of the buffers"
                }
                MissKind::OutsideLocal => {
                    "the kernel accesses memory outside its shared local memory: check the index \
                     and the size of its local arguments"
                }
                MissKind::OutsideScratch => "an index into a private array is probably out of range",
                MissKind::Misaligned => "the address must be a multiple of the size of the access",
            },
            Self::Indirect { .. } => "an index into a private array is probably out of range",
            Self::Stub(_) | Self::Illegal(_) => return None,
            Self::Undefined(_) => "define the function in the source, or link the program that defines it",
            Self::DivergentBarrier(_) | Self::UnreachedBarrier { .. } => {
                "every work item of a group must reach the same barriers"
            }
            Self::Budget(_) => "the kernel may contain an endless loop",
            Self::Endless { waits: false, .. } => {
                "nothing that the loop's end condition depends \
             on changes in the loop"
            }
            Self::Endless { waits: true, .. } => {
                "groups run one after the other: a group cannot wait for a later group, and a \
                 thread cannot wait for a value that no other thread of its group writes"
            }
            Self::Stack(_) => "the recursion may be endless; the compiler chooses the size of the stack",
            Self::RanOff => "the routine must end with a return",
            Self::Exception(_) => "the text comes from the kernel; later groups were not run",
            Self::Found { help, .. } => help,
        })
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access(Miss { address, size, kind, .. }) => match kind {
                MissKind::Outside => write!(f, "access to {size} bytes at 0x{address:x}, outside every buffer"),
                MissKind::OutsideLocal => {
                    write!(f, "access to {size} bytes at 0x{address:x}, outside shared local memory")
                }
                MissKind::OutsideScratch => {
                    write!(f, "access to {size} bytes at 0x{address:x}, outside the private memory")
                }
                MissKind::Misaligned => write!(f, "access to {size} bytes at 0x{address:x}, which is misaligned"),
            },
            Self::Indirect { offset, .. } => {
                write!(f, "indirect operand at register offset 0x{offset:x}, outside the registers")
            }
            Self::Stub(stub) => stub.fmt(f),
            Self::Illegal(why) => f.write_str(why),
            Self::Undefined(name) => write!(f, "`{name}` is declared but not defined in this program"),
            Self::DivergentBarrier(channels) => {
                write!(
                    f,
                    "barrier in divergent control flow: only channels {} of the thread reach it",
                    Ranges(*channels)
                )
            }
            Self::UnreachedBarrier { waiting, ended } => match ended {
                0 => write!(f, "all {waiting} threads wait, but at different barriers"),
                _ => {
                    write!(f, "{waiting} threads wait at a barrier, but {ended} threads ended without reaching it")
                }
            },
            Self::Budget(limit) => write!(f, "a thread executed more than {limit} instructions"),
            Self::Endless { instructions, waits: false } => {
                write!(f, "endless loop: its state repeats after {instructions} instructions")
            }
            Self::Endless { instructions, waits: true } => write!(
                f,
                "the group waits forever: its state repeats after {instructions} instructions, \
                 and none of its threads writes the memory that it polls"
            ),
            Self::Stack(bytes) => write!(f, "stack overflow: all channels of a thread share {bytes} bytes"),
            Self::Exception(said) if said.is_empty() => f.write_str("the kernel raised an exception"),
            Self::Exception(said) => write!(f, "an assertion of the kernel failed: {said}"),
            Self::RanOff => f.write_str("control flow ran past the last instruction"),
            Self::Found { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Trap {}

/// Channels in words: `0 to 3, 9`.
struct Ranges(u32);

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut rest, mut separator) = (u64::from(self.0), "");
        while rest != 0 {
            let first = rest.trailing_zeros();
            let last = first + (rest >> first).trailing_ones() - 1;
            match last - first {
                0 => write!(f, "{separator}{first}")?,
                _ => write!(f, "{separator}{first} to {last}")?,
            }
            (rest, separator) = (rest >> (last + 1) << (last + 1), ", ");
        }
        Ok(())
    }
}

impl From<Miss> for Box<Trap> {
    #[cold]
    fn from(miss: Miss) -> Self {
        Box::new(Trap::Access(miss))
    }
}

/// A fault and where it happened.
#[derive(Clone, Debug)]
pub struct TrapReport {
    /// What happened.
    pub trap: Trap,
    /// Name of the kernel.
    pub kernel: String,
    /// Which of the program's functions; none for the kernel itself.
    pub function: Option<usize>,
    /// Index of the instruction in the routine.
    pub instruction: u32,
    /// The instruction's mnemonic, as its text has it.
    pub mnemonic: String,
    /// Line of the instruction in its text, from 1; 0 when it came from an object.
    pub line: u32,
    /// The source that the program names for it, where it does.
    pub source_file: Option<String>,
    /// Line of that source, from 1.
    pub source_line: Option<u32>,
    /// The thread group.
    pub group: [u32; 3],
    /// The hardware thread in its group.
    pub thread: u32,
    /// The channel of the thread: the one to blame, else the first that was enabled.
    pub channel: Option<u32>,
    /// The channel's local id.
    pub local_id: Option<[u32; 3]>,
    /// What the kernel had printed until then.
    pub printed: Vec<u8>,
    /// What the arguments that are buffers or images held then.
    pub buffers: Vec<Option<Vec<u8>>>,
    /// Where the next argument is, when an access is outside of all.
    pub nearest: Option<String>,
    /// What the thread held, where that was asked for.
    pub state: Option<Box<ThreadState>>,
    /// Where the other threads of the group wait, when none of them gets on.
    pub waiting: Vec<WaitingThreads>,
    /// How many groups stopped here for the same reason.
    pub groups: u64,
    /// Other faults of the run, where it was to go on.
    pub others: Vec<TrapReport>,
}

/// Threads of a group that wait at the same place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingThreads {
    /// How many.
    pub threads: u32,
    /// The first of them.
    pub first: u32,
    /// Index of the instruction in its routine.
    pub instruction: u32,
    /// Its mnemonic.
    pub mnemonic: String,
    /// Line of the source.
    pub source_line: Option<u32>,
}

impl fmt::Display for WaitingThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, first, instruction, mnemonic, source_line } = self;
        match threads {
            1 => write!(f, "thread {first}")?,
            _ => write!(f, "{threads} threads, thread {first} the first of them,")?,
        }
        write!(f, " at instruction {instruction}, {mnemonic}")?;
        source_line.map_or(Ok(()), |line| write!(f, ", source line {line}"))
    }
}

impl fmt::Display for TrapReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.group;
        write!(f, "{}", self.trap)?;
        if let Some(nearest) = &self.nearest {
            write!(f, ", {nearest}")?;
        }
        write!(f, "; kernel {}, group ({x}, {y}, {z})", self.kernel)?;
        if let Some([x, y, z]) = self.local_id {
            write!(f, ", local id ({x}, {y}, {z})")?;
        }
        write!(f, ", thread {}", self.thread)?;
        if let Some(channel) = self.channel {
            write!(f, ", channel {channel}")?;
        }
        write!(f, ", instruction {}", self.instruction)?;
        if let Some(line) = self.source_line {
            write!(f, ", source line {line}")?;
        }
        Ok(())
    }
}

impl std::error::Error for TrapReport {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.trap)
    }
}
