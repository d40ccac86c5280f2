//! The only file that includes generated code. It comes from the pages in `spec/`; see `build.rs`.
//!
//! To look at it, run `visa spec generate -o DIR`, or open the files in the build's `OUT_DIR`.

#![allow(
    unused_parens,
    clippy::double_parens,
    clippy::too_many_lines,
    clippy::identity_op,
    clippy::needless_return,
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    clippy::derivable_impls,
    clippy::cast_lossless,
    clippy::clone_on_copy,
    clippy::redundant_closure_call,
    clippy::op_ref,
    clippy::match_single_binding,
    clippy::large_enum_variant,
    clippy::nonminimal_bool,
    clippy::collapsible_if,
    reason = "emitted by one rule for all instructions alike"
)]

use crate::rt;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
include!(concat!(env!("OUT_DIR"), "/lists.rs"));
include!(concat!(env!("OUT_DIR"), "/structures.rs"));
include!(concat!(env!("OUT_DIR"), "/instructions.rs"));
include!(concat!(env!("OUT_DIR"), "/text.rs"));
include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
include!(concat!(env!("OUT_DIR"), "/reflection.rs"));
