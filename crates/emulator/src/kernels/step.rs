//! What lowering makes of an instruction.

#[cfg(target_arch = "x86_64")]
use fearless_simd::{Level, Simd};

use crate::machine::World;
use crate::machine::fault::Trap;
use crate::machine::operand::Source;
use crate::machine::thread::{ExecMask, Thread};
use visakit::isa::LabelId;
use visakit_native::ir::{Action, Function, Operands};

/// An operation with its places resolved.
pub type Run = Box<dyn Fn(&mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync>;

/// An operation whose operands stand together, so that a step needs few of the host's cache lines.
pub(super) fn plain<E: Send + Sync + 'static>(
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
) -> Run {
    Box::new(move |thread, world| body(&operands, thread, world))
}

/// The same in the version that suits the host: `body` is compiled for each set of vector instructions that there may be. It
/// has to be `#[inline(always)]`, and so has what it calls. A host without them gets what `otherwise` makes.
///
/// Worth its versions where the baseline of the architecture lacks what is needed: fused multiplications, shifts by another
/// count in each channel, many values of 64 bits.
pub(super) fn wide<E: Send + Sync + 'static>(
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
    otherwise: impl FnOnce(E) -> Run,
) -> Run {
    #[cfg(target_arch = "x86_64")]
    return match Level::new() {
        Level::Avx512(simd) => vectorized(simd, operands, body),
        Level::Avx2(simd) => vectorized(simd, operands, body),
        _ => otherwise(operands),
    };
    #[cfg(not(target_arch = "x86_64"))]
    {
        // The baseline of other architectures has what there is.
        let _ = otherwise;
        plain(operands, body)
    }
}

/// The same for what is not worth so many versions, and needs one for hosts without such instructions.
pub(super) fn wide_or_plain<E: Send + Sync + 'static>(
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
) -> Run {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = Level::new().as_avx2() {
        return vectorized(simd, operands, body);
    }
    plain(operands, body)
}

/// A function that native code calls, in the version that suits the host.
pub(super) fn wide_function(body: impl Fn(&mut Operands) + Send + Sync + 'static) -> Function {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = Level::new().as_avx2() {
        return Function::new(move |operands| {
            let body = &body;
            simd.vectorize(
                #[inline(always)]
                move || body(operands),
            );
        });
    }
    Function::new(body)
}

#[cfg(target_arch = "x86_64")]
fn vectorized<E: Send + Sync + 'static>(
    simd: impl Simd,
    operands: E,
    body: impl Fn(&E, &mut Thread, &World<'_>) -> Result<(), Box<Trap>> + Send + Sync + 'static,
) -> Run {
    let all = (operands, body);
    Box::new(move |thread, world| {
        let all = &all;
        simd.vectorize(
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
