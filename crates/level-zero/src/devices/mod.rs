//! The driver, devices and contexts.

pub(crate) mod device;

pub(crate) mod driver;

pub(crate) mod context;

pub(crate) mod ipc;
