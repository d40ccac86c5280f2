//! Routines: blocks of steps, and where execution goes after each block.

use crate::ir::expression::{Expression, Relation, Value};
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
    /// The blocks.
    pub blocks: Vec<Block>,
    /// True if steps and channels are counted.
    pub count: bool,
}

/// Steps that are done in order.
#[derive(Clone, Debug)]
pub struct Block {
    /// The steps.
    pub steps: Vec<Step>,
    /// The number of instructions that the block counts as.
    pub instructions: u32,
    /// Where execution continues.
    pub end: End,
}

/// Where execution continues after a block. Channels that wait for a block join when it begins.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// At the next block.
    Fall,
    /// Each channel branches, or not.
    Branch {
        /// The channels that branch.
        mask: Mask,
        /// True if the first channel decides for all.
        uniform: bool,
        /// The block to branch to.
        target: u32,
    },
    /// All channels jump, or none, past others that wait; the first channel decides.
    Jump {
        /// It.
        mask: Mask,
        /// Where to.
        target: u32,
    },
    /// The caller has to find out, within these limits.
    Outside(Behind),
}

/// The blocks that the caller may continue with. It reads no registers to decide, except for
/// [`Behind::Anything`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// The next block, for the same channels.
    Next,
    /// The end for these channels. Others may continue: those that wait for a later block, or the
    /// next block. The thread ends when none wait and all active channels are among these.
    Others(u32),
    /// Any block.
    Anything,
}

/// An action for some channels.
#[derive(Clone, Debug)]
pub struct Step {
    /// The channels.
    pub mask: Mask,
    /// The action.
    pub action: Action,
}

/// The work of a step.
#[derive(Clone, Debug)]
pub enum Action {
    /// The caller does the step.
    Outside,
    /// Nothing.
    Nothing,
    /// Assigns the channels' values to consecutive elements.
    Compute {
        /// The values.
        expression: Expression,
        /// The node that is assigned.
        result: Value,
        /// The first channel's element.
        to: u32,
    },
    /// Sets the bits of a predicate to a relation of two values.
    Compare {
        /// The values.
        expression: Expression,
        /// The relation.
        relation: Relation,
        /// The nodes that are compared.
        sides: [Value; 2],
        /// True if the result is inverted.
        inverse: bool,
        /// The predicate.
        to: u32,
    },
    /// Sets the bits of a predicate to logic of two others.
    Logic {
        /// The function.
        logic: Logic,
        /// The predicates.
        from: [u32; 2],
        /// The predicate.
        to: u32,
    },
    /// Replaces an element of the table of state variables by 32 bits of the registers.
    SetState {
        /// The element.
        element: u32,
        /// The place of the bits.
        from: u32,
        /// The bits, if they are always the same.
        number: Option<u32>,
    },
    /// Sets bits of a dword that controls how the caller computes. The code continues if the dword
    /// then equals `plain`, because that is how the code computes; otherwise the caller does the
    /// step. A thread may begin with the step in any case.
    Control {
        /// The place of the dword.
        at: u32,
        /// The bits to set.
        bits: u32,
        /// The dword with which the code continues.
        plain: u32,
    },
    /// Moves elements between memory and registers.
    Transfer(Transfer),
}

/// Logic of predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Logic {
    And,
    Or,
    Xor,
    /// Of the first predicate alone.
    Not,
}
