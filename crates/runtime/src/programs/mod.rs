//! Builds by the vendor's compiler, the executable programs that result, and layouts of images.

pub mod cache;

pub mod build;

pub mod attributes;

pub mod binary;

pub mod executable;

pub mod layout;

pub mod spirv;
