//! Builds by the vendor's compiler, and the executable programs that result.

pub mod cache;

pub mod build;

pub mod attributes;

pub mod binary;

pub mod executable;

pub mod spirv;
