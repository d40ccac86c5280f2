//! The frame as the code sees it.

use std::mem::MaybeUninit;

use crate::backend::memory::BufferEntry;
use crate::ir::Operands;
use crate::runtime::threads::{Piece, Start};

/// The frame as the code sees it.
#[repr(C)]
pub(crate) struct RawFrame {
    /// Far from `executed`: what is copied together must have been written together, or the host
    /// waits.
    pub(crate) until: u64,
    pub(crate) registers: *mut u8,
    pub(crate) predicates: *mut u32,
    pub(crate) states: *mut u32,
    pub(crate) waiting: *mut u32,
    pub(crate) occupied: *mut u64,
    pub(crate) buffers: *const BufferEntry,
    pub(crate) buffer_count: u64,
    pub(crate) surfaces: *const BufferEntry,
    pub(crate) surface_count: u64,
    pub(crate) local: *const BufferEntry,
    pub(crate) private: *const BufferEntry,
    /// The part of that which a transfer is for; the code writes what it reads before.
    pub(crate) part: MaybeUninit<BufferEntry>,
    /// Where that begins.
    pub(crate) begin: u64,
    pub(crate) counts: *mut [u64; 2],
    pub(crate) branches: *mut [u64; 2],
    pub(crate) active: u32,
    pub(crate) executed: u64,
    /// Whether another thread begins where one ends; how many may, which begins next, and with
    /// what; and how many instructions those before had.
    pub(crate) in_turn: u64,
    pub(crate) left: u64,
    pub(crate) starts: *const Start,
    pub(crate) pieces: *const Piece,
    pub(crate) before: u64,
    /// What all of them begin with.
    pub(crate) common: *const Piece,
    pub(crate) common_count: u64,
    pub(crate) zeros: *const u32,
    pub(crate) zero_count: u64,
    /// The distance of the channels of each address class, in bytes, where it is known; else zero.
    pub(crate) classes: [u64; 8],
    /// Offsets of 16 channels.
    pub(crate) scratch: MaybeUninit<[u32; 16]>,
    /// What a function is called with; the code writes all of it before.
    pub(crate) operands: MaybeUninit<[Operands; 2]>,
    /// The host's vector registers while a function runs.
    pub(crate) spilled: MaybeUninit<[[u32; 16]; 32]>,
}
