//! Software made from the specification of Intel's Virtual ISA (vISA).
//!
//! The pages in `spec/` say what the instruction set is; [`isa`] is generated from them.

pub mod cli;
pub mod diff;
mod generated;
pub mod isa;
pub mod kernels;
pub mod launch;
pub mod machine;
pub mod object;
pub mod rt;
pub mod run;
pub mod text;
pub mod verify;
pub mod zebin;

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
