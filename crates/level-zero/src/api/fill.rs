//! Tables of entry points, as the loader reads them.

use std::ffi::c_void;

use crate::base::function::Function;
use crate::base::result::*;
use crate::devices::driver::VERSION;

/// Entry point of functions that are missing. Their first parameter is a handle or a size;
/// additional parameters are ignored, as C's calling convention permits.
pub(super) unsafe extern "C" fn absent(first: usize) -> u32 {
    if first == 0 { ERROR_INVALID_NULL_HANDLE.0 } else { ERROR_UNSUPPORTED_FEATURE.0 }
}

/// Fills in a table whose fields are functions, up to the version that the loader knows.
///
/// # Safety
/// A non-null table has room for the functions of the version.
pub(super) unsafe fn fill(version: u32, table: *mut *const c_void, functions: &[Function]) -> u32 {
    if table.is_null() {
        return ERROR_INVALID_NULL_POINTER.0;
    }
    if version >> 16 != VERSION >> 16 {
        return ERROR_UNSUPPORTED_VERSION.0;
    }
    let known = functions.iter().enumerate().filter(|(_, function)| function.version <= version & 0xffff);
    for (n, function) in known {
        // SAFETY: the caller guarantees the room.
        unsafe { table.add(n).write(function.address) };
    }
    SUCCESS.0
}

/// Defines the functions by which the loader obtains the tables. A function with `no` is missing;
/// `=` names the entry point that does the same.
macro_rules! tables {
    ($(#[$meta:meta])* $all:ident; $($get:ident { $($version:literal: $($is:ident $name:ident $(= $other:ident)?)*;)* })*) => {
        $(#[$meta])*
        pub static $all: &[&[Function]] = &[$(&[$($(
            Function {
                name: stringify!($name),
                address: $crate::api::fill::tables!(@address $is $name $($other)?),
                is_done: $crate::api::fill::tables!(@done $is),
                version: $version,
            },
        )*)*]),*];

        #[allow(non_camel_case_types, clippy::enum_variant_names)]
        enum Table { $($get),* }

        $(
            /// Fills in a table of functions.
            ///
            /// # Safety
            /// `table` is null or has room for the functions of the version.
            #[allow(non_snake_case, unreachable_pub)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $get(version: u32, table: *mut *const c_void) -> u32 {
                $crate::base::function::register($all);
                // SAFETY: the same contract.
                unsafe { $crate::api::fill::fill(version, table, $all[Table::$get as usize]) }
            }
        )*
    };
    (@address ok $name:ident) => { $name as *const c_void };
    (@address ok $name:ident $other:ident) => { $other as *const c_void };
    (@address no $name:ident) => { $crate::api::fill::absent as *const c_void };
    (@done ok) => { true };
    (@done no) => { false };
}
pub(super) use tables;
