//! Memory of the caller: inputs become slices, and results are written through checked pointers.

use std::ffi::{CStr, c_char};

use crate::status::Status;

/// Place for a result.
pub(crate) struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    /// Checks a pointer to a result that the caller must take.
    ///
    /// # Safety
    /// `at` is null, or valid for writes of a `T` until the calling function returns.
    pub(crate) unsafe fn new(at: *mut T) -> Result<Self, Status> {
        if at.is_null() { Err(Status::Null) } else { Ok(Self(at)) }
    }

    /// Checks a pointer to a result that the caller may ignore by a null pointer.
    ///
    /// # Safety
    /// As for [`new`](Self::new).
    pub(crate) unsafe fn optional(at: *mut T) -> Option<Self> {
        (!at.is_null()).then_some(Self(at))
    }

    /// Writes the result.
    pub(crate) fn set(self, value: T) {
        // SAFETY: the constructors require that a pointer other than null is valid for writes; the
        // write does not require alignment.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// Returns the bytes of the caller. A null pointer is valid for no bytes.
///
/// # Safety
/// `at` is null, or valid for reads of `size` bytes, which nothing changes during `'a`.
pub(crate) unsafe fn bytes<'a>(at: *const u8, size: usize) -> Result<&'a [u8], Status> {
    match (at.is_null(), size) {
        (true, 0) => Ok(&[]),
        (true, _) => Err(Status::Null),
        (false, _) if isize::try_from(size).is_err() => Err(Status::Size),
        // SAFETY: the pointer is not null, the size fits, and the caller of this function promises
        // that the bytes are readable and constant. Bytes need no alignment.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(at, size) }),
    }
}

/// Returns a string of the caller; `None` for a null pointer.
///
/// # Safety
/// `at` is null, or points to a string that ends with a zero byte and that nothing changes during
/// `'a`.
pub(crate) unsafe fn string<'a>(at: *const c_char) -> Result<Option<&'a str>, Status> {
    if at.is_null() {
        return Ok(None);
    }
    // SAFETY: the pointer is not null, and the caller promises a terminated string.
    let text = unsafe { CStr::from_ptr(at) };
    text.to_str().map(Some).map_err(|_| Status::Utf8)
}
