//! What every call uses: error codes, the caller's pointers, handles, memory held in reserve.

pub(crate) mod error;
pub(crate) mod handle;
pub(crate) mod raw;
pub(crate) mod reserve;
