//! The instruction set in Rust: types, codec, text syntax, stubs and reflection, generated from the
//! pages in `spec/`.
//!
//! ```
//! use visakit::isa::{Add, Instruction};
//! let add = Instruction::Add(Add::default());
//! assert_eq!(add.page().name, "ADD");
//! ```

pub use crate::generated::*;
