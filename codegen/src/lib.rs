//! Reads vISA specification pages into a model and emits Rust from it.
//!
//! The flow is one way: pages, [`markdown`], [`read_dir`], [`model::Model`], [`emit`]. Nothing here knows the
//! crate that uses the emitted code.

mod check;
pub mod diag;
mod emit;
mod facts;
pub mod markdown;
pub mod model;
mod read;
pub mod template;

pub use check::complete;
pub use emit::{File, emit, format};
pub use facts::facts;
pub use read::{read_dir, read_files, read_texts};
