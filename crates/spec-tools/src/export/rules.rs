//! Rows of verification.md, and the built-ins for conditions and semantics.

use serde::Serialize;

use super::chapters::{Bound, marks};
use super::location::{Cx, Location};
#[cfg(test)]
use super::schema;
use super::semantics::{Expression, expression};
use visakit_codegen::model;

/// Row of verification.md with a rule in code.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rule {
    /// Name.
    pub name: String,
    /// Names of instructions and groups.
    pub instructions: Vec<String>,
    /// Groups of conditions, at least one of which must hold; empty for every platform.
    pub platforms: Vec<Vec<Bound>>,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// Row of verification.md with a constraint across the fields of an instruction.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Constraint {
    /// Name.
    pub name: String,
    /// Names of instructions and groups.
    pub instructions: Vec<String>,
    /// Groups of conditions, at least one of which must hold; empty for every platform.
    pub platforms: Vec<Vec<Bound>>,
    /// Condition under which the constraint applies; absent if unconditional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Expression>,
    /// Condition that must hold.
    pub must: Expression,
    /// Code of the finding for a violation.
    pub finding: String,
    /// The finding is a warning, not an error.
    pub warning: bool,
    /// Text of the finding.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// Named expression for the conditions of constraints.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Definition {
    /// Name.
    pub name: String,
    /// The expression.
    pub value: Expression,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// A built-in of the Semantics sections.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Builtin {
    /// Name.
    pub name: String,
    /// Names of the built-in's arguments; absent for a value without parentheses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Vec<String>>,
    /// Kind of the result: a value, a truth value, a place, a view, an operand, or an effect.
    #[cfg_attr(test, schemars(with = "schema::BuiltinKind"))]
    pub kind: &'static str,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
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
