//! Elements of matrices: packed numbers of a few bits, by the list `Precision` and the page FCVT.

use rustc_apfloat::ieee::{BFloat, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float as _, FloatConvert};
use visakit::isa::{Precision, PrecisionClass};
use visakit::rt::Bits as _;

use crate::convert::ones;
use crate::execution::{Result, Run, senseless};
use crate::float::quad;
use crate::operand::Kind;
use crate::program::Node;
use crate::value::Value;

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
    let bytes = (width / 8).max(1) as i64;
    let place = &run.operands[*operand];
    let (thread, byte) = match place.shared {
        Some(first) if byte >= first => match run.neighbour {
            Some(neighbour) => (neighbour, byte - first),
            None => return senseless("an operand of two fused threads in a single thread"),
        },
        _ => (run.thread()?, byte),
    };
    let bits = match place.kind {
        Kind::Null => 0,
        _ => match run.raw(*operand, byte as i64, bytes)? {
            Some(at) => crate::operand::register(thread, at, bytes as usize) >> shift & ones(width as u32),
            None => 0,
        },
    };
    Ok(match precision.class() {
        PrecisionClass::Unsigned => Value::integer(bits),
        PrecisionClass::Signed => {
            let unused = 64 - width;
            Value::integer((bits << unused) as i64 >> unused)
        }
        PrecisionClass::Float => Value::Wide(float(precision, u128::from(bits))?),
    })
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
