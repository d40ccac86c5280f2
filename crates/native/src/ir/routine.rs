//! Routines: blocks of steps, and where execution goes after each block.

use crate::ir::expression::{Expression, Relation, Value};
use crate::ir::mask::Mask;
use crate::ir::transfer::Transfer;

/// Blocks of steps.
#[derive(Clone, Debug, Default)]
pub struct Routine {
    /// Bytes of the register file that may be read and written.
    pub register_bytes: u32,
    /// Number of predicates.
    pub predicates: u32,
    /// Number of elements of state variables.
    pub states: u32,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Whether steps and channels are counted.
    pub count: bool,
}

/// Steps that are done one after the other.
#[derive(Clone, Debug)]
pub struct Block {
    /// The steps.
    pub steps: Vec<Step>,
    /// How many instructions it counts as.
    pub instructions: u32,
    /// What comes behind.
    pub end: End,
}

/// What comes behind a block. Channels that wait for a block, in the table of those, join when it
/// begins.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// The next block.
    Fall,
    /// Channels branch.
    Branch {
        /// Those.
        mask: Mask,
        /// Whether the first decides for all.
        uniform: bool,
        /// Where to.
        target: u32,
    },
    /// All go, or none, past others that wait; the first decides.
    Jump {
        /// It.
        mask: Mask,
        /// Where to.
        target: u32,
    },
    /// What the caller has to find out, and what that may be.
    Outside(Behind),
}

/// What comes behind a block of which the caller finds it out. It may read no registers for that
/// but for [`Behind::Anything`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// The next block, for the same channels.
    Next,
    /// The end for channels; others, if there are any, go on: those that wait for a later block, or
    /// the next one. It is the end of the thread when none wait and the active ones are all among
    /// these.
    Others(u32),
    /// Anything.
    Anything,
}

/// A step of a block.
#[derive(Clone, Debug)]
pub struct Step {
    /// The channels.
    pub mask: Mask,
    /// What it does.
    pub action: Action,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Something that the caller has to do.
    Outside,
    /// Nothing.
    Nothing,
    /// Gives the channels' values to elements that follow each other.
    Compute {
        /// The values.
        expression: Expression,
        /// Which of them.
        result: Value,
        /// The first channel's element.
        to: u32,
    },
    /// Sets the bits of a predicate.
    Compare {
        /// The values.
        expression: Expression,
        /// What is asked.
        relation: Relation,
        /// Of which values.
        sides: [Value; 2],
        /// Whether the answer is turned over.
        inverse: bool,
        /// The predicate.
        to: u32,
    },
    /// Sets the bits of a predicate.
    Logic {
        /// What of.
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
        /// Where the bits stand.
        from: u32,
        /// What they are, if they always are the same.
        number: Option<u32>,
    },
    /// Sets bits of 32 that say how the caller computes. The code goes on where they are then as it
    /// computes itself; otherwise the caller has to do it. A thread may begin with it whatever they
    /// are.
    Control {
        /// Where they stand.
        at: u32,
        /// The bits to set.
        bits: u32,
        /// All of them where the code goes on.
        plain: u32,
    },
    /// Moves elements between memory and registers.
    Transfer(Transfer),
}

/// Logic of predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Logic {
    And,
    Or,
    Xor,
    /// Of the first alone.
    Not,
}
