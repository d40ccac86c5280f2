//! Expectations from the model alone: facts of pages, instructions as values, bytes and text, and
//! verdicts of rules. Nothing here calls the implementation.

pub(crate) mod base;
pub(crate) mod condition;
pub(crate) mod directive;
pub(crate) mod meaning;
mod regions;
pub(crate) mod rules;
pub(crate) mod sample;
pub(crate) mod structure;
pub(crate) mod text;
pub(crate) mod world;
