//! How much a text or an object may hold. What is beyond is a finding at its place, which says the
//! limit.
//!
//! They are far above what the compilers write, and keep the time and the memory that an input
//! costs in proportion to its size.

#[cfg(feature = "text")]
pub use crate::rt::MAX_EXPRESSION_DEPTH as EXPRESSION_DEPTH;

/// Findings about one text or routine; the rest is not read.
pub const FINDINGS: usize = 200_000;
/// Length of a chain of aliases.
pub const ALIAS_DEPTH: usize = 64;
/// Kernels and functions of a text.
pub const ROUTINES: usize = 20_000;
/// Labels of a routine.
pub const LABELS: usize = 65_535;
/// Nesting depth of blocks in braces.
pub const BLOCK_DEPTH: usize = 64;
