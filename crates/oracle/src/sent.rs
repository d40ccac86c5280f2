//! Redirection of channels, in one representation for pages and for the emulator's kernels.

use std::fmt;

use visakit::isa::StringId;
use visakit::object::Routine;
use visakit_codegen::model::SourceSpan;
use visakit_kernels::step::{Callee, Lowered};
use visakit_machine::fault::Trap;
use visakit_machine::thread::Thread;

/// Channels that do not continue with the next instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Mask of the channels in the thread; all active ones if they move together.
    pub channels: u32,
    /// Branch target or wait.
    pub to: To,
}

/// Branch target or wait of channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// Branch to a label; the channels reconverge by the rules of chapter 3.
    Branch(u32),
    /// Jump to a label, regardless of channels that wait on the path.
    Jump(u32),
    /// Call of a subroutine.
    Call(u32),
    /// Call of a function, by the first index of its name in the string table.
    Named(u32),
    /// Call of the function at an address.
    At(u64),
    /// Return from a subroutine or a function.
    Leave,
    /// Signal of the work-group's barrier, and wait for all threads.
    Barrier,
    /// Signal of a barrier without waiting; the second number is the thread count if it is not the
    /// group's.
    Signal(u32, Option<u32>),
    /// Wait until all threads have signalled a barrier.
    Wait(u32),
}

/// Statement of a page that redirects channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Going {
    /// Channels and their target.
    pub sent: Sent,
    /// Position of the statement.
    pub at: SourceSpan,
}

impl Sent {
    /// Returns the redirection of a thread's channels by a kernel; `None` if they continue.
    ///
    /// # Errors
    /// A trap of the machine.
    pub(crate) fn by_kernel(
        lowered: &Lowered,
        thread: &Thread,
        routine: &Routine,
    ) -> Result<Option<Self>, Box<Trap>> {
        let some = |channels: u32, to: To| (channels != 0).then_some(Self { channels, to });
        let all = |to| some(thread.active, to);
        Ok(match lowered {
            Lowered::Branch { enable, label } => some(thread.taken(enable, enable.is_single()), To::Branch(label.0)),
            Lowered::Jump { enable, label } => some(thread.taken(enable, true), To::Jump(label.0)),
            Lowered::Switch { index, labels } => match labels.get(index.first(thread) as usize) {
                Some(label) => all(To::Jump(label.0)),
                None => return Err(Box::new(Trap::Illegal("the index selects no label of the list".to_owned()))),
            },
            Lowered::Call { enable, label } => some(thread.taken(enable, enable.is_single()), To::Call(label.0)),
            Lowered::Function { enable, callee } => {
                let taken = thread.taken(enable, enable.is_single());
                let to = match callee {
                    Callee::Named(name) => To::Named(function(routine, name).unwrap_or(u32::MAX)),
                    Callee::At(address) => To::At(address.first(thread)),
                };
                some(taken, to)
            }
            Lowered::Return { enable } => some(thread.taken(enable, enable.is_single()), To::Leave),
            Lowered::Barrier => all(To::Barrier),
            Lowered::Signal { barrier, threads } => all(To::Signal(
                barrier.as_ref().map_or(0, |number| number.first(thread)),
                threads.as_ref().map(|number| number.first(thread)),
            )),
            Lowered::Wait { barrier } => all(To::Wait(barrier.as_ref().map_or(0, |number| number.first(thread)))),
            _ => None,
        })
    }
}

/// Returns the first index of a name in the string table.
pub(crate) fn function(routine: &Routine, name: &str) -> Option<u32> {
    (0..routine.strings.len() as u32).find(|id| routine.string(StringId(*id)).is_some_and(|own| own == name))
}

impl fmt::Display for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "channels 0x{:x} {}", self.channels, self.to)
    }
}

impl fmt::Display for To {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branch(label) => write!(f, "branch to label {label}"),
            Self::Jump(label) => write!(f, "jump to label {label}"),
            Self::Call(label) => write!(f, "enter the subroutine of label {label}"),
            Self::Named(name) => write!(f, "enter the function of string {name}"),
            Self::At(address) => write!(f, "enter the function at 0x{address:x}"),
            Self::Leave => f.write_str("leave"),
            Self::Barrier => f.write_str("wait at the barrier"),
            Self::Signal(barrier, None) => write!(f, "signal barrier {barrier}"),
            Self::Signal(barrier, Some(threads)) => write!(f, "signal barrier {barrier} of {threads} threads"),
            Self::Wait(barrier) => write!(f, "wait for barrier {barrier}"),
        }
    }
}
