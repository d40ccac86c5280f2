//! Conversions of vectors.

use iced_x86::Code;

use crate::backend::asm::assembler::Assembler;
use crate::backend::asm::op;
use crate::backend::asm::operand::{Op, Vector, Width};
use crate::backend::lower::host_registers::ANSWER;
use crate::backend::lower::macro_assembler::MacroAssembler;
use crate::backend::lower::patterns::low_parts;
use crate::ir::Kind;

/// Converts the first `lanes` elements of a vector.
pub(crate) fn emit_convert(
    masm: &mut MacroAssembler,
    from: Kind,
    to: Kind,
    saturate: bool,
    lanes: u32,
    a: Vector,
) -> Option<Vector> {
    use Kind::{F16, F32, F64, I32, I64, U32, U64};
    let w = Width::of(lanes * from.bytes());
    let wide = Width::of(lanes * to.bytes());
    if from == to || !saturate && !from.is_float() && !to.is_float() && from.bytes() == to.bytes() {
        masm.cache.hold(a);
        return Some(a);
    }
    match (from, to) {
        (F16, F32) => convert_by(masm, op::CVTPH2PS, wide, a, w),
        (F32, F64) => convert_by(masm, op::CVTPS2PD, wide, a, w),
        (F64, F32) => {
            let d = masm.cache.take()?;
            masm.asm.rr(op::CVTPD2PS.code(w), d.register(wide), a.register(w));
            Some(d)
        }
        (F32, F16) => {
            let d = masm.cache.take()?;
            masm.asm.r2i(op::CVTPS2PH.code(w), d.register(wide), a.register(w), CURRENT_ROUNDING);
            Some(d)
        }
        (F32, I32) => floats_to_signed(masm, w, a),
        (F32, U32) => floats_to_unsigned(masm, w, a),
        (I32, F32) => convert_by(masm, op::CVTDQ2PS, w, a, w),
        (U32, F32) if masm.has_bits => convert_by(masm, op::CVTUDQ2PS, w, a, w),
        (U32, F64) if masm.has_bits => convert_by(masm, op::CVTUDQ2PD, wide, a, w),
        (U32, F32) => unsigned_to_singles(masm, w, a),
        (I32, F64) => convert_by(masm, op::CVTDQ2PD, wide, a, w),
        (U32, F64) => unsigned_to_doubles(masm, wide, a),
        (F64, I32 | U32) => doubles_to_dwords(masm, to, (w, wide), a),
        (F32 | F64, small) if !small.is_float() && small.bytes() < 4 => {
            // A number outside the narrow range saturates after the conversion to an integer too.
            let whole = emit_convert(masm, from, I32, false, lanes, a)?;
            let d = emit_convert(masm, I32, small, true, lanes, whole)?;
            masm.cache.drop(whole);
            Some(d)
        }
        (small, F32 | F64) if !small.is_float() && small.bytes() < 4 => {
            let whole = emit_convert(masm, small, I32, false, lanes, a)?;
            let d = emit_convert(masm, I32, to, false, lanes, whole)?;
            masm.cache.drop(whole);
            Some(d)
        }
        (whole, F16) if !whole.is_float() => {
            // Singles have all integers that are smaller than infinity in halves.
            let single = emit_convert(masm, whole, F32, false, lanes, a)?;
            let d = emit_convert(masm, F32, F16, false, lanes, single)?;
            masm.cache.drop(single);
            Some(d)
        }
        (I64 | U64, F32 | F64) | (F32 | F64, I64 | U64) if masm.has_bits => {
            convert_long(masm, (from, w), (to, wide), a)
        }
        _ if from.is_float() || to.is_float() => None,
        _ if saturate => saturate_integers(masm, from, to, lanes, a),
        _ if from.bytes() < to.bytes() => convert_by(masm, extension(from, to)?, wide, a, w),
        _ => narrow(masm, from.bytes(), to.bytes(), lanes, a),
    }
}

/// Converts by one instruction.
fn convert_by(masm: &mut MacroAssembler, op: Op, w: Width, a: Vector, from: Width) -> Option<Vector> {
    let d = masm.cache.take()?;
    masm.asm.v2(op, w, d, a, from);
    Some(d)
}

/// Converts floats to signed integers.
fn floats_to_signed(masm: &mut MacroAssembler, w: Width, a: Vector) -> Option<Vector> {
    let limit = masm.number(2147483648.0_f32.to_bits().into(), 4, w)?;
    let (d, flaw) = (masm.cache.take()?, masm.cache.take()?);
    // Out of range, the host returns the smallest integer; its complement is the largest.
    masm.asm.v2(op::CVTTPS2DQ, w, d, a, w);
    ones_where_floats(masm, (Kind::F32, w), flaw, [limit, a], LESS_OR_EQUAL);
    masm.asm.v3(op::PXOR, w, d, d, flaw);
    ones_where_floats(masm, (Kind::F32, w), flaw, [a, a], ORDERED);
    masm.asm.v3(op::PAND, w, d, d, flaw);
    [limit, flaw].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Converts between integers of 64 bits and floats, on a host with mask registers.
fn convert_long(
    masm: &mut MacroAssembler,
    (from, w): (Kind, Width),
    (to, wide): (Kind, Width),
    a: Vector,
) -> Option<Vector> {
    use Kind::{F32, F64, I64, U64};
    match (from, to) {
        (I64, F64) => convert_by(masm, op::CVTQQ2PD, w, a, w),
        (U64, F64) => convert_by(masm, op::CVTUQQ2PD, w, a, w),
        (I64 | U64, F32) => {
            let d = masm.cache.take()?;
            let op = if from == I64 { op::CVTQQ2PS } else { op::CVTUQQ2PS };
            masm.asm.rr(op.code(w), d.register(wide), a.register(w));
            Some(d)
        }
        (F64 | F32, U64) => {
            // The maximum returns its second operand for NaN; out of range, the host returns the
            // largest integer.
            let (zero, d) = (masm.number(0, from.bytes(), w)?, masm.cache.take()?);
            let (max, op) = if from == F64 { (op::MAXPD, op::CVTTPD2UQQ) } else { (op::MAXPS, op::CVTTPS2UQQ) };
            masm.asm.v3(max, w, d, a, zero);
            masm.asm.v2(op, wide, d, d, w);
            masm.cache.drop(zero);
            Some(d)
        }
        (F64 | F32, I64) => {
            let whole = if from == F32 { convert_by(masm, op::CVTPS2PD, wide, a, w)? } else { a };
            let d = doubles_to_signed(masm, wide, whole)?;
            if from == F32 {
                masm.cache.drop(whole);
            }
            Some(d)
        }
        _ => None,
    }
}

/// Converts doubles to signed integers of 64 bits, on a host with mask registers.
fn doubles_to_signed(masm: &mut MacroAssembler, w: Width, a: Vector) -> Option<Vector> {
    let limit = masm.number(9_223_372_036_854_775_808.0_f64.to_bits(), 8, w)?;
    let (d, flaw) = (masm.cache.take()?, masm.cache.take()?);
    // As for singles.
    masm.asm.v2(op::CVTTPD2QQ, w, d, a, w);
    for (sides, relation, change) in [([limit, a], LESS_OR_EQUAL, op::PXOR), ([a, a], ORDERED, op::PAND)] {
        ones_where_floats(masm, (Kind::F64, w), flaw, sides, relation);
        masm.asm.v3(change, w, d, d, flaw);
    }
    [limit, flaw].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Converts doubles to integers of 32 bits.
fn doubles_to_dwords(masm: &mut MacroAssembler, to: Kind, (w, half): (Width, Width), a: Vector) -> Option<Vector> {
    let (least, most) = if to == Kind::I32 { (i32::MIN.into(), i32::MAX.into()) } else { (0.0, f64::from(u32::MAX)) };
    let [least, most] = [least, most].map(|bound: f64| masm.number(bound.to_bits(), 8, w));
    let (least, most, d) = (least?, most?, masm.cache.take()?);
    // NaN becomes zero.
    ones_where_floats(masm, (Kind::F64, w), d, [a, a], ORDERED);
    masm.asm.v3(op::PAND, w, d, d, a);
    masm.asm.v3(op::MAXPD, w, d, d, least);
    masm.asm.v3(op::MINPD, w, d, d, most);
    [least, most].into_iter().for_each(|vector| masm.cache.drop(vector));
    let place = d.register(half);
    if to == Kind::I32 {
        masm.asm.rr(op::CVTTPD2DQ.code(w), place, d.register(w));
        return Some(d);
    }
    // The host converts signed integers: their range begins at zero.
    let middle = masm.number(2_147_483_648.0_f64.to_bits(), 8, w)?;
    masm.asm.v2i(op::ROUNDPD, w, d, d, TRUNCATION);
    masm.asm.v3(op::SUBPD, w, d, d, middle);
    masm.asm.rr(op::CVTTPD2DQ.code(w), place, d.register(w));
    let sign = masm.number(1 << 31, 4, half)?;
    masm.asm.v3(op::PXOR, half, d, d, sign);
    [middle, sign].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Writes ones where floats of 4 or 8 bytes compare.
fn ones_where_floats(
    masm: &mut MacroAssembler,
    (kind, w): (Kind, Width),
    d: Vector,
    [a, b]: [Vector; 2],
    relation: i32,
) {
    let [compare, ones, whole] = match kind {
        Kind::F64 => [op::COMPAREPD, op::ONESQ, op::CMPPD],
        _ => [op::COMPAREPS, op::ONESD, op::CMPPS],
    };
    if masm.has_bits {
        masm.asm.compare(compare, w, (ANSWER, None), [a, b], relation);
        masm.asm.ones(ones, w, d, ANSWER);
    } else {
        masm.asm.v3i(whole, w, d, a, b, relation);
    }
}

/// Converts floats to unsigned integers.
fn floats_to_unsigned(masm: &mut MacroAssembler, w: Width, a: Vector) -> Option<Vector> {
    let zero = masm.number(0, 4, w)?;
    if masm.has_bits {
        let d = masm.cache.take()?;
        // MAXPS returns its second operand for NaN; out of range, the host returns the largest
        // integer.
        masm.asm.v3(op::MAXPS, w, d, a, zero);
        masm.asm.v2(op::CVTTPS2UDQ, w, d, d, w);
        masm.cache.drop(zero);
        return Some(d);
    }
    let half = masm.number(2147483648.0_f32.to_bits().into(), 4, w)?;
    let whole = masm.number(4294967296.0_f32.to_bits().into(), 4, w)?;
    let (d, high, rest) = (masm.cache.take()?, masm.cache.take()?, masm.cache.take()?);
    // MAXPS returns its second operand for NaN.
    masm.asm.v3(op::MAXPS, w, d, a, zero);
    masm.asm.v3(op::SUBPS, w, rest, d, half);
    masm.asm.v2(op::CVTTPS2DQ, w, rest, rest, w);
    masm.asm.v3i(op::CMPPS, w, high, whole, d, LESS_OR_EQUAL);
    masm.asm.v2(op::CVTTPS2DQ, w, d, d, w);
    // Where the first conversion is out of range, its highest bit is set and the second conversion
    // yields the rest.
    masm.asm.v3(op::POR, w, high, high, d);
    masm.asm.v2i(op::PSRAD, w, d, d, 31);
    masm.asm.v3(op::PAND, w, d, d, rest);
    masm.asm.v3(op::POR, w, d, d, high);
    [zero, half, whole, high, rest].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Converts unsigned integers to floats through doubles, which represent them exactly.
fn unsigned_to_singles(masm: &mut MacroAssembler, w: Width, a: Vector) -> Option<Vector> {
    let low = unsigned_to_doubles(masm, w, a)?;
    let d = masm.cache.take()?;
    let x = d.register(Width::X);
    masm.asm.rr(op::CVTPD2PS.code(w), x, low.register(w));
    if w == Width::X {
        // Convert two elements, then the other two.
        let other = masm.cache.take()?;
        masm.asm.v2i(op::PSHUFD, w, other, a, 0xee);
        let high = unsigned_to_doubles(masm, w, other)?;
        masm.asm.rr(op::CVTPD2PS.code(w), other.register(w), high.register(w));
        masm.asm.v3(op::PUNPCKLQDQ, w, d, d, other);
        [other, high].into_iter().for_each(|vector| masm.cache.drop(vector));
    } else {
        let other = masm.cache.take()?;
        masm.asm.r2i(Code::VEX_Vextracti128_xmmm128_ymm_imm8, other.register(Width::X), a.register(w), 1);
        let high = unsigned_to_doubles(masm, w, other)?;
        masm.asm.rr(op::CVTPD2PS.code(w), other.register(Width::X), high.register(w));
        insert_high(&mut masm.asm, d, other);
        [other, high].into_iter().for_each(|vector| masm.cache.drop(vector));
    }
    masm.cache.drop(low);
    Some(d)
}

/// Converts unsigned integers to doubles.
fn unsigned_to_doubles(masm: &mut MacroAssembler, w: Width, a: Vector) -> Option<Vector> {
    // Bits of a double whose lowest mantissa bit stands for 1.
    let large = masm.number(4503599627370496.0_f64.to_bits(), 8, w)?;
    let d = masm.cache.take()?;
    masm.asm.v2(op::MOVZXDQ, w, d, a, Width::X);
    masm.asm.v3(op::POR, w, d, d, large);
    masm.asm.v3(op::SUBPD, w, d, d, large);
    masm.cache.drop(large);
    Some(d)
}

/// Saturates integers of 32 bits to another kind.
fn saturate_integers(masm: &mut MacroAssembler, from: Kind, to: Kind, lanes: u32, a: Vector) -> Option<Vector> {
    (from.bytes() == 4 && to.bytes() <= 4).then_some(())?;
    let w = Width::of(lanes * 4);
    let bits = to.bytes() * 8;
    let (low, high) = match to.is_signed() {
        true => (0_u32.wrapping_sub(1 << (bits - 1)), (1_u32 << (bits - 1)) - 1),
        false => (0, u32::MAX >> (32 - bits.min(32))),
    };
    let mut value = a;
    masm.cache.hold(value);
    match (from, to) {
        (Kind::I32, Kind::U32) => {
            value = clamp_by(masm, op::PMAXSD, w, value, 0)?;
        }
        (Kind::U32, Kind::I32) => {
            value = clamp_by(masm, op::PMINUD, w, value, high)?;
        }
        (Kind::I32, to) if to.bytes() < 4 => {
            value = clamp_by(masm, op::PMAXSD, w, value, low)?;
            value = clamp_by(masm, op::PMINSD, w, value, high)?;
        }
        (Kind::U32, to) if to.bytes() < 4 => {
            value = clamp_by(masm, op::PMINUD, w, value, high)?;
        }
        _ => return None,
    }
    if to.bytes() == 4 {
        return Some(value);
    }
    let d = narrow(masm, 4, to.bytes(), lanes, value)?;
    masm.cache.drop(value);
    Some(d)
}

/// Clamps elements by a bound.
fn clamp_by(masm: &mut MacroAssembler, op: Op, w: Width, a: Vector, bound: u32) -> Option<Vector> {
    let number = masm.number(bound.into(), 4, w)?;
    let d = masm.cache.take()?;
    masm.asm.v3(op, w, d, a, number);
    [number, a].into_iter().for_each(|vector| masm.cache.drop(vector));
    Some(d)
}

/// Moves the low parts of elements together.
fn narrow(masm: &mut MacroAssembler, from: u32, to: u32, lanes: u32, a: Vector) -> Option<Vector> {
    let (w, x) = (Width::of(lanes * from), Width::X);
    let d = masm.cache.take()?;
    if masm.has_bits {
        let low = match (from, to) {
            (2, _) => op::LOWWB,
            (4, 1) => op::LOWDB,
            (4, _) => op::LOWDW,
            (_, 1) => op::LOWQB,
            (_, 2) => op::LOWQW,
            _ => op::LOWQD,
        };
        masm.asm.rr(low.code(w), d.register(Width::of(lanes * to)), a.register(w));
        return Some(d);
    }
    let parts = masm.asm.constant(low_parts(from, to));
    masm.asm.v3(op::PSHUFB, w, d, a, parts);
    if w == Width::Y {
        let high = masm.cache.take()?;
        masm.asm.r2i(Code::VEX_Vextracti128_xmmm128_ymm_imm8, high.register(x), d.register(w), 1);
        let join = match 16 / from * to {
            8 => op::PUNPCKLQDQ,
            4 => op::PUNPCKLDQ,
            _ => op::PUNPCKLWD,
        };
        masm.asm.v3(join, x, d, d, high);
        masm.cache.drop(high);
    }
    Some(d)
}

/// Returns the instruction that extends integers.
fn extension(from: Kind, to: Kind) -> Option<Op> {
    Some(match (from.is_signed(), from.bytes(), to.bytes()) {
        (false, 1, 2) => op::MOVZXBW,
        (false, 1, 4) => op::MOVZXBD,
        (false, 1, 8) => op::MOVZXBQ,
        (false, 2, 4) => op::MOVZXWD,
        (false, 2, 8) => op::MOVZXWQ,
        (false, 4, 8) => op::MOVZXDQ,
        (true, 1, 2) => op::MOVSXBW,
        (true, 1, 4) => op::MOVSXBD,
        (true, 1, 8) => op::MOVSXBQ,
        (true, 2, 4) => op::MOVSXWD,
        (true, 2, 8) => op::MOVSXWQ,
        (true, 4, 8) => op::MOVSXDQ,
        _ => return None,
    })
}

/// The rounding of the host's other operations.
const CURRENT_ROUNDING: i32 = 4;

/// Rounding toward zero, without the inexact exception.
const TRUNCATION: i32 = 11;

/// The predicate of `<=`, false for NaN.
const LESS_OR_EQUAL: i32 = 0x12;

/// The predicate that is false for NaN.
const ORDERED: i32 = 7;

/// Replaces the upper half of a register of 32 bytes.
fn insert_high(asm: &mut Assembler, d: Vector, half: Vector) {
    let (y, x) = (d.register(Width::Y), half.register(Width::X));
    asm.rrri(Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8, [y, y, x], 1);
}
