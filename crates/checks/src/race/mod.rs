//! Race check: unordered accesses of several work items to the same bytes.
//!
//! Shadow memory holds for each word its last writer and the readers since then, as stamp numbers.
//! Within a group, a barrier orders accesses. Lockstep execution of a hardware thread's channels
//! does not count as order, unless the program relies on it ([`LaunchMap::together`]). Between
//! groups, only atomic operations on the same location establish happens-before, one after the
//! first access and one before the second. They also order work items of a group. A store of an
//! unchanged value is not a race.
//!
//! A barrier waits for threads; the fence before it makes their stores visible. Without a fence, a
//! store before a barrier is not yet visible to other threads.
//!
//! The execution order of groups and threads does not affect the result: an access is compared with
//! the latest accesses that no barrier orders before it.

mod stamps;

mod shadow;

mod cells;

mod turns;

mod order;

mod pages;

mod words;

mod races;

mod group;

mod message;

mod equal;

pub(crate) use equal::is_hidden;
pub(crate) use races::Races;
pub(crate) use words::messages;
