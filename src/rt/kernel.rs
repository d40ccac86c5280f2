//! Arguments of emulation kernels, and results of stubs.

use std::fmt;

use super::super::isa::{ExecSize, Predicate, VecOperand};
use super::reflect;

/// Result of a page without a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Stub {
    /// Page of the instruction.
    pub page: &'static reflect::Page,
    /// Reason for the missing kernel.
    pub reason: StubReason,
}

/// Reason for a missing kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StubReason {
    /// The kernel is not written yet.
    Missing,
    /// No public document defines the behaviour.
    Undefined,
}

impl Stub {
    /// Returns the stub of a kernel that is not written yet.
    #[cold]
    pub const fn missing(page: &'static reflect::Page) -> Self {
        Self { page, reason: StubReason::Missing }
    }

    /// Returns the stub of an instruction whose behaviour no public document defines.
    #[cold]
    pub const fn undefined(page: &'static reflect::Page) -> Self {
        Self { page, reason: StubReason::Undefined }
    }
}

impl fmt::Display for Stub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, path, line) = (self.page.name, self.page.path, self.page.line);
        match self.reason {
            StubReason::Missing => write!(f, "the emulator has no kernel for {name} (spec/{path}:{line})"),
            StubReason::Undefined => {
                write!(f, "no public text defines what {name} does (spec/{path}:{line})")
            }
        }
    }
}

impl std::error::Error for Stub {}

/// Operands of a component-wise instruction, in the order of its page. They are all that a kernel
/// needs that is a function of one channel's values. Modifiers and types are handled in common.
#[derive(Clone, Copy, Debug)]
pub struct ComponentWise<'a, const N: usize> {
    /// Number of channels and execution mask.
    pub exec_size: ExecSize,
    /// Predicate; its id is 0 for none, and on pages without a predicate.
    pub pred: Predicate,
    /// Destination operand.
    pub dst: &'a VecOperand,
    /// Source operands in the order of the page.
    pub src: [&'a VecOperand; N],
}
