//! Access to the caller's memory: lists, results and strings.

use std::ffi::{CStr, c_char, c_void};

use opencl_sys::{CL_INVALID_VALUE, cl_context_info, cl_image_format, cl_name_version, cl_uint};

use crate::error::{Result, ensure, fail};

/// Returns the elements at a pointer; empty for a null pointer.
///
/// # Safety
/// A non-null pointer points to `count` elements that do not change while the list is used.
pub(crate) unsafe fn list<'a, T>(count: usize, first: *const T) -> &'a [T] {
    if first.is_null() || count == 0 || !first.is_aligned() {
        return &[];
    }
    // SAFETY: guaranteed by the caller; alignment was checked.
    unsafe { std::slice::from_raw_parts(first, count) }
}

/// Returns the elements at a pointer if pointer and count agree on the presence of a list.
///
/// # Safety
/// As [`list`].
pub(crate) unsafe fn agreed<'a, T>(count: usize, first: *const T, code: i32) -> Result<&'a [T]> {
    ensure((count == 0) == first.is_null(), code)?;
    // SAFETY: guaranteed by the caller.
    Ok(unsafe { list(count, first) })
}

/// Returns the elements of a zero-terminated list without the zero; empty for a null pointer.
///
/// # Safety
/// A non-null pointer points to a list with a zero.
pub(crate) unsafe fn until_zero<'a, T: PartialEq + Default>(first: *const T, pitch: usize) -> &'a [T] {
    let mut count = 0;
    // SAFETY: the caller guarantees all elements up to the zero.
    while !first.is_null() && unsafe { &*first.add(count) } != &T::default() {
        count += pitch;
    }
    // SAFETY: these elements have just been read.
    unsafe { list(count, first) }
}

/// Returns a property list: pairs and the final zero; empty for a null pointer.
///
/// # Safety
/// A non-null pointer points to such a list.
pub(crate) unsafe fn properties<'a, T: PartialEq + Default>(first: *const T) -> &'a [T] {
    // SAFETY: guaranteed by the caller, and the zero is present.
    unsafe { list(if first.is_null() { 0 } else { until_zero(first, 2).len() + 1 }, first) }
}

/// Writes a value unless the pointer is null.
///
/// # Safety
/// A non-null pointer has room for the value.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: guaranteed by the caller.
        unsafe { place.write_unaligned(value) }
    }
}

/// Reads a value; `None` for a null pointer.
///
/// # Safety
/// A non-null pointer points to a value.
pub(crate) unsafe fn get<T: Copy>(place: *const T) -> Option<T> {
    // SAFETY: guaranteed by the caller.
    (!place.is_null()).then(|| unsafe { place.read_unaligned() })
}

/// Reads a zero-terminated string; empty for a null pointer.
///
/// # Safety
/// A non-null pointer points to such a string.
pub(crate) unsafe fn text(first: *const c_char) -> String {
    if first.is_null() {
        return String::new();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(first) }.to_string_lossy().into_owned()
}

/// Types without padding, which can be copied as bytes.
///
/// # Safety
/// The type has no padding.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: integers and pointers have no padding.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for i32 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl Plain for usize {}
// SAFETY: as above.
unsafe impl Plain for isize {}
// SAFETY: as above.
unsafe impl Plain for *mut c_void {}
// SAFETY: two words.
unsafe impl Plain for cl_image_format {}
// SAFETY: a word and 64 bytes.
unsafe impl Plain for cl_name_version {}

/// Query with the destination of its answer.
pub(crate) struct Answer {
    /// Name of the query.
    pub(crate) name: cl_uint,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
}

impl Answer {
    /// Creates the destination of the answer to the query `name`.
    ///
    /// # Safety
    /// `value` is null or has room for `size` bytes, `size_ret` is null or has room for a size.
    pub(crate) unsafe fn new(name: cl_context_info, size: usize, value: *mut c_void, size_ret: *mut usize) -> Self {
        Self { name, size, value, size_ret }
    }

    /// Returns the error for an unknown query.
    pub(crate) fn unknown(self) -> Result {
        fail(CL_INVALID_VALUE)
    }

    /// Answers with a value.
    pub(crate) fn value<T: Plain>(self, value: T) -> Result {
        self.list(&[value])
    }

    /// Answers with a boolean.
    pub(crate) fn flag(self, flag: bool) -> Result {
        self.value(cl_uint::from(flag))
    }

    /// Answers with a string.
    pub(crate) fn text(self, text: &str) -> Result {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        self.list(&bytes)
    }

    /// Answers with a list.
    pub(crate) fn list<T: Plain>(self, values: &[T]) -> Result {
        let bytes = std::mem::size_of_val(values);
        if !self.value.is_null() {
            ensure(self.size >= bytes, CL_INVALID_VALUE)?;
            // SAFETY: there is room for `size` bytes, at least the size of the values, which have
            // no padding.
            unsafe { std::ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), self.value.cast(), bytes) }
        }
        // SAFETY: the pointer is null or has room for a size.
        unsafe { put(self.size_ret, bytes) };
        Ok(())
    }

    /// Returns the destination and its size, for answers written elsewhere.
    pub(crate) fn place(&self) -> (*mut c_void, usize) {
        (self.value, self.size)
    }

    /// Writes only the size of the answer.
    pub(crate) fn only_size(self, size: usize) -> Result {
        // SAFETY: the pointer is null or has room for a size.
        unsafe { put(self.size_ret, size) };
        Ok(())
    }
}

/// Writes handles to a caller's list, at most `room` of them, and their number to `count`.
///
/// # Safety
/// `first` is null or has room for `room` handles, `count` is null or has room for a count.
pub(crate) unsafe fn handles(found: &[*mut c_void], room: cl_uint, first: *mut *mut c_void, count: *mut cl_uint) {
    if !first.is_null() {
        for (n, handle) in found.iter().take(room as usize).enumerate() {
            // SAFETY: there is room for `room` handles.
            unsafe { first.add(n).write(*handle) };
        }
    }
    // SAFETY: the pointer is null or has room for a count.
    unsafe { put(count, found.len() as cl_uint) };
}
