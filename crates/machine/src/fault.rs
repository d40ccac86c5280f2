//! Traps: the reasons why a thread stops, and reports with their location.

use std::fmt;

use serde::Serialize;

use crate::access::{Miss, MissKind};
use crate::state::ThreadState;
use visakit::rt::Stub;

/// Reason why an instruction could not be executed.
#[derive(Clone, Debug)]
pub enum Trap {
    /// A memory access that cannot be carried out.
    Access(Miss),
    /// An indirect operand points outside the registers.
    Indirect {
        /// Channel of the access.
        lane: u32,
        /// Register offset of the access.
        offset: u32,
    },
    /// The instruction has no kernel.
    Stub(Stub),
    /// The instruction cannot be executed; the text gives the reason.
    Illegal(String),
    /// The program calls or takes the address of the named function, which has no body.
    Undefined(String),
    /// A barrier was reached in divergent control flow, by the channels in this mask.
    DivergentBarrier(u32),
    /// Threads wait at a barrier that other threads of the group never reach.
    UnreachedBarrier {
        /// Number of waiting threads.
        waiting: u32,
        /// Number of ended threads.
        ended: u32,
    },
    /// The thread exceeded its instruction budget, given here.
    Budget(u64),
    /// The thread repeats a state.
    Endless {
        /// Period of the loop in instructions.
        instructions: u64,
        /// True if the loop reads memory that no thread of the group changes.
        waits: bool,
    },
    /// Calls overflowed the thread's stack, whose size in bytes is given here.
    Stack(u64),
    /// Control flow ran past the last instruction.
    RanOff,
    /// The kernel raised an exception; the text is its message for a failed assertion.
    Exception(String),
    /// A bug found by a check.
    Found {
        /// Stable code of the check.
        code: &'static str,
        /// Description of the bug.
        message: String,
        /// Advice to the user.
        help: &'static str,
    },
}

impl Trap {
    /// Returns the channel that caused the trap, if a single channel did.
    pub fn lane(&self) -> Option<u32> {
        match self {
            Self::Access(miss) => Some(miss.lane),
            Self::Indirect { lane, .. } => Some(*lane),
            _ => None,
        }
    }

    /// Returns the stable code of the trap.
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

    /// Returns the probable cause in the kernel or its arguments; `None` if the trap's message is
    /// sufficient.
    pub fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::Access(miss) => match miss.kind {
                MissKind::Outside => {
                    "the kernel accesses memory outside its buffers: check the index and the size of the buffers"
                }
                MissKind::Refused => "map the pages to physical memory, with access for reading and writing",
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
                MissKind::Refused => {
                    write!(f, "access to {size} bytes at 0x{address:x}, in pages that are not mapped for it")
                }
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

/// Formats a channel mask as ranges, such as `0 to 3, 9`.
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

/// A trap with its location.
#[derive(Clone, Debug)]
pub struct TrapReport {
    /// Reason why the thread stopped.
    pub trap: Trap,
    /// Name of the kernel.
    pub kernel: String,
    /// Index of the program's function; `None` for the kernel itself.
    pub function: Option<usize>,
    /// Index of the instruction in the routine.
    pub instruction: u32,
    /// Mnemonic of the instruction as in its text form.
    pub mnemonic: String,
    /// Line of the instruction in its text, from 1; 0 if it came from an object file.
    pub line: u32,
    /// Source file of the instruction, if the program names it.
    pub source_file: Option<String>,
    /// Line in the source file, from 1.
    pub source_line: Option<u32>,
    /// Thread group.
    pub group: [u32; 3],
    /// Index of the hardware thread in its group.
    pub thread: u32,
    /// Channel of the thread: the one that caused the trap, otherwise the first enabled one.
    pub channel: Option<u32>,
    /// Local id of the channel.
    pub local_id: Option<[u32; 3]>,
    /// Output printed before the trap.
    pub printed: Vec<u8>,
    /// Contents of buffer and image arguments at the trap.
    pub buffers: Vec<Option<Vec<u8>>>,
    /// Description of the nearest argument, for an access outside all of them.
    pub nearest: Option<String>,
    /// State of the thread, if requested.
    pub state: Option<Box<ThreadState>>,
    /// Positions of the group's waiting threads at a deadlock.
    pub waiting: Vec<WaitingThreads>,
    /// Number of groups that stopped here for the same reason.
    pub groups: u64,
    /// Other traps of the run, if it continued after a trap.
    pub others: Vec<TrapReport>,
}

/// Threads of a group that wait at the same position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaitingThreads {
    /// Number of threads.
    pub threads: u32,
    /// Index of the first of these threads.
    pub first: u32,
    /// Index of the instruction in its routine.
    pub instruction: u32,
    /// Mnemonic of the instruction.
    pub mnemonic: String,
    /// Line of the source file.
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
