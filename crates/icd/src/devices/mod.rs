//! Platform, devices and contexts.

pub(crate) use visakit_runtime::devices::{allocations, description};

pub(crate) mod version;

pub(crate) mod device;

pub(crate) mod platform;

pub(crate) mod context;
