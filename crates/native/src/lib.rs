//! Native x86-64 code for routines of lane operations: an intermediate representation, its
//! compiler, and code that runs on the caller's slices.
//!
//! The crate knows no instruction set and no emulator. A [`Routine`](ir::Routine) describes the
//! effect of blocks of steps on a register file, on predicates and on memory. [`compile`] compiles
//! it to code. [`Lent::run`] runs the code until the caller has to act: for a step without a
//! lowering or in a rare case, at the end of a block, or at the end of a thread's time slice. A
//! step without a lowering is therefore slower but has the same result.
//!
//! Modules in reading order: `ir`, the intermediate representation; `runtime`, the interface of
//! program and code; `backend`, with a folder for each phase: `analysis`, `asm`, `lower`, and the
//! executable `code`.
//!
//! The code uses AVX2 or AVX-512 ([`Level`]). On machines without either, [`compile`] refuses every
//! routine.

pub mod ir;
mod runtime;

#[cfg(all(target_arch = "x86_64", unix))]
mod backend;
#[cfg(not(all(target_arch = "x86_64", unix)))]
#[path = "unsupported.rs"]
mod backend;

/// True if this target has a back end. Otherwise a routine need not be described.
pub const HAS_BACK_END: bool = cfg!(all(target_arch = "x86_64", unix));

pub use backend::{Code, Lent, Memory, Slots, compile};
pub use runtime::allocator::{Allocator, may_fail};
pub use runtime::exit::{Exit, Refusal, Resume, Together};
pub use runtime::frame::{Buffer, Frame, Marks, PAGE};
pub use runtime::host::{self, Level};
pub use runtime::threads::{PIECE, Piece, Threads, WordPlace};
