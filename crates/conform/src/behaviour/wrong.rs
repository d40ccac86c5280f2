//! Kernels that are wrong on purpose, to test the comparison.

use visakit_emulator::machine::image::Image;
use visakit_emulator::machine::sampler::Sampler;

/// Deliberately wrong kernel. The judge must notice its changed result, image or sampler.
#[derive(Clone, Copy, Debug)]
pub struct Wrong {
    /// Name of the page whose kernel is wrong.
    pub page: &'static str,
    /// Kind of mistake.
    pub how: Slip,
}

/// Mistake of a deliberately wrong kernel.
#[derive(Clone, Copy, Debug)]
pub enum Slip {
    /// Changes the bits of a result.
    Result(Change),
    /// Replaces a property of an image.
    Image(fn(&mut Image)),
    /// Replaces a property of a sampler.
    Sampler(fn(&mut Sampler)),
}

/// Function that changes the bits of a result.
pub(super) type Change = fn(old: u64, new: u64, bytes: u32, nth: u32) -> u64;
