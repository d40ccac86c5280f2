//! Kernels that are wrong on purpose, to test the comparison.

use visakit_emulator::machine::image::Image;
use visakit_emulator::machine::sampler::Sampler;

/// A kernel that is wrong on purpose: what it leaves in a register is changed where this says so.
#[derive(Clone, Copy, Debug)]
pub struct Wrong {
    /// The page whose kernel it is.
    pub page: &'static str,
    /// What it does wrong.
    pub how: Slip,
}

/// What a wrong kernel does.
#[derive(Clone, Copy, Debug)]
pub enum Slip {
    /// What happens to the bits of a result.
    Result(Change),
    /// What it takes an image for.
    Image(fn(&mut Image)),
    /// What it takes a sampler for.
    Sampler(fn(&mut Sampler)),
}

/// What happens to the bits of a result.
pub(super) type Change = fn(old: u64, new: u64, bytes: u32, nth: u32) -> u64;
