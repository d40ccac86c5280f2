//! Values as bytes.

use crate::execution::{Result, senseless};
use crate::value::{Integer, Value};

/// Converts bytes to a value: an integer if there are at most eight.
pub(crate) fn of_bytes(bytes: &[u8]) -> Value {
    if bytes.len() > 8 {
        return Value::Bytes(bytes.to_vec());
    }
    let mut whole = [0; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    Value::sized(u64::from_le_bytes(whole), bytes.len() as u32 * 8)
}

/// Returns a value as `count` bytes.
pub(crate) fn bytes(value: &Value, count: usize) -> Result<Vec<u8>> {
    let bits = match value {
        Value::Bytes(bytes) => return Ok(bytes.iter().copied().chain(std::iter::repeat(0)).take(count).collect()),
        Value::Integer(Integer { value, .. }) => value.to_le_bytes().to_vec(),
        Value::Float(float) => float.bits.to_le_bytes().to_vec(),
        Value::Loose { bits, .. } => bits.to_le_bytes().to_vec(),
        Value::Unknown => vec![u8::MAX; count],
        value => return senseless(format!("the bytes of {value:?}")),
    };
    let fill =
        if matches!(value, Value::Integer(Integer { value, .. }) if value.is_negative()) { u8::MAX } else { 0 };
    Ok(bits.into_iter().chain(std::iter::repeat(fill)).take(count).collect())
}
