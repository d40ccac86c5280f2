//! Reads vISA specification pages into a model and emits Rust from it.
//!
//! Data flows one way: pages, [`markdown`], readers, [`model::Model`], rules, [`emit`];
//! [`read_dir`] covers the steps up to the rules. An [`overlay`] corrects the vendor's documents.
//! This crate does not depend on `visakit`, which uses the emitted code; only the build script of
//! `visakit` emits.

pub mod address;
mod check;
mod emit;
mod facts;
mod folder;
pub mod limits;
pub mod markdown;
pub mod model;
pub mod overlay;
pub mod phrase;
mod places;
mod read;
mod resolve;
pub mod semantics;
mod specification;
mod suggest;

pub use check::complete;
pub use emit::{File, HEADER, Links, emit, emit_linked, mnemonics};
pub use facts::facts;
pub use model::{anatomy, template};
pub use overlay::read_to_build;
pub use places::places;
pub use specification::{is_specification, load, read_dir, read_files, read_placed, read_texts, read_unchecked};
