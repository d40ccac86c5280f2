//! Reasons why an instruction cannot be lowered.

use crate::lowering::step::Lowered;
use visakit::rt::Stub;
use visakit_machine::fault::Trap;

/// Reason why an instruction could not be lowered. The error stops only threads that reach the
/// instruction.
#[derive(Clone, Debug)]
pub enum LowerError {
    /// The instruction has no kernel.
    Stub(Stub),
    /// The combination of operands is invalid.
    Illegal(String),
}

impl std::fmt::Display for LowerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stub(stub) => stub.fmt(f),
            Self::Illegal(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for LowerError {}

impl From<Stub> for LowerError {
    fn from(stub: Stub) -> Self {
        Self::Stub(stub)
    }
}

impl From<LowerError> for Trap {
    fn from(error: LowerError) -> Self {
        match error {
            LowerError::Stub(stub) => Self::Stub(stub),
            LowerError::Illegal(why) => Self::Illegal(why),
        }
    }
}

/// Result of lowering.
pub type LowerResult<T = Lowered> = Result<T, LowerError>;

/// Returns an error for an invalid combination of operands.
pub fn illegal<T>(why: impl Into<String>) -> LowerResult<T> {
    Err(LowerError::Illegal(why.into()))
}
