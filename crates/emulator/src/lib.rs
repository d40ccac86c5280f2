//! Runs vISA kernels on the CPU.
//!
//! Modules in reading order: launch descriptions and arguments; the machine; instruction kernels;
//! execution; the bug checks.

pub mod launch;

pub mod limits;

pub mod machine;

pub mod kernels;

pub mod run;

pub mod check;
