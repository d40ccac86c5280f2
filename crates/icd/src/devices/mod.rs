//! The platform, its devices, and contexts of them.

pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod environment;
pub(crate) mod features;
pub(crate) mod platform;
