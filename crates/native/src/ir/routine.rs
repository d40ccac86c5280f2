//! Routines: blocks of steps, and the continuation after each block.

use std::ops::Range;

use crate::ir::expression::{Expression, Relation, Value};
use crate::ir::indirect::Indirect;
use crate::ir::mask::Mask;
use crate::ir::transfer::Transfer;

/// Blocks of steps over a register file.
#[derive(Clone, Debug, Default)]
pub struct Routine {
    /// Bytes of the register file.
    pub register_bytes: u32,
    /// Number of predicates.
    pub predicates: u32,
    /// Number of elements of state variables.
    pub states: u32,
    /// Blocks in program order.
    pub blocks: Vec<Block>,
    /// Ranges of blocks without code, in ascending order: the caller executes them.
    pub left: Vec<Range<u32>>,
    /// Registers that the caller initializes when it enters the blocks that use them. A thread
    /// begins without them.
    pub private: Vec<Range<u32>>,
    /// Rows of words with known differences when a thread begins.
    pub ramps: Vec<InitialRamp>,
    /// True if steps and channels are counted.
    pub count: bool,
}

impl Routine {
    /// Returns true if block `n` has no code.
    pub fn is_left(&self, n: u32) -> bool {
        let next = self.left.partition_point(|range| range.end <= n);
        self.left.get(next).is_some_and(|range| range.contains(&n))
    }
}

/// A row of 16-bit words, one for each channel, when a thread begins. From each active channel to
/// the next the word grows by the same number. All words are less than 2^15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialRamp {
    /// Place of the first channel's word.
    pub at: u32,
    /// Number of channels.
    pub lanes: u32,
    /// Difference of neighbors.
    pub step: u16,
}

impl InitialRamp {
    /// Returns the rows of the lower and of the upper half of the channels.
    pub fn halves(&self) -> [Self; 2] {
        let lanes = self.lanes / 2;
        [self.at, self.at + lanes * 2].map(|at| Self { at, lanes, ..*self })
    }
}

/// Steps that are executed in order.
#[derive(Clone, Debug)]
pub struct Block {
    /// Steps in order of execution.
    pub steps: Vec<Step>,
    /// Number of instructions that the block counts as.
    pub instructions: u32,
    /// Continuation after the block.
    pub end: End,
}

/// Continuation after a block. Channels that wait for a block join when it begins.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// The next block.
    Fall,
    /// Each channel branches, or not.
    Branch {
        /// The channels that branch.
        mask: Mask,
        /// True if the first channel decides for all channels.
        uniform: bool,
        /// The block to branch to.
        target: u32,
    },
    /// All channels jump, or none, past waiting channels; the first channel decides.
    Jump {
        /// The deciding channel.
        mask: Mask,
        /// The block to jump to.
        target: u32,
    },
    /// The next block. The caller may let other threads run first, if at most this number of
    /// instructions is left until it takes over anyway.
    Pause(u32),
    /// The caller determines the continuation, within these limits.
    Outside(Behind),
}

/// Blocks at which the caller may continue. It reads no registers to decide, except for
/// [`Behind::Anything`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// The next block, for the same channels.
    Next,
    /// The next block, for the same channels, once all threads of the group have arrived.
    Barrier,
    /// The end for these channels. Others may continue: channels that wait for a later block, or
    /// the next block. The thread ends when no channels wait and all active channels are among
    /// these.
    Others(u32),
    /// Any block.
    Anything,
}

/// An action for some channels.
#[derive(Clone, Debug)]
pub struct Step {
    /// Enabled channels.
    pub mask: Mask,
    /// Work of the step.
    pub action: Action,
}

/// The work of a step.
#[derive(Clone, Debug)]
pub enum Action {
    /// The caller executes the step.
    Outside,
    /// Nothing.
    Nothing,
    /// Assigns the channels' values to elements, after all values are read.
    Compute {
        /// Expression with the values.
        expression: Expression,
        /// The nodes to assign, each with the place of the first channel's element. Their kinds
        /// have one size.
        results: Vec<(Value, u32)>,
        /// The distance between the elements of a result in bytes, if they are not consecutive.
        pitch: Option<u32>,
    },
    /// Sets the bits of a predicate to a relation of two values.
    Compare {
        /// Expression with the values.
        expression: Expression,
        /// Relation of the two values.
        relation: Relation,
        /// The nodes to compare.
        sides: [Value; 2],
        /// True if the result is inverted.
        inverse: bool,
        /// The predicate.
        to: u32,
    },
    /// Sets the bits of a predicate to a logic function of two others.
    Logic {
        /// Logic function.
        logic: Logic,
        /// The predicates.
        from: [u32; 2],
        /// The predicate.
        to: u32,
    },
    /// Replaces the bits of a predicate for the channels of the mask, active or not. Bit `n` of the
    /// value belongs to channel `n`.
    SetPredicate {
        /// The place of the value, a dword.
        from: u32,
        /// The value, if it is constant.
        number: Option<u32>,
        /// The predicate.
        to: u32,
    },
    /// Replaces an element of the table of state variables by 32 bits of the registers.
    SetState {
        /// Index of the element.
        element: u32,
        /// The place of the bits.
        from: u32,
        /// The bits, if they are constant.
        number: Option<u32>,
    },
    /// Sets bits of a dword that controls the caller's computation. The code continues if the dword
    /// then equals `plain`, the mode of the code; otherwise the caller executes the step. In either
    /// case a thread may begin with the step.
    Control {
        /// The place of the dword.
        at: u32,
        /// The bits to set.
        bits: u32,
        /// The dword with which the code continues.
        plain: u32,
    },
    /// Flips bits of a dword that controls the caller's computation. The following steps, up to
    /// the next such step of the block, round floats toward zero or to nearest. A block begins and
    /// ends with rounding to nearest. If a step in between has no lowering, the caller executes all
    /// of them.
    Rounding {
        /// The place of the dword.
        at: u32,
        /// The bits to flip.
        bits: u32,
        /// True if the following steps round toward zero.
        toward_zero: bool,
    },
    /// Moves elements between memory and registers.
    Transfer(Transfer),
    /// Moves elements between registers and registers that addresses select.
    Indirect(Indirect),
}

/// Logic functions of predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum Logic {
    And,
    Or,
    Xor,
    /// Complement of the first predicate.
    Not,
}
