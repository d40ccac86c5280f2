//! Component-wise arithmetic: each kernel is a scalar function, applied to all channels.

pub(crate) mod compute;

pub(crate) mod domain;

pub(crate) mod basic;

mod angle;

mod powers;

pub(crate) mod math;

pub(crate) mod dot;

pub(crate) mod matrix;

pub(crate) mod logic;

pub(crate) mod bits;
