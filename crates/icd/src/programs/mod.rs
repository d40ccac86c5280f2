//! Programs and kernels, from the source to a kernel with its arguments.

pub(crate) mod binary;
pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod compilers;
pub mod dependency;
pub(crate) mod kernel;
pub(crate) mod process;
pub(crate) mod program;
pub mod request;
pub(crate) mod spirv;
