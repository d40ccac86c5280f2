//! Handles: kinds of objects, and the table of entry points that the loader finds in them.

use std::ffi::c_void;
use std::sync::OnceLock;

use opencl_sys::cl_icd::_cl_icd_dispatch;

pub(crate) use visakit_runtime::base::handle::{
    Handle, Kind, Live, Object, address, address_of, count, create, give, living, release, retain,
};

use crate::base::error::{Code, Result};

/// Table of the entry points.
static TABLE: OnceLock<&'static _cl_icd_dispatch> = OnceLock::new();

/// Registers the table of the entry points. The functions by which a program finds the others call
/// it, before any object exists.
pub(crate) fn register(table: &'static _cl_icd_dispatch) {
    TABLE.get_or_init(|| table);
}

/// Returns the address of the registered table, for the first word of each object.
pub(crate) fn dispatch() -> usize {
    TABLE.get().map_or(0, |table| std::ptr::from_ref(*table) as usize)
}

/// Defines the registry and the error code of a kind of object.
macro_rules! kind {
    ($kind:ty, $invalid:expr $(, dropped: $dropped:path)?) => {
        impl $crate::base::handle::Kind for $kind {
            type Error = $crate::base::error::Code;

            const INVALID: $crate::base::error::Code = $crate::base::error::Code($invalid);

            fn dispatch() -> usize {
                $crate::base::handle::dispatch()
            }

            fn live() -> &'static $crate::base::handle::Live<Self> {
                static LIVE: std::sync::LazyLock<$crate::base::handle::Live<$kind>> =
                    std::sync::LazyLock::new(Default::default);
                &LIVE
            }

            $(fn dropped(&mut self, handle: *mut std::ffi::c_void) {
                $dropped(self, handle)
            })?
        }
    };
}

pub(crate) use kind;

/// Returns the object of a handle.
pub(crate) fn get<T: Kind<Error = Code>>(handle: *mut c_void) -> Result<Handle<T>> {
    visakit_runtime::base::handle::get(handle)
}

/// Returns the objects of several handles.
pub(crate) fn get_all<T: Kind<Error = Code>>(handles: &[*mut c_void]) -> Result<Vec<Handle<T>>> {
    visakit_runtime::base::handle::get_all(handles)
}
