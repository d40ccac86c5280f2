//! What an instruction has in each channel, for people.

use visakit_machine::thread::Thread;

use crate::float::Format;
use crate::memory::Space;
use crate::operand::{Kind, Place, bytes_of};
use crate::program::{Program, Touches};
use crate::sampler;
use crate::value::{Integer, Value};
use crate::written::Target;

/// An operand as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its name on the page.
    pub name: &'static str,
    /// The type of its elements, in lower case; nothing for addresses and the like.
    pub data_type: &'static str,
    /// Bits of an element.
    pub bits: u32,
    /// Whether it is a raw operand.
    pub raw: bool,
    /// Whether the instruction writes it.
    pub written: bool,
}

impl Program {
    /// How many channels the instruction has.
    pub fn channels(&self) -> u32 {
        self.channels.count
    }

    /// Which memory the instruction may touch.
    pub fn touches(&self) -> Touches {
        self.touches
    }

    /// The operands, in the order of the page.
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

    /// The entries of the binding table whose images the instruction reaches.
    pub fn image_entries(&self, thread: &Thread) -> Vec<u32> {
        self.images.iter().filter_map(|space| self.entry(*space, thread)).collect()
    }

    /// The elements of the state variables that are samplers of the instruction.
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

    /// Where an operand's element of a channel stands; none for constants, and for what is nowhere.
    pub fn stands_at(&self, operand: usize, channel: u32, thread: &Thread) -> Option<Target> {
        let place = self.operands.get(operand)?;
        Some(match place.kind {
            Kind::Registers { .. } => {
                let at = place.offset(channel.into(), thread).ok()?;
                Target::Register(at, bytes_of(place.data_type) as u32)
            }
            Kind::Predicate { number, .. } => Target::Predicate(number, self.channels.first + channel),
            Kind::Address { first, .. } => Target::Address(first + channel),
            Kind::State { first } => Target::State(first + channel),
            Kind::Null | Kind::Constant(_) => return None,
        })
    }

    /// What an operand has in a channel: of a source what it is computed with, of a destination
    /// what stands there. None where it is nowhere.
    pub fn element(&self, operand: usize, channel: u32, thread: &Thread) -> Option<String> {
        let place = self.operands.get(operand)?;
        let first = if matches!(place.kind, Kind::Predicate { .. }) { self.channels.first } else { 0 };
        place.read(u64::from(channel + first), thread).ok().map(|value| shown(&value, place))
    }
}

/// A value as people write it.
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

/// A float in the fewest digits that tell it from its neighbours; NaNs with their bits.
pub fn shown_float(format: Format, bits: u64) -> String {
    if format.is_nan(bits) {
        return format!("nan:{bits:#x}");
    }
    match format {
        Format::Double => format!("{:?}", f64::from_bits(bits)),
        // Shorter formats are shown as the F that they are.
        _ => format!("{:?}", format.to_real(bits) as f32),
    }
}
