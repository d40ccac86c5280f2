//! Algebra of one channel: the operations on values, independent of their representation.
//!
//! An operation ([`LaneOp`](crate::arithmetic::compute::LaneOp)) is written once, over one of these
//! traits. On host numbers it computes. On
//! [`Strict`](crate::operation::strict::Strict) floats it computes in another floating-point mode,
//! so no operation is implemented twice. On the nodes of a
//! [`recording`](crate::operation::record) it builds an expression of the methods below, from which
//! native code is generated. Constants are made from an existing value, because a node must know
//! its recording.

use visakit_machine::convert::Compute;
use visakit_machine::float::FloatMode;
use visakit_native::ir::Kind;

/// Operations of integers and floats. Integers wrap unless stated otherwise; a float operation
/// rounds once.
pub(crate) trait Lane: Copy {
    /// True for 64-bit values, which the baseline instruction set supports poorly.
    const LONG: bool = false;
    /// True for 32-bit and 64-bit integers, for which the baseline vectors lack products, minima
    /// and maxima.
    const WORD: bool = false;
    /// True if `mul_add` rounds once; the baseline needs a library call for this.
    const FUSED: bool = false;

    /// Returns the sum.
    fn add(self, other: Self) -> Self;
    /// Returns the product. A 128-bit product saturates, which is outside the range of any register
    /// type.
    fn mul(self, other: Self) -> Self;
    /// Returns the product plus `addend`.
    fn mul_add(self, other: Self, addend: Self) -> Self;
    /// Returns the quotient. Integer quotients truncate; division by zero yields all ones, because
    /// the hardware's result is not published.
    fn div(self, other: Self) -> Self;
    /// Returns the minimum. If one operand is NaN, returns the other; if both are, the second.
    fn min(self, other: Self) -> Self;
    /// Returns the maximum. NaN is handled as in [`Lane::min`].
    fn max(self, other: Self) -> Self;
    /// Returns the negated value.
    fn neg(self) -> Self;
}

/// Operations of integers.
pub(crate) trait Integer: Lane {
    /// Returns the width in bits.
    fn bits(self) -> u32;
    /// Returns a constant, truncated to the width.
    fn constant(self, value: u32) -> Self;
    /// Returns the bitwise AND.
    fn and(self, other: Self) -> Self;
    /// Returns the bitwise OR.
    fn or(self, other: Self) -> Self;
    /// Returns the bitwise XOR.
    fn xor(self, other: Self) -> Self;
    /// Returns the bitwise complement.
    fn not(self) -> Self;
    /// Shifts left. The count is masked with `mask`.
    fn shl(self, by: Self, mask: u32) -> Self;
    /// Shifts right, arithmetically for signed types. The count is masked with `mask`.
    fn shr(self, by: Self, mask: u32) -> Self;
    /// Rotates left. The count is taken modulo the width.
    fn rotate(self, by: Self) -> Self;
    /// Returns the mean, rounding halves up. The sum must fit.
    fn mean(self, other: Self) -> Self;
    /// Returns the remainder with the dividend's sign; the dividend if the divisor is zero.
    fn rem(self, other: Self) -> Self;
}

/// Operations of floats.
pub(crate) trait Real: Lane {
    /// Returns a constant.
    fn constant(self, value: f32) -> Self;
    /// Returns the square root.
    fn sqrt(self) -> Self;
    /// Returns the reciprocal of the square root; the square root is first rounded to nearest.
    fn rsqrt(self) -> Self;
    /// Rounds down to an integer.
    fn floor(self) -> Self;
    /// Rounds up to an integer.
    fn ceil(self) -> Self;
    /// Truncates to an integer.
    fn trunc(self) -> Self;
    /// Rounds to the nearest integer, ties to even.
    fn round(self) -> Self;
    /// Returns the value minus its floor, rounded in the host's mode.
    fn fract(self) -> Self;
}

/// Comparisons of values of the same type.
pub(crate) trait Compare: Copy {
    /// Result type of a comparison.
    type Answer;
    /// Compares for equality.
    fn equal(self, other: Self) -> Self::Answer;
    /// Compares for less-than.
    fn less(self, other: Self) -> Self::Answer;
    /// Compares for less-or-equal; false if an operand is NaN.
    fn less_or_equal(self, other: Self) -> Self::Answer;
}

/// A number type of kernels, with its variant for floating-point modes other than the host's.
pub(crate) trait Scalar: Compute {
    /// Value type with a floating-point mode; `Self` for integers.
    type Moded: Copy;
    /// True if the type depends on the floating-point mode.
    const MODED: bool;
    /// Corresponding type of native code, if supported.
    const KIND: Option<Kind>;
    /// Attaches the floating-point mode.
    fn in_mode(self, mode: FloatMode) -> Self::Moded;
    /// Removes the floating-point mode.
    fn of_mode(value: Self::Moded) -> Self;
    /// Returns the value as an operand in the mode: flushed to zero if the mode flushes denormals.
    fn taken_in(self, mode: FloatMode) -> Self;
}
