//! Operations on vectors, one instruction each or a few.

use crate::backend::asm::op;
use crate::backend::asm::operand::{Op, Vector, Width};
use crate::backend::lower::host_registers::ANSWER;
use crate::backend::lower::macro_assembler::{MacroAssembler, add};
use crate::backend::lower::select::blend_by_answer;
use crate::ir::{Binary, Kind, Unary};

/// Computes an operation of one operand.
pub(crate) fn emit_unary(
    masm: &mut MacroAssembler,
    kind: Kind,
    width: Width,
    unary: Unary,
    a: Vector,
) -> Option<Vector> {
    use Kind::{F32, F64};
    let bytes = kind.bytes();
    let sign = 1_u64 << (bytes * 8 - 1);
    let d = match (unary, kind) {
        (Unary::Neg, kind) if kind.is_float() => return with_constant(masm, op::PXOR, kind, width, a, sign),
        (Unary::Abs, kind) if kind.is_float() => return with_constant(masm, op::PAND, kind, width, a, sign - 1),
        (Unary::Not, _) => {
            return with_constant(masm, op::PXOR, kind, width, a, u64::MAX >> (64 - bytes * 8));
        }
        (Unary::Neg, _) => {
            let zero = masm.number(0, bytes, width)?;
            let d = masm.cache.take()?;
            masm.asm.v3(integer(bytes, SUB), width, d, zero, a);
            masm.cache.drop(zero);
            d
        }
        (Unary::Abs, _) => {
            let abs = match bytes {
                1 => op::PABSB,
                2 => op::PABSW,
                4 => op::PABSD,
                _ => return None,
            };
            let d = masm.cache.take()?;
            masm.asm.v2(abs, width, d, a, width);
            d
        }
        (Unary::Sqrt, F32 | F64) => {
            let d = masm.cache.take()?;
            masm.asm.v2(if kind == F32 { op::SQRTPS } else { op::SQRTPD }, width, d, a, width);
            d
        }
        (Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Round, F32 | F64) => {
            // Suppress the inexact exception.
            let mode = 8 + match unary {
                Unary::Round => 0,
                Unary::Floor => 1,
                Unary::Ceil => 2,
                _ => 3,
            };
            let d = masm.cache.take()?;
            masm.asm.v2i(if kind == F32 { op::ROUNDPS } else { op::ROUNDPD }, width, d, a, mode);
            d
        }
        _ => return None,
    };
    Some(d)
}

/// Computes an operation with a constant.
pub(crate) fn with_constant(
    masm: &mut MacroAssembler,
    op: Op,
    kind: Kind,
    width: Width,
    a: Vector,
    bits: u64,
) -> Option<Vector> {
    let number = masm.number(bits, kind.bytes(), width)?;
    let d = masm.cache.take()?;
    masm.asm.v3(op, width, d, a, number);
    masm.cache.drop(number);
    Some(d)
}

/// Computes an operation of two operands.
pub(crate) fn emit_binary(
    masm: &mut MacroAssembler,
    kind: Kind,
    width: Width,
    binary: Binary,
    a: Vector,
    b: Vector,
) -> Option<Vector> {
    use Binary::{Max, Min, Mul, Rotate, Shr};
    match (binary, kind) {
        (Min | Max, Kind::F32 | Kind::F64) => float_min_max(masm, kind, width, binary, a, b),
        (Min | Max, Kind::U64 | Kind::I64) if !masm.has_bits => long_min_max(masm, kind, width, binary, a, b),
        (Mul, Kind::U8 | Kind::I8) => byte_products(masm, width, a, b),
        (Shr, Kind::I64) if !masm.has_bits => long_shift_right(masm, width, a, b),
        (Rotate, Kind::U32 | Kind::I32 | Kind::U64 | Kind::I64) if !masm.has_bits => {
            rotate_by_shifts(masm, kind.bytes(), width, a, b)
        }
        _ => {
            let op = binary_op(masm.has_bits, kind, binary)?;
            let d = masm.cache.take()?;
            masm.asm.v3(op, width, d, a, b);
            Some(d)
        }
    }
}

/// Returns the instruction of an operation of two operands, if the host has one.
fn binary_op(has_bits: bool, kind: Kind, binary: Binary) -> Option<Op> {
    use Binary::{Add, And, Div, Max, Min, Mul, Or, Rotate, Shl, Shr, Sub, Xor};
    let bytes = kind.bytes();
    Some(match (binary, kind) {
        (And, _) => op::PAND,
        (Or, _) => op::POR,
        (Xor, _) => op::PXOR,
        (Add, Kind::F32) => op::ADDPS,
        (Add, Kind::F64) => op::ADDPD,
        (Sub, Kind::F32) => op::SUBPS,
        (Sub, Kind::F64) => op::SUBPD,
        (Mul, Kind::F32) => op::MULPS,
        (Mul, Kind::F64) => op::MULPD,
        (Div, Kind::F32) => op::DIVPS,
        (Div, Kind::F64) => op::DIVPD,
        (_, Kind::F16 | Kind::F32 | Kind::F64) | (Div, _) => return None,
        (Add, _) => add(bytes),
        (Sub, _) => integer(bytes, SUB),
        (Mul, _) if bytes == 4 => op::PMULLD,
        (Mul, _) if bytes == 2 => op::PMULLW,
        (Min, Kind::U8) => op::PMINUB,
        (Min, Kind::I8) => op::PMINSB,
        (Min, Kind::U16) => op::PMINUW,
        (Min, Kind::I16) => op::PMINSW,
        (Min, Kind::U32) => op::PMINUD,
        (Min, Kind::I32) => op::PMINSD,
        (Min, Kind::U64) if has_bits => op::MINUQ,
        (Min, Kind::I64) if has_bits => op::MINSQ,
        (Max, Kind::U8) => op::PMAXUB,
        (Max, Kind::I8) => op::PMAXSB,
        (Max, Kind::U16) => op::PMAXUW,
        (Max, Kind::I16) => op::PMAXSW,
        (Max, Kind::U32) => op::PMAXUD,
        (Max, Kind::I32) => op::PMAXSD,
        (Max, Kind::U64) if has_bits => op::MAXUQ,
        (Max, Kind::I64) if has_bits => op::MAXSQ,
        (Shl, _) if bytes == 4 => op::PSLLVD,
        (Shl, _) if bytes == 8 => op::PSLLVQ,
        (Shr, Kind::U32) => op::PSRLVD,
        (Shr, Kind::I32) => op::PSRAVD,
        (Shr, Kind::U64) => op::PSRLVQ,
        (Shr, Kind::I64) if has_bits => op::SRAVQ,
        (Rotate, _) if bytes == 4 && has_bits => op::ROLVD,
        (Rotate, _) if bytes == 8 && has_bits => op::ROLVQ,
        _ => return None,
    })
}

/// Multiplies bytes: those at even places as words, and those at odd places as words that are moved
/// down and back.
fn byte_products(masm: &mut MacroAssembler, width: Width, a: Vector, b: Vector) -> Option<Vector> {
    let even = masm.number(0xff, 2, width)?;
    let (d, high, other) = (masm.cache.take()?, masm.cache.take()?, masm.cache.take()?);
    masm.asm.v2i(op::PSRLW, width, high, a, 8);
    masm.asm.v2i(op::PSRLW, width, other, b, 8);
    masm.asm.v3(op::PMULLW, width, high, high, other);
    masm.asm.v2i(op::PSLLW, width, high, high, 8);
    masm.asm.v3(op::PMULLW, width, d, a, b);
    masm.asm.v3(op::PAND, width, d, d, even);
    masm.asm.v3(op::POR, width, d, d, high);
    [even, high, other].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Shifts 64-bit integers right arithmetically; the host lacks an instruction for it.
fn long_shift_right(masm: &mut MacroAssembler, width: Width, a: Vector, b: Vector) -> Option<Vector> {
    let sign = masm.number(1 << 63, 8, width)?;
    let (d, places) = (masm.cache.take()?, masm.cache.take()?);
    masm.asm.v3(op::PSRLVQ, width, d, a, b);
    masm.asm.v3(op::PSRLVQ, width, places, sign, b);
    masm.asm.v3(op::PXOR, width, d, d, places);
    masm.asm.v3(op::PSUBQ, width, d, d, places);
    [sign, places].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Rotates elements of 4 or 8 bytes by two shifts.
fn rotate_by_shifts(masm: &mut MacroAssembler, bytes: u32, width: Width, a: Vector, b: Vector) -> Option<Vector> {
    let (left, right) = if bytes == 4 { (op::PSLLVD, op::PSRLVD) } else { (op::PSLLVQ, op::PSRLVQ) };
    let all = masm.number(u64::from(bytes * 8), bytes, width)?;
    let (d, rest) = (masm.cache.take()?, masm.cache.take()?);
    // A shift by the width gives zero.
    masm.asm.v3(integer(bytes, SUB), width, rest, all, b);
    masm.asm.v3(right, width, rest, a, rest);
    masm.asm.v3(left, width, d, a, b);
    masm.asm.v3(op::POR, width, d, d, rest);
    [all, rest].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Shifts or rotates all channels by the same count.
pub(crate) fn emit_shift(
    masm: &mut MacroAssembler,
    kind: Kind,
    width: Width,
    binary: Binary,
    a: Vector,
    count: u32,
) -> Option<Vector> {
    let bytes = kind.bytes();
    let bits = bytes * 8;
    if count >= bits {
        return None;
    }
    let (left, right) = match bytes {
        2 => (op::PSLLW, op::PSRLW),
        4 => (op::PSLLD, op::PSRLD),
        8 => (op::PSLLQ, op::PSRLQ),
        _ => return None,
    };
    let d = masm.cache.take()?;
    match binary {
        Binary::Shl => masm.asm.v2i(left, width, d, a, count as i32),
        Binary::Shr if kind == Kind::I32 => masm.asm.v2i(op::PSRAD, width, d, a, count as i32),
        Binary::Shr if kind == Kind::I16 => masm.asm.v2i(op::PSRAW, width, d, a, count as i32),
        Binary::Shr if kind == Kind::I64 && masm.has_bits => {
            masm.asm.v2i(op::SRAQ, width, d, a, count as i32);
        }
        Binary::Rotate if bytes >= 4 && masm.has_bits => {
            masm.asm.v2i(if bytes == 4 { op::ROLD } else { op::ROLQ }, width, d, a, count as i32);
        }
        Binary::Shr if kind == Kind::I64 => {
            let sign = masm.number(1 << 63, 8, width)?;
            let places = masm.cache.take()?;
            masm.asm.v2i(op::PSRLQ, width, d, a, count as i32);
            masm.asm.v2i(op::PSRLQ, width, places, sign, count as i32);
            masm.asm.v3(op::PXOR, width, d, d, places);
            masm.asm.v3(op::PSUBQ, width, d, d, places);
            [sign, places].into_iter().for_each(|vector| masm.cache.drop(vector));
        }
        Binary::Shr => masm.asm.v2i(right, width, d, a, count as i32),
        _ => {
            let rest = masm.cache.take()?;
            masm.asm.v2i(right, width, rest, a, (bits - count) as i32);
            masm.asm.v2i(left, width, d, a, count as i32);
            masm.asm.v3(op::POR, width, d, d, rest);
            masm.cache.drop(rest);
        }
    }
    Some(d)
}

/// Computes the minimum or maximum; if one operand is NaN, returns the other.
fn float_min_max(
    masm: &mut MacroAssembler,
    kind: Kind,
    w: Width,
    binary: Binary,
    a: Vector,
    b: Vector,
) -> Option<Vector> {
    let extreme = match (kind, binary) {
        (Kind::F32, Binary::Min) => op::MINPS,
        (Kind::F32, _) => op::MAXPS,
        (_, Binary::Min) => op::MINPD,
        _ => op::MAXPD,
    };
    let d = masm.cache.take()?;
    // The host returns its second operand for NaN, and for two zeros.
    masm.asm.v3(extreme, w, d, a, b);
    if masm.has_bits {
        let compare = if kind == Kind::F32 { op::COMPAREPS } else { op::COMPAREPD };
        masm.asm.compare(compare, w, (ANSWER, None), [b, b], UNORDERED);
        blend_by_answer(masm, kind.bytes(), w, d, [d, a]);
        return Some(d);
    }
    let nan = masm.cache.take()?;
    masm.asm.v3i(if kind == Kind::F32 { op::CMPPS } else { op::CMPPD }, w, nan, b, b, UNORDERED);
    masm.asm.v4(op::PBLENDVB, w, d, d, a, nan);
    masm.cache.drop(nan);
    Some(d)
}

/// Computes the minimum or maximum of 64-bit integers.
fn long_min_max(
    masm: &mut MacroAssembler,
    kind: Kind,
    w: Width,
    binary: Binary,
    a: Vector,
    b: Vector,
) -> Option<Vector> {
    let greater = long_greater(masm, kind, w, a, b)?;
    let d = masm.cache.take()?;
    let (first, second) = if binary == Binary::Max { (b, a) } else { (a, b) };
    masm.asm.v4(op::PBLENDVB, w, d, first, second, greater);
    masm.cache.drop(greater);
    Some(d)
}

/// Writes ones where the first 64-bit integer is greater.
pub(crate) fn long_greater(masm: &mut MacroAssembler, kind: Kind, w: Width, a: Vector, b: Vector) -> Option<Vector> {
    let d = masm.cache.take()?;
    if kind == Kind::I64 {
        masm.asm.v3(op::PCMPGTQ, w, d, a, b);
        return Some(d);
    }
    let sign = masm.number(1 << 63, 8, w)?;
    let other = masm.cache.take()?;
    masm.asm.v3(op::PXOR, w, d, a, sign);
    masm.asm.v3(op::PXOR, w, other, b, sign);
    masm.asm.v3(op::PCMPGTQ, w, d, d, other);
    [sign, other].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// The instructions for elements of 1, 2, 4 and 8 bytes.
pub(crate) type BySize = [Op; 4];

const SUB: BySize = [op::PSUBB, op::PSUBW, op::PSUBD, op::PSUBQ];

pub(crate) const EQUAL: BySize = [op::PCMPEQB, op::PCMPEQW, op::PCMPEQD, op::PCMPEQQ];

pub(crate) const GREATER: BySize = [op::PCMPGTB, op::PCMPGTW, op::PCMPGTD, op::PCMPGTQ];

/// The predicate that is true for NaN.
const UNORDERED: i32 = 3;

/// Returns the instruction for elements of `bytes` bytes.
pub(crate) fn integer(bytes: u32, ops: BySize) -> Op {
    ops[bytes.trailing_zeros() as usize]
}
