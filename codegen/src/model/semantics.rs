//! Tree of a semantics block, and the built-ins that it may call. Every node has its place in the
//! page. Names have their meanings once the block is resolved.

mod print;

use super::{IndexKind, SourceSpan};

/// Statements between braces, or a whole semantics block. Printing uses one layout, so that equal
/// meanings give equal texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Statements in order.
    pub statements: Vec<Statement>,
    /// Place from the opening to the closing brace; for a whole block, from its first to its last
    /// line.
    pub at: SourceSpan,
}

/// Statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Kind of the statement.
    pub kind: StatementKind,
    /// Place of the statement, including its blocks.
    pub at: SourceSpan,
}

/// Kind of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `channels i { … }`: a loop over the enabled channels.
    Channels {
        /// Name of the channel number.
        channel: Name,
        /// Body of the loop.
        body: Block,
    },
    /// `for i in a..b { … }`: a loop over the numbers from `a` to `b`, without `b`.
    For {
        /// Name of the number.
        variable: Name,
        /// First number.
        from: Expression,
        /// Exclusive end.
        to: Expression,
        /// Body of the loop.
        body: Block,
    },
    /// `if c { … } else { … }`.
    If {
        /// Condition.
        condition: Expression,
        /// Block for a true condition.
        then: Block,
        /// Block for a false condition; `else if` is a block of one statement.
        otherwise: Option<Block>,
    },
    /// `let x = e`: the declaration of a local name.
    Let {
        /// Local name.
        name: Name,
        /// Initial value.
        value: Expression,
    },
    /// `x = e`: an assignment.
    Assign {
        /// Target: a local name, an element of an operand, or a call of an assignable built-in.
        target: Expression,
        /// New value.
        value: Expression,
    },
    /// A call of a built-in for its effect.
    Call(Call),
    /// `undefined`: no public document defines the behaviour.
    Undefined,
}

/// Name at its declaration, or name of a part or an enumerator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Name as written.
    pub text: String,
    /// Place of the name.
    pub at: SourceSpan,
}

/// Expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Kind of the expression.
    pub kind: ExpressionKind,
    /// Place of the expression.
    pub at: SourceSpan,
}

impl Expression {
    /// Returns the direct parts of the expression, from left to right.
    pub fn parts(&self) -> Vec<&Self> {
        match &self.kind {
            ExpressionKind::BitField { of, .. } => vec![of],
            ExpressionKind::Index { of, index } => vec![of, index],
            ExpressionKind::Call(call) => call.arguments.iter().collect(),
            ExpressionKind::Unary { operand, .. } => vec![operand],
            ExpressionKind::Binary { left, right, .. } => vec![left, right],
            ExpressionKind::Choice { condition, then, otherwise } => vec![condition, then, otherwise],
            ExpressionKind::Name { .. }
            | ExpressionKind::Integer(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Boolean(_)
            | ExpressionKind::Enumerator { .. } => Vec::new(),
        }
    }
}

/// Kind of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// An integer.
    Integer(u64),
    /// A number with a fraction.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A plain name.
    Name {
        /// Name as written.
        name: String,
        /// Meaning of the name.
        meaning: Meaning,
    },
    /// `List.enumerator`, or `Field.part.enumerator`. The parser produces
    /// [`ExpressionKind::BitField`] instead; the resolver converts it.
    Enumerator {
        /// List as written: a shared list, or a field of the page with or without a part.
        list: String,
        /// Name of the enumerator in the list.
        name: String,
    },
    /// `e.part`: a part of a bit field.
    BitField {
        /// Bit field.
        of: Box<Expression>,
        /// Name of the part.
        part: Name,
    },
    /// `e[i]`: an element of an operand, a bit of a predicate, or an element of a repeated field.
    Index {
        /// Indexed expression.
        of: Box<Expression>,
        /// Index of the element.
        index: Box<Expression>,
    },
    /// A call of a built-in.
    Call(Call),
    /// A unary operator and its operand.
    Unary {
        /// Operator.
        operator: UnaryOperator,
        /// Operand.
        operand: Box<Expression>,
    },
    /// A binary operator and its operands.
    Binary {
        /// Operator.
        operator: BinaryOperator,
        /// Left operand.
        left: Box<Expression>,
        /// Right operand.
        right: Box<Expression>,
    },
    /// `c ? a : b`; only the selected value is evaluated.
    Choice {
        /// Condition.
        condition: Box<Expression>,
        /// Value for a true condition.
        then: Box<Expression>,
        /// Value for a false condition.
        otherwise: Box<Expression>,
    },
}

/// Call of a built-in.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Name of the built-in.
    pub function: Name,
    /// Arguments in order.
    pub arguments: Vec<Expression>,
}

/// Meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Not resolved yet, or an unknown name, which is a finding.
    Unresolved,
    /// A local name from `let`, `for` or `channels`.
    Local,
    /// A built-in without arguments.
    Builtin,
    /// A field in at least one form of the page, by its name in lower case.
    Field,
    /// A predefined variable, surface or sampler.
    Predefined {
        /// Table of the variable.
        table: IndexKind,
        /// Id of the table entry.
        id: u64,
    },
}

/// Unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `!`, on a truth value.
    Not,
    /// `~`, on all bits.
    Complement,
}

impl UnaryOperator {
    /// All unary operators, with their signs.
    pub const ALL: [(Self, &'static str); 3] = [(Self::Negate, "-"), (Self::Not, "!"), (Self::Complement, "~")];

    /// Returns the sign.
    pub fn sign(self) -> &'static str {
        Self::ALL.iter().find(|(operator, _)| *operator == self).map_or("", |(_, sign)| sign)
    }
}

/// Binary operator. Its counterpart for conditions at run time is `rt::Operator`, which has the
/// same names but no signs and no precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the constant ALL lists the sign of each variant")]
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
    /// Arithmetic shift for a signed value, logical for an unsigned one.
    ShiftRight,
    /// Logical shift, which fills with zeros.
    ShiftRightZero,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOperator {
    /// All binary operators with sign and precedence, loosest first.
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

    /// Returns the sign.
    pub fn sign(self) -> &'static str {
        Self::ALL.iter().find(|(operator, ..)| *operator == self).map_or("", |(_, sign, _)| sign)
    }

    /// Returns true for a comparison for equality, the only operation on named values.
    pub fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}

/// Built-in of the notation. A built-in with several numbers of arguments has an entry for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Name of the built-in.
    pub name: String,
    /// Names of the arguments; `None` for a value that is written without parentheses.
    pub parameters: Option<Vec<String>>,
    /// Kind of the built-in.
    pub kind: BuiltinKind,
    /// Description of the result or the effect.
    pub doc: String,
    /// Place of the definition.
    pub at: SourceSpan,
}

/// Possible uses of a built-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinKind {
    /// A value.
    Value,
    /// A truth value.
    Truth,
    /// An assignable value.
    Place,
    /// A value that is assignable if its first argument is.
    View,
    /// An operand.
    Operand,
    /// A statement.
    Effect,
    /// A value or a statement.
    ValueAndEffect,
}

impl BuiltinKind {
    /// All kinds, with their words in the table.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Value, "value"),
        (Self::Truth, "truth"),
        (Self::Place, "place"),
        (Self::View, "view"),
        (Self::Operand, "operand"),
        (Self::Effect, "effect"),
        (Self::ValueAndEffect, "value, effect"),
    ];

    /// Returns the word in the table.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Returns true if the built-in can be a statement.
    pub fn is_statement(self) -> bool {
        matches!(self, Self::Effect | Self::ValueAndEffect)
    }
}
