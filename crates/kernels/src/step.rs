//! What lowering makes of an instruction.

use visakit::isa::LabelId;
use visakit_machine::World;
use visakit_machine::fault::Trap;
use visakit_machine::operand::Source;
use visakit_machine::thread::{ExecMask, Thread};
use visakit_native::host::Vectors;
use visakit_native::ir::{Action, Function, Operands};

/// An operation with its places resolved.
pub struct Run(Box<dyn Step>);

/// What an operation is; a trait of its own, since each function behind a `dyn Fn` is compiled
/// three times.
trait Step: Send + Sync {
    fn call(&self, thread: &mut Thread, world: &World<'_>) -> Result<(), Box<Trap>>;
}

impl<F: Fn(&mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync> Step for F {
    fn call(&self, thread: &mut Thread, world: &World<'_>) -> Result<(), Box<Trap>> {
        self(thread, world)
    }
}

impl Run {
    /// The operation that a function does.
    pub fn new(function: impl Fn(&mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static) -> Self {
        Self(Box::new(function))
    }

    /// Does it for a thread.
    ///
    /// # Errors
    /// When the machine stops the thread.
    #[inline(always)]
    pub fn call(&self, thread: &mut Thread, world: &World<'_>) -> Result<(), Box<Trap>> {
        self.0.call(thread, world)
    }
}

/// An operation whose operands stand together, so that a step needs few of the host's cache lines.
pub(super) fn plain<E: Send + Sync + 'static>(
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
) -> Run {
    Run::new(move |thread, world| body(&operands, thread, world))
}

/// The same with the host's vectors: `body` is compiled with all vector instructions that native
/// code uses. It has to be `#[inline(always)]`, and so has what it calls. A host without them gets
/// what `otherwise` makes.
///
/// Worth its version where the baseline of the architecture lacks what is needed: fused
/// multiplications, shifts by another count in each channel, many values of 64 bits.
pub(super) fn wide<E: Send + Sync + 'static>(
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
    otherwise: impl FnOnce(E) -> Run,
) -> Run {
    match Vectors::of_host() {
        Some(vectors) => vectorized(vectors, operands, body),
        None => otherwise(operands),
    }
}

/// The same where a host without them gets the same function, compiled for the baseline.
pub(super) fn wide_or_plain<E: Send + Sync + 'static>(
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
) -> Run {
    match Vectors::of_host() {
        Some(vectors) => vectorized(vectors, operands, body),
        None => plain(operands, body),
    }
}

/// A function that native code calls; that there is native code says that the host has vectors.
pub(super) fn wide_function(body: impl Fn(&mut Operands) + Send + Sync + 'static) -> Option<Function> {
    let vectors = Vectors::of_host()?;
    Some(Function::new(move |operands| {
        let body = &body;
        vectors.call(
            #[inline(always)]
            move || body(operands),
        );
    }))
}

fn vectorized<E: Send + Sync + 'static>(
    vectors: Vectors,
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
) -> Run {
    let all = (operands, body);
    Run::new(move |thread, world| {
        let all = &all;
        vectors.call(
            #[inline(always)]
            move || (all.1)(&all.0, thread, world),
        )
    })
}

/// An operation and the channels that it is for.
pub struct Op {
    /// The operation.
    pub run: Run,
    /// Its mask: the operation obeys it by itself, counting asks for it.
    pub enable: ExecMask,
    /// The same for native code.
    pub action: Action,
}

impl Op {
    /// An operation that native code does not know.
    pub fn interpreted(run: Run, enable: ExecMask) -> Self {
        Self { run, enable, action: Action::Outside }
    }
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
    Op(Op),
    /// Each channel goes to a label or goes on; with one channel all of them do the same.
    Branch {
        /// The channels that go to the label.
        enable: ExecMask,
        /// The label.
        label: LabelId,
    },
    /// All channels go to a label or go on, past others that wait on the way.
    Jump {
        /// The channel that decides.
        enable: ExecMask,
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
        enable: ExecMask,
        /// The subroutine.
        label: LabelId,
    },
    /// Channels enter a function.
    Function {
        /// The channels.
        enable: ExecMask,
        /// The function.
        callee: Callee,
    },
    /// Channels leave the subroutine, or end.
    Return {
        /// The channels.
        enable: ExecMask,
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
