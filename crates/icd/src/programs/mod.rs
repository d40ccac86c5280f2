//! Programs and kernels, from the source to a kernel with its arguments.

pub(crate) mod cache;

pub(crate) mod build;

pub(crate) mod binary;

pub(crate) mod spirv;

pub(crate) mod program;

pub(crate) mod query;

pub(crate) mod kernel;
