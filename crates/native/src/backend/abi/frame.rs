//! The frame as the code sees it: raw pointers to a thread's state, and scratch space.

use std::mem::MaybeUninit;

use crate::backend::memory::BufferEntry;
use crate::ir::Operands;
use crate::runtime::threads::{Piece, Start};

/// Frame of a run, in the layout that the code expects.
#[repr(C)]
pub(crate) struct RawFrame {
    /// Instruction count from which no further block begins. The field is far from `executed`,
    /// because the host stalls when one load covers bytes of several stores.
    pub(crate) until: u64,
    pub(crate) registers: *mut u8,
    pub(crate) predicates: *mut u32,
    pub(crate) states: *mut u32,
    pub(crate) waiting: *mut u32,
    pub(crate) occupied: *mut u64,
    pub(crate) buffers: *const BufferEntry,
    pub(crate) buffer_count: u64,
    pub(crate) slots: *const u32,
    pub(crate) slot_count: u64,
    pub(crate) slot_entries: *const BufferEntry,
    pub(crate) first_slot: u32,
    pub(crate) surfaces: *const BufferEntry,
    pub(crate) surface_count: u64,
    pub(crate) local: *const BufferEntry,
    pub(crate) private: *const BufferEntry,
    /// Entry for the part of private memory that a transfer accesses. The code writes each field
    /// before it reads it.
    pub(crate) part: MaybeUninit<BufferEntry>,
    /// Beginning of the part of private memory.
    pub(crate) begin: u64,
    pub(crate) counts: *mut [u64; 2],
    pub(crate) branches: *mut [u64; 2],
    pub(crate) active: u32,
    pub(crate) executed: u64,
    /// Continuation after the end of the thread and after a barrier: one of [`mode`].
    pub(crate) mode: u32,
    /// Number of the thread, of those that run together.
    pub(crate) index: u32,
    /// The thread after it, of those that run together.
    pub(crate) next: *mut Self,
    /// The code at which the thread continues, and the number of its block.
    pub(crate) place: *const u8,
    pub(crate) block: u32,
    /// True if the thread has ended, unless the next one has begun.
    pub(crate) has_ended: u32,
    /// The number of threads that may still begin.
    pub(crate) left: u64,
    /// The thread that begins next.
    pub(crate) starts: *const Start,
    /// Pieces of the next thread.
    pub(crate) pieces: *const Piece,
    /// The number of instructions of the threads before it.
    pub(crate) before: u64,
    /// The pieces of all threads.
    pub(crate) common: *const Piece,
    pub(crate) common_count: u64,
    pub(crate) zeros: *const u32,
    pub(crate) zero_count: u64,
    /// The distance of the channels of each address class, in bytes, where it is known; else zero.
    pub(crate) classes: [u64; 8],
    /// The offsets of all channels.
    pub(crate) scratch: MaybeUninit<[u32; 32]>,
    /// The host's control word of floats, and the one with which steps round toward zero.
    pub(crate) rounding: MaybeUninit<[u32; 2]>,
    /// Saved vector registers of the host during a function call.
    pub(crate) operands: MaybeUninit<[Operands; 2]>,
    /// The host's vector registers while a function runs.
    pub(crate) spilled: MaybeUninit<[[u32; 16]; 32]>,
}

/// Modes of a run: the continuation after the end of a thread and after a barrier.
pub(crate) mod mode {
    /// The caller continues.
    pub(crate) const ALONE: u32 = 0;
    /// The next thread begins after the end of a thread.
    pub(crate) const IN_TURN: u32 = 1;
    /// The next thread continues after a barrier.
    pub(crate) const TOGETHER: u32 = 2;
}
