//! Comparison of words without facts: sections of pages as sentences and words.

pub(crate) mod phrases;
pub(crate) mod prose;
pub(crate) mod segments;
pub(crate) mod tokens;
