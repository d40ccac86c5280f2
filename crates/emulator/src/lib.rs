//! Runs vISA kernels on the CPU.
//!
//! Re-exports the crates of the emulator. In reading order: [`machine`] contains registers and
//! memory, [`launch`] describes a kernel's inputs, [`kernels`] lowers its instructions, [`run`]
//! executes its groups, and [`check`] finds bugs.

pub mod limits;

pub use visakit_checks as check;
pub use visakit_kernels as kernels;
pub use visakit_launch as launch;
pub use visakit_machine as machine;
pub use visakit_run as run;
