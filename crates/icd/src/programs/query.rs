//! Queries about programs and their builds.

use opencl_sys::*;

use crate::base::answer::Answer;
use crate::base::error::{Result, ensure};
use crate::base::handle::{self, Handle};
use crate::devices::device::Device;
use crate::programs::program::{Program, Source, kernel_names};

/// Answers `clGetProgramInfo`.
pub(crate) fn info(program: &Handle<Program>, answer: Answer) -> Result {
    match answer.name {
        CL_PROGRAM_REFERENCE_COUNT => answer.value(handle::count(program)),
        CL_PROGRAM_CONTEXT => answer.value(handle::address(&program.context)),
        CL_PROGRAM_NUM_DEVICES => answer.value(program.devices.len() as cl_uint),
        CL_PROGRAM_DEVICES => answer.list(&program.devices.iter().map(handle::address).collect::<Vec<_>>()),
        CL_PROGRAM_SOURCE => match &program.source {
            Source::Text(text) => answer.text(&String::from_utf8_lossy(text)),
            _ => answer.text(""),
        },
        CL_PROGRAM_IL => match &program.source {
            Source::Intermediate(module) => answer.list(module),
            _ => answer.list::<u8>(&[]),
        },
        CL_PROGRAM_BINARY_SIZES => {
            let sizes: Vec<usize> = program.valid_builds().iter().map(|build| build.stored().len()).collect();
            answer.list(&sizes)
        }
        CL_PROGRAM_BINARIES => {
            let (places, size) = answer.place();
            let wanted = std::mem::size_of::<*mut u8>() * program.devices.len();
            if !places.is_null() {
                ensure(size >= wanted, CL_INVALID_VALUE)?;
                for (n, build) in program.valid_builds().iter().enumerate() {
                    let bytes = build.stored();
                    // SAFETY: the program passes one pointer per device, null or with room for as
                    // many bytes as the sizes say.
                    unsafe {
                        let place = places.cast::<*mut u8>().add(n).read_unaligned();
                        if !place.is_null() {
                            std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len());
                        }
                    }
                }
            }
            answer.only_size(wanted)
        }
        CL_PROGRAM_NUM_KERNELS => answer.value(kernel_names(program)?.len()),
        CL_PROGRAM_KERNEL_NAMES => answer.text(&kernel_names(program)?.join(";")),
        CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT | CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT => answer.flag(false),
        _ => answer.unknown(),
    }
}

/// Answers `clGetProgramBuildInfo`.
pub(crate) fn build_info(program: &Handle<Program>, device: &Handle<Device>, answer: Answer) -> Result {
    let build = program.build_of(device)?;
    match answer.name {
        CL_PROGRAM_BUILD_STATUS => answer.value(build.status),
        CL_PROGRAM_BUILD_OPTIONS => answer.text(&build.options),
        CL_PROGRAM_BUILD_LOG => answer.text(&build.log),
        CL_PROGRAM_BINARY_TYPE => answer.value(build.kind),
        CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE => {
            let sections = build.binary.iter().flat_map(|binary| &binary.zebin.data);
            let variables = sections.filter(|section| section.name.ends_with(".global"));
            answer.value(variables.map(|section| section.size as usize).sum::<usize>())
        }
        _ => answer.unknown(),
    }
}
