//! Runs vISA kernels on the CPU.
//!
//! Modules in reading order: what a launch is given; the machine; its kernels; runs; the bugs that
//! a run shows.

pub mod launch;

pub mod limits;

pub mod machine;

pub mod kernels;

pub mod run;

pub mod check;
