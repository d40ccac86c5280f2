//! Semantics blocks: the text as written, and the tree where the specification has a notation.

use serde::Serialize;

use super::location::{Cx, Location};
use visakit_codegen::model;
use visakit_codegen::model::semantics::{self as tree, Block, ExpressionKind, Meaning};

/// What an instruction does.
#[derive(Clone, Debug, Serialize)]
pub struct Semantics {
    /// The block as written.
    pub source: String,
    /// Its statements; absent for specifications without a notation of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statements: Option<Vec<Statement>>,
}

/// A statement and its place.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Statement {
    #[serde(flatten)]
    pub kind: StatementKind,
    pub at: Location,
}

/// What a statement does, as in [`tree::StatementKind`].
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "as in the tree and in schema.json")]
pub enum StatementKind {
    Channels {
        channel: String,
        body: Vec<Statement>,
    },
    For {
        variable: String,
        from: Expression,
        to: Expression,
        body: Vec<Statement>,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        #[serde(rename = "else", skip_serializing_if = "Option::is_none")]
        otherwise: Option<Vec<Statement>>,
    },
    Let {
        name: String,
        value: Expression,
    },
    Assign {
        target: Expression,
        value: Expression,
    },
    Call {
        function: String,
        arguments: Vec<Expression>,
    },
    Undefined,
}

/// A value, as in [`tree::ExpressionKind`]. Names say what they stand for.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "as in the tree and in schema.json")]
pub enum Expression {
    Integer { value: u64 },
    Float { value: f64 },
    Boolean { value: bool },
    Local { name: String },
    Builtin { name: String },
    Field { name: String },
    Predefined { name: String, table: &'static str, id: u64 },
    Unknown { name: String },
    Enumerator { list: String, name: String },
    Part { of: Box<Expression>, part: String },
    Index { of: Box<Expression>, index: Box<Expression> },
    Call { function: String, arguments: Vec<Expression> },
    Unary { operator: &'static str, operand: Box<Expression> },
    Binary { operator: &'static str, left: Box<Expression>, right: Box<Expression> },
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
