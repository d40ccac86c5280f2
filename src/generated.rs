//! The only file that includes generated code. `build.rs` generates the code from the pages in
//! `spec/`.
//!
//! To read the generated code, run `visa spec generate -o DIR`, or open the files in the build's
//! `OUT_DIR`.

#![allow(
    unused_parens,
    non_snake_case,
    clippy::all,
    reason = "one generic rule emits all instructions; clippy checks the rules in codegen/"
)]

use crate::rt;

/// Expands to prose of a page, for the reflection tables; to an empty string without the feature
/// `prose`.
#[cfg(feature = "prose")]
macro_rules! prose {
    ($text:literal) => {
        $text
    };
}
#[cfg(not(feature = "prose"))]
macro_rules! prose {
    ($text:literal) => {
        ""
    };
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
include!(concat!(env!("OUT_DIR"), "/lists.rs"));
include!(concat!(env!("OUT_DIR"), "/structures.rs"));
include!(concat!(env!("OUT_DIR"), "/instructions.rs"));
#[cfg(feature = "text")]
include!(concat!(env!("OUT_DIR"), "/text.rs"));
include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
include!(concat!(env!("OUT_DIR"), "/reflection.rs"));
#[cfg(feature = "sources")]
include!(concat!(env!("OUT_DIR"), "/pages.rs"));
