//! Memory objects: buffers, images, samplers, shared virtual memory.

pub(crate) mod image;
pub(crate) mod mem;
pub(crate) mod sampler;
pub(crate) mod storage;
pub(crate) mod svm;
