//! Modules, kernels and samplers.

pub(crate) mod module;

pub(crate) mod link;

pub(crate) mod sampler;

pub(crate) mod image;

pub(crate) mod kernel;
