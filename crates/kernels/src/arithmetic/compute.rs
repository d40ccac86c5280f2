//! Component-wise operations: a scalar function becomes an operation on all channels.
//!
//! [`Lowering::apply`] is the entry point. It resolves operands with their regions, modifiers,
//! conversions and saturation, and adds masks, the floating-point mode and the write-back.
//! Functions are written over [`algebra`](crate::operation::algebra), which also describes
//! recording. A recordable operation also implements [`Record`]; [`lane_ops`] does this
//! automatically.
//! [`Lowering::operation`] makes the recording from all operands.

use crate::lowering::step::{Lowered, Run, plain, wide, wide_or_plain};
use crate::lowering::{LowerResult, Lowering, channels, is_saturated};
use crate::operation::algebra::Scalar;
use crate::operation::record::{Input, Node, Output, Record, Recording};
use visakit::isa::{DataType, Predicate};
use visakit::rt::ComponentWise;
use visakit_machine::World;
use visakit_machine::fault::Trap;
use visakit_machine::float::FloatMode;
use visakit_machine::lane::{LANES, enabled_lanes, from_lanes};
use visakit_machine::operand::{Chunk, Destination, Places, SimpleDestination, SimpleSource, Source, Values, simple};
use visakit_machine::thread::{ExecMask, Thread, ones};

/// Operation on one value of each source.
pub(crate) trait LaneOp<L, const S: usize>: Copy + Send + Sync + 'static {
    /// Type of the result.
    type Out;
    /// True if vector code for this operation needs more than the host architecture's baseline.
    const WIDE: bool = false;
    /// Returns the result for one channel.
    fn apply(self, sources: [L; S]) -> Self::Out;
}

/// Defines operations: for each its algebra trait, arguments and result. `wide` is an expression
/// that is true if vector code needs more than the baseline; it may use the algebra type.
macro_rules! lane_ops {
    ($(
        $(#[$doc:meta])*
        $name:ident $({ $($field:ident: $type:ty),* })? <$lane:ident: $algebra:ident>($($arg:ident),*)
        $(wide $wide:expr)? => $body:expr;
    )*) => {$(
        lane_ops!(@struct $(#[$doc])* $name $({ $($field: $type),* })?);

        impl $crate::operation::record::Record<{ [$(stringify!($arg)),*].len() }> for $name {
            fn record<'r>(
                self,
                sources: [$crate::operation::record::Node<'r>; { [$(stringify!($arg)),*].len() }],
            ) -> Option<$crate::operation::record::Node<'r>> {
                Some($crate::arithmetic::compute::LaneOp::apply(self, sources))
            }
        }

        impl<$lane: $crate::operation::algebra::$algebra> $crate::arithmetic::compute::LaneOp<$lane, { [$(stringify!($arg)),*].len() }>
            for $name
        {
            type Out = $lane;
            const WIDE: bool = lane_ops!(@wide $lane $($wide)?);
            #[inline(always)]
            fn apply(self, [$($arg),*]: [$lane; { [$(stringify!($arg)),*].len() }]) -> $lane {
                $(let Self { $($field),* } = self;)?
                $body
            }
        }
    )*};
    (@struct $(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name;
    };
    (@struct $(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $name { $($field: $type),* }
    };
    (@wide $lane:ident) => { <$lane as $crate::operation::algebra::Lane>::LONG };
    (@wide $lane:ident $wide:expr) => { $wide };
}
pub(crate) use lane_ops;

/// An operation on numbers, in the host's floating-point mode and in other modes.
pub(crate) trait Op<T: Scalar, const S: usize>: Copy + Send + Sync + 'static {
    /// Type of the result.
    type Result: Scalar;
    /// As [`LaneOp::WIDE`].
    const WIDE: bool;
    /// Returns the result for one channel in the host's mode.
    fn compute(self, sources: [T; S]) -> Self::Result;
    /// Returns the result for one channel in any mode.
    fn compute_in_mode(self, sources: [T; S], mode: FloatMode) -> Self::Result;
    /// Records the operation in the host's mode, for native code.
    fn record<'r>(self, sources: [Node<'r>; S]) -> Option<Node<'r>>;
}

impl<T, O, R, const S: usize> Op<T, S> for O
where
    T: Scalar,
    R: Scalar,
    O: LaneOp<T, S, Out = R> + LaneOp<T::Moded, S, Out = R::Moded> + Record<S>,
{
    type Result = R;
    const WIDE: bool = <O as LaneOp<T, S>>::WIDE;

    #[inline(always)]
    fn compute(self, sources: [T; S]) -> R {
        <O as LaneOp<T, S>>::apply(self, sources)
    }

    #[inline(always)]
    fn compute_in_mode(self, sources: [T; S], mode: FloatMode) -> R {
        // A loop instead of `map`, which expands to long code in every operation.
        let mut strict = [sources[0].in_mode(mode); S];
        for s in 1..S {
            strict[s] = sources[s].in_mode(mode);
        }
        R::of_mode(<O as LaneOp<T::Moded, S>>::apply(self, strict))
    }

    fn record<'r>(self, sources: [Node<'r>; S]) -> Option<Node<'r>> {
        Record::record(self, sources)
    }
}

/// A function of all channels of a chunk. Most are per-channel operations ([`PerLane`]).
pub(crate) trait ChunkOp<T: Scalar, R: Scalar, const S: usize>: Copy + Send + Sync + 'static {
    /// As [`LaneOp::WIDE`].
    const WIDE: bool;
    /// True if the function depends on the floating-point mode.
    const MODED: bool;
    /// Returns the results of the n-th chunk in the host's floating-point mode.
    fn compute<const N: usize>(&self, sources: &[impl Values<T>; S], thread: &Thread, n: usize) -> [R; N];
    /// Returns the results of the n-th chunk in the thread's floating-point mode.
    fn compute_in_mode(&self, sources: &[Chunk<T>; S], thread: &Thread, n: usize) -> [R; LANES];
    /// Records the function for one channel in the host's mode, for native code.
    fn record<'r>(&self, sources: [Node<'r>; S]) -> Option<Node<'r>>;
}

/// A per-channel operation on a chunk.
#[derive(Clone, Copy)]
pub(crate) struct PerLane<O>(pub(crate) O);

impl<T: Scalar, O: Op<T, S>, const S: usize> ChunkOp<T, O::Result, S> for PerLane<O>
where
    Arity<S>: Map<S>,
{
    const WIDE: bool = O::WIDE;
    const MODED: bool = T::MODED;

    #[inline(always)]
    fn compute<const N: usize>(&self, sources: &[impl Values<T>; S], thread: &Thread, n: usize) -> [O::Result; N] {
        let op = self.0;
        Arity::map(
            sources,
            thread,
            n,
            #[inline(always)]
            |values| op.compute(values),
        )
    }

    #[inline(never)]
    fn compute_in_mode(&self, sources: &[Chunk<T>; S], thread: &Thread, n: usize) -> [O::Result; LANES] {
        Arity::map(sources, thread, n, |values: [T; S]| self.0.compute_in_mode(values, thread.mode))
    }

    fn record<'r>(&self, sources: [Node<'r>; S]) -> Option<Node<'r>> {
        self.0.record(sources)
    }
}

/// Number of sources.
pub(crate) struct Arity<const S: usize>;

/// Maps a function over the channels of `S` sources. Every arity has its own code, because arrays
/// of arrays do not stay in host registers.
pub(crate) trait Map<const S: usize> {
    /// Returns the results of `f` for the n-th chunk.
    fn map<T: Scalar, R: Scalar, const N: usize>(
        sources: &[impl Values<T>; S],
        thread: &Thread,
        n: usize,
        f: impl Fn([T; S]) -> R,
    ) -> [R; N];
}

macro_rules! arities {
    ($($count:literal: $($source:ident)*;)*) => {$(
        impl Map<$count> for Arity<$count> {
            #[inline(always)]
            fn map<T: Scalar, R: Scalar, const N: usize>(
                [$($source),*]: &[impl Values<T>; $count],
                thread: &Thread,
                n: usize,
                f: impl Fn([T; $count]) -> R,
            ) -> [R; N] {
                $(let $source: [T; N] = $source.load(thread, n);)*
                from_lanes(#[inline(always)] |i| f([$($source[i]),*]))
            }
        }
    )*};
}

arities! {
    1: a;
    2: a b;
    3: a b c;
    4: a b c d;
}

/// Types as which an instruction's operands are interpreted.
#[derive(Clone, Copy)]
pub(crate) struct Types<const S: usize> {
    /// Type of the destination.
    pub(crate) dst: DataType,
    /// Types of the sources.
    pub(crate) src: [DataType; S],
}

/// Operands of an instruction that computes in `T` with a result of type `R`.
pub(crate) struct Operands<T: Scalar, R: Scalar, const S: usize> {
    sources: [Source<T>; S],
    dst: Destination<R>,
    /// Enable mask.
    pub(crate) enable: ExecMask,
    lanes: usize,
    inputs: [Input; S],
    output: Output,
}

impl Lowering<'_> {
    /// Lowers `dst[i] = op(src0[i], …)`.
    pub(crate) fn apply<T: Scalar, O: Op<T, S>, const S: usize>(
        &mut self,
        inst: &ComponentWise<'_, S>,
        op: O,
    ) -> LowerResult
    where
        Arity<S>: Map<S>,
    {
        let types = self.types(inst)?;
        self.apply_as(inst, types, op)
    }

    /// As [`Lowering::apply`], with the operands interpreted as other types of the same sizes.
    pub(crate) fn apply_as<T: Scalar, O: Op<T, S>, const S: usize>(
        &mut self,
        inst: &ComponentWise<'_, S>,
        types: Types<S>,
        op: O,
    ) -> LowerResult
    where
        Arity<S>: Map<S>,
    {
        let operands = self.operands::<T, O::Result, S>(inst, inst.pred, types)?;
        Ok(self.operation(operands, PerLane(op)))
    }

    /// Lowers `dst[i] = op(src0[i], …)` for operations that dominate their operand access: a single
    /// version that computes only enabled channels.
    pub(crate) fn apply_costly<T: Scalar, O: Op<T, S>, const S: usize>(
        &mut self,
        inst: &ComponentWise<'_, S>,
        types: Types<S>,
        op: O,
    ) -> LowerResult {
        let operands = self.operands::<T, O::Result, S>(inst, inst.pred, types)?;
        self.note_operation(&operands.inputs, &operands.output, &|nodes| op.record(nodes.try_into().ok()?));
        let Operands { sources, dst, enable, lanes, .. } = operands;
        let run = plain((sources, dst, enable, lanes), move |(sources, dst, enable, lanes), thread, _| {
            let enabled = thread.enabled(enable);
            for n in 0..lanes.div_ceil(LANES) {
                let mut values = [[T::default(); LANES]; S];
                for s in 0..S {
                    values[s] = sources[s].load(thread, n);
                }
                let mut results = [O::Result::default(); LANES];
                for lane in enabled_lanes::<LANES>(enabled >> (n * LANES) & ones(LANES)) {
                    let mut of_lane = [T::default(); S];
                    for s in 0..S {
                        of_lane[s] = values[s][lane];
                    }
                    results[lane] = op.compute_in_mode(of_lane, thread.mode);
                }
                dst.store(thread, n, &results, enabled >> (n * LANES));
            }
            Ok(())
        });
        Ok(self.step(enable, run))
    }

    /// Returns the types of an instruction's operands.
    pub(crate) fn types<const S: usize>(&self, inst: &ComponentWise<'_, S>) -> LowerResult<Types<S>> {
        let mut types = Types { dst: self.type_of(inst.dst)?, src: [DataType::Ud; S] };
        for (data_type, source) in types.src.iter_mut().zip(inst.src) {
            *data_type = self.type_of(source)?;
        }
        Ok(types)
    }

    /// Resolves an instruction's operands.
    pub(crate) fn operands<T: Scalar, R: Scalar, const S: usize>(
        &mut self,
        inst: &ComponentWise<'_, S>,
        pred: Predicate,
        types: Types<S>,
    ) -> LowerResult<Operands<T, R, S>> {
        let lanes = channels(inst.exec_size);
        let mut sources = std::array::from_fn(|_| Source::scalar(0));
        for ((place, source), data_type) in sources.iter_mut().zip(inst.src).zip(types.src) {
            *place = self.source_as(source, data_type, lanes)?;
        }
        let dst = self.destination_as(inst.dst, types.dst, lanes)?;
        let enable = self.enable(inst.exec_size, pred)?;
        let inputs = std::array::from_fn(|n| self.input(inst.src[n], &sources[n], types.src[n]));
        let output = Output::new(&dst, types.dst, is_saturated(inst.dst));
        Ok(Operands { sources, dst, enable, lanes, inputs, output })
    }

    /// Records the native action of an operation. Not generic, because recording is not
    /// performance-critical.
    fn note_operation(
        &mut self,
        inputs: &[Input],
        output: &Output,
        op: &dyn for<'r> Fn(&[Node<'r>]) -> Option<Node<'r>>,
    ) {
        self.note_action(|_| {
            let recording = Recording::default();
            let nodes: Vec<Node<'_>> = inputs.iter().map(|input| recording.source(input)).collect::<Option<_>>()?;
            recording.finish(&[(op(&nodes)?, output)])
        });
    }

    /// Returns a step for an operation. If all operands are simple, an inline version handles one
    /// channel, or chunks of channels. A general version covers all other operands, other
    /// floating-point modes, and hosts without the required vector extension.
    pub(crate) fn operation<T: Scalar, R: Scalar, O: ChunkOp<T, R, S>, const S: usize>(
        &mut self,
        operands: Operands<T, R, S>,
        op: O,
    ) -> Lowered {
        self.note_operation(&operands.inputs, &operands.output, &|nodes| op.record(nodes.try_into().ok()?));
        let Operands { sources, dst, enable, lanes, .. } = operands;
        let simple = simple(&sources).zip(dst.simple());
        let count = lanes.div_ceil(LANES);
        let all = (sources, dst, enable, count, op);
        // On the baseline, operations such as a fused multiply-add are calls to the system library.
        let general = if const { O::WIDE && O::MODED } {
            wide_or_plain(
                all,
                #[inline(always)]
                |all, thread, _| general(all, thread),
            )
        } else {
            plain(all, |all, thread, _| general(all, thread))
        };
        let run = match simple {
            None => general,
            Some((sources, dst)) if lanes == 1 => row::<T, R, O, S, 1>((sources, dst, enable, 1, op), general),
            Some((sources, dst)) => row::<T, R, O, S, LANES>((sources, dst, enable, count, op), general),
        };
        self.step(enable, run)
    }
}

/// Data of an operation's general version: operands, mask, number of chunks, and function.
type General<T, R, O, const S: usize> = ([Source<T>; S], Destination<R>, ExecMask, usize, O);
/// Data of an operation's version for simple operands.
type Row<T, R, O, const S: usize> = ([SimpleSource<T>; S], SimpleDestination<R>, ExecMask, usize, O);

/// Computes chunk by chunk for any operands. If a source of the second chunk overlaps the first
/// chunk of the destination, lowering has redirected the results ([`Lowering::destination`]).
#[inline(always)]
fn general<T: Scalar, R: Scalar, O: ChunkOp<T, R, S>, const S: usize>(
    (sources, dst, enable, count, op): &General<T, R, O, S>,
    thread: &mut Thread,
) -> Result<(), Box<Trap>> {
    let enabled = thread.enabled(enable);
    for n in 0..*count {
        // Out-of-line loads and stores keep this code small.
        let mut values = [Chunk([T::default(); LANES]); S];
        for s in 0..S {
            values[s] = Chunk(sources[s].chunk(thread, n));
        }
        let results: [R; LANES] = if const { O::MODED } && !thread.is_plain() {
            op.compute_in_mode(&values, thread, n)
        } else {
            op.compute(&values, thread, n)
        };
        dst.store_chunk(thread, n, &results, enabled >> (n * LANES));
    }
    Ok(())
}

/// Returns the version for simple operands, with chunks of `N` channels; `general` covers the rare
/// cases.
fn row<T: Scalar, R: Scalar, O: ChunkOp<T, R, S>, const S: usize, const N: usize>(
    row: Row<T, R, O, S>,
    general: Run,
) -> Run {
    if const { O::MODED } {
        let all = (row, general);
        return if const { O::WIDE } {
            wide(
                all,
                #[inline(always)]
                |all, thread, world| in_host_mode::<T, R, O, S, N>(all, thread, world),
                |(_, general)| general,
            )
        } else {
            plain(all, |all, thread, world| in_host_mode::<T, R, O, S, N>(all, thread, world))
        };
    }
    // A single channel needs no vectors.
    if const { O::WIDE && N > 1 } {
        wide(
            row,
            #[inline(always)]
            |row, thread, _| chunks_of::<T, R, O, S, N>(row, thread),
            |_| general,
        )
    } else {
        plain(row, |row, thread, _| chunks_of::<T, R, O, S, N>(row, thread))
    }
}

/// Runs [`chunks_of`] in the host's floating-point mode, otherwise `general`.
#[inline(always)]
fn in_host_mode<T: Scalar, R: Scalar, O: ChunkOp<T, R, S>, const S: usize, const N: usize>(
    (row, general): &(Row<T, R, O, S>, Run),
    thread: &mut Thread,
    world: &World<'_>,
) -> Result<(), Box<Trap>> {
    if thread.is_plain() { chunks_of::<T, R, O, S, N>(row, thread) } else { general.call(thread, world) }
}

/// Computes and stores all chunks of simple operands.
#[inline(always)]
fn chunks_of<T: Scalar, R: Scalar, O: ChunkOp<T, R, S>, const S: usize, const N: usize>(
    (sources, dst, enable, count, op): &Row<T, R, O, S>,
    thread: &mut Thread,
) -> Result<(), Box<Trap>> {
    let mut enabled = thread.enabled(enable);
    let mut n = 0;
    loop {
        let results: [R; N] = op.compute(sources, thread, n);
        dst.store(thread, n, &results, enabled);
        n += 1;
        if N == 1 || n >= *count {
            return Ok(());
        }
        enabled >>= LANES;
    }
}

/// Computes and stores chunk by chunk for any operands. If a source of the second chunk overlaps
/// the first chunk of the destination, lowering has redirected the results
/// ([`Lowering::destination`]).
#[inline(always)]
pub(crate) fn chunks<T: Scalar>(
    thread: &mut Thread,
    count: usize,
    enable: &ExecMask,
    dst: &Destination<T>,
    compute: impl Fn(&Thread, usize) -> [T; LANES],
) {
    let enabled = thread.enabled(enable);
    for n in 0..count {
        let values = compute(thread, n);
        dst.store(thread, n, &values, enabled >> (n * LANES));
    }
}
