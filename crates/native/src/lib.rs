//! x86-64 code for routines of lane operations: an intermediate representation in, code out, run
//! over slices that it is given.
//!
//! It knows no instruction set and no emulator. A [`Routine`](ir::Routine) says what blocks of
//! steps do to a register file, to predicates and to memory; [`compile`] makes code of it;
//! [`Lent::run`] runs that until there is something that the caller has to do: a step that is not
//! known here or has to look closer, the end of a block, the end of a thread's turn. So nothing has
//! to be known, and what is left out is slower but not different.
//!
//! Modules in reading order: `ir`, the intermediate representation; `runtime`, what a program and
//! the code share; `backend`, which has a folder for each phase: `analysis`, `asm`, `lower`, and
//! the executable `code`.
//!
//! The code is made of AVX2 or AVX-512 ([`Level`]); on machines without either [`compile`] refuses
//! every routine.

pub mod ir;
mod runtime;

#[cfg(all(target_arch = "x86_64", unix))]
mod backend;
#[cfg(not(all(target_arch = "x86_64", unix)))]
#[path = "unsupported.rs"]
mod backend;

pub use backend::{Code, Lent, Memory, compile};
pub use runtime::allocator::{Allocator, may_fail};
pub use runtime::exit::{Exit, Refusal, Resume};
pub use runtime::frame::{Buffer, Frame, Marks, PAGE};
pub use runtime::host::{self, Level};
pub use runtime::threads::{PIECE, Piece, Threads, WordPlace};
