//! Platform, devices and contexts.

pub(crate) use visakit_runtime::devices::{allocations, description, features};

pub(crate) mod version;

pub(crate) mod device;

mod modules;

pub(crate) mod answers;

pub(crate) mod platform;

pub(crate) mod context;
