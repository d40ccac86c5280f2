//! Results of lowering an instruction.

use visakit::isa::LabelId;
use visakit_machine::World;
use visakit_machine::fault::Trap;
use visakit_machine::operand::Source;
use visakit_machine::thread::{ExecMask, Thread};
use visakit_native::host::Vectors;
use visakit_native::ir::Action;

/// An operation with resolved operand locations.
pub struct Run(Box<dyn Step>);

/// Trait of operations. A separate trait, because the compiler generates three versions of every
/// function called through `dyn Fn`.
trait Step: Send + Sync {
    fn call(&self, thread: &mut Thread, world: &World<'_>) -> Result<(), Box<Trap>>;
}

impl<F: Fn(&mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync> Step for F {
    fn call(&self, thread: &mut Thread, world: &World<'_>) -> Result<(), Box<Trap>> {
        self(thread, world)
    }
}

impl Run {
    /// Returns the operation for a function.
    pub fn new(function: impl Fn(&mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static) -> Self {
        Self(Box::new(function))
    }

    /// Executes the operation for a thread.
    ///
    /// # Errors
    /// The trap that stops the thread.
    #[inline(always)]
    pub fn call(&self, thread: &mut Thread, world: &World<'_>) -> Result<(), Box<Trap>> {
        self.0.call(thread, world)
    }
}

/// Returns an operation with its operands stored together, so that a step needs few host cache
/// lines.
pub(crate) fn plain<E: Send + Sync + 'static>(
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
) -> Run {
    Run::new(move |thread, world| body(&operands, thread, world))
}

/// Returns an operation compiled with the host's vector extensions: `body` may use all instructions
/// that native code uses. `body` and its callees must be `#[inline(always)]`. On a host without
/// them, returns `otherwise(operands)`.
///
/// Use this if the architecture's baseline lacks the operation: fused multiply-add, per-channel
/// shift counts, many 64-bit values.
pub(crate) fn wide<E: Send + Sync + 'static>(
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
    otherwise: impl FnOnce(E) -> Run,
) -> Run {
    match Vectors::of_host() {
        Some(vectors) => vectorized(vectors, operands, body),
        None => otherwise(operands),
    }
}

/// As [`wide`]; on a host without the extensions, `body` is compiled for the baseline.
pub(crate) fn wide_or_plain<E: Send + Sync + 'static>(
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
) -> Run {
    match Vectors::of_host() {
        Some(vectors) => vectorized(vectors, operands, body),
        None => plain(operands, body),
    }
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

/// An operation with its enable mask.
pub struct Op {
    /// Operation.
    pub run: Run,
    /// Enable mask. The operation applies it itself; statistics need it separately.
    pub enable: ExecMask,
    /// Native action of the operation.
    pub action: Action,
    /// True if the thread pauses after the operation.
    pub pauses: bool,
}

impl Op {
    /// Returns an operation that native code does not support.
    pub fn interpreted(run: Run, enable: ExecMask) -> Self {
        Self { run, enable, action: Action::Outside, pauses: false }
    }
}

/// An operation that two neighbouring threads of a group start together, each with the data of
/// both.
pub struct Exchange {
    /// Register offset of the thread's part of the data.
    pub own: u32,
    /// Sizes in bytes of the even thread's part and the odd thread's part.
    pub parts: [u32; 2],
    /// Register offset for both parts, contiguously.
    pub shared: u32,
    /// Operation.
    pub run: Run,
}

/// Target of a function call.
pub enum Callee {
    /// Function with this name.
    Named(String),
    /// Function at the address of the first enabled channel.
    At(Source<u64>),
}

/// Result of lowering an instruction.
pub enum Lowered {
    /// An operation.
    Op(Op),
    /// A branch per channel; with a single channel, all channels branch together.
    Branch {
        /// Channels that take the branch.
        enable: ExecMask,
        /// Target label.
        label: LabelId,
    },
    /// A jump of all channels or none, past channels that wait on the way.
    Jump {
        /// Mask of the deciding channel.
        enable: ExecMask,
        /// Target label.
        label: LabelId,
    },
    /// A jump of all channels to one of several labels.
    Switch {
        /// Index in the list.
        index: Source<u32>,
        /// Target labels.
        labels: Vec<LabelId>,
    },
    /// A subroutine call.
    Call {
        /// Calling channels.
        enable: ExecMask,
        /// Label of the subroutine.
        label: LabelId,
    },
    /// A function call.
    Function {
        /// Calling channels.
        enable: ExecMask,
        /// Called function.
        callee: Callee,
    },
    /// A return from a subroutine, or the end of the thread.
    Return {
        /// Returning channels.
        enable: ExecMask,
    },
    /// A two-thread operation; the thread waits for its neighbour.
    Exchange(Exchange),
    /// A barrier of the group.
    Barrier,
    /// A signal to a barrier.
    Signal {
        /// Number of a named barrier; `None` for the group's.
        barrier: Option<Source<u32>>,
        /// Number of threads of a named barrier.
        threads: Option<Source<u32>>,
    },
    /// A wait until all threads of a barrier have signalled.
    Wait {
        /// Number of a named barrier; `None` for the group's.
        barrier: Option<Source<u32>>,
    },
    /// A branch target.
    Label(LabelId),
    /// Start of a subroutine.
    Subroutine(LabelId),
    /// Source line of the following instructions.
    Line(u32),
    /// No operation.
    Nothing,
}

impl Lowered {
    /// Returns the label that the instruction defines for branches.
    pub(crate) fn label(&self) -> Option<&LabelId> {
        match self {
            Self::Label(label) => Some(label),
            _ => None,
        }
    }

    /// Returns the labels that the instruction may branch to.
    pub(crate) fn targets(&self) -> &[LabelId] {
        match self {
            Self::Branch { label, .. } | Self::Jump { label, .. } => std::slice::from_ref(label),
            Self::Switch { labels, .. } => labels,
            _ => &[],
        }
    }
}
