//! Comparison, selection, moves and conversions.

pub(crate) mod address;

pub(crate) mod compare;

mod indirect;

pub(crate) mod narrow;

pub(crate) mod movement;

pub(crate) mod table;
