//! Sources of facts: the origin of each fact, and the date or version since which it holds there.

use std::collections::BTreeMap;

use super::SourceSpan;

/// Source of facts.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the source in the column `Source` of other tables.
    pub name: String,
    /// Kind of source.
    pub kind: SourceKind,
    /// Revision that was read.
    pub version: String,
    /// Date of that revision.
    pub date: String,
    /// Description of the source.
    pub doc: String,
    /// Place of the definition.
    pub at: SourceSpan,
}

/// Kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A published document.
    Document,
    /// Published code.
    Code,
    /// A program whose behaviour was tested.
    Tool,
    /// A decision of this project, because no source has the fact.
    Decision,
}

impl SourceKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Document, Self::Code, Self::Tool, Self::Decision];

    /// Returns the word of the pages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Code => "code",
            Self::Tool => "tool",
            Self::Decision => "decision",
        }
    }
}

/// Source of a table row.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// Heading of the table's section.
    pub section: String,
    /// Subject of the row: the fact that a table of sources names, or the name of the row.
    pub label: String,
    /// True for a row of a table of sources, which names facts outside tables.
    pub is_named: bool,
    /// Names of the sources.
    pub sources: Vec<String>,
    /// Date or version since which the source has the fact.
    pub since: Option<String>,
    /// Place of the row.
    pub at: SourceSpan,
}

/// Sources of rows, by page and first byte of the row.
pub type Provenances<'m> = BTreeMap<(u32, u32), &'m Provenance>;

impl super::Model {
    /// Returns the sources of rows, indexed by the place of the facts.
    pub fn provenances(&self) -> Provenances<'_> {
        self.provenance.iter().map(|row| ((row.at.page, row.at.start), row)).collect()
    }
}
