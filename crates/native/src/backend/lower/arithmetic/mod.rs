//! Arithmetic: expressions, conversions, comparisons and predicates.

pub(crate) mod assign;
pub(crate) mod convert;
pub(crate) mod evaluation;
pub(crate) mod expression;
pub(crate) mod operation;
pub(crate) mod predicate;
pub(crate) mod ramp;
pub(crate) mod relation;
pub(crate) mod ternary;
