//! Register writes of a Semantics section: elements of operands and bytes of raw operands, applied
//! at the end.

use visakit::isa::DataType;
use visakit_codegen::model::SourceSpan;

use crate::builtins::Builtin;
use crate::bytes;
use crate::convert::{self, Allowed};
use crate::effects::{Target, Write};
use crate::execution::{Result, Run, senseless};
use crate::memory;
use crate::operand::{Kind, bytes_of};
use crate::program::Node;
use crate::value::{Integer, Value};

impl Run<'_> {
    pub(crate) fn write(
        &mut self,
        operand: usize,
        index: u64,
        value: &Value,
        as_bits: bool,
        at: SourceSpan,
    ) -> Result<()> {
        let place = &self.operands[operand];
        let (target, data_type) = match &place.kind {
            Kind::Null => return Ok(()),
            Kind::Registers { .. } => {
                let offset = place.offset(index, self.thread()?)?;
                (Target::Register(offset, bytes_of(place.data_type) as u32), place.data_type)
            }
            Kind::Predicate { number, .. } => {
                (Target::Predicate(*number, self.channels().first + index as u32), DataType::Ub)
            }
            Kind::Address { first, .. } => (Target::Address(first + index as u32 * 4), DataType::Ud),
            Kind::State { first } => (Target::State(first + index as u32), DataType::Ud),
            Kind::Constant(_) => return senseless("a write to a constant"),
        };
        let saturate = visakit::isa::Modifier::Sat == place.modifier;
        // Message results in raw operands have no type.
        let as_bits = as_bits
            || place.raw
                && matches!(value, Value::Integer(integer) if !convert::is_whole_of_half(integer, data_type));
        let stored = match (value, as_bits) {
            (Value::Integer(Integer { value, .. }), true) => {
                let bits = convert::low_bits(*value, data_type.bits());
                Some(convert::Stored { bits, allowed: Allowed::Exact })
            }
            (Value::Loose { bits, known }, _) => Some(convert::loose(*bits, *known)),
            (Value::Float(float), true) => Some(convert::Stored { bits: float.bits, allowed: Allowed::Exact }),
            (Value::Float(_) | Value::Between { .. } | Value::Integer(_), _) if place.raw => {
                convert::of_message(value, data_type)
            }
            _ => convert::store(value, data_type, saturate, self.mode),
        };
        let Some(stored) = stored else { return senseless("a value that the element cannot represent") };
        self.writes.push(Write { target, bits: stored.bits, allowed: stored.allowed, at });
        Ok(())
    }

    /// Writes a value to the place that a built-in names.
    pub(crate) fn put(&mut self, place: Builtin, arguments: &[Node], value: Value, at: SourceSpan) -> Result<()> {
        match (place, arguments) {
            (Builtin::Raw, [Node::Operand(operand), offset, count]) => {
                let (offset, count) = (self.number(offset)?, self.number(count)?);
                let Some(start) = self.raw(*operand, offset, count)? else { return Ok(()) };
                let stored = match (&value, count) {
                    (Value::Loose { bits, known }, 1..=8) => Some(convert::loose(*bits, *known)),
                    (Value::Between { .. }, 4) => convert::of_message(&value, DataType::F),
                    _ => None,
                };
                if let Some(convert::Stored { bits, allowed }) = stored {
                    self.writes.push(Write { target: Target::Register(start, count as u32), bits, allowed, at });
                    return Ok(());
                }
                let allowed = if value == Value::Unknown { Allowed::Anything } else { Allowed::Exact };
                let bytes = bytes::bytes(&value, count as usize)?;
                for (n, part) in bytes.chunks(8).enumerate() {
                    let mut bits = [0; 8];
                    bits[..part.len()].copy_from_slice(part);
                    let target = Target::Register(start + n as u32 * 8, part.len() as u32);
                    let bits = u64::from_le_bytes(bits);
                    self.writes.push(Write { target, bits, allowed: allowed.clone(), at });
                }
                Ok(())
            }
            (place, arguments) if memory::is_place(place) => memory::store(self, place, arguments, &value),
            _ => senseless(format!("a value for {place:?}")),
        }
    }
}
