//! The caller's memory, as calls get it: a pointer and a count, a place for a result, a text.

use std::ffi::{CStr, c_char, c_void};

use opencl_sys::{CL_INVALID_VALUE, cl_context_info, cl_image_format, cl_name_version, cl_uint};

use crate::base::error::{Result, ensure, fail};

/// The elements behind a pointer; none for a null pointer.
///
/// # Safety
/// A pointer that is not null points to `count` elements that stay as they are while the list is
/// used.
pub(crate) unsafe fn list<'a, T>(count: usize, first: *const T) -> &'a [T] {
    if first.is_null() || count == 0 || !first.is_aligned() {
        return &[];
    }
    // SAFETY: the caller promises it; alignment was checked.
    unsafe { std::slice::from_raw_parts(first, count) }
}

/// The same where pointer and count must agree on whether there is a list.
///
/// # Safety
/// As [`list`].
pub(crate) unsafe fn agreed<'a, T>(count: usize, first: *const T, code: i32) -> Result<&'a [T]> {
    ensure((count == 0) == first.is_null(), code)?;
    // SAFETY: the caller promises it.
    Ok(unsafe { list(count, first) })
}

/// The elements of a list that a zero ends, without the zero; none for a null pointer.
///
/// # Safety
/// A pointer that is not null points to a list with a zero.
pub(crate) unsafe fn until_zero<'a, T: PartialEq + Default>(first: *const T, pitch: usize) -> &'a [T] {
    let mut count = 0;
    // SAFETY: all elements in front of the zero are there, which the caller promises.
    while !first.is_null() && unsafe { &*first.add(count) } != &T::default() {
        count += pitch;
    }
    // SAFETY: they have just been read.
    unsafe { list(count, first) }
}

/// Properties as a program gave them, pairs and the zero at their end; none at all where it gave no
/// list.
///
/// # Safety
/// A pointer that is not null points to such a list.
pub(crate) unsafe fn properties<'a, T: PartialEq + Default>(first: *const T) -> &'a [T] {
    // SAFETY: the caller promises it, and the zero is there.
    unsafe { list(if first.is_null() { 0 } else { until_zero(first, 2).len() + 1 }, first) }
}

/// Writes to a place, if there is one.
///
/// # Safety
/// A pointer that is not null points to room for the value.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller promises it.
        unsafe { place.write_unaligned(value) }
    }
}

/// Reads from a place, if there is one.
///
/// # Safety
/// A pointer that is not null points to a value.
pub(crate) unsafe fn get<T: Copy>(place: *const T) -> Option<T> {
    // SAFETY: the caller promises it.
    (!place.is_null()).then(|| unsafe { place.read_unaligned() })
}

/// A text that a zero ends; empty for a null pointer.
///
/// # Safety
/// A pointer that is not null points to such a text.
pub(crate) unsafe fn text(first: *const c_char) -> String {
    if first.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises it.
    unsafe { CStr::from_ptr(first) }.to_string_lossy().into_owned()
}

/// Values that are nothing but their bytes, without any in between.
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

/// Where the answer to a query goes.
pub(crate) struct Answer {
    /// What is asked for.
    pub(crate) name: cl_uint,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
}

impl Answer {
    /// The answer to the query `name`.
    ///
    /// # Safety
    /// `value` is null or points to room for `size` bytes, `size_ret` is null or points to room for
    /// a size.
    pub(crate) unsafe fn new(name: cl_context_info, size: usize, value: *mut c_void, size_ret: *mut usize) -> Self {
        Self { name, size, value, size_ret }
    }

    /// The query is not one that is known.
    pub(crate) fn unknown(self) -> Result {
        fail(CL_INVALID_VALUE)
    }

    /// Answers with a value.
    pub(crate) fn value<T: Plain>(self, value: T) -> Result {
        self.list(&[value])
    }

    /// Answers with yes or no.
    pub(crate) fn flag(self, flag: bool) -> Result {
        self.value(cl_uint::from(flag))
    }

    /// Answers with a text.
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
            // SAFETY: there is room for `size` bytes, which are at least these; values are read as
            // the bytes that they are.
            unsafe { std::ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), self.value.cast(), bytes) }
        }
        // SAFETY: it is null or points to room for a size.
        unsafe { put(self.size_ret, bytes) };
        Ok(())
    }

    /// The place for the answer and its size, for answers that are written elsewhere.
    pub(crate) fn place(&self) -> (*mut c_void, usize) {
        (self.value, self.size)
    }

    /// Says how long the answer is, and nothing else.
    pub(crate) fn only_size(self, size: usize) -> Result {
        // SAFETY: it is null or points to room for a size.
        unsafe { put(self.size_ret, size) };
        Ok(())
    }
}

/// Writes handles to a caller's list, as many as there is room for, and how many there are.
///
/// # Safety
/// `first` is null or points to room for `room` handles, `count` is null or points to room for a
/// count.
pub(crate) unsafe fn handles(found: &[*mut c_void], room: cl_uint, first: *mut *mut c_void, count: *mut cl_uint) {
    if !first.is_null() {
        for (n, handle) in found.iter().take(room as usize).enumerate() {
            // SAFETY: there is room for `room` of them.
            unsafe { first.add(n).write(*handle) };
        }
    }
    // SAFETY: it is null or points to room for a count.
    unsafe { put(count, found.len() as cl_uint) };
}
