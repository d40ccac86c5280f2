//! Code that stands together, as bytes and the distances in it that are not known yet.

use iced_x86::{Encoder, Instruction, Register};

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub(crate) usize);

impl Label {
    /// Its number.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

/// Code that stands together.
pub(crate) struct Stream {
    pub(crate) encoder: Encoder,
    pub(crate) len: usize,
    /// Where the four bytes of a distance stand, and what it leads to.
    pub(crate) distances: Vec<(usize, Target)>,
}

/// The target of a distance.
pub(crate) enum Target {
    Label(Label),
    /// Something in front of the code, for which the distance has been right at the beginning.
    Constant,
}

impl Stream {
    /// Returns one without code.
    pub(crate) fn new() -> Self {
        Self { encoder: Encoder::new(64), len: 0, distances: Vec::new() }
    }

    pub(crate) fn put(&mut self, instruction: &Instruction) -> Result<(), iced_x86::IcedError> {
        let bytes = self.encoder.encode(instruction, self.len as u64)?;
        if instruction.memory_base() == Register::RIP {
            let field = self.len + self.encoder.get_constant_offsets().displacement_offset();
            self.distances.push((field, Target::Constant));
        }
        self.len += bytes;
        Ok(())
    }

    pub(crate) fn rewind(&mut self, place: usize) {
        let mut bytes = self.encoder.take_buffer();
        bytes.truncate(place);
        self.encoder.set_buffer(bytes);
        // They are in the order of their places.
        while self.distances.last().is_some_and(|(distance, _)| *distance >= place) {
            self.distances.pop();
        }
        self.len = place;
    }
}
