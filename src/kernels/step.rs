//! What lowering makes of an instruction.

use crate::isa::LabelId;
use crate::machine::World;
use crate::machine::fault::Trouble;
use crate::machine::operand::Source;
use crate::machine::thread::{Enable, Thread};

/// An operation with its places resolved.
pub type Run = Box<dyn Fn(&mut Thread, &World<'_>) -> Result<(), Box<Trouble>> + Send + Sync>;

/// An operation and the channels that it is for.
pub struct Step {
    /// The operation.
    pub run: Run,
    /// Its mask: the operation obeys it by itself, counting asks for it.
    pub enable: Enable,
}

/// An operation that two neighbouring threads of a group begin together, each with data of both.
pub struct Exchange {
    /// Where a thread's part of the data stands in its registers.
    pub own: u32,
    /// Bytes of the part that the thread with the even number gives, and of the other's.
    pub parts: [u32; 2],
    /// Where both parts go, one behind the other.
    pub shared: u32,
    /// The operation.
    pub run: Run,
}

/// Which function is called.
pub enum Callee {
    /// The one of that name.
    Named(String),
    /// The one at the address that the first enabled channel has.
    At(Source<u64>),
}

/// What an instruction becomes.
pub enum Lowered {
    /// An operation; execution goes on behind it.
    Step(Step),
    /// Each channel goes to a label or goes on; with one channel all of them do the same.
    Branch {
        /// The channels that go to the label.
        enable: Enable,
        /// The label.
        label: LabelId,
    },
    /// All channels go to a label or go on, past others that wait on the way.
    Jump {
        /// The channel that decides.
        enable: Enable,
        /// The label.
        label: LabelId,
    },
    /// All channels go to one of several labels.
    Switch {
        /// Its place in the list.
        index: Source<u32>,
        /// The labels.
        labels: Vec<LabelId>,
    },
    /// Channels enter a subroutine.
    Call {
        /// The channels.
        enable: Enable,
        /// The subroutine.
        label: LabelId,
    },
    /// Channels enter a function.
    Function {
        /// The channels.
        enable: Enable,
        /// The function.
        callee: Callee,
    },
    /// Channels leave the subroutine, or end.
    Return {
        /// The channels.
        enable: Enable,
    },
    /// The thread waits for its neighbour.
    Exchange(Exchange),
    /// The thread waits for its group.
    Barrier,
    /// The thread tells a barrier that it has come.
    Signal {
        /// Number of a named barrier; none for that of the group.
        barrier: Option<Source<u32>>,
        /// How many threads a named barrier has.
        threads: Option<Source<u32>>,
    },
    /// The thread waits until all threads of a barrier have signalled.
    Wait {
        /// Number of a named barrier; none for that of the group.
        barrier: Option<Source<u32>>,
    },
    /// A place to branch to.
    Label(LabelId),
    /// The beginning of a subroutine.
    Subroutine(LabelId),
    /// The instructions that follow belong to this line of the source.
    Line(u32),
    /// Nothing to do.
    Nothing,
}
