//! Offsets of the fields of [`RawFrame`], and of the entries of its tables.

use std::mem::offset_of;

use crate::backend::abi::frame::RawFrame;
use crate::backend::memory::BufferEntry;
use crate::runtime::threads::{Piece, Start};

pub(crate) const REGISTERS: u32 = offset_of!(RawFrame, registers) as u32;
pub(crate) const PREDICATES: u32 = offset_of!(RawFrame, predicates) as u32;
pub(crate) const STATES: u32 = offset_of!(RawFrame, states) as u32;
pub(crate) const WAITING: u32 = offset_of!(RawFrame, waiting) as u32;
pub(crate) const OCCUPIED: u32 = offset_of!(RawFrame, occupied) as u32;
pub(crate) const BUFFERS: u32 = offset_of!(RawFrame, buffers) as u32;
pub(crate) const BUFFER_COUNT: u32 = offset_of!(RawFrame, buffer_count) as u32;
pub(crate) const SLOTS: u32 = offset_of!(RawFrame, slots) as u32;
pub(crate) const SLOT_COUNT: u32 = offset_of!(RawFrame, slot_count) as u32;
pub(crate) const SLOT_ENTRIES: u32 = offset_of!(RawFrame, slot_entries) as u32;
pub(crate) const FIRST_SLOT: u32 = offset_of!(RawFrame, first_slot) as u32;
pub(crate) const SURFACES: u32 = offset_of!(RawFrame, surfaces) as u32;
pub(crate) const SURFACE_COUNT: u32 = offset_of!(RawFrame, surface_count) as u32;
pub(crate) const LOCAL: u32 = offset_of!(RawFrame, local) as u32;
pub(crate) const PRIVATE: u32 = offset_of!(RawFrame, private) as u32;
pub(crate) const PART: u32 = offset_of!(RawFrame, part) as u32;
pub(crate) const BEGIN: u32 = offset_of!(RawFrame, begin) as u32;
pub(crate) const COUNTS: u32 = offset_of!(RawFrame, counts) as u32;
pub(crate) const BRANCHES: u32 = offset_of!(RawFrame, branches) as u32;
pub(crate) const ACTIVE: u32 = offset_of!(RawFrame, active) as u32;
pub(crate) const EXECUTED: u32 = offset_of!(RawFrame, executed) as u32;
pub(crate) const UNTIL: u32 = offset_of!(RawFrame, until) as u32;
pub(crate) const SCRATCH: u32 = offset_of!(RawFrame, scratch) as u32;
pub(crate) const ROUNDING: u32 = offset_of!(RawFrame, rounding) as u32;
pub(crate) const OPERANDS: u32 = offset_of!(RawFrame, operands) as u32;
pub(crate) const CLASSES: u32 = offset_of!(RawFrame, classes) as u32;
pub(crate) const SPILLED: u32 = offset_of!(RawFrame, spilled) as u32;
pub(crate) const MODE: u32 = offset_of!(RawFrame, mode) as u32;
pub(crate) const INDEX: u32 = offset_of!(RawFrame, index) as u32;
pub(crate) const NEXT: u32 = offset_of!(RawFrame, next) as u32;
pub(crate) const THREAD_PLACE: u32 = offset_of!(RawFrame, place) as u32;
pub(crate) const THREAD_BLOCK: u32 = offset_of!(RawFrame, block) as u32;
pub(crate) const HAS_ENDED: u32 = offset_of!(RawFrame, has_ended) as u32;
pub(crate) const LEFT: u32 = offset_of!(RawFrame, left) as u32;
pub(crate) const STARTS: u32 = offset_of!(RawFrame, starts) as u32;
pub(crate) const PIECES: u32 = offset_of!(RawFrame, pieces) as u32;
pub(crate) const BEFORE: u32 = offset_of!(RawFrame, before) as u32;
pub(crate) const COMMON: u32 = offset_of!(RawFrame, common) as u32;
pub(crate) const COMMON_COUNT: u32 = offset_of!(RawFrame, common_count) as u32;
pub(crate) const ZEROS: u32 = offset_of!(RawFrame, zeros) as u32;
pub(crate) const ZERO_COUNT: u32 = offset_of!(RawFrame, zero_count) as u32;

// Fields of a buffer's entry.
pub(crate) const WORDS: u32 = offset_of!(BufferEntry, words) as u32;
pub(crate) const REACH: u32 = offset_of!(BufferEntry, reach) as u32;
pub(crate) const LOADS: u32 = offset_of!(BufferEntry, loads) as u32;
pub(crate) const STORES: u32 = offset_of!(BufferEntry, stores) as u32;
pub(crate) const UPDATES: u32 = offset_of!(BufferEntry, updates) as u32;

// Fields of a thread's initial state.
pub(crate) const START_CHANNELS: u32 = offset_of!(Start, channels) as u32;
pub(crate) const START_PIECES: u32 = offset_of!(Start, pieces) as u32;
pub(crate) const START_SIZE: u32 = size_of::<Start>() as u32;

// Fields of a piece of the registers.
pub(crate) const PIECE_BYTES: u32 = offset_of!(Piece, bytes) as u32;
pub(crate) const PIECE_AT: u32 = offset_of!(Piece, at) as u32;
pub(crate) const PIECE_SIZE: u32 = size_of::<Piece>() as u32;
