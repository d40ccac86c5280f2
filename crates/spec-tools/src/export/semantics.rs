//! Semantics blocks: the text as written, and the syntax tree if the specification defines a
//! notation.

use serde::Serialize;

use super::location::{Cx, Location};
#[cfg(test)]
use super::schema;
use visakit_codegen::model;
use visakit_codegen::model::semantics::{self as tree, Block, ExpressionKind, Meaning};

/// Semantics of an instruction.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Semantics {
    /// Text of the block.
    pub source: String,
    /// Statements of the block; absent for specifications that do not define a notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statements: Option<Vec<Statement>>,
}

/// Statement with its place.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Statement {
    /// Kind of the statement.
    #[serde(flatten)]
    pub kind: StatementKind,
    /// Place in the pages.
    pub at: Location,
}

/// Kind of a statement, as in [`tree::StatementKind`].
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names are self-explanatory")]
pub enum StatementKind {
    /// Runs a block for each enabled channel.
    Channels { channel: String, body: Vec<Statement> },
    /// Counts a variable from the first value to the last.
    For { variable: String, from: Expression, to: Expression, body: Vec<Statement> },
    /// Chooses between two blocks.
    If {
        condition: Expression,
        then: Vec<Statement>,
        #[serde(rename = "else", skip_serializing_if = "Option::is_none")]
        otherwise: Option<Vec<Statement>>,
    },
    /// Names a value.
    Let { name: String, value: Expression },
    /// Stores a value.
    Assign { target: Expression, value: Expression },
    /// Calls a built-in for its effect.
    Call { function: String, arguments: Vec<Expression> },
    /// Leaves the result undefined.
    Undefined,
}

/// Expression, as in [`tree::ExpressionKind`]. Names are resolved.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names are self-explanatory")]
pub enum Expression {
    /// An integer.
    Integer { value: u64 },
    /// Floating-point number.
    Float { value: f64 },
    /// True or false.
    Boolean { value: bool },
    /// Name defined by `let`, `for` or `channels`.
    Local { name: String },
    /// A built-in without arguments.
    Builtin { name: String },
    /// Field of the page, in lower case.
    Field { name: String },
    /// A predefined variable, surface or sampler.
    Predefined {
        name: String,
        #[cfg_attr(test, schemars(with = "schema::Table"))]
        table: &'static str,
        id: u64,
    },
    /// Undefined name, which `lint` reports.
    Unknown { name: String },
    /// Enumerator of a list.
    Enumerator { list: String, name: String },
    /// A part of a bit field.
    Part { of: Box<Expression>, part: String },
    /// Element of a value.
    Index { of: Box<Expression>, index: Box<Expression> },
    /// A call of a built-in.
    Call { function: String, arguments: Vec<Expression> },
    /// Unary operator.
    Unary {
        #[cfg_attr(test, schemars(with = "schema::UnaryOperator"))]
        operator: &'static str,
        operand: Box<Expression>,
    },
    /// Binary operator.
    Binary {
        #[cfg_attr(test, schemars(with = "schema::BinaryOperator"))]
        operator: &'static str,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    /// Choice between two values.
    Choice { condition: Box<Expression>, then: Box<Expression>, otherwise: Box<Expression> },
}

pub(super) fn semantics(cx: &Cx<'_>, i: &model::Instruction) -> Option<Semantics> {
    let statements = i.behaviour.as_ref().map(|b| block(cx, b));
    (!i.semantics.is_empty() || statements.is_some()).then(|| Semantics { source: i.semantics.clone(), statements })
}

fn block(cx: &Cx<'_>, block: &Block) -> Vec<Statement> {
    block.statements.iter().map(|s| statement(cx, s)).collect()
}

fn statement(cx: &Cx<'_>, statement: &tree::Statement) -> Statement {
    let kind = match &statement.kind {
        tree::StatementKind::Channels { channel, body } => {
            StatementKind::Channels { channel: channel.text.clone(), body: block(cx, body) }
        }
        tree::StatementKind::For { variable, from, to, body } => StatementKind::For {
            variable: variable.text.clone(),
            from: expression(from),
            to: expression(to),
            body: block(cx, body),
        },
        tree::StatementKind::If { condition, then, otherwise } => StatementKind::If {
            condition: expression(condition),
            then: block(cx, then),
            otherwise: otherwise.as_ref().map(|b| block(cx, b)),
        },
        tree::StatementKind::Let { name, value } => {
            StatementKind::Let { name: name.text.clone(), value: expression(value) }
        }
        tree::StatementKind::Assign { target, value } => {
            StatementKind::Assign { target: expression(target), value: expression(value) }
        }
        tree::StatementKind::Call(call) => {
            StatementKind::Call { function: call.function.text.clone(), arguments: arguments(call) }
        }
        tree::StatementKind::Undefined => StatementKind::Undefined,
    };
    Statement { kind, at: cx.place(statement.at) }
}

fn arguments(call: &tree::Call) -> Vec<Expression> {
    call.arguments.iter().map(expression).collect()
}

pub(super) fn expression(e: &tree::Expression) -> Expression {
    let boxed = |e: &tree::Expression| Box::new(expression(e));
    match &e.kind {
        ExpressionKind::Integer(value) => Expression::Integer { value: *value },
        ExpressionKind::Float(value) => Expression::Float { value: *value },
        ExpressionKind::Boolean(value) => Expression::Boolean { value: *value },
        ExpressionKind::Name { name, meaning } => {
            let name = name.clone();
            match *meaning {
                Meaning::Unresolved => Expression::Unknown { name },
                Meaning::Local => Expression::Local { name },
                Meaning::Builtin => Expression::Builtin { name },
                Meaning::Field => Expression::Field { name },
                Meaning::Predefined { table, id } => Expression::Predefined { name, table: table.name(), id },
            }
        }
        ExpressionKind::Enumerator { list, name } => {
            Expression::Enumerator { list: list.clone(), name: name.clone() }
        }
        ExpressionKind::BitField { of, part } => Expression::Part { of: boxed(of), part: part.text.clone() },
        ExpressionKind::Index { of, index } => Expression::Index { of: boxed(of), index: boxed(index) },
        ExpressionKind::Call(call) => {
            Expression::Call { function: call.function.text.clone(), arguments: arguments(call) }
        }
        ExpressionKind::Unary { operator, operand } => {
            Expression::Unary { operator: operator.sign(), operand: boxed(operand) }
        }
        ExpressionKind::Binary { operator, left, right } => {
            Expression::Binary { operator: operator.sign(), left: boxed(left), right: boxed(right) }
        }
        ExpressionKind::Choice { condition, then, otherwise } => {
            Expression::Choice { condition: boxed(condition), then: boxed(then), otherwise: boxed(otherwise) }
        }
    }
}
