//! Samplers.

use visakit_emulator::machine::sampler::{Addressing, Sampler as Settings};

use crate::base::handle::kind;
use crate::base::result::*;
use crate::base::types::SamplerDesc;

/// Sampler of the API.
pub(crate) struct Sampler {
    pub(crate) settings: Settings,
}

kind!(Sampler);

impl Sampler {
    /// Creates a sampler.
    pub(crate) fn new(desc: &SamplerDesc) -> Result<Self> {
        let addressing = match desc.address_mode {
            0 => Addressing::None,
            1 => Addressing::Repeat,
            2 => Addressing::ClampToEdge,
            3 => Addressing::Clamp,
            4 => Addressing::Mirror,
            _ => return Err(ERROR_INVALID_ENUMERATION),
        };
        ensure(desc.filter_mode <= 1, ERROR_INVALID_ENUMERATION)?;
        let (linear, normalized) = (desc.filter_mode == 1, desc.is_normalized != 0);
        Ok(Self { settings: Settings { addressing, linear, normalized, ..Settings::default() } })
    }
}
