//! Bug checks, based on observing a launch.
//!
//! A launch runs once with an observer. For each access it checks the bounds of the kernel's
//! resources (`bounds`) and unordered accesses of other work items to the same bytes (`race`).
//! Further runs with different initial contents show if a result depends on uninitialised data
//! (`uninit`).

mod report;

mod located;

mod bug;

mod bounds;

mod race;

mod copies;

mod uninit;

mod watcher;

mod equal;

mod check;

pub use check::check;
pub use copies::{marks, prelude};
pub use located::{diagnostics, fault_diagnostics};
pub use report::{Checked, Checks, Finding};
pub use visakit_run::place::{MemoryKind, Place};
pub use visakit_run::program::Item;
