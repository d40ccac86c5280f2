//! Streams: contiguous code as bytes, with unresolved distances.

use iced_x86::{Encoder, Instruction, Register};

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub(crate) usize);

impl Label {
    /// Returns the label's number.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

/// A stream of code.
pub(crate) struct Stream {
    pub(crate) encoder: Encoder,
    pub(crate) len: usize,
    /// The place of each distance of four bytes, and its target.
    pub(crate) distances: Vec<(usize, DistanceTarget)>,
}

/// The target of a distance.
pub(crate) enum DistanceTarget {
    Label(Label),
    /// A constant before the code. The distance is relative to a stream that begins at zero.
    Constant,
}

impl Stream {
    /// Returns one without code.
    pub(crate) fn new() -> Self {
        Self { encoder: Encoder::new(64), len: 0, distances: Vec::new() }
    }

    /// Encodes an instruction at the end.
    pub(crate) fn put(&mut self, instruction: &Instruction) -> Result<(), iced_x86::IcedError> {
        let bytes = self.encoder.encode(instruction, self.len as u64)?;
        if instruction.memory_base() == Register::RIP {
            let field = self.len + self.encoder.get_constant_offsets().displacement_offset();
            self.distances.push((field, DistanceTarget::Constant));
        }
        self.len += bytes;
        Ok(())
    }

    /// Removes the code from `place` on.
    pub(crate) fn rewind(&mut self, place: usize) {
        let mut bytes = self.encoder.take_buffer();
        bytes.truncate(place);
        self.encoder.set_buffer(bytes);
        // The distances are in the order of their places.
        while self.distances.last().is_some_and(|(distance, _)| *distance >= place) {
            self.distances.pop();
        }
        self.len = place;
    }
}
