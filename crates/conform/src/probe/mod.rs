//! Probes. Each queries the implementation for one kind of fact and compares the result with the
//! expectation.

pub(crate) mod across;
pub(crate) mod attributes;
pub(crate) mod chapter;
pub(crate) mod declare;
pub(crate) mod declared;
pub(crate) mod execute;
pub(crate) mod kernel;
pub(crate) mod layout;
pub(crate) mod order;
pub(crate) mod page;
pub(crate) mod probes;
mod regions;
pub(crate) mod reverse;
pub(crate) mod statement;
pub(crate) mod vary;
pub(crate) mod words;
