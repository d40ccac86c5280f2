//! Rules of verification.md: groups of instructions, the verifier's checks, what the vendor's
//! assembler accepts nevertheless, conditions, and their shared definitions.

use std::fmt;

use super::semantics::Expression;
use super::{Availability, InstructionId, Reference, SourceSpan};

/// Instructions that a row covers, as written: those of its terms, without those of its excluded
/// terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection(pub Vec<Term>);

/// Name in a [`Selection`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// True if the row does not cover these instructions.
    pub excluded: bool,
    /// Instruction or group.
    pub name: Reference<Selected>,
}

/// Instructions of a [`Term`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selected {
    /// All instructions.
    All,
    /// Instructions whose page has types or type maps.
    Typed,
    /// Instructions whose page has type maps.
    Mapped,
    /// The group at this position of the table.
    Group(usize),
    /// A single instruction.
    Instruction(InstructionId),
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.excluded { "-" } else { "" }, self.name)
    }
}

/// Named group of instructions.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name: words with dashes.
    pub name: String,
    /// Members; a group may contain earlier groups.
    pub instructions: Selection,
    /// Description of the group.
    pub doc: String,
    /// Place of the row.
    pub at: SourceSpan,
}

/// Part of an instruction that a check concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// The instruction as a whole.
    Instruction,
    /// A field that is no operand.
    Field,
    /// An operand.
    Operand,
}

impl Concern {
    /// All parts, with their words in the table.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Instruction, "instruction"), (Self::Field, "field"), (Self::Operand, "operand")];
}

/// Check of the verifier that compares an instruction with its page or with a chapter.
#[derive(Clone, Debug)]
pub struct Check {
    /// Name: words with dashes.
    pub name: String,
    /// Code of the finding for a violation.
    pub finding: String,
    /// Part that the check concerns.
    pub concern: Concern,
    /// Condition that the check tests, in prose.
    pub doc: String,
    /// Place of the row.
    pub at: SourceSpan,
}

/// Operands that a row concerns one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EachOperand {
    /// The first operand with a region that the instruction writes.
    Destination,
    /// Operands with a region that the instruction reads, unless their field names types.
    Source,
    /// Operands with a region.
    Operand,
}

impl EachOperand {
    /// All kinds, with their words under `Each`.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Destination, "destination"), (Self::Source, "source"), (Self::Operand, "operand")];

    /// Returns the word under `Each`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(each, _)| *each == self).map_or("", |(_, name)| name)
    }
}

/// Severity of a violation that the vendor's assembler accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A warning.
    Warning,
    /// No finding.
    Nothing,
}

impl Verdict {
    /// All verdicts, with their words under `As`.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Warning, "warning"), (Self::Nothing, "nothing")];

    /// Returns the word under `As`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(verdict, _)| *verdict == self).map_or("", |(_, name)| name)
    }
}

/// Violation of a check that the vendor's assembler accepts.
#[derive(Clone, Debug)]
pub struct Acceptance {
    /// Name: words with dashes.
    pub name: String,
    /// Check, with its position in the table.
    pub check: Reference<usize>,
    /// Instructions that the row covers.
    pub instructions: Selection,
    /// Alternatives of platforms on which the row holds; empty for all platforms.
    pub platforms: Vec<Availability>,
    /// Operands that the row concerns; empty for all.
    pub each: Vec<EachOperand>,
    /// Condition under which the row applies, as written; `None` for always.
    pub when: Option<Expression>,
    /// Severity of the violation.
    pub verdict: Verdict,
    /// Description of the row.
    pub doc: String,
    /// Place of the row.
    pub at: SourceSpan,
}

/// Row of conditions: if one holds, the other must hold.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Name: words with dashes.
    pub name: String,
    /// Instructions that the row covers.
    pub instructions: Selection,
    /// Alternatives of platforms on which the row holds; empty for all platforms.
    pub platforms: Vec<Availability>,
    /// Operands that the row concerns one by one; empty if it concerns the whole instruction.
    pub each: Vec<EachOperand>,
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
