//! Lowering: turns the instructions of a routine into steps.

pub mod layout;

pub mod step;

mod error;

mod shape;
mod types;

mod reads;

mod context;

mod operands;

pub(crate) mod text_only;

pub use context::Lowering;
pub use error::{LowerError, LowerResult, illegal};
pub use shape::{channels, mask};
pub use types::{element_bytes, is_saturated};
pub(crate) use types::{is_float, is_modified, is_signed, pattern};
