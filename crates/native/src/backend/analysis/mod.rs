//! Analyses: facts of a routine that hold before any code is written.

pub(crate) mod address_classes;
pub(crate) mod annotations;
pub(crate) mod byte_set;
pub(crate) mod channels;
pub(crate) mod constant;
pub(crate) mod contiguity;
pub(crate) mod effects;
pub(crate) mod joins;
pub(crate) mod known_ramps;
pub(crate) mod liveness;
pub(crate) mod operands;
pub(crate) mod ramps;
pub(crate) mod structures;
pub(crate) mod validate;

mod backward;
mod dataflow;
mod exposure;
