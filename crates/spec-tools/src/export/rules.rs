//! Rows of verification.md, and the built-ins for conditions and semantics.

use serde::Serialize;

use super::chapters::marks;
use super::facts::Bound;
use super::location::{Cx, Location};
#[cfg(test)]
use super::schema;
use super::semantics::{Expression, expression};
use visakit_codegen::model;

/// Named group of instructions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    /// Name.
    pub name: String,
    /// Names of instructions and groups; a minus sign excludes one.
    pub instructions: Vec<String>,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// Check of the verifier that compares an instruction with its page or with a chapter.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Check {
    /// Name.
    pub name: String,
    /// Code of the finding for a violation.
    pub finding: String,
    /// Condition that the check tests, in prose.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// Violation of a check that the vendor's assembler accepts.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Acceptance {
    /// Name.
    pub name: String,
    /// Name of the check.
    pub check: String,
    /// Names of instructions and groups; a minus sign excludes one.
    pub instructions: Vec<String>,
    /// Groups of conditions, at least one of which must hold; empty for every platform.
    pub platforms: Vec<Vec<Bound>>,
    /// Operands that the row concerns: `destination`, `source`, `operand`; empty for all.
    pub each: Vec<String>,
    /// Condition under which the row applies; absent if unconditional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Expression>,
    /// Severity of the violation: `warning` or `nothing`.
    pub verdict: String,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// Row of verification.md with a condition of the vendor's assembler.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Constraint {
    /// Name.
    pub name: String,
    /// Names of instructions and groups.
    pub instructions: Vec<String>,
    /// Groups of conditions, at least one of which must hold; empty for every platform.
    pub platforms: Vec<Vec<Bound>>,
    /// Operands that the row concerns one by one: `destination`, `source`, `operand`; empty if it
    /// concerns the whole instruction.
    pub each: Vec<String>,
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

fn covered(selection: &model::Selection) -> Vec<String> {
    selection.0.iter().map(ToString::to_string).collect()
}

fn each(each: &[model::EachOperand]) -> Vec<String> {
    each.iter().map(|each| each.name().to_owned()).collect()
}

pub(super) fn groups(cx: &Cx<'_>) -> Vec<Group> {
    let one = |g: &model::Group| Group {
        name: g.name.clone(),
        instructions: covered(&g.instructions),
        doc: g.doc.clone(),
        at: cx.place(g.at),
    };
    cx.model.groups.iter().map(one).collect()
}

pub(super) fn checks(cx: &Cx<'_>) -> Vec<Check> {
    let one = |c: &model::Check| Check {
        name: c.name.clone(),
        finding: c.finding.clone(),
        doc: c.doc.clone(),
        at: cx.place(c.at),
    };
    cx.model.checks.iter().map(one).collect()
}

pub(super) fn accepted(cx: &Cx<'_>) -> Vec<Acceptance> {
    let one = |a: &model::Acceptance| Acceptance {
        name: a.name.clone(),
        check: a.check.name.clone(),
        instructions: covered(&a.instructions),
        platforms: a.platforms.iter().map(marks).collect(),
        each: each(&a.each),
        when: a.when.as_ref().map(expression),
        verdict: a.verdict.name().to_owned(),
        doc: a.doc.clone(),
        at: cx.place(a.at),
    };
    cx.model.accepted.iter().map(one).collect()
}

pub(super) fn constraints(cx: &Cx<'_>) -> Vec<Constraint> {
    let one = |c: &model::Constraint| Constraint {
        name: c.name.clone(),
        instructions: covered(&c.instructions),
        platforms: c.platforms.iter().map(marks).collect(),
        each: each(&c.each),
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
