//! What verification.md says across fields: rows of conditions, and the definitions that they
//! share.

use super::semantics::Expression;
use super::{Availability, InstructionId, Reference, SourceSpan};

/// A row across the fields of an instruction: where one condition holds, the other must.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Its name, words with dashes.
    pub name: String,
    /// The instructions that it holds for.
    pub instructions: Vec<Reference<InstructionId>>,
    /// Where it holds: on any of these platforms; everywhere when there are none.
    pub platforms: Vec<Availability>,
    /// Where it applies, as written; always where there is nothing.
    pub when: Option<Expression>,
    /// What must hold there, as written.
    pub must: Expression,
    /// Code of the finding when it does not.
    pub finding: String,
    /// Whether the finding is a warning.
    pub warning: bool,
    /// Text of the finding.
    pub doc: String,
    /// The row.
    pub at: SourceSpan,
}

/// A name that stands for an expression in the rows behind it.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// What it stands for, as written; it may have definitions in front of it in it.
    pub value: Expression,
    /// What it means.
    pub doc: String,
    /// The row.
    pub at: SourceSpan,
}
