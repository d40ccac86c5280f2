//! Places in pages: path, line and column.

use serde::Serialize;

use visakit_codegen::model::{Model, Provenances, SourceSpan};

/// Place in a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Location {
    /// Path of the page in the specification's folder, with forward slashes.
    pub file: String,
    /// Line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: u32,
    /// Column in characters, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub column: u32,
    /// Names of the sources in the fact's row; empty if the fact is from the documents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub sources: Vec<String>,
    /// First date or version at which the source states the fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Model, with the line starts of its pages.
pub(super) struct Cx<'m> {
    pub(super) model: &'m Model,
    lines: Vec<Vec<usize>>,
    provenances: Provenances<'m>,
}

impl<'m> Cx<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let starts = |text: &str| {
            let behind = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
            std::iter::once(0).chain(behind).collect()
        };
        let lines = model.pages.iter().map(|p| starts(&p.text)).collect();
        Self { model, lines, provenances: model.provenances() }
    }

    pub(super) fn place(&self, at: SourceSpan) -> Location {
        let (Some(page), Some(lines)) = (self.model.pages.get(at.page as usize), self.lines.get(at.page as usize))
        else {
            return Location { file: String::new(), line: 1, column: 1, sources: Vec::new(), since: None };
        };
        let start = at.start as usize;
        let line = lines.partition_point(|l| *l <= start).max(1);
        let before = page.text.get(lines[line - 1]..start).unwrap_or("");
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let said = self.provenances.get(&(at.page, at.start));
        Location {
            file: page.path.clone(),
            line: small(line),
            column: small(before.chars().count() + 1),
            sources: said.map_or_else(Vec::new, |row| row.sources.clone()),
            since: said.and_then(|row| row.since.clone()),
        }
    }
}
