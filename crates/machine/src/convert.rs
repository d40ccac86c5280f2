//! Conversions between operand types and computation types (2_datatypes.md, "Type Conversion").
//!
//! Integers are computed in 32, 64 or 128 bits, HF and BF in F. Reads widen exactly; writes
//! truncate, saturate or round as the destination type requires.

use half::{bf16, f16};

use crate::chunk::{LONGEST_STRIDE, blend, spread, take};
use crate::float::{Float as _, FloatMode};
use crate::lane::{Element, LANES, Number, from_lanes};
use crate::region::{Region, Start};
use crate::rounding;
use crate::thread::{Thread, ones};
use visakit::isa::DataType;

/// Function that reads a chunk of channels of a region and widens the values.
pub type Fetch<T> = fn(&Thread, &Region) -> [T; LANES];
/// Function that narrows a chunk of values and writes the enabled channels to a region.
pub type Put<T> = fn(&mut Thread, &Region, &[T; LANES], u32);

/// A computation type of kernels.
pub trait Compute: Number {
    /// Returns true if operands of this type have the representation of `Self` in the registers.
    fn is_native(data_type: DataType) -> bool;
    /// Returns the function that reads operands of this type; `None` if the type does not fit into
    /// `Self`.
    fn fetch(data_type: DataType) -> Option<Fetch<Self>>;
    /// Returns the function that writes operands of this type; `None` if the conversion does not
    /// exist.
    fn put(data_type: DataType, saturate: bool) -> Option<Put<Self>>;
}

/// Conversion of a register element to the computation type `T`.
trait Widen<T>: Element {
    fn widen(self, mode: FloatMode) -> T;
}

/// Conversion of a computed value to the register element type `D`.
trait Narrow<D>: Number {
    fn narrow(self, mode: FloatMode) -> D;
    fn narrow_saturating(self, mode: FloatMode) -> D;
}

fn fetch<S: Widen<T>, T: Number>(thread: &Thread, region: &Region) -> [T; LANES] {
    if let (Start::At(offset), Some(stride)) = (region.start, region.stride())
        && stride as usize == S::SIZE
    {
        let lanes: [S; LANES] = thread.registers.load(offset);
        return from_lanes(|i| lanes[i].widen(thread.mode));
    }
    let mut lanes = [T::default(); LANES];
    if let (Start::At(offset), Some(stride)) = (region.start, region.stride())
        && stride <= LONGEST_STRIDE
    {
        let lanes: [S; LANES] = take(&thread.registers, offset, stride);
        return from_lanes(|i| lanes[i].widen(thread.mode));
    }
    if let (Start::At(offset), Some(stride)) = (region.start, region.stride()) {
        // Lowering has checked that the region lies in the register file.
        let mut offset = offset;
        for lane in lanes.iter_mut().take(region.lanes as usize) {
            *lane = thread.registers.get::<S>(offset).widen(thread.mode);
            offset += stride;
        }
        return lanes;
    }
    for (lane, offset) in lanes.iter_mut().zip(region.offsets(thread)).take(region.lanes as usize) {
        // An enabled channel with an address outside the register file has already trapped.
        if thread.registers.holds(offset, S::SIZE) {
            *lane = thread.registers.get::<S>(offset).widen(thread.mode);
        }
    }
    lanes
}

fn put_all<D: Element>(thread: &mut Thread, region: &Region, lanes: &[D; LANES], enabled: u32) {
    if let (Start::At(offset), Some(stride)) = (region.start, region.stride())
        && stride as usize == D::SIZE
    {
        blend(&mut thread.registers, offset, lanes, enabled);
        return;
    }
    if let (Start::At(offset), Some(stride)) = (region.start, region.stride()) {
        // Lowering has checked that the region lies in the register file.
        spread(&mut thread.registers, offset, stride, lanes, enabled & ones(region.lanes as usize));
        return;
    }
    let offsets = region.offsets(thread);
    for (i, (lane, offset)) in lanes.iter().zip(offsets).enumerate().take(region.lanes as usize) {
        if enabled >> i & 1 == 1 && thread.registers.holds(offset, D::SIZE) {
            thread.registers.set(offset, *lane);
        }
    }
}

fn put<T: Narrow<D>, D: Element>(thread: &mut Thread, region: &Region, lanes: &[T; LANES], enabled: u32) {
    let mode = thread.mode;
    put_all(thread, region, &from_lanes(|i| lanes[i].narrow(mode)), enabled);
}

fn put_saturating<T: Narrow<D>, D: Element>(thread: &mut Thread, region: &Region, lanes: &[T; LANES], enabled: u32) {
    let mode = thread.mode;
    put_all(thread, region, &from_lanes(|i| lanes[i].narrow_saturating(mode)), enabled);
}

/// Implements integer widening with `as`: sign or zero extension, or truncation.
macro_rules! widen_integers {
    ($($from:ty => $($to:ty)*;)*) => {$($(
        impl Widen<$to> for $from {
            #[inline(always)]
            fn widen(self, _: FloatMode) -> $to { self as $to }
        }
    )*)*};
}

widen_integers! {
    u8 => u8 u32 u64 i32 i64 i128;
    i8 => i8 u32 u64 i32 i64 i128;
    u16 => u16 u32 u64 i32 i64 i128;
    i16 => i16 u32 u64 i32 i64 i128;
    u32 => u32 u64 i32 i64 i128;
    i32 => u32 u64 i32 i64 i128;
    u64 => u32 u64 i32 i64 i128;
    i64 => u32 u64 i32 i64 i128;
}

macro_rules! widen_floats {
    ($($from:ty => $to:ty, $function:expr;)*) => {$(
        impl Widen<$to> for $from {
            #[inline(always)]
            fn widen(self, mode: FloatMode) -> $to { $function(self, mode) }
        }
    )*};
}

widen_floats! {
    f16 => f32, |value, mode| rounding::flush_half(value, mode).to_f32();
    bf16 => f32, |value: bf16, mode| value.to_f32().flushed(mode);
    f32 => f32, |value, _| value;
    f16 => f64, |value, mode| rounding::flush_half(value, mode).to_f64();
    bf16 => f64, |value: bf16, mode| f64::from(value.to_f32().flushed(mode));
    f32 => f64, |value: f32, mode| f64::from(value.flushed(mode));
    f64 => f64, |value, _| value;
}

macro_rules! narrow_integers {
    ($($from:ty)*) => {$(
        narrow_integers!(@one $from => u8 i8 u16 i16 u32 i32 u64 i64);

        impl Narrow<f32> for $from {
            #[inline(always)]
            fn narrow(self, mode: FloatMode) -> f32 {
                if mode.is_plain() { self as f32 } else { rounding::integer_to_single(i128::from(self), mode.rounding) }
            }
            fn narrow_saturating(self, mode: FloatMode) -> f32 { saturate(Narrow::<f32>::narrow(self, mode)) }
        }

        impl Narrow<f64> for $from {
            #[inline(always)]
            fn narrow(self, mode: FloatMode) -> f64 {
                if mode.is_plain() { self as f64 } else { rounding::integer_to_double(i128::from(self), mode.rounding) }
            }
            fn narrow_saturating(self, mode: FloatMode) -> f64 { saturate(Narrow::<f64>::narrow(self, mode)) }
        }

        impl Narrow<f16> for $from {
            // Integers not exact in DF are far above the largest HF, so no double rounding occurs.
            fn narrow(self, mode: FloatMode) -> f16 { rounding::double_to_half(self as f64, mode) }
            fn narrow_saturating(self, mode: FloatMode) -> f16 {
                rounding::double_to_half(saturate(self as f64), mode)
            }
        }
    )*};
    (@one $from:ty => $($to:ty)*) => {$(
        impl Narrow<$to> for $from {
            #[inline(always)]
            fn narrow(self, _: FloatMode) -> $to { self as $to }
            #[inline(always)]
            fn narrow_saturating(self, _: FloatMode) -> $to {
                <$to>::try_from(self).unwrap_or(if i128::from(self) < 0 { <$to>::MIN } else { <$to>::MAX })
            }
        }
    )*};
}

narrow_integers! { u32 u64 i32 i64 i128 }

/// Implements identity for bit patterns that are only moved.
macro_rules! narrow_patterns {
    ($($type:ty)*) => {$(
        impl Narrow<$type> for $type {
            #[inline(always)]
            fn narrow(self, _: FloatMode) -> $type { self }
            #[inline(always)]
            fn narrow_saturating(self, _: FloatMode) -> $type { self }
        }
    )*};
}

narrow_patterns! { u8 u16 i8 i16 }

/// Implements float-to-integer conversion with `as`: truncates, maps NaN to zero, and saturates.
macro_rules! narrow_to_integers {
    ($($from:ty => $($to:ty)*;)*) => {$($(
        impl Narrow<$to> for $from {
            #[inline(always)]
            fn narrow(self, _: FloatMode) -> $to { self as $to }
            #[inline(always)]
            fn narrow_saturating(self, _: FloatMode) -> $to { self as $to }
        }
    )*)*};
}

narrow_to_integers! {
    f32 => u8 i8 u16 i16 u32 i32 u64 i64;
    f64 => u8 i8 u16 i16 u32 i32 u64 i64;
}

macro_rules! narrow_floats {
    ($($from:ty => $to:ty, $function:expr;)*) => {$(
        impl Narrow<$to> for $from {
            #[inline(always)]
            fn narrow(self, mode: FloatMode) -> $to { $function(self, mode) }
            #[inline(always)]
            fn narrow_saturating(self, mode: FloatMode) -> $to { $function(saturate(self), mode) }
        }
    )*};
}

narrow_floats! {
    f32 => f32, |value, _| value;
    f32 => f16, rounding::single_to_half;
    f32 => bf16, rounding::single_to_bfloat;
    f32 => f64, |value: f32, mode| f64::from(value.flushed(mode));
    f64 => f64, |value, _| value;
    f64 => f32, rounding::double_to_single;
    f64 => f16, rounding::double_to_half;
    f64 => bf16, |value, mode| rounding::single_to_bfloat(rounding::double_to_single(value, mode), mode);
}

/// Saturates a float to the range 0 to 1; NaN becomes 0.
#[inline(always)]
fn saturate<T: Number + From<bool> + std::ops::Add<Output = T>>(value: T) -> T {
    let (zero, one) = (T::from(false), T::from(true));
    // The addition quiets a signalling NaN; Arm's select instruction returns NaN for a signalling
    // one.
    let value = value + zero;
    if value > one {
        one
    } else if value > zero {
        value
    } else {
        zero
    }
}

macro_rules! compute {
    ($($type:ty: native $($native:ident)*; fetch $($source:ident $element:ty),*; put $($to:ident $target:ty),*;)*) => {$(
        impl Compute for $type {
            fn is_native(data_type: DataType) -> bool {
                [$(DataType::$native),*].contains(&data_type)
            }

            fn fetch(data_type: DataType) -> Option<Fetch<Self>> {
                Some(match data_type {
                    $(DataType::$source => fetch::<$element, Self>,)*
                    _ => return None,
                })
            }

            fn put(data_type: DataType, saturate: bool) -> Option<Put<Self>> {
                Some(match (data_type, saturate) {
                    $((DataType::$to, false) => put::<Self, $target>,
                    (DataType::$to, true) => put_saturating::<Self, $target>,)*
                    _ => return None,
                })
            }
        }
    )*};
}

compute! {
    u8: native Ub B;
        fetch Ub u8, B u8;
        put Ub u8, B u8;
    i8: native B;
        fetch B i8;
        put B i8;
    i16: native W;
        fetch W i16;
        put W i16;
    u16: native Uw W Hf Bf;
        fetch Uw u16, W u16, Hf u16, Bf u16;
        put Uw u16, W u16, Hf u16, Bf u16;
    u32: native Ud D;
        fetch Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64;
        put Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64, Hf f16, F f32, Df f64;
    i32: native Ud D;
        fetch Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64;
        put Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64, Hf f16, F f32, Df f64;
    u64: native Uq Q;
        fetch Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64;
        put Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64, Hf f16, F f32, Df f64;
    i64: native Uq Q;
        fetch Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64;
        put Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64, Hf f16, F f32, Df f64;
    i128: native;
        fetch Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64;
        put Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64, Hf f16, F f32, Df f64;
    f32: native F;
        fetch Hf f16, Bf bf16, F f32;
        put Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64, Hf f16, Bf bf16, F f32, Df f64;
    f64: native Df;
        fetch Hf f16, Bf bf16, F f32, Df f64;
        put Ub u8, B i8, Uw u16, W i16, Ud u32, D i32, Uq u64, Q i64, Hf f16, Bf bf16, F f32, Df f64;
}
