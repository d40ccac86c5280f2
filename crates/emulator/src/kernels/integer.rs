//! Integer arithmetic of the types that kernels compute with. Everything wraps unless it says otherwise.

use crate::machine::convert::Compute;

/// An integer to compute with.
pub(super) trait Integer: Compute + Ord {
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The product; in 128 bits the nearest that fits, which is beyond what any register holds.
    fn times(self, other: Self) -> Self;
    /// Moved up by the low bits of a number that `mask` leaves.
    fn shl(self, by: Self, mask: u32) -> Self;
    /// Moved down by the low bits of a number that `mask` leaves; copies of the sign come in, if there is one.
    fn shr(self, by: Self, mask: u32) -> Self;
    /// The mean, halves rounded up. The sum fits.
    fn mean(self, other: Self) -> Self;
    /// The quotient, cut off towards zero. All ones for a divisor of zero: what the hardware does is not published.
    fn div(self, other: Self) -> Self;
    /// The remainder, with the sign of the dividend; the dividend for a divisor of zero.
    fn modulo(self, other: Self) -> Self;
}

/// Integers of 32 bits, whose quotients come from the host's division of doubles: it has that for several at a time. A quotient
/// of two integers of 32 bits that is not whole is further away from the next whole number than a double can be wrong.
pub(super) trait Word: Integer {
    /// As [`Integer::div`].
    fn quotient(self, other: Self) -> Self;
}

impl Word for u32 {
    #[inline(always)]
    fn quotient(self, other: Self) -> Self {
        let quotient = (f64::from(self) / f64::from(other)) as u32;
        if other == 0 { !0 } else { quotient }
    }
}

impl Word for i32 {
    #[inline(always)]
    fn quotient(self, other: Self) -> Self {
        let quotient = (f64::from(self) / f64::from(other)) as i32;
        match other {
            0 => !0,
            // The quotient of the least number is too large, and wraps.
            -1 => self.wrapping_neg(),
            _ => quotient,
        }
    }
}

macro_rules! integers {
    ($($type:ty, $times:ident;)*) => {$(
        impl Integer for $type {
            #[inline(always)]
            fn plus(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn times(self, other: Self) -> Self { self.$times(other) }
            #[inline(always)]
            fn shl(self, by: Self, mask: u32) -> Self { self.wrapping_shl(by as u32 & mask) }
            #[inline(always)]
            fn shr(self, by: Self, mask: u32) -> Self { self.wrapping_shr(by as u32 & mask) }
            fn mean(self, other: Self) -> Self { self.wrapping_add(other).wrapping_add(1) >> 1 }
            fn div(self, other: Self) -> Self { if other == 0 { !0 } else { self.wrapping_div(other) } }
            fn modulo(self, other: Self) -> Self { if other == 0 { self } else { self.wrapping_rem(other) } }
        }
    )*};
}

integers! {
    u8, wrapping_mul;
    i8, wrapping_mul;
    u16, wrapping_mul;
    i16, wrapping_mul;
    u32, wrapping_mul;
    u64, wrapping_mul;
    i32, wrapping_mul;
    i64, wrapping_mul;
    i128, saturating_mul;
}

/// Runs an expression with `$t` as the integer type of a domain, and another one for the type of 128 bits.
macro_rules! integers_of {
    ($domain:expr, $t:ident => $body:expr, wide => $wide:expr) => {
        match $domain {
            $crate::kernels::compute::Domain::U32 => {
                type $t = u32;
                $body
            }
            $crate::kernels::compute::Domain::U64 => {
                type $t = u64;
                $body
            }
            $crate::kernels::compute::Domain::I32 => {
                type $t = i32;
                $body
            }
            $crate::kernels::compute::Domain::I64 => {
                type $t = i64;
                $body
            }
            _ => $wide,
        }
    };
}
pub(super) use integers_of;

/// Runs an expression with `$t` as the unsigned type of a domain of which only the low bits matter.
macro_rules! ring_of {
    ($domain:expr, $t:ident => $body:expr) => {
        match $domain {
            $crate::kernels::compute::Domain::U64 => {
                type $t = u64;
                $body
            }
            _ => {
                type $t = u32;
                $body
            }
        }
    };
}
pub(super) use ring_of;

/// Runs an expression with `$t` as the float type of a domain.
macro_rules! floats_of {
    ($domain:expr, $t:ident => $body:expr) => {
        match $domain {
            $crate::kernels::compute::Domain::F64 => {
                type $t = f64;
                $body
            }
            _ => {
                type $t = f32;
                $body
            }
        }
    };
}
pub(super) use floats_of;

/// Runs an expression with `$t` as the integer type of less than 32 bits that a data type is.
macro_rules! small_of {
    ($data_type:expr, $t:ident => $body:expr) => {
        match $data_type {
            ::visakit::isa::DataType::Ub => {
                type $t = u8;
                $body
            }
            ::visakit::isa::DataType::B => {
                type $t = i8;
                $body
            }
            ::visakit::isa::DataType::Uw => {
                type $t = u16;
                $body
            }
            _ => {
                type $t = i16;
                $body
            }
        }
    };
}
pub(super) use small_of;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_of_words_are_those_of_integers() {
        let edges = [0_u32, 1, 2, 3, 5, 7, 1 << 16, (1 << 16) + 1, i32::MAX as u32, 1 << 31, u32::MAX - 1, u32::MAX];
        let mut values = edges.to_vec();
        values.extend((1..200).map(|n: u32| n.wrapping_mul(0x9e37_79b9) >> (n % 31)));
        for (a, b) in values.iter().flat_map(|a| values.iter().map(|b| (*a, *b))) {
            assert_eq!(a.quotient(b), a.div(b), "{a} / {b}");
            let (a, b) = (a as i32, b as i32);
            assert_eq!(a.quotient(b), a.div(b), "{a} / {b}");
        }
    }
}
