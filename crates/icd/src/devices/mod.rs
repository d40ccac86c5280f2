//! Platform, devices and contexts.

pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod environment;
pub(crate) mod features;
pub(crate) mod platform;
