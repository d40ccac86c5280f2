//! A semantics block as a tree, and the built-ins that it may call. Every node knows its place in
//! the page, and every name what it stands for once the block has been resolved.

mod print;

use super::{IndexKind, SourceSpan};

/// Statements between braces, or a whole semantics block. Printing it gives the one layout in which
/// equal texts are equal meanings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The statements in order.
    pub statements: Vec<Statement>,
    /// From the opening to the closing brace; for a whole block from its first to its last line.
    pub at: SourceSpan,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where it stands, with the blocks that belong to it.
    pub at: SourceSpan,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `channels i { … }`: for each enabled channel.
    Channels {
        /// The number of the channel.
        channel: Name,
        /// What is done for each.
        body: Block,
    },
    /// `for i in a..b { … }`: for each number from the first up to but not including the second.
    For {
        /// The number.
        variable: Name,
        /// The first number.
        from: Expression,
        /// One behind the last number.
        to: Expression,
        /// What is done for each.
        body: Block,
    },
    /// `if c { … } else { … }`.
    If {
        /// The condition.
        condition: Expression,
        /// What is done when it holds.
        then: Block,
        /// What is done otherwise; `else if` is a block of one statement.
        otherwise: Option<Block>,
    },
    /// `let x = e`: a new local name.
    Let {
        /// The name.
        name: Name,
        /// Its first value.
        value: Expression,
    },
    /// `x = e`.
    Assign {
        /// A local name, an element of an operand or a call of a built-in that is a place.
        target: Expression,
        /// The new value.
        value: Expression,
    },
    /// A built-in used for its effect.
    Call(Call),
    /// `undefined`: no public text says what happens.
    Undefined,
}

/// A name where it is introduced, or that of a part or an enumerator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name as written.
    pub text: String,
    /// Where it stands.
    pub at: SourceSpan,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// How it is computed.
    pub kind: ExpressionKind,
    /// Where it stands.
    pub at: SourceSpan,
}

/// How a value is computed.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A whole number.
    Integer(u64),
    /// A number with a fraction.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A name on its own.
    Name {
        /// The name as written.
        name: String,
        /// What it stands for.
        meaning: Meaning,
    },
    /// `List.enumerator`, or `Field.part.enumerator`. The parser leaves it as
    /// [`ExpressionKind::BitField`].
    Enumerator {
        /// The list as written: a shared list, or a field of the page with or without a part.
        list: String,
        /// The enumerator's name in that list.
        name: String,
    },
    /// `e.part`: a part of a bit field.
    BitField {
        /// The bit field.
        of: Box<Expression>,
        /// The part.
        part: Name,
    },
    /// `e[i]`: an element of an operand, a bit of a predicate, an element of a repeated field.
    Index {
        /// What is indexed.
        of: Box<Expression>,
        /// The number of the element.
        index: Box<Expression>,
    },
    /// A built-in with its arguments.
    Call(Call),
    /// An operator in front of its operand.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: Box<Expression>,
    },
    /// An operator between its operands.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// What stands in front of it.
        left: Box<Expression>,
        /// What stands behind it.
        right: Box<Expression>,
    },
    /// `c ? a : b`; only the chosen value is computed.
    Choice {
        /// The condition.
        condition: Box<Expression>,
        /// The value when it holds.
        then: Box<Expression>,
        /// The value otherwise.
        otherwise: Box<Expression>,
    },
}

/// A call of a built-in.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The built-in.
    pub function: Name,
    /// The arguments in order.
    pub arguments: Vec<Expression>,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing yet, or nothing at all: a finding says so.
    Unresolved,
    /// A name of `let`, `for` or `channels`.
    Local,
    /// A built-in without arguments.
    Builtin,
    /// A field of the page, in one of its forms at least, by its name in lower case.
    Field,
    /// A predefined variable, surface or sampler.
    Predefined {
        /// The table.
        table: IndexKind,
        /// The number of its entry.
        id: u64,
    },
}

/// An operator in front of its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `!`, of a truth value.
    Not,
    /// `~`, of every bit.
    Complement,
}

impl UnaryOperator {
    /// All of them with their signs.
    pub const ALL: [(Self, &'static str); 3] = [(Self::Negate, "-"), (Self::Not, "!"), (Self::Complement, "~")];

    /// The sign.
    pub fn sign(self) -> &'static str {
        Self::ALL.iter().find(|(operator, _)| *operator == self).map_or("", |(_, sign)| sign)
    }
}

/// An operator between its operands. Conditions have the runtime's `rt::Operator` when the program
/// runs, which is called like it and knows neither signs nor how tightly they bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what the signs in ALL mean")]
pub enum BinaryOperator {
    OrElse,
    AndThen,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Or,
    Xor,
    And,
    ShiftLeft,
    /// Fills with the sign of a signed value.
    ShiftRight,
    /// Fills with zeros.
    ShiftRightZero,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOperator {
    /// All of them with their signs and how tightly they bind, loosest first.
    pub const ALL: [(Self, &'static str, u8); 19] = [
        (Self::OrElse, "||", 1),
        (Self::AndThen, "&&", 2),
        (Self::Equal, "==", 3),
        (Self::NotEqual, "!=", 3),
        (Self::Less, "<", 4),
        (Self::LessOrEqual, "<=", 4),
        (Self::Greater, ">", 4),
        (Self::GreaterOrEqual, ">=", 4),
        (Self::Or, "|", 5),
        (Self::Xor, "^", 6),
        (Self::And, "&", 7),
        (Self::ShiftLeft, "<<", 8),
        (Self::ShiftRight, ">>", 8),
        (Self::ShiftRightZero, ">>>", 8),
        (Self::Add, "+", 9),
        (Self::Subtract, "-", 9),
        (Self::Multiply, "*", 10),
        (Self::Divide, "/", 10),
        (Self::Remainder, "%", 10),
    ];

    /// The sign.
    pub fn sign(self) -> &'static str {
        Self::ALL.iter().find(|(operator, ..)| *operator == self).map_or("", |(_, sign, _)| sign)
    }

    /// Whether it compares for equality, which is all that named values can do.
    pub fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}

/// A built-in of the notation; one that takes different numbers of arguments has an entry for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name.
    pub name: String,
    /// The names of its arguments; `None` for a value that is written without parentheses.
    pub parameters: Option<Vec<String>>,
    /// How it can be used.
    pub kind: BuiltinKind,
    /// What it gives or does.
    pub doc: String,
    /// Where it is defined.
    pub at: SourceSpan,
}

/// How a built-in can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinKind {
    /// It gives a value.
    Value,
    /// It gives a truth value.
    Truth,
    /// It gives a value, and can be assigned to.
    Place,
    /// It gives a value, and can be assigned to where its first argument can.
    View,
    /// It stands for an operand.
    Operand,
    /// It is a statement.
    Effect,
    /// It gives a value, and is a statement as well.
    ValueAndEffect,
}

impl BuiltinKind {
    /// All kinds with their words in the table.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Value, "value"),
        (Self::Truth, "truth"),
        (Self::Place, "place"),
        (Self::View, "view"),
        (Self::Operand, "operand"),
        (Self::Effect, "effect"),
        (Self::ValueAndEffect, "value, effect"),
    ];

    /// The word of the table.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Whether it can be a statement.
    pub fn is_statement(self) -> bool {
        matches!(self, Self::Effect | Self::ValueAndEffect)
    }
}
