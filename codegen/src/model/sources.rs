//! Sources of facts: where what a page says comes from, and since when it holds there.

use std::collections::BTreeMap;

use super::SourceSpan;

/// Something that facts are taken from.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name in the column `Source` of other tables.
    pub name: String,
    /// Kind of source.
    pub kind: SourceKind,
    /// Revision that was read.
    pub version: String,
    /// Date of that revision.
    pub date: String,
    /// What it is.
    pub doc: String,
    /// Where it is defined.
    pub at: SourceSpan,
}

/// Kind of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A published document.
    Document,
    /// Published code.
    Code,
    /// A program that was asked.
    Tool,
    /// Decided here, as no source says it.
    Decision,
}

impl SourceKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Document, Self::Code, Self::Tool, Self::Decision];

    /// The word of the pages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Code => "code",
            Self::Tool => "tool",
            Self::Decision => "decision",
        }
    }
}

/// What a row of a table says of its source.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The heading below which the table stands.
    pub section: String,
    /// What the row is about: the fact that a table of sources names, or the name of the row.
    pub label: String,
    /// Whether the row is one of a table of sources, which names facts that stand in no table.
    pub is_named: bool,
    /// Names of the sources.
    pub sources: Vec<String>,
    /// Date or version from which on the source says it.
    pub since: Option<String>,
    /// The row.
    pub at: SourceSpan,
}

/// What rows say of their sources, by page and first byte of the row.
pub type Provenances<'m> = BTreeMap<(u32, u32), &'m Provenance>;

impl super::Model {
    /// Returns what rows say of their sources, to be found by the place of their facts.
    pub fn provenances(&self) -> Provenances<'_> {
        self.provenance.iter().map(|row| ((row.at.page, row.at.start), row)).collect()
    }
}
