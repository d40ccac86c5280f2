//! What kernels get and what stubs give.

use std::fmt;

use super::super::isa::{ExecSize, Predicate, VecOperand};
use super::reflect;

/// The answer of a page whose kernel is not there.
#[derive(Clone, Copy, Debug)]
pub struct Stub {
    /// The page.
    pub page: &'static reflect::Page,
    /// Why there is no kernel.
    pub reason: StubReason,
}

/// Why there is no kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StubReason {
    /// Nobody wrote it yet.
    Missing,
    /// No public text defines the behaviour.
    Undefined,
}

impl Stub {
    /// Nobody wrote the kernel yet.
    #[cold]
    pub const fn missing(page: &'static reflect::Page) -> Self {
        Self { page, reason: StubReason::Missing }
    }

    /// No public text defines the behaviour.
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

/// The operands of an instruction that works channel by channel, in the places that its page gives
/// them: all that a kernel needs which is a function of a channel's values. What the operands'
/// modifiers and types ask for is the same for all.
#[derive(Clone, Copy, Debug)]
pub struct ComponentWise<'a, const N: usize> {
    /// Number of channels and mask.
    pub exec_size: ExecSize,
    /// The predicate; its id is 0 where there is none, and on pages without one.
    pub pred: Predicate,
    /// The destination.
    pub dst: &'a VecOperand,
    /// The sources in the order of the page.
    pub src: [&'a VecOperand; N],
}
