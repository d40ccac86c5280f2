//! Answers of queries: values, texts and lists of which the caller knows the size or asks for it.

use std::ffi::{c_char, c_void};

use opencl_sys::{CL_INVALID_VALUE, cl_image_format, cl_name_version, cl_uint};

use crate::base::error::{Result, ensure, fail};
use crate::base::raw::Out;

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
// SAFETY: as above.
unsafe impl Plain for *const c_char {}
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
    size_ret: Out<usize>,
}

impl Answer {
    /// Creates the destination of the answer to the query `name`.
    ///
    /// # Safety
    /// `value` is null or has room for `size` bytes.
    pub(crate) unsafe fn new(name: cl_uint, size: usize, value: *mut c_void, size_ret: Out<usize>) -> Self {
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
        self.size_ret.put(bytes);
        Ok(())
    }

    /// Returns the destination and its size, for answers written elsewhere.
    pub(crate) fn place(&self) -> (*mut c_void, usize) {
        (self.value, self.size)
    }

    /// Writes only the size of the answer.
    pub(crate) fn only_size(self, size: usize) -> Result {
        self.size_ret.put(size);
        Ok(())
    }
}
