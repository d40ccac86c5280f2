//! Arguments as a launch has mapped them. The payload, the surfaces and the reports read these;
//! only the mapping itself reads the caller's [`Argument`](crate::argument::Argument)s.

use visakit_machine::format::Format;
use visakit_machine::image::ImageDesc;
use visakit_machine::sampler::Sampler;

/// An argument of a launch in progress. Its contents are in a buffer of the launch's memory.
#[derive(Clone, Debug, PartialEq)]
pub enum MappedArgument {
    /// A pointer to mapped memory.
    Buffer(MappedBuffer),
    /// A pointer without mapped memory; 0 is NULL.
    Pointer(u64),
    /// A pointer to shared local memory of this many bytes.
    Local(u32),
    /// A value, with exactly as many bytes as its type.
    Value(Vec<u8>),
    /// An image.
    Image(MappedImage),
    /// A sampler.
    Sampler(Sampler),
}

/// The buffer of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappedBuffer {
    /// Its index in the memory of the launch.
    pub number: usize,
    /// The address that the kernel receives.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// An image whose texels are in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MappedImage {
    /// The buffer of the texels.
    pub texels: MappedBuffer,
    /// Format of the texels.
    pub format: Format,
    /// Size.
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
