//! Component-wise kernels: a scalar function becomes an operation on all channels.
//!
//! What is common to them is here: the type to compute with, operands, masks, the floating-point mode, and one version
//! for each number of channels.

use crate::kernels::lowering::{LowerResult, Lowering, channels, illegal, is_saturated};
use crate::kernels::step::{Run, has_fused};
use crate::machine::World;
use crate::machine::convert::Compute;
use crate::machine::float::{Float, FloatMode};
use crate::machine::lane::{LANES, enabled_lanes, from_lanes};
use crate::machine::operand::{Places, SimpleDestination, SimpleSource, Source, Values};
use crate::machine::thread::{ExecMask, Moded, Thread, ones};
use visakit::isa::{DataType, ExecSize, Modifier, Operand, Predicate, VecOperand};
use visakit::rt::ComponentWise;

/// Makes an operation of all channels. The values of a chunk are computed by an expression of the operands, the thread and the
/// number of the chunk. Where all operands are simple it is compiled for one channel, one chunk and two, for each operation
/// and type, and without calls; one more version is for everything else. Those of chunks are
/// [`wide`](crate::kernels::step::wide) ones where the first argument says so; the second says whether the expression depends
/// on the floating-point mode, and asks for that with `is_plain`.
macro_rules! specialize {
    (
        $wide:expr, $moded:literal, $lanes:expr, $enable:ident, $dst:ident, [$($operand:ident),*],
        |$thread:ident, $n:ident| [$type:ty; $width:ident] => $values:expr
    ) => {{
        const LANES: usize = $crate::machine::lane::LANES;
        let lanes: usize = $lanes;
        let run: $crate::kernels::step::Run = match ($($crate::kernels::compute::Part::simple(&$operand),)* $dst.simple()) {
            ($(Some($operand),)* Some($dst)) => {
                let operands = ($($operand,)* $enable, $dst);
                match ($wide, lanes) {
                    (false, 1) => {
                        specialize!(@rows plain $moded, 1, 1, operands, [$($operand),*], |$thread, $n| [$type; $width] => $values)
                    }
                    (true, 1) => {
                        specialize!(@rows wide $moded, 1, 1, operands, [$($operand),*], |$thread, $n| [$type; $width] => $values)
                    }
                    (true, 2..=LANES) => {
                        specialize!(@rows wide $moded, LANES, 1, operands, [$($operand),*], |$thread, $n| [$type; $width] => $values)
                    }
                    (true, _) => {
                        specialize!(@rows wide $moded, LANES, 2, operands, [$($operand),*], |$thread, $n| [$type; $width] => $values)
                    }
                    (false, 2..=LANES) => {
                        specialize!(@rows plain $moded, LANES, 1, operands, [$($operand),*], |$thread, $n| [$type; $width] => $values)
                    }
                    (false, _) => {
                        specialize!(@rows plain $moded, LANES, 2, operands, [$($operand),*], |$thread, $n| [$type; $width] => $values)
                    }
                }
            }
            _ => {
                let operands = ($($operand,)* $enable, $dst, lanes.div_ceil(LANES));
                if $wide {
                    specialize!(@any wide, operands, [$($operand),*], |$thread, $n| [$type; $width] => $values)
                } else {
                    specialize!(@any plain, operands, [$($operand),*], |$thread, $n| [$type; $width] => $values)
                }
            }
        };
        run
    }};
    (
        @rows $make:ident $moded:literal, $size:expr, $count:expr, $operands:ident, [$($operand:ident),*],
        |$thread:ident, $n:ident| [$type:ty; $width:ident] => $values:expr
    ) => {{
        const $width: usize = $size;
        $crate::kernels::step::$make(
            $operands,
            #[inline(always)]
            move |($($operand,)* enable, dst), thread| {
                if $moded && !thread.is_plain() {
                    return $crate::kernels::compute::cold(
                        #[inline(always)]
                        || $crate::kernels::compute::rows::<$type, $width, $count, false>(
                            thread,
                            enable,
                            dst,
                            #[inline(always)]
                            |$thread, $n| $values,
                        ),
                    );
                }
                $crate::kernels::compute::rows::<$type, $width, $count, true>(
                    thread,
                    enable,
                    dst,
                    #[inline(always)]
                    |$thread, $n| $values,
                );
            },
        )
    }};
    (
        @any $make:ident, $operands:ident, [$($operand:ident),*],
        |$thread:ident, $n:ident| [$type:ty; $width:ident] => $values:expr
    ) => {{
        const $width: usize = LANES;
        $crate::kernels::step::$make(
            $operands,
            #[inline(always)]
            move |($($operand,)* enable, dst, count), thread| {
                $crate::kernels::compute::chunks::<$type, $width>(
                    thread,
                    *count,
                    enable,
                    dst,
                    #[inline(always)]
                    |$thread, $n| $values,
                );
            },
        )
    }};
}
pub(super) use specialize;

/// Something that an operation is given, and what is left of it when it is simple.
pub(super) trait Part {
    /// The simple form.
    type Simple: Copy + Send + Sync + 'static;
    /// Nothing when it is not simple.
    fn simple(&self) -> Option<Self::Simple>;
}

macro_rules! simple_parts {
    ($($type:ty),*) => {$(
        impl Part for $type {
            type Simple = Self;
            fn simple(&self) -> Option<Self> {
                Some(*self)
            }
        }
    )*};
}

simple_parts! { ExecMask, u64, fn(f64) -> f64 }

impl<T: Compute> Part for Source<T> {
    type Simple = SimpleSource<T>;
    fn simple(&self) -> Option<SimpleSource<T>> {
        Source::simple(self)
    }
}

/// Computes and writes one chunk of channels after the other. Where a source of the second chunk is part of the
/// destination of the first, lowering has sent the results another way ([`Lowering::destination`]).
#[inline(always)]
pub(super) fn chunks<T: Compute, const N: usize>(
    thread: &mut Thread,
    count: usize,
    enable: &ExecMask,
    dst: &impl Places<T>,
    compute: impl Fn(&Thread, usize) -> [T; N],
) {
    let enabled = thread.enabled(enable);
    for n in 0..count {
        let values = compute(thread, n);
        dst.store(thread, n, &values, enabled >> (n * LANES));
    }
}

/// The same for simple operands, in the host's floating-point mode or in another one.
#[inline(always)]
pub(super) fn rows<T: Compute, const N: usize, const COUNT: usize, const PLAIN: bool>(
    thread: &mut Thread,
    enable: &ExecMask,
    dst: &SimpleDestination<T>,
    compute: impl Fn(&Moded<'_, PLAIN>, usize) -> [T; N],
) {
    let enabled = thread.enabled(enable);
    let values = compute(&Moded(thread), 0);
    dst.store(thread, 0, &values, enabled);
    if COUNT > 1 {
        let values = compute(&Moded(thread), 1);
        dst.store(thread, 1, &values, enabled >> LANES);
    }
}

/// Does what is rare in a function of its own, so that what is not keeps its values in the host's registers.
#[cold]
#[inline(never)]
pub(super) fn cold(work: impl FnOnce()) {
    work();
}

/// The type that an instruction computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Domain {
    /// 32 bits; only the low bits of the result matter, or all operands are unsigned.
    U32,
    /// The same with 64 bits.
    U64,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Wide enough for every value that 64-bit operands can give.
    I128,
    /// F, and HF and BF with it.
    F32,
    /// DF.
    F64,
}

/// The mask and the destination of an instruction.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    /// Number of channels and mask.
    pub exec_size: ExecSize,
    /// Predicate.
    pub pred: Predicate,
    /// Destination.
    pub dst: &'a VecOperand,
}

impl<'a, const N: usize> From<&ComponentWise<'a, N>> for Target<'a> {
    fn from(inst: &ComponentWise<'a, N>) -> Self {
        Self { exec_size: inst.exec_size, pred: inst.pred, dst: inst.dst }
    }
}

/// Whether a type is a float.
pub(super) fn is_float(data_type: DataType) -> bool {
    matches!(data_type, DataType::F | DataType::Df | DataType::Hf | DataType::Bf)
}

/// Whether a type is a signed integer.
pub(super) fn is_signed(data_type: DataType) -> bool {
    matches!(data_type, DataType::B | DataType::W | DataType::D | DataType::Q)
}

/// The unsigned integer type of the same size: for values that are only moved.
pub(super) fn pattern(data_type: DataType) -> DataType {
    match data_type.bits() {
        8 => DataType::Ub,
        16 => DataType::Uw,
        64 => DataType::Uq,
        _ => DataType::Ud,
    }
}

impl Lowering<'_> {
    /// F or DF when the sources are floats, nothing when they are integers.
    pub(super) fn float_domain(&self, sources: &[&VecOperand]) -> LowerResult<Option<Domain>> {
        let mut floats = 0;
        let mut domain = Domain::F32;
        for source in sources {
            let data_type = self.type_of(source)?;
            floats += usize::from(is_float(data_type));
            if data_type == DataType::Df {
                domain = Domain::F64;
            }
        }
        match floats {
            0 => Ok(None),
            n if n == sources.len() => Ok(Some(domain)),
            _ => illegal("the sources mix integers and floats"),
        }
    }

    /// The type for operations of which only the low bits of the result matter: as wide as the destination.
    pub(super) fn ring_domain(&self, dst: &VecOperand) -> LowerResult<Domain> {
        let data_type = self.type_of(dst)?;
        if is_float(data_type) {
            return illegal("the sources are integers and the destination is a float");
        }
        Ok(if data_type.bits() > 32 { Domain::U64 } else { Domain::U32 })
    }

    /// The unsigned type of all operands, when they are integers of less than 32 bits of which only the low bits matter: the
    /// results need no conversion then. Constants may be of any type.
    pub(super) fn small_ring(&self, dst: &VecOperand, sources: &[&VecOperand]) -> LowerResult<Option<DataType>> {
        let data_type = pattern(self.type_of(dst)?);
        let fits = |operand: &VecOperand| -> LowerResult<bool> {
            let own = self.type_of(operand)?;
            let is_integer = !is_float(own) && own != DataType::Bool;
            let is_constant = matches!(operand.operand, Operand::Immediate(_));
            let is_same = is_constant || pattern(own) == data_type && own.bits() == data_type.bits();
            Ok(is_integer && is_same && matches!(operand.modifier, Modifier::None | Modifier::Negate))
        };
        let mut all = data_type.bits() < 32 && !is_saturated(dst) && fits(dst)?;
        for source in sources {
            all = all && fits(source)?;
        }
        Ok(all.then_some(data_type))
    }

    /// The type of all operands, when it is the same integer of less than 32 bits and their values are not modified.
    pub(super) fn small_type(&self, operands: &[&VecOperand]) -> LowerResult<Option<DataType>> {
        let mut types = Vec::with_capacity(operands.len());
        for operand in operands {
            types.push(self.type_of(operand)?);
        }
        let is_plain = operands.iter().all(|operand| operand.modifier == Modifier::None);
        let is_same = types.iter().all(|data_type| *data_type == types[0]);
        let is_small = matches!(types[0], DataType::Ub | DataType::B | DataType::Uw | DataType::W);
        Ok((is_plain && is_same && is_small).then_some(types[0]))
    }

    /// The type that holds every value of the integer sources, and of results that need `growth` bits more.
    pub(super) fn exact_domain(&self, sources: &[&VecOperand], growth: u32) -> LowerResult<Domain> {
        let (mut signed, mut magnitude) = (false, 0);
        for source in sources {
            let data_type = self.type_of(source)?;
            let negated = matches!(source.modifier, Modifier::Negate | Modifier::NegateAbs | Modifier::Abs)
                && !matches!(source.operand, Operand::Immediate(_));
            signed |= is_signed(data_type) || negated;
            // Bits beside the sign; the negative of the smallest number needs one more.
            let bits =
                data_type.bits() - u32::from(is_signed(data_type)) + u32::from(negated && is_signed(data_type));
            magnitude = magnitude.max(bits);
        }
        Ok(match (signed, magnitude + growth) {
            (false, ..=32) => Domain::U32,
            (false, ..=64) => Domain::U64,
            (true, ..=31) => Domain::I32,
            (true, ..=63) => Domain::I64,
            _ => Domain::I128,
        })
    }

    /// Whether a result is stored with saturation.
    pub(super) fn saturates(&self, target: &Target<'_>) -> bool {
        is_saturated(target.dst)
    }

    /// `dst[i] = f(src0[i], …)` for integers, exact whatever their types are: for results that are saturated, or that
    /// depend on more bits than the destination has. `growth` is how many bits more than the sources they need.
    pub(super) fn exact<const S: usize>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; S],
        growth: u32,
        narrow: fn([i64; S]) -> i64,
        wide: fn([i128; S]) -> i128,
    ) -> LowerResult {
        match self.exact_domain(&sources, growth)? {
            Domain::U32 | Domain::I32 | Domain::I64 => {
                self.per_lane::<i64, S>(target, sources, move |values, _| narrow(values))
            }
            _ => self.per_lane::<i128, S>(target, sources, move |values, _| wide(values)),
        }
    }

    /// `dst[i] = f(src[i])`.
    pub(super) fn unary<T: Compute>(
        &mut self,
        target: Target<'_>,
        source: &VecOperand,
        f: impl Fn(T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        self.unary_as::<T, false>(target, source, f)
    }

    /// The same with wide versions.
    pub(super) fn wide_unary<T: Compute>(
        &mut self,
        target: Target<'_>,
        source: &VecOperand,
        f: impl Fn(T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        self.unary_as::<T, true>(target, source, f)
    }

    fn unary_as<T: Compute, const WIDE: bool>(
        &mut self,
        target: Target<'_>,
        source: &VecOperand,
        f: impl Fn(T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        let lanes = channels(target.exec_size);
        let a = self.source::<T>(source, lanes)?;
        let dst = self.destination::<T>(target.dst, lanes)?;
        let enable = self.enable(target.exec_size, target.pred)?;
        let run = specialize!(WIDE, false, lanes, enable, dst, [a], |thread, n| [T; N] => {
            let a: [T; N] = a.load(thread, n);
            from_lanes(|i| f(a[i]))
        });
        Ok(self.step(enable, run))
    }

    /// `dst[i] = f(src0[i], src1[i])`.
    pub(super) fn binary<T: Compute>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; 2],
        f: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        self.binary_as::<T, false>(target, sources, f)
    }

    /// The same with wide versions.
    pub(super) fn wide_binary<T: Compute>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; 2],
        f: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        self.binary_as::<T, true>(target, sources, f)
    }

    fn binary_as<T: Compute, const WIDE: bool>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; 2],
        f: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        let lanes = channels(target.exec_size);
        let a = self.source::<T>(sources[0], lanes)?;
        let b = self.source::<T>(sources[1], lanes)?;
        let dst = self.destination::<T>(target.dst, lanes)?;
        let enable = self.enable(target.exec_size, target.pred)?;
        let run = specialize!(WIDE || T::SIZE == 8, false, lanes, enable, dst, [a, b], |thread, n| [T; N] => {
            let (a, b): ([T; N], [T; N]) = (a.load(thread, n), b.load(thread, n));
            from_lanes(|i| f(a[i], b[i]))
        });
        Ok(self.step(enable, run))
    }

    /// The same with all operands taken as one type.
    pub(super) fn binary_of<T: Compute>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; 2],
        data_type: DataType,
        f: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        let lanes = channels(target.exec_size);
        let a = self.source_as::<T>(sources[0], data_type, lanes)?;
        let b = self.source_as::<T>(sources[1], data_type, lanes)?;
        let dst = self.destination_as::<T>(target.dst, data_type, lanes)?;
        let enable = self.enable(target.exec_size, target.pred)?;
        let run = specialize!(false, false, lanes, enable, dst, [a, b], |thread, n| [T; N] => {
            let (a, b): ([T; N], [T; N]) = (a.load(thread, n), b.load(thread, n));
            from_lanes(|i| f(a[i], b[i]))
        });
        Ok(self.step(enable, run))
    }

    /// `dst[i] = f(src0[i], src1[i], src2[i])`.
    pub(super) fn ternary<T: Compute>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; 3],
        f: impl Fn(T, T, T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        self.ternary_as::<T, false>(target, sources, f)
    }

    /// The same with all operands taken as one type.
    pub(super) fn ternary_of<T: Compute>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; 3],
        data_type: DataType,
        f: impl Fn(T, T, T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        let lanes = channels(target.exec_size);
        let a = self.source_as::<T>(sources[0], data_type, lanes)?;
        let b = self.source_as::<T>(sources[1], data_type, lanes)?;
        let c = self.source_as::<T>(sources[2], data_type, lanes)?;
        let dst = self.destination_as::<T>(target.dst, data_type, lanes)?;
        let enable = self.enable(target.exec_size, target.pred)?;
        let run = specialize!(false, false, lanes, enable, dst, [a, b, c], |thread, n| [T; N] => {
            let (a, b, c): ([T; N], [T; N], [T; N]) = (a.load(thread, n), b.load(thread, n), c.load(thread, n));
            from_lanes(|i| f(a[i], b[i], c[i]))
        });
        Ok(self.step(enable, run))
    }

    /// The same with wide versions.
    pub(super) fn wide_ternary<T: Compute>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; 3],
        f: impl Fn(T, T, T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        self.ternary_as::<T, true>(target, sources, f)
    }

    fn ternary_as<T: Compute, const WIDE: bool>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; 3],
        f: impl Fn(T, T, T) -> T + Copy + Send + Sync + 'static,
    ) -> LowerResult {
        let lanes = channels(target.exec_size);
        let a = self.source::<T>(sources[0], lanes)?;
        let b = self.source::<T>(sources[1], lanes)?;
        let c = self.source::<T>(sources[2], lanes)?;
        let dst = self.destination::<T>(target.dst, lanes)?;
        let enable = self.enable(target.exec_size, target.pred)?;
        let run = specialize!(WIDE, false, lanes, enable, dst, [a, b, c], |thread, n| [T; N] => {
            let (a, b, c): ([T; N], [T; N], [T; N]) = (a.load(thread, n), b.load(thread, n), c.load(thread, n));
            from_lanes(|i| f(a[i], b[i], c[i]))
        });
        Ok(self.step(enable, run))
    }

    /// `dst[i] = f(src[i])` for floats, as [`Lowering::float_binary`], in wide versions.
    pub(super) fn wide_float_unary<T: Compute + Float>(
        &mut self,
        target: Target<'_>,
        source: &VecOperand,
        plain: impl Fn(T) -> T + Copy + Send + Sync + 'static,
        moded: fn(T, FloatMode) -> T,
    ) -> LowerResult {
        let lanes = channels(target.exec_size);
        let a = self.source::<T>(source, lanes)?;
        let dst = self.destination::<T>(target.dst, lanes)?;
        let enable = self.enable(target.exec_size, target.pred)?;
        let run = specialize!(true, true, lanes, enable, dst, [a], |thread, n| [T; N] => {
            if !thread.is_plain() {
                return in_mode(thread, n, [a], |[a], mode| moded(a, mode));
            }
            let a: [T; N] = a.load(thread, n);
            from_lanes(|i| plain(a[i]))
        });
        Ok(self.step(enable, run))
    }

    /// `dst[i] = f(src0[i], src1[i])` for floats: `plain` in the host's mode, `moded` in any other.
    pub(super) fn float_binary<T: Compute + Float>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; 2],
        plain: impl Fn(T, T) -> T + Copy + Send + Sync + 'static,
        moded: fn(T, T, FloatMode) -> T,
    ) -> LowerResult {
        let lanes = channels(target.exec_size);
        let a = self.source::<T>(sources[0], lanes)?;
        let b = self.source::<T>(sources[1], lanes)?;
        let dst = self.destination::<T>(target.dst, lanes)?;
        let enable = self.enable(target.exec_size, target.pred)?;
        let run = specialize!(false, true, lanes, enable, dst, [a, b], |thread, n| [T; N] => {
            if !thread.is_plain() {
                return in_mode(thread, n, [a, b], |[a, b], mode| moded(a, b, mode));
            }
            let (a, b): ([T; N], [T; N]) = (a.load(thread, n), b.load(thread, n));
            from_lanes(|i| plain(a[i], b[i]))
        });
        Ok(self.step(enable, run))
    }

    /// `dst[i] = f(src0[i], src1[i], src2[i])` for floats, as [`Lowering::float_binary`].
    pub(super) fn float_ternary<T: Compute + Float>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; 3],
        plain: impl Fn(T, T, T) -> T + Copy + Send + Sync + 'static,
        moded: fn(T, T, T, FloatMode) -> T,
    ) -> LowerResult {
        let lanes = channels(target.exec_size);
        let a = self.source::<T>(sources[0], lanes)?;
        let b = self.source::<T>(sources[1], lanes)?;
        let c = self.source::<T>(sources[2], lanes)?;
        let dst = self.destination::<T>(target.dst, lanes)?;
        let enable = self.enable(target.exec_size, target.pred)?;
        let run = specialize!(false, true, lanes, enable, dst, [a, b, c], |thread, n| [T; N] => {
            if !thread.is_plain() {
                return in_mode(thread, n, [a, b, c], |[a, b, c], mode| moded(a, b, c, mode));
            }
            let (a, b, c): ([T; N], [T; N], [T; N]) = (a.load(thread, n), b.load(thread, n), c.load(thread, n));
            from_lanes(|i| plain(a[i], b[i], c[i]))
        });
        Ok(self.step(enable, run))
    }

    /// `dst[i] = src0[i] * src1[i] + src2[i]`, rounded once.
    pub(super) fn fused<T: Compute + Float>(&mut self, target: Target<'_>, sources: [&VecOperand; 3]) -> LowerResult {
        let lanes = channels(target.exec_size);
        let a = self.source::<T>(sources[0], lanes)?;
        let b = self.source::<T>(sources[1], lanes)?;
        let c = self.source::<T>(sources[2], lanes)?;
        let dst = self.destination::<T>(target.dst, lanes)?;
        let enable = self.enable(target.exec_size, target.pred)?;
        let run = if has_fused() {
            specialize!(true, true, lanes, enable, dst, [a, b, c], |thread, n| [T; N] => {
                if !thread.is_plain() {
                    return in_mode(thread, n, [a, b, c], |[a, b, c], mode| a.fused(b, c, mode));
                }
                let (a, b, c): ([T; N], [T; N], [T; N]) = (a.load(thread, n), b.load(thread, n), c.load(thread, n));
                from_lanes(|i| a[i].fused_by_host(b[i], c[i]))
            })
        } else {
            specialize!(false, true, lanes, enable, dst, [a, b, c], |thread, n| [T; N] => {
                if !thread.is_plain() {
                    return in_mode(thread, n, [a, b, c], |[a, b, c], mode| a.fused(b, c, mode));
                }
                T::fused_all(a.load(thread, n), b.load(thread, n), c.load(thread, n))
            })
        };
        Ok(self.step(enable, run))
    }

    /// `dst[i] = f(src0[i], …)` for bit patterns: `types` are those of the destination and of the first source, as unsigned
    /// integers; the other sources are numbers.
    pub(super) fn costly_patterns<const S: usize>(
        &mut self,
        target: Target<'_>,
        enable: ExecMask,
        types: [DataType; 2],
        sources: [&VecOperand; S],
        f: fn([u32; S]) -> u32,
    ) -> LowerResult {
        let lanes = channels(target.exec_size);
        let mut loads = Vec::with_capacity(S);
        for (n, source) in sources.into_iter().enumerate() {
            let data_type = if n == 0 { types[1] } else { self.type_of(source)? };
            loads.push(self.source_as::<u32>(source, data_type, lanes)?);
        }
        let dst = self.destination_as::<u32>(target.dst, types[0], lanes)?;
        let run: Run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
            chunks::<u32, LANES>(thread, lanes.div_ceil(LANES), &enable, &dst, |thread, n| {
                let values: [[u32; LANES]; S] = std::array::from_fn(|s| loads[s].load(thread, n));
                from_lanes(|i| f(std::array::from_fn(|s| values[s][i])))
            });
            Ok(())
        });
        Ok(self.step(enable, run))
    }

    /// `dst[i] = f(src0[i], …)` for functions that cost more than everything around them: one version, and only the
    /// enabled channels.
    pub(super) fn per_lane<T: Compute, const S: usize>(
        &mut self,
        target: Target<'_>,
        sources: [&VecOperand; S],
        f: impl Fn([T; S], FloatMode) -> T + Send + Sync + 'static,
    ) -> LowerResult {
        let lanes = channels(target.exec_size);
        let mut loads = Vec::with_capacity(S);
        for source in sources {
            loads.push(self.source::<T>(source, lanes)?);
        }
        let dst = self.destination::<T>(target.dst, lanes)?;
        let enable = self.enable(target.exec_size, target.pred)?;
        let run: Run = Box::new(move |thread: &mut Thread, _: &World<'_>| {
            let enabled = thread.enabled(&enable);
            chunks::<T, LANES>(thread, lanes.div_ceil(LANES), &enable, &dst, |thread, n| {
                let values: [[T; LANES]; S] = std::array::from_fn(|s| loads[s].load(thread, n));
                let mut result = [T::default(); LANES];
                for lane in enabled_lanes::<LANES>(enabled >> (n * LANES) & ones(LANES)) {
                    result[lane] = f(std::array::from_fn(|s| values[s][lane]), thread.mode);
                }
                result
            });
            Ok(())
        });
        Ok(self.step(enable, run))
    }
}

/// The same operation in another floating-point mode. It loads the sources itself: values that were passed by reference
/// could not stay in the host's registers in the usual mode.
#[cold]
#[inline(never)]
fn in_mode<T: Compute, const N: usize, const S: usize>(
    thread: &Thread,
    n: usize,
    sources: [&impl Values<T>; S],
    f: impl Fn([T; S], FloatMode) -> T,
) -> [T; N] {
    let values: [[T; N]; S] = sources.map(|source| source.load(thread, n));
    from_lanes(|i| f(std::array::from_fn(|s| values[s][i]), thread.mode))
}
