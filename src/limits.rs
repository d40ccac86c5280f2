//! Limits on the size of a text or an object. Input over a limit is reported at its position, with
//! the limit.
//!
//! The limits are far above what compilers produce. They bound time and memory in proportion to the
//! size of the input.

#[cfg(feature = "text")]
pub use crate::rt::MAX_EXPRESSION_DEPTH as EXPRESSION_DEPTH;

/// Maximum number of findings about one text or routine. Reading stops after the last one.
pub const FINDINGS: usize = 200_000;
/// Maximum length of a chain of aliases, from a variable to the variable that owns the bytes.
pub const ALIAS_DEPTH: usize = 64;
/// Maximum number of kernels and functions in a text.
pub const ROUTINES: usize = 20_000;
/// Maximum number of labels in a routine.
pub const LABELS: usize = 65_535;
/// Maximum nesting depth of blocks in braces.
pub const BLOCK_DEPTH: usize = 64;
