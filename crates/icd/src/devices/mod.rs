//! Platform, devices and contexts.

pub(crate) mod version;

pub(crate) mod features;

pub(crate) mod offered;

pub(crate) mod device;

mod modules;

pub(crate) mod answers;

pub(crate) mod platform;

pub(crate) mod allocations;

pub(crate) mod context;
