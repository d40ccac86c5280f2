//! x86-64 code for routines of lane operations: an intermediate representation in, code out, run
//! over slices that it is given.
//!
//! It knows no instruction set and no emulator. A [`Routine`](ir::Routine) says what blocks of
//! steps do to a register file, to predicates and to memory; [`compile`] makes code of it;
//! [`Lent::run`] runs that until there is something that the caller has to do: a step that is not
//! known here or has to look closer, the end of a block, the end of a thread's turn. So nothing has
//! to be known, and what is left out is slower but not different.
//!
//! Modules in reading order: `ir`; `simple`, what need not be computed; `bytes`, `flow`, `live`,
//! which registers matter where; `alike`, which transfers go the same way; `host`, the machine for
//! code in Rust; `frame` and `threads`, what the code finds; `asm`, `stream` and `op`, instructions
//! into bytes; `cache`, what registers hold; `emit`, `choice`, `compute`, `operation`, `logic`,
//! `convert`, `predicate`, `transfer`, `buffer`, `address`, `element`, `weave`, `scatter`, `whole`,
//! `turn`, `branch`, `block`, the code; `check`, what must hold of it; `code`, which is run.
//! `allocator` is for programs that run kernels: they end with an error where there is no memory.
//!
//! The code is made of AVX2 or AVX-512 ([`Level`]); on machines without either [`compile`] gives
//! nothing.

mod allocator;
pub mod host;
pub mod ir;

#[cfg(all(target_arch = "x86_64", unix))]
mod address;
#[cfg(all(target_arch = "x86_64", unix))]
mod alike;
#[cfg(all(target_arch = "x86_64", unix))]
mod asm;
#[cfg(all(target_arch = "x86_64", unix))]
mod block;
#[cfg(all(target_arch = "x86_64", unix))]
mod branch;
#[cfg(all(target_arch = "x86_64", unix))]
mod buffer;
#[cfg(all(target_arch = "x86_64", unix))]
mod bytes;
#[cfg(all(target_arch = "x86_64", unix))]
mod cache;
#[cfg(all(target_arch = "x86_64", unix))]
mod check;
#[cfg(all(target_arch = "x86_64", unix))]
mod choice;
#[cfg(all(target_arch = "x86_64", unix))]
mod code;
#[cfg(all(target_arch = "x86_64", unix))]
mod compute;
#[cfg(all(target_arch = "x86_64", unix))]
mod convert;
#[cfg(all(target_arch = "x86_64", unix))]
mod element;
#[cfg(all(target_arch = "x86_64", unix))]
mod emit;
#[cfg(all(target_arch = "x86_64", unix))]
mod flow;
mod frame;
#[cfg(all(target_arch = "x86_64", unix))]
mod live;
#[cfg(all(target_arch = "x86_64", unix))]
mod logic;
#[cfg(not(all(target_arch = "x86_64", unix)))]
mod nothing;
#[cfg(all(target_arch = "x86_64", unix))]
mod op;
#[cfg(all(target_arch = "x86_64", unix))]
mod operation;
#[cfg(all(target_arch = "x86_64", unix))]
mod predicate;
#[cfg(all(target_arch = "x86_64", unix))]
mod scatter;
mod simple;
#[cfg(all(target_arch = "x86_64", unix))]
mod stream;
mod threads;
#[cfg(all(target_arch = "x86_64", unix))]
mod transfer;
#[cfg(all(target_arch = "x86_64", unix))]
mod turn;
#[cfg(all(target_arch = "x86_64", unix))]
mod weave;
#[cfg(all(target_arch = "x86_64", unix))]
mod whole;

pub use allocator::{Allocator, may_fail};
pub use frame::{Buffer, Frame, Marks, Memory, PAGE};
pub use host::Level;
pub use threads::{PIECE, Piece, Place, Threads};

#[cfg(not(all(target_arch = "x86_64", unix)))]
pub use nothing::{Code, Lent, compile};
#[cfg(all(target_arch = "x86_64", unix))]
pub use {
    block::compile,
    code::{Code, Lent},
};

/// Why a routine has no native code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The host's processor lacks the instructions, or the system gives no executable memory.
    Host,
    /// The routine contradicts itself.
    Unsound,
    /// The code, or what has to be known to write it, exceeds the budget.
    Budget,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Host => "the host has no instructions or no executable memory for it",
            Self::Unsound => "the kernel has offsets outside of its registers",
            Self::Budget => "the kernel is too large for it",
        })
    }
}

/// Why the code has come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// A block has to be begun by the caller: the turn of the thread may be over, or there is no
    /// such block.
    Block(u32),
    /// The caller has to do a step, all of it; it has been counted.
    Step {
        /// The number of the step, of those of all blocks.
        step: u32,
        /// Where to go on.
        resume: Resume,
    },
    /// All steps of a block have been done; the caller has to find out what comes behind.
    End {
        /// The block.
        block: u32,
    },
}

/// A place behind a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resume {
    pub(crate) step: u32,
    /// Whether any channels may be active.
    pub(crate) some: bool,
}
