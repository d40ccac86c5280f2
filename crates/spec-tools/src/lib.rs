//! Tools on specifications: two of them compared by meaning ([`diff`]), and the model as JSON for
//! other programs ([`export`](mod@export)).
//!
//! They stand beside the emitter: all of them begin with the model that `visakit-codegen` reads
//! from pages, and nothing that is generated is needed. `visa spec diff` and `visa spec export` are
//! their commands.

pub mod diff;
pub mod export;
