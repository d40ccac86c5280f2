//! Tools for specifications: comparison of two specifications by meaning ([`diff`]), and export of
//! the model as JSON ([`export`](mod@export)).
//!
//! The tools need only the model that `visakit-codegen` reads from pages, and no generated code.
//! The commands are `visa spec diff` and `visa spec export`.

pub mod diff;
pub mod export;
