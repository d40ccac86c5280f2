//! Runs vISA kernels on the CPU.
//!
//! One name for the crates of the emulator, in reading order: [`machine`] holds registers and
//! memory; [`launch`] says what a kernel is given; [`kernels`] lowers its instructions; [`run`]
//! executes its groups; [`check`] looks for its bugs.

pub mod limits;

pub use visakit_checks as check;
pub use visakit_kernels as kernels;
pub use visakit_launch as launch;
pub use visakit_machine as machine;
pub use visakit_run as run;
