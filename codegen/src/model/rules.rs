//! Rules of verification.md across fields: rows of conditions, and their shared definitions.

use super::semantics::Expression;
use super::{Availability, InstructionId, Reference, SourceSpan};

/// Row across the fields of an instruction: if one condition holds, the other must hold.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Name: words with dashes.
    pub name: String,
    /// Instructions that the row covers.
    pub instructions: Vec<Reference<InstructionId>>,
    /// Alternatives of platforms on which the row holds; empty for all platforms.
    pub platforms: Vec<Availability>,
    /// Condition under which the row applies, as written; `None` for always.
    pub when: Option<Expression>,
    /// Condition that must hold, as written.
    pub must: Expression,
    /// Code of the finding for a violation.
    pub finding: String,
    /// True if the finding is a warning.
    pub warning: bool,
    /// Message of the finding.
    pub doc: String,
    /// Place of the row.
    pub at: SourceSpan,
}

/// Named expression for the rows after it.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Name of the definition.
    pub name: String,
    /// Expression as written; it may use earlier definitions.
    pub value: Expression,
    /// Description of the definition.
    pub doc: String,
    /// Place of the row.
    pub at: SourceSpan,
}
