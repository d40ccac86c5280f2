//! Sources of facts.

use serde::Serialize;

use super::location::{Cx, Location};
#[cfg(test)]
use super::schema;
use visakit_codegen::model;

/// Source of facts.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Source {
    /// Name.
    pub name: String,
    /// Kind: document, code, tool or decision.
    #[cfg_attr(test, schemars(with = "schema::SourceKind"))]
    pub kind: &'static str,
    /// Revision that the facts are from.
    pub version: String,
    /// Date of that revision.
    pub date: String,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// Fact outside tables; its place names its sources.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sourced {
    /// Heading of the section that contains its row.
    pub section: String,
    /// Label of the fact.
    pub fact: String,
    /// Place in the pages.
    pub at: Location,
}

pub(super) fn sources(cx: &Cx<'_>) -> Vec<Source> {
    let one = |s: &model::Source| Source {
        name: s.name.clone(),
        kind: s.kind.name(),
        version: s.version.clone(),
        date: s.date.clone(),
        doc: s.doc.clone(),
        at: cx.place(s.at),
    };
    cx.model.sources.iter().map(one).collect()
}

pub(super) fn sourced(cx: &Cx<'_>) -> Vec<Sourced> {
    let one =
        |p: &model::Provenance| Sourced { section: p.section.clone(), fact: p.label.clone(), at: cx.place(p.at) };
    cx.model.provenance.iter().filter(|p| p.is_named).map(one).collect()
}
