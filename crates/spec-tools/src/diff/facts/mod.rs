//! Comparison of facts: a module for each kind of fact.

pub(crate) mod chapter;
pub(crate) mod columns;
pub(crate) mod field;
pub(crate) mod form;
pub(crate) mod instruction;
pub(crate) mod lists;
pub(crate) mod properties;
pub(crate) mod rules;
pub(crate) mod sources;
pub(crate) mod templates;
pub(crate) mod values;
