//! Software made from the specification of Intel's Virtual ISA (vISA).
//!
//! The pages in `spec/` say what the instruction set is; [`isa`] is generated from them.
//!
//! Modules in reading order: the runtime and the generated module; objects, texts and the rules; containers and
//! launches; the machine, its kernels and runs; the comparison of specification and implementation; the command line.

mod generated;
pub mod isa;
pub mod rt;

pub mod object;
pub mod text;
pub mod verify;

pub mod launch;
pub mod zebin;

pub mod kernels;
pub mod machine;
pub mod run;

pub mod diff;

pub mod cli;

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
