//! Memory: transfers between buffers and the register file.

pub(crate) mod address;
pub(crate) mod bounds;
pub(crate) mod buffer;
pub(crate) mod channels;
pub(crate) mod contiguous;
pub(crate) mod indirect;
pub(crate) mod interleave;
pub(crate) mod load;
pub(crate) mod marks;
pub(crate) mod operands;
pub(crate) mod pair;
pub(crate) mod per_lane;
pub(crate) mod rows;
pub(crate) mod single;
pub(crate) mod split;
pub(crate) mod spread;
pub(crate) mod store;
pub(crate) mod transfer;
pub(crate) mod update;
