//! Tools for specifications: comparison of two specifications by meaning ([`diff`]), export of the
//! model as JSON ([`export`](mod@export)), and decoders in C and Python ([`languages`]).
//!
//! The tools need only the model that `visakit-codegen` reads from pages, and no generated code.
//! The commands are `visa spec diff`, `visa spec export` and `visa spec generate --lang`.

pub mod diff;
pub mod export;
pub mod languages;
