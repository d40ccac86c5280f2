//! Mapped arguments of a launch. The payload, the surfaces and the reports use these; only the
//! mapping uses the caller's [`Argument`](crate::argument::Argument)s.

use visakit_machine::format::Format;
use visakit_machine::image::ImageDesc;
use visakit_machine::sampler::Sampler;

/// Argument of a launch in progress. Its contents are in a buffer of the launch's memory.
#[derive(Clone, Debug, PartialEq)]
pub enum MappedArgument {
    /// Pointer to mapped memory.
    Buffer(MappedBuffer),
    /// Pointer without mapped memory; 0 is NULL.
    Pointer(u64),
    /// Size in bytes of shared local memory.
    Local(u32),
    /// Value, with exactly as many bytes as its type.
    Value(Vec<u8>),
    /// Image.
    Image(MappedImage),
    /// Sampler.
    Sampler(Sampler),
}

/// Buffer of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappedBuffer {
    /// Index of the buffer in the launch's memory.
    pub number: usize,
    /// Address that the kernel receives.
    pub address: u64,
    /// Offset of this address in the buffer.
    pub offset: u32,
    /// Size in bytes from this address on.
    pub bytes: u64,
}

impl MappedBuffer {
    /// Returns the same buffer for an address at an offset in it.
    #[must_use]
    pub fn at(self, offset: u32) -> Self {
        Self { offset, bytes: self.bytes.saturating_sub(offset.into()), ..self }
    }
}

/// Image whose texels are in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappedImage {
    /// Buffer of the texels.
    pub texels: MappedBuffer,
    /// Format of the texels.
    pub format: Format,
    /// Size of the image.
    pub desc: ImageDesc,
}

impl MappedArgument {
    /// Returns the buffer of a pointer or of an image.
    pub fn buffer(&self) -> Option<MappedBuffer> {
        match self {
            Self::Buffer(buffer) => Some(*buffer),
            Self::Image(image) => Some(image.texels),
            _ => None,
        }
    }

    /// Returns the address that a pointer to global or constant memory holds.
    pub fn address(&self) -> Option<u64> {
        match self {
            Self::Buffer(buffer) => Some(buffer.address),
            Self::Pointer(address) => Some(*address),
            _ => None,
        }
    }
}
