//! Algebra of floats that carry their floating-point mode.

use crate::operation::algebra::{Lane, Real};
use visakit_machine::float::{Float, FloatMode};
use visakit_machine::lane::Number;

/// A float with a floating-point mode.
#[derive(Clone, Copy)]
pub(crate) struct Strict<T> {
    /// The value.
    pub(crate) value: T,
    /// Mode of all operations on the value.
    pub(crate) mode: FloatMode,
}

impl<T: Real> Strict<T> {
    fn map(self, f: impl Fn(T) -> T) -> Self {
        Self { value: f(self.value), ..self }
    }
}

impl<T: Float + Real> Strict<T> {
    /// Returns the whole number that a function finds.
    fn whole(self, f: impl Fn(T) -> T) -> Self {
        // The product quiets a signalling NaN, as the host's instructions do.
        self.map(|value| f(value.flushed(self.mode)).product(value.constant(1.0), self.mode))
    }
}

impl<T: Float + Real> Lane for Strict<T> {
    fn add(self, other: Self) -> Self {
        self.map(|value| value.sum(other.value, self.mode))
    }

    fn mul(self, other: Self) -> Self {
        self.map(|value| value.product(other.value, self.mode))
    }

    fn mul_add(self, other: Self, addend: Self) -> Self {
        self.map(|value| value.fused(other.value, addend.value, self.mode))
    }

    fn div(self, other: Self) -> Self {
        self.map(|value| value.quotient(other.value, self.mode))
    }

    fn min(self, other: Self) -> Self {
        self.map(|value| value.flushed(self.mode).min(other.value.flushed(self.mode)))
    }

    fn max(self, other: Self) -> Self {
        self.map(|value| value.flushed(self.mode).max(other.value.flushed(self.mode)))
    }

    fn neg(self) -> Self {
        self.map(Number::negative)
    }
}

impl<T: Float + Real> Real for Strict<T> {
    fn constant(self, constant: f32) -> Self {
        self.map(|value| value.constant(constant))
    }

    fn sqrt(self) -> Self {
        self.map(|value| value.root(self.mode))
    }

    fn rsqrt(self) -> Self {
        self.map(|value| value.constant(1.0).quotient(value.flushed(self.mode).sqrt(), self.mode))
    }

    fn floor(self) -> Self {
        self.whole(T::floor)
    }

    fn ceil(self) -> Self {
        self.whole(T::ceil)
    }

    fn trunc(self) -> Self {
        self.whole(T::trunc)
    }

    fn round(self) -> Self {
        self.whole(T::round)
    }

    fn fract(self) -> Self {
        self.add(self.floor().neg())
    }
}
