//! Kernels: the semantics of each instruction, grouped as in the specification.
//!
//! A routine is lowered once per launch. [`layout`] assigns every variable a fixed location,
//! [`lowering`] resolves operands, `pages` maps each instruction to its kernel, and [`code`] links
//! the operations. A kernel is either a scalar function (written over `operation::algebra`, in the
//! type chosen by `arithmetic::domain`, applied to all channels by `arithmetic::compute`) or a
//! message (`memory`, `image`).
//!
//! Modules are listed in reading order; a module imports earlier ones only (`tests/rooms.rs`).

pub mod limits;

mod operation;

pub mod lowering;

mod arithmetic;

mod moves;

mod control;

mod memory;

mod image;

mod pages;

pub mod code;

pub use lowering::{layout, step};
