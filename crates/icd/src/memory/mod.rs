//! Memory objects: buffers, images, samplers, shared virtual memory.

pub(crate) mod texels;

pub(crate) mod mem;

pub(crate) mod image;

pub(crate) mod sampler;

pub(crate) mod svm;
