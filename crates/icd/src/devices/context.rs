//! Contexts: devices, and the objects shared by them.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use opencl_sys::*;

use crate::base::answer::Answer;
use crate::base::error::{Result, ensure, fail};
use crate::base::handle::{self, Handle, kind};
use crate::base::raw::UserData;
use crate::devices::allocations::Allocations;
use crate::devices::device::Device;

/// Properties of unified shared memory.
#[derive(Clone)]
pub(crate) struct Usm {
    /// Type of unified shared memory.
    pub(crate) kind: cl_unified_shared_memory_type_intel,
    /// Device that it belongs to; `None` for host memory.
    pub(crate) device: Option<Handle<Device>>,
    pub(crate) flags: cl_mem_alloc_flags_intel,
}

/// Devices that share objects.
pub(crate) struct Context {
    pub(crate) devices: Vec<Handle<Device>>,
    /// Properties passed by the program, with the final zero.
    properties: Vec<cl_context_properties>,
    /// Destructor callbacks, called in reverse order.
    destructors: Mutex<Vec<(Destructor, UserData)>>,
    /// Memory that kernels and the program access by the same addresses.
    pub(crate) allocations: Allocations<Usm>,
}

kind!(Context, CL_INVALID_CONTEXT, dropped: call_destructors);

/// Callback that reports errors other than those that calls return.
pub(crate) type Report = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);
/// Callback invoked when a context is destroyed.
pub(crate) type Destructor = unsafe extern "C" fn(cl_context, *mut c_void);

/// Property with the levels of Intel's performance hints, which the bindings lack.
const SHOW_DIAGNOSTICS: cl_context_properties = 0x4106;

/// Creates a context.
pub(crate) fn create(devices: Vec<Handle<Device>>, properties: &[cl_context_properties]) -> Result<Handle<Context>> {
    ensure(!devices.is_empty(), CL_INVALID_VALUE)?;
    for (n, pair) in properties.chunks_exact(2).enumerate() {
        let is_twice = properties.chunks_exact(2).take(n).any(|other| other[0] == pair[0]);
        ensure(!is_twice, CL_INVALID_PROPERTY)?;
        match pair[0] {
            CL_CONTEXT_PLATFORM => {
                // A call that names a platform must name a valid one; the property itself is
                // optional.
                ensure(pair[1] != 0, CL_INVALID_PLATFORM)?;
                crate::devices::platform::check(pair[1] as *mut c_void)?;
            }
            // Intel's runtime reports performance hints to the callback; there are none here.
            SHOW_DIAGNOSTICS => {}
            CL_CONTEXT_INTEROP_USER_SYNC if [0, 1].contains(&pair[1]) => {}
            _ => return fail(CL_INVALID_PROPERTY),
        }
    }
    let properties = properties.to_vec();
    let mut unique: Vec<Handle<Device>> = Vec::with_capacity(devices.len());
    for device in devices {
        if !unique.iter().any(|other| Arc::ptr_eq(other, &device)) {
            unique.push(device);
        }
    }
    let (destructors, allocations) = (Mutex::default(), Allocations::default());
    Ok(handle::create(Context { devices: unique, properties, destructors, allocations }))
}

impl Context {
    /// Returns true if a device belongs to the context.
    pub(crate) fn has(&self, device: &Handle<Device>) -> bool {
        self.devices.iter().any(|own| Arc::ptr_eq(own, device))
    }

    /// Registers a destructor callback.
    pub(crate) fn on_destruction(&self, function: Destructor, data: *mut c_void) {
        self.destructors.lock().unwrap_or_else(PoisonError::into_inner).push((function, UserData(data)));
    }
}

fn call_destructors(context: &mut Context, handle: *mut c_void) {
    let own = std::mem::take(context.destructors.get_mut().unwrap_or_else(PoisonError::into_inner));
    for (function, data) in own.into_iter().rev() {
        // SAFETY: the program passed the function for this call.
        unsafe { function(handle, data.0) }
    }
}

/// Answers `clGetContextInfo`.
pub(crate) fn info(context: &Handle<Context>, answer: Answer) -> Result {
    match answer.name {
        CL_CONTEXT_REFERENCE_COUNT => answer.value(handle::count(context)),
        CL_CONTEXT_NUM_DEVICES => answer.value(context.devices.len() as cl_uint),
        CL_CONTEXT_DEVICES => answer.list(&context.devices.iter().map(handle::address).collect::<Vec<_>>()),
        CL_CONTEXT_PROPERTIES => answer.list(&context.properties),
        _ => answer.unknown(),
    }
}
