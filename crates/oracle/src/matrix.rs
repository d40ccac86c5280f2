//! Elements of matrices: packed numbers of a few bits, by the list `Precision` and the page FCVT.

use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float as _, FloatConvert};
use visakit::isa::{Precision, PrecisionClass};
use visakit::rt::Bits as _;

use crate::convert::ones;
use crate::execution::{Result, Run, senseless};
use crate::float::quad;
use crate::operand::Kind;
use crate::program::Node;
use crate::value::Value;

/// Code of the scale 1.
const SCALE_OF_ONE: u8 = 127;

/// Returns the n-th element of a precision, counted from an operand's first bit.
pub(crate) fn element(run: &mut Run<'_>, arguments: &[Node]) -> Result<Value> {
    let [Node::Value(Value::Integer(code)), Node::Operand(operand), n] = arguments else {
        return senseless("a matrix element with these arguments");
    };
    let Ok(precision) = Precision::from_bits(code.value.as_u64()) else {
        return senseless("elements of this precision");
    };
    let n = run.number(n)? as u64;
    let width = u64::from(precision.bits());
    let (byte, shift) = (n * width / 8, n * width % 8);
    let bits = bits(run, *operand, byte, (width / 8).max(1))? >> shift & ones(width as u32);
    Ok(match precision.class() {
        PrecisionClass::Unsigned => Value::integer(bits),
        PrecisionClass::Signed => {
            let unused = 64 - width;
            Value::integer((bits << unused) as i64 >> unused)
        }
        PrecisionClass::Float => Value::Wide(float(precision, u128::from(bits))?),
    })
}

/// Returns the power of two that a byte of an operand stands for, or 1 without an operand.
pub(crate) fn scale_of(run: &mut Run<'_>, arguments: &[Node]) -> Result<Value> {
    let [Node::Operand(operand), n] = arguments else {
        return senseless("a scale with these arguments");
    };
    let n = run.number(n)? as u64;
    let code = match run.operands[*operand].kind {
        Kind::Null => i32::from(SCALE_OF_ONE),
        _ => bits(run, *operand, n, 1)? as i32,
    };
    let value = if code == u8::MAX.into() { f64::NAN } else { 2.0_f64.powi(code - i32::from(SCALE_OF_ONE)) };
    Ok(Value::Wide(quad(Double::from_bits(value.to_bits().into())).to_bits()))
}

/// Reads the bytes of an operand from a byte offset.
fn bits(run: &mut Run<'_>, operand: usize, byte: u64, bytes: u64) -> Result<u64> {
    let place = &run.operands[operand];
    let (thread, byte) = match place.shared {
        Some(first) if byte >= first => match run.neighbour {
            Some(neighbour) => (neighbour, byte - first),
            None => return senseless("an operand of two fused threads in a single thread"),
        },
        _ => (run.thread()?, byte),
    };
    if matches!(place.kind, Kind::Null) {
        return Ok(0);
    }
    let at = run.raw(operand, byte as i64, bytes as i64)?;
    Ok(at.map_or(0, |at| crate::operand::register(thread, at, bytes as usize)))
}

/// Converts the bits of an element to quad precision.
fn float(precision: Precision, bits: u128) -> Result<u128> {
    Ok(match precision {
        Precision::Bf => quad(BFloat::from_bits(bits)),
        Precision::Hf => quad(Half::from_bits(bits)),
        Precision::Bf8 => {
            let half: Half = Float8E5M2::from_bits(bits).convert(&mut false).value;
            quad(half)
        }
        Precision::Hf8 => {
            let half: Half = Float8E4M3FN::from_bits(bits).convert(&mut false).value;
            quad(half)
        }
        // The lowest 13 of the 32 bits are ignored.
        Precision::Tf32 => quad(Single::from_bits(bits & !0x1fff)),
        // 1 sign bit, 2 exponent bits with a bias of 1, 1 fraction bit; no infinity and no NaN.
        Precision::E2m1 => {
            let (exponent, fraction) = ((bits >> 1 & 3) as i32, (bits & 1) as f32 / 2.0);
            let magnitude = if exponent == 0 { fraction } else { (1.0 + fraction) * 2.0_f32.powi(exponent - 1) };
            let value = if bits >> 3 & 1 == 1 { -magnitude } else { magnitude };
            quad(Single::from_bits(value.to_bits().into()))
        }
        _ => return senseless("elements of this precision"),
    }
    .to_bits())
}
