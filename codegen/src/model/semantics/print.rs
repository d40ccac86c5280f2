//! Printer of the tree in canonical form, without the original layout, comments and redundant
//! parentheses. Equal meanings give equal texts.

use std::fmt::{self, Display, Formatter};

use super::{BinaryOperator, Block, Call, Expression, ExpressionKind, Statement, StatementKind};

/// Precedences in addition to those of [`BinaryOperator::ALL`].
const CHOICE: u8 = 0;
const UNARY: u8 = 11;
const POSTFIX: u8 = 12;

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        block(f, self, 0)
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        expression(f, self, CHOICE)
    }
}

fn block(f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
    for line in &block.statements {
        write!(f, "{:1$}", "", depth * 4)?;
        statement(f, line, depth)?;
        writeln!(f)?;
    }
    Ok(())
}

fn braces(f: &mut Formatter<'_>, inner: &Block, depth: usize) -> fmt::Result {
    writeln!(f, " {{")?;
    block(f, inner, depth + 1)?;
    write!(f, "{:1$}}}", "", depth * 4)
}

fn statement(f: &mut Formatter<'_>, statement: &Statement, depth: usize) -> fmt::Result {
    match &statement.kind {
        StatementKind::Channels { channel, body } => {
            write!(f, "channels {}", channel.text)?;
            braces(f, body, depth)
        }
        StatementKind::For { variable, from, to, body } => {
            write!(f, "for {} in {from}..{to}", variable.text)?;
            braces(f, body, depth)
        }
        StatementKind::If { condition, then, otherwise } => {
            write!(f, "if {condition}")?;
            braces(f, then, depth)?;
            match otherwise {
                None => Ok(()),
                Some(otherwise) => match otherwise.statements.as_slice() {
                    [only @ Statement { kind: StatementKind::If { .. }, .. }] => {
                        write!(f, " else ")?;
                        self::statement(f, only, depth)
                    }
                    _ => {
                        write!(f, " else")?;
                        braces(f, otherwise, depth)
                    }
                },
            }
        }
        StatementKind::Let { name, value } => write!(f, "let {} = {value}", name.text),
        StatementKind::Assign { target, value } => write!(f, "{target} = {value}"),
        StatementKind::Call(inner) => call(f, inner),
        StatementKind::Undefined => f.write_str("undefined"),
    }
}

fn call(f: &mut Formatter<'_>, call: &Call) -> fmt::Result {
    write!(f, "{}(", call.function.text)?;
    for (i, argument) in call.arguments.iter().enumerate() {
        write!(f, "{}{argument}", if i == 0 { "" } else { ", " })?;
    }
    f.write_str(")")
}

/// Prints an expression, in parentheses if its precedence is below `wanted`.
fn expression(f: &mut Formatter<'_>, e: &Expression, wanted: u8) -> fmt::Result {
    let level = level(&e.kind);
    if level < wanted {
        f.write_str("(")?;
    }
    match &e.kind {
        ExpressionKind::Integer(value) => write!(f, "{value}")?,
        // The fraction distinguishes a float from an integer.
        ExpressionKind::Float(value) if value.fract() == 0.0 => write!(f, "{value}.0")?,
        ExpressionKind::Float(value) => write!(f, "{value}")?,
        ExpressionKind::Boolean(value) => write!(f, "{value}")?,
        ExpressionKind::Name { name, .. } => f.write_str(name)?,
        ExpressionKind::Enumerator { list, name } => write!(f, "{list}.{name}")?,
        ExpressionKind::BitField { of, part } => {
            expression(f, of, POSTFIX)?;
            write!(f, ".{}", part.text)?;
        }
        ExpressionKind::Index { of, index } => {
            expression(f, of, POSTFIX)?;
            write!(f, "[{index}]")?;
        }
        ExpressionKind::Call(inner) => call(f, inner)?,
        ExpressionKind::Unary { operator, operand } => {
            f.write_str(operator.sign())?;
            expression(f, operand, UNARY)?;
        }
        ExpressionKind::Binary { operator, left, right } => {
            expression(f, left, level)?;
            write!(f, " {} ", operator.sign())?;
            expression(f, right, level + 1)?;
        }
        ExpressionKind::Choice { condition, then, otherwise } => {
            expression(f, condition, CHOICE + 1)?;
            write!(f, " ? {then} : ")?;
            expression(f, otherwise, CHOICE)?;
        }
    }
    if level < wanted {
        f.write_str(")")?;
    }
    Ok(())
}

fn level(kind: &ExpressionKind) -> u8 {
    match kind {
        ExpressionKind::Choice { .. } => CHOICE,
        ExpressionKind::Binary { operator, .. } => {
            BinaryOperator::ALL.iter().find(|(o, ..)| o == operator).map_or(CHOICE, |(_, _, level)| *level)
        }
        ExpressionKind::Unary { .. } => UNARY,
        _ => POSTFIX,
    }
}
