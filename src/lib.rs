//! Software made from the specification of Intel's Virtual ISA (vISA).
//!
//! The pages in `spec/` say what the instruction set is; [`isa`] is generated from them.

mod generated;
pub mod isa;
pub mod rt;
pub mod zebin;
pub mod launch;
pub mod machine;
pub mod kernels;
pub mod run;
pub mod object;
pub mod text;
pub mod cli;
pub mod diff;
pub mod verify;

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
