//! Comparison, selection, moves and conversions.

pub(crate) mod compare;

pub(crate) mod narrow;

pub(crate) mod movement;

pub(crate) mod table;
