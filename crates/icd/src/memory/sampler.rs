//! Samplers.

use std::sync::Arc;

use opencl_sys::*;
use visakit_emulator::machine::sampler::{Addressing, Sampler as Settings};

use crate::base::answer::Answer;
use crate::base::error::{Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::devices::context::Context;

/// OpenCL sampler.
pub(crate) struct Sampler {
    context: Handle<Context>,
    normalized: bool,
    addressing: cl_addressing_mode,
    filter: cl_filter_mode,
    /// Properties passed by the program, with the final zero.
    properties: Vec<cl_sampler_properties>,
}

kind!(Sampler, CL_INVALID_SAMPLER);

/// Creates a sampler; `given` are the properties that the program passed as a list.
pub(crate) fn create(
    context: &Handle<Context>,
    properties: &[cl_sampler_properties],
    given: &[cl_sampler_properties],
) -> Result<Handle<Sampler>> {
    ensure(context.devices.iter().any(|device| device.has_images), CL_INVALID_OPERATION)?;
    let (mut normalized, mut addressing, mut filter) = (true, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    for (n, pair) in properties.chunks_exact(2).enumerate() {
        let is_twice = properties.chunks_exact(2).take(n).any(|other| other[0] == pair[0]);
        ensure(!is_twice, CL_INVALID_VALUE)?;
        let value = pair[1] as cl_uint;
        match pair[0] as cl_uint {
            CL_SAMPLER_NORMALIZED_COORDS => normalized = value != 0,
            CL_SAMPLER_ADDRESSING_MODE => addressing = value,
            CL_SAMPLER_FILTER_MODE => filter = value,
            _ => return fail(CL_INVALID_VALUE),
        }
    }
    ensure((CL_ADDRESS_NONE..=CL_ADDRESS_MIRRORED_REPEAT).contains(&addressing), CL_INVALID_VALUE)?;
    ensure([CL_FILTER_NEAREST, CL_FILTER_LINEAR].contains(&filter), CL_INVALID_VALUE)?;
    let repeats = addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT;
    ensure(normalized || !repeats, CL_INVALID_VALUE)?;
    let properties = given.to_vec();
    Ok(handle::create(Sampler { context: Arc::clone(context), normalized, addressing, filter, properties }))
}

impl Sampler {
    /// Returns the emulator's settings of the sampler.
    pub(crate) fn settings(&self) -> Settings {
        let addressing = match self.addressing {
            CL_ADDRESS_CLAMP => Addressing::Clamp,
            CL_ADDRESS_CLAMP_TO_EDGE => Addressing::ClampToEdge,
            CL_ADDRESS_REPEAT => Addressing::Repeat,
            CL_ADDRESS_MIRRORED_REPEAT => Addressing::Mirror,
            _ => Addressing::None,
        };
        let linear = self.filter == CL_FILTER_LINEAR;
        Settings { addressing, linear, normalized: self.normalized, ..Settings::default() }
    }
}

/// Answers `clGetSamplerInfo`.
pub(crate) fn info(sampler: &Handle<Sampler>, answer: Answer) -> Result {
    match answer.name {
        CL_SAMPLER_REFERENCE_COUNT => answer.value(handle::count(sampler)),
        CL_SAMPLER_CONTEXT => answer.value(handle::address(&sampler.context)),
        CL_SAMPLER_NORMALIZED_COORDS => answer.flag(sampler.normalized),
        CL_SAMPLER_ADDRESSING_MODE => answer.value(sampler.addressing),
        CL_SAMPLER_FILTER_MODE => answer.value(sampler.filter),
        CL_SAMPLER_PROPERTIES => answer.list(&sampler.properties),
        _ => answer.unknown(),
    }
}
