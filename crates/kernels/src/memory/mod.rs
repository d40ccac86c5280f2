//! Messages to untyped memory.

pub(crate) mod address;

pub(crate) mod transfer;

pub(crate) mod message;

mod fast;

mod execute;

mod native;

pub(crate) mod atomic;

mod lower;

pub(crate) mod surface;

pub(crate) mod svm;

mod block2d;

pub(crate) mod lsc;
