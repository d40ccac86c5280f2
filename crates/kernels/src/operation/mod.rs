//! Operations of one channel, independent of an instruction: on host numbers, on recorded nodes,
//! and on memory.

pub(crate) mod algebra;

pub(crate) mod strict;

mod numbers;

pub(crate) mod record;

mod node;

pub(crate) mod small_floats;

pub(crate) mod update;
