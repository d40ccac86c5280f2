//! Results of the functions.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Result of a function.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// A pointer is null that must not be.
    Null = 1,
    /// The handle was freed, or belongs to another kind of value.
    Handle = 2,
    /// The object or text is wrong; the findings give the reasons.
    Input = 3,
    /// No routine, instruction or finding has this index.
    Index = 4,
    /// No platform has this name.
    Platform = 5,
    /// A text or name is not UTF-8.
    Utf8 = 6,
    /// No style has this number.
    Style = 7,
    /// The size is larger than an object in memory can be.
    Size = 8,
    /// The object cannot be encoded.
    Encode = 9,
    /// An internal error; please report it.
    Internal = 10,
}

impl Status {
    const ALL: [Self; 11] = [
        Self::Ok,
        Self::Null,
        Self::Handle,
        Self::Input,
        Self::Index,
        Self::Platform,
        Self::Utf8,
        Self::Style,
        Self::Size,
        Self::Encode,
        Self::Internal,
    ];

    const fn text(self) -> &'static CStr {
        match self {
            Self::Ok => c"success",
            Self::Null => c"a pointer is null; pass the address of a variable or a handle",
            Self::Handle => c"the handle was freed or is of another kind",
            Self::Input => c"the object or text is wrong; read the findings",
            Self::Index => c"the index is too large; compare it with the count",
            Self::Platform => c"unknown platform; use a name such as skl, dg2 or pvc",
            Self::Utf8 => c"the text is not UTF-8",
            Self::Style => c"unknown style; use a VISAKIT_STYLE constant",
            Self::Size => c"the size is larger than an object in memory can be",
            Self::Encode => c"the object cannot be encoded",
            Self::Internal => c"internal error; please report it",
        }
    }
}

/// Returns a description of a status. The string is static; an unknown status has one too.
#[unsafe(no_mangle)]
pub extern "C" fn visakit_status_text(status: i32) -> *const c_char {
    let known = Status::ALL.into_iter().find(|known| *known as i32 == status);
    known.map_or(c"unknown status", Status::text).as_ptr()
}

/// Returns the version of the library, such as `0.1.0`. The string is static.
#[unsafe(no_mangle)]
pub extern "C" fn visakit_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Runs the body of a function. A panic must not cross the border to C.
pub(crate) fn guarded(run: impl FnOnce() -> Result<(), Status>) -> Status {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(_) => Status::Internal,
    }
}
