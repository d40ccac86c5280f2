//! Modules, kernels and samplers.

pub(crate) mod module;

pub(crate) mod sampler;

pub(crate) mod kernel;
