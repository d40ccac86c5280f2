//! Memory that kernels and the program access by the same addresses: shared virtual memory, and
//! Intel's unified shared memory.

use std::ffi::c_void;

use opencl_sys::*;

use crate::base::answer::Answer;
use crate::base::error::{Code, Result, ensure, fail};
use crate::base::handle::{self, Handle};
use crate::base::storage::Storage;
use crate::devices::allocations::Allocation;
use crate::devices::context::{Context, Usm};
use crate::devices::description;
use crate::devices::device::Device;
use crate::memory::mem::flags_of;

/// Allocates shared virtual memory.
pub(crate) fn allocate(
    context: &Handle<Context>,
    flags: cl_svm_mem_flags,
    bytes: usize,
    alignment: u32,
) -> Result<*mut c_void> {
    let access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    // Atomics with the host are not supported: 64-bit atomics are atomic only within a launch.
    ensure(flags & !(access | CL_MEM_SVM_FINE_GRAIN_BUFFER) == 0, CL_INVALID_VALUE)?;
    ensure((flags & access).count_ones() <= 1, CL_INVALID_VALUE)?;
    ensure(alignment == 0 || alignment.is_power_of_two() && alignment <= 128, CL_INVALID_VALUE)?;
    make(context, bytes, CL_MEM_TYPE_UNKNOWN_INTEL, None, 0)
}

/// Allocates unified shared memory.
pub(crate) fn allocate_unified(
    context: &Handle<Context>,
    device: Option<Handle<Device>>,
    kind: cl_unified_shared_memory_type_intel,
    properties: &[cl_mem_properties_intel],
    bytes: usize,
    alignment: u32,
) -> Result<*mut c_void> {
    if let Some(device) = &device {
        ensure(context.has(device), CL_INVALID_DEVICE)?;
    }
    flags_of(properties)?;
    let is_allocation = |pair: &&[cl_mem_properties_intel]| pair[0] == CL_MEM_ALLOC_FLAGS_INTEL;
    let flags = properties.chunks_exact(2).filter(is_allocation).fold(0, |flags, pair| flags | pair[1]);
    ensure(alignment == 0 || alignment.is_power_of_two() && alignment <= 1 << 16, CL_INVALID_VALUE)?;
    make(context, bytes, kind, device, flags)
}

fn make(
    context: &Handle<Context>,
    bytes: usize,
    kind: cl_unified_shared_memory_type_intel,
    device: Option<Handle<Device>>,
    flags: cl_mem_alloc_flags_intel,
) -> Result<*mut c_void> {
    ensure(bytes > 0 && bytes as u64 <= description::max_allocation(), CL_INVALID_BUFFER_SIZE)?;
    let storage = Storage::in_slot(bytes).ok_or(Code(CL_OUT_OF_RESOURCES))?;
    Ok(context.allocations.add(Allocation { storage, about: Usm { kind, device, flags } }))
}

/// Answers `clGetMemAllocInfoINTEL`.
pub(crate) fn info(context: &Handle<Context>, address: *const c_void, answer: Answer) -> Result {
    let found = context.allocations.lookup(address as usize);
    match (answer.name, &found) {
        (CL_MEM_ALLOC_TYPE_INTEL, _) => {
            answer.value(found.map_or(CL_MEM_TYPE_UNKNOWN_INTEL, |found| found.about.kind))
        }
        (CL_MEM_ALLOC_BASE_PTR_INTEL, _) => {
            answer.value(found.map_or(std::ptr::null_mut::<c_void>(), |found| found.storage.first().cast()))
        }
        (CL_MEM_ALLOC_SIZE_INTEL, _) => answer.value(found.map_or(0, |found| found.storage.bytes())),
        (CL_MEM_ALLOC_DEVICE_INTEL, _) => {
            answer.value(handle::address_of(found.as_ref().and_then(|found| found.about.device.as_ref())))
        }
        (name, _) if u64::from(name) == CL_MEM_ALLOC_FLAGS_INTEL => {
            answer.value(found.map_or(0, |found| found.about.flags))
        }
        _ => fail(CL_INVALID_VALUE),
    }
}
