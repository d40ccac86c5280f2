//! Programs and kernels, from the source to a kernel with its arguments.

pub(crate) use visakit_runtime::programs::{binary, build, spirv};

pub(crate) mod program;

pub(crate) mod query;

pub(crate) mod kernel;
