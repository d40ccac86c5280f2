//! Handles: kinds of objects, and lookups with the results of the API.

use std::ffi::c_void;

pub(crate) use visakit_runtime::base::handle::{
    Handle, Kind, Live, address, address_of, create, give, living, release,
};

use crate::base::result::{Code, ERROR_INVALID_NULL_HANDLE, Result, ensure};

/// Defines the registry of a kind of object.
macro_rules! kind {
    ($kind:ty) => {
        impl $crate::base::handle::Kind for $kind {
            type Error = $crate::base::result::Code;

            const INVALID: $crate::base::result::Code = $crate::base::result::ERROR_INVALID_ARGUMENT;

            fn live() -> &'static $crate::base::handle::Live<Self> {
                static LIVE: std::sync::LazyLock<$crate::base::handle::Live<$kind>> =
                    std::sync::LazyLock::new(Default::default);
                &LIVE
            }
        }
    };
}
pub(crate) use kind;

/// Returns the object of a handle.
pub(crate) fn get<T: Kind<Error = Code>>(handle: *mut c_void) -> Result<Handle<T>> {
    ensure(!handle.is_null(), ERROR_INVALID_NULL_HANDLE)?;
    visakit_runtime::base::handle::get(handle)
}

/// Returns the object of a handle that may be null.
pub(crate) fn get_optional<T: Kind<Error = Code>>(handle: *mut c_void) -> Result<Option<Handle<T>>> {
    if handle.is_null() { Ok(None) } else { get(handle).map(Some) }
}

/// Creates an object that lives until the process ends.
pub(crate) fn permanent<T: Kind>(object: T) -> Handle<T> {
    let handle = create(object);
    give(Handle::clone(&handle));
    handle
}

/// Destroys an object. Others that use it keep it alive.
pub(crate) fn destroy<T: Kind<Error = Code>>(handle: *mut c_void) -> Result {
    ensure(!handle.is_null(), ERROR_INVALID_NULL_HANDLE)?;
    release::<T>(handle)
}
