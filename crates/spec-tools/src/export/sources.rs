//! Sources of facts.

use serde::Serialize;

use super::location::{Cx, Location};
use visakit_codegen::model;

/// Something that facts are taken from.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Source {
    pub name: String,
    pub kind: &'static str,
    pub version: String,
    pub date: String,
    pub doc: String,
    pub at: Location,
}

/// A fact that stands in no table; its place has its sources.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Sourced {
    pub section: String,
    pub fact: String,
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
