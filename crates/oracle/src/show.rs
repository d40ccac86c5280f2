//! Human-readable values of an instruction in each channel.

use visakit_machine::thread::Thread;

use crate::effects::Target;
use crate::float::Format;
use crate::operand::{Kind, Place, bytes_of};
use crate::program::{Program, Touches};
use crate::sampler;
use crate::space::Space;
use crate::value::{Integer, Value};

/// Displayed operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Name of the operand on the page.
    pub name: &'static str,
    /// Type of the elements in lower case; empty for operands without a type, such as addresses.
    pub data_type: &'static str,
    /// Size of an element in bits.
    pub bits: u32,
    /// True for a raw operand.
    pub raw: bool,
    /// True if the instruction writes the operand.
    pub written: bool,
}

impl Program {
    /// Returns the number of channels of the instruction.
    pub fn channels(&self) -> u32 {
        self.channels.count
    }

    /// Returns the memory that the instruction may touch.
    pub fn touches(&self) -> Touches {
        self.touches
    }

    /// Returns the operands in the order of the page.
    pub fn operands(&self) -> Vec<Shown> {
        let all = self.operands.iter().zip(&self.names);
        all.map(|(place, (name, written))| Shown {
            name,
            data_type: place.data_type.name(),
            bits: place.data_type.bits(),
            raw: place.raw,
            written: *written,
        })
        .collect()
    }

    /// Returns the binding table entries of the images that the instruction accesses.
    pub fn image_entries(&self, thread: &Thread) -> Vec<u32> {
        self.images.iter().filter_map(|space| self.entry(*space, thread)).collect()
    }

    /// Returns the elements of the state variables that are samplers of the instruction.
    pub fn sampler_elements(&self) -> Vec<u32> {
        let element = |space: &Space| match space {
            Space::Surface(at) | Space::State(at) => Some(*at),
            _ => None,
        };
        self.samplers.iter().filter_map(element).collect()
    }

    /// Returns the indices of the samplers that the instruction reads through.
    pub fn sampler_indices(&self, thread: &Thread) -> Vec<u32> {
        self.samplers.iter().filter_map(|space| sampler::index(*space, thread)).collect()
    }

    /// Returns the position of an operand's element in a channel; `None` for constants and elements
    /// without a position.
    pub fn stands_at(&self, operand: usize, channel: u32, thread: &Thread) -> Option<Target> {
        let place = self.operands.get(operand)?;
        Some(match place.kind {
            Kind::Registers { .. } => {
                let at = place.offset(channel.into(), thread).ok()?;
                Target::Register(at, bytes_of(place.data_type) as u32)
            }
            Kind::Predicate { number, .. } => Target::Predicate(number, self.channels.first + channel),
            Kind::Address { first, .. } => Target::Address(first + channel * 4),
            Kind::State { first } => Target::State(first + channel),
            Kind::Null | Kind::Constant(_) => return None,
        })
    }

    /// Formats an operand's element in a channel: a source after conversion, a destination as
    /// stored. Returns `None` if the element has no position.
    pub fn element(&self, operand: usize, channel: u32, thread: &Thread) -> Option<String> {
        let place = self.operands.get(operand)?;
        let first = if matches!(place.kind, Kind::Predicate { .. }) { self.channels.first } else { 0 };
        place.read(u64::from(channel + first), thread).ok().map(|value| shown(&value, place))
    }
}

/// Formats a value for a person.
fn shown(value: &Value, place: &Place) -> String {
    match value {
        Value::Integer(Integer { value, .. }) => match place.kind {
            Kind::Address { .. } => format!("{value:#x}"),
            _ => value.to_string(),
        },
        Value::Float(float) => shown_float(float.format, float.bits),
        Value::Truth(truth) => u8::from(*truth).to_string(),
        value => format!("{value:?}"),
    }
}

/// Formats a float with the fewest digits that identify it; a NaN with its bits.
pub fn shown_float(format: Format, bits: u64) -> String {
    if format.is_nan(bits) {
        return format!("nan:{bits:#x}");
    }
    match format {
        Format::Double => format!("{:?}", f64::from_bits(bits)),
        // Shorter formats are displayed as the equivalent F.
        _ => format!("{:?}", format.to_real(bits) as f32),
    }
}
