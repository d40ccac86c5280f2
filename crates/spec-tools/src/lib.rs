//! Tools on specifications: two of them compared by meaning, and the model as JSON for other programs.

pub mod diff;
pub mod export;
