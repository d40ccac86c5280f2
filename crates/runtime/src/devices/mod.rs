//! Devices by platform, and memory that kernels and programs share.

pub mod features;

pub mod offered;

pub mod description;

pub mod allocations;

pub mod reservations;

pub mod system;
