//! Counts and places of bits, and their reversal.
//!
//! They are computed with shifts and masks on all channels together.

use crate::arithmetic::compute::{Op, Types, lane_ops};
use crate::lowering::{LowerResult, Lowering, illegal, is_signed, pattern};
use crate::operation::algebra::Integer;
use visakit::rt::ComponentWise;

lane_ops! {
    /// The number of set bits.
    Count<L: Integer>(a) => count(a);
    /// The number of zeros above the highest set bit.
    LeadingZeros<L: Integer>(a) => leading_zeros(a);
    /// The place of the lowest set bit; all ones if no bit is set.
    Lowest<L: Integer>(a) => {
        let below = a.and(a.neg()).add(a.constant(1).neg());
        count(below).or(ones_if_zero(a))
    };
    /// The place, from the top, of the highest bit that differs from the sign; all ones if all bits
    /// equal it.
    Highest { signed: bool }<L: Integer>(a) => {
        let a = if signed { a.xor(a.constant(0).add(sign(a).neg())) } else { a };
        leading_zeros(a).or(ones_if_zero(a))
    };
    /// The bits in reverse order.
    Reverse<L: Integer>(a) => {
        let swap = |a: L, by: u32, low: u32| {
            let low = a.constant(low);
            right(a, by).and(low).or(a.and(low).shl(a.constant(by), 31))
        };
        let bytes = swap(swap(swap(a, 1, 0x5555_5555), 2, 0x3333_3333), 4, 0x0f0f_0f0f);
        swap(swap(bytes, 8, 0x00ff_00ff), 16, 0x0000_ffff)
    };
}

/// Shifts right. The upper bits of the result matter for positive numbers only.
#[inline(always)]
fn right<L: Integer>(a: L, by: u32) -> L {
    a.shr(a.constant(by), 31)
}

/// Returns the highest bit.
#[inline(always)]
fn sign<L: Integer>(a: L) -> L {
    right(a, 31).and(a.constant(1))
}

/// Returns the number of set bits, from the sums of pairs, of fours, and of bytes.
#[inline(always)]
fn count<L: Integer>(a: L) -> L {
    let (pairs, fours, bytes) = (a.constant(0x5555_5555), a.constant(0x3333_3333), a.constant(0x0f0f_0f0f));
    let a = a.add(right(a, 1).and(pairs).neg());
    let a = a.and(fours).add(right(a, 2).and(fours));
    let a = a.add(right(a, 4)).and(bytes);
    let a = a.add(right(a, 8));
    a.add(right(a, 16)).and(a.constant(0x3f))
}

/// Returns the number of zeros above the highest set bit.
#[inline(always)]
fn leading_zeros<L: Integer>(a: L) -> L {
    // All bits below the highest one become ones.
    let mut filled = a;
    for by in [1, 2, 4, 8, 16] {
        filled = filled.or(right(filled, by));
    }
    count(filled.not())
}

/// Returns all ones for zero, otherwise zero.
#[inline(always)]
fn ones_if_zero<L: Integer>(a: L) -> L {
    sign(a.or(a.neg())).add(a.constant(1).neg())
}

pub(crate) fn cbit(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    bits_of(l, inst, Count)
}

pub(crate) fn fbl(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    bits_of(l, inst, Lowest)
}

pub(crate) fn fbh(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    if is_signed(l.type_of(inst.src[0])?) {
        return l.apply::<i32, _, 1>(inst, Highest { signed: true });
    }
    l.apply::<u32, _, 1>(inst, Highest { signed: false })
}

pub(crate) fn lzd(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    bits_of(l, inst, LeadingZeros)
}

pub(crate) fn bfrev(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>) -> LowerResult {
    bits_of(l, inst, Reverse)
}

/// Lowers an operation on the bits of a zero-extended value of at most 32 bits.
fn bits_of(l: &mut Lowering<'_>, inst: &ComponentWise<'_, 1>, op: impl Op<u32, 1, Result = u32>) -> LowerResult {
    let Types { dst, src: [data_type] } = l.types(inst)?;
    if data_type.bits() > 32 {
        return illegal(format!("a value of type {} is too wide for this instruction", data_type.name()));
    }
    l.apply_as::<u32, _, 1>(inst, Types { dst, src: [pattern(data_type)] }, op)
}
