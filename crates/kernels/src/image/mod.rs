//! Messages to images and samplers.

mod payload;

mod access;

pub(crate) mod block;

pub(crate) mod typed;

pub(crate) mod lsc;

pub(crate) mod sampler;
