//! The rows of verification.md, and the built-ins that conditions and semantics may call.

use serde::Serialize;

use super::chapters::{Bound, marks};
use super::location::{Cx, Location};
use super::semantics::{Expression, expression};
use visakit_codegen::model;

/// A row of verification.md.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Rule {
    pub name: String,
    pub instructions: Vec<String>,
    pub platforms: Vec<Vec<Bound>>,
    pub doc: String,
    pub at: Location,
}

/// A row across the fields of an instruction.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Constraint {
    pub name: String,
    pub instructions: Vec<String>,
    pub platforms: Vec<Vec<Bound>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Expression>,
    pub must: Expression,
    pub finding: String,
    pub warning: bool,
    pub doc: String,
    pub at: Location,
}

/// A name for an expression in such rows.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Definition {
    pub name: String,
    pub value: Expression,
    pub doc: String,
    pub at: Location,
}

/// A built-in of the Semantics sections.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Builtin {
    pub name: String,
    /// Names of its arguments; absent for a value without parentheses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Vec<String>>,
    pub kind: &'static str,
    pub doc: String,
    pub at: Location,
}

pub(super) fn builtins(cx: &Cx<'_>, builtins: &[model::semantics::Builtin]) -> Vec<Builtin> {
    let one = |b: &visakit_codegen::model::semantics::Builtin| Builtin {
        name: b.name.clone(),
        parameters: b.parameters.clone(),
        kind: b.kind.name(),
        doc: b.doc.clone(),
        at: cx.place(b.at),
    };
    builtins.iter().map(one).collect()
}

pub(super) fn rules(cx: &Cx<'_>) -> Vec<Rule> {
    let one = |r: &model::Rule| Rule {
        name: r.name.clone(),
        instructions: r.instructions.iter().map(ToString::to_string).collect(),
        platforms: r.platforms.iter().map(marks).collect(),
        doc: r.doc.clone(),
        at: cx.place(r.at),
    };
    cx.model.rules.iter().map(one).collect()
}

pub(super) fn constraints(cx: &Cx<'_>) -> Vec<Constraint> {
    let one = |c: &model::Constraint| Constraint {
        name: c.name.clone(),
        instructions: c.instructions.iter().map(ToString::to_string).collect(),
        platforms: c.platforms.iter().map(marks).collect(),
        when: c.when.as_ref().map(expression),
        must: expression(&c.must),
        finding: c.finding.clone(),
        warning: c.warning,
        doc: c.doc.clone(),
        at: cx.place(c.at),
    };
    cx.model.constraints.iter().map(one).collect()
}

pub(super) fn definitions(cx: &Cx<'_>) -> Vec<Definition> {
    let one = |d: &model::Definition| Definition {
        name: d.name.clone(),
        value: expression(&d.value),
        doc: d.doc.clone(),
        at: cx.place(d.at),
    };
    cx.model.definitions.iter().map(one).collect()
}
