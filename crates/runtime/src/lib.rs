//! Devices, builds, memory and launches of the drivers for OpenCL and Level Zero, in the terms of
//! neither.
//!
//! Modules in reading order:
//!
//! - `base`: handles, the caller's pointers, memory, settings of the environment
//! - `vendor`: the vendor's compilers
//! - `devices`: properties of devices by platform, and memory that kernels and programs share
//! - `programs`: builds, executable programs, and layouts of images
//! - `commands`: launches, and the threads that run commands
//!
//! A front end translates `base::failure::Failure` into its own error codes. It registers
//! `base::reserve::Allocator` as its global allocator.

pub mod base;

pub mod vendor;

pub mod devices;

pub mod programs;

pub mod commands;
