//! Conditions of verification.md on a page: expands definitions, resolves names, and separates
//! truth values from numbers.

use super::fields::column;
use super::parse::Problem;
use super::resolve::resolve_expression;
use super::{CONDITION, IT};
use crate::model::semantics::{
    BinaryOperator, BuiltinKind, Call, Expression, ExpressionKind, Meaning, UnaryOperator,
};
use crate::model::{
    Acceptance, BitFieldKind, ColumnKind, Concern, Constraint, Definition, Field, FieldKind, Instruction, List,
    ListKind, Model, SourceSpan,
};

/// Maximum number of names, numbers and operators in an expanded condition.
const LARGEST: usize = 4096;

/// Conditions of a constraint on one page.
pub(crate) struct Row {
    /// Condition under which the constraint applies.
    pub(crate) when: Option<Expression>,
    /// Condition that must hold.
    pub(crate) must: Expression,
    /// Problems of the conditions on this page.
    pub(crate) problems: Vec<Problem>,
}

/// Expands the definitions in the conditions of a constraint and resolves them on a page.
pub(crate) fn row(model: &Model, constraint: &Constraint, page: &Instruction) -> Row {
    let mut problems = Vec::new();
    let bound = !constraint.each.is_empty();
    let when = constraint.when.as_ref().map(|e| condition(model, page, e, bound, &mut problems));
    let must = condition(model, page, &constraint.must, bound, &mut problems);
    Row { when, must, problems }
}

/// Expands the definitions in the condition of an acceptance and resolves them on a page; also
/// returns its problems.
pub(crate) fn accepted(model: &Model, row: &Acceptance, page: &Instruction) -> (Option<Expression>, Vec<Problem>) {
    let mut problems = Vec::new();
    let bound = row.check.to.is_some_and(|at| model.checks[at].concern == Concern::Operand);
    let when = row.when.as_ref().map(|e| condition(model, page, e, bound, &mut problems));
    (when, problems)
}

/// Expands and resolves a condition. It can name the row's operand only if `bound` is true.
fn condition(
    model: &Model,
    page: &Instruction,
    e: &Expression,
    bound: bool,
    problems: &mut Vec<Problem>,
) -> Expression {
    let mut e = e.clone();
    if expand(&model.definitions, &mut e, &mut LARGEST.clone()).is_err() {
        problems.push(Problem {
            code: "semantics-depth",
            at: e.at,
            message: "this condition is too long after its definitions are expanded".to_owned(),
            help: "split the row in two".to_owned(),
        });
        return e;
    }
    problems.extend(resolve_expression(model, &model.rule_builtins, page, &mut e));
    if problems.is_empty() {
        Kinds { model, page, problems, bound }.truth(&e);
    }
    e
}

/// Replaces the names of definitions by their expressions. A definition may only use earlier ones,
/// so the expansion ends; it fails if the result is too large.
fn expand(definitions: &[Definition], e: &mut Expression, left: &mut usize) -> Result<(), ()> {
    *left = left.checked_sub(1).ok_or(())?;
    match &mut e.kind {
        ExpressionKind::Name { name, .. } => {
            if let Some(at) = definitions.iter().position(|d| d.name == *name) {
                e.kind = definitions[at].value.kind.clone();
                // The definition's own row reports its problems.
                e.at = definitions[at].value.at;
                expand(&definitions[..at], e, left)?;
            }
            Ok(())
        }
        ExpressionKind::BitField { of, .. } => expand(definitions, of, left),
        ExpressionKind::Index { of, index } => {
            expand(definitions, of, left)?;
            expand(definitions, index, left)
        }
        ExpressionKind::Call(call) => call.arguments.iter_mut().try_for_each(|a| expand(definitions, a, left)),
        ExpressionKind::Unary { operand, .. } => expand(definitions, operand, left),
        ExpressionKind::Binary { left: a, right: b, .. } => {
            expand(definitions, a, left)?;
            expand(definitions, b, left)
        }
        ExpressionKind::Choice { condition, then, otherwise } => {
            expand(definitions, condition, left)?;
            expand(definitions, then, left)?;
            expand(definitions, otherwise, left)
        }
        ExpressionKind::Integer(_)
        | ExpressionKind::Float(_)
        | ExpressionKind::Boolean(_)
        | ExpressionKind::Enumerator { .. } => Ok(()),
    }
}

/// Separates truth values from numbers in a condition with resolved names.
struct Kinds<'a> {
    model: &'a Model,
    page: &'a Instruction,
    problems: &'a mut Vec<Problem>,
    /// True if `it` is an operand here.
    bound: bool,
}

impl Kinds<'_> {
    fn truth(&mut self, e: &Expression) {
        if !self.is_truth(e) {
            self.problem(e.at, "this is a number, not a truth value", "compare it with a number");
        }
    }

    fn number(&mut self, e: &Expression) {
        if self.is_truth(e) {
            self.problem(e.at, "this is a truth value, not a number", "write `c ? 1 : 0`");
        }
    }

    /// Returns true if an expression is a truth value; checks its operands.
    fn is_truth(&mut self, e: &Expression) -> bool {
        match &e.kind {
            ExpressionKind::Boolean(_) => true,
            ExpressionKind::Integer(_) | ExpressionKind::Enumerator { .. } => false,
            ExpressionKind::Float(_) => {
                self.problem(e.at, "conditions use whole numbers only", "write a number without a fraction");
                false
            }
            ExpressionKind::Name { name, meaning } => {
                let mut fields = self.page.forms.iter().flat_map(|f| &f.fields);
                let is_operand = |f: &Field| f.shape.is_operand() && !matches!(f.shape, FieldKind::Index(_));
                if *meaning == Meaning::Field && fields.any(|f| f.name.eq_ignore_ascii_case(name) && is_operand(f)) {
                    let help = "use a built-in, such as `constant(…)`";
                    self.problem(e.at, "an operand has no value before the program runs", help);
                }
                if *meaning == Meaning::Builtin && self.is_operand_builtin(name) {
                    self.problem(e.at, "an operand has no value", "use a built-in, such as `type(…)`");
                }
                *meaning == Meaning::Builtin && self.is_truth_builtin(name)
            }
            ExpressionKind::BitField { of, part } => self.is_flag(of, &part.text),
            ExpressionKind::Index { .. } => {
                self.problem(e.at, "conditions use operands, not their elements", "remove the index");
                false
            }
            ExpressionKind::Call(call) => self.is_truth_call(call),
            ExpressionKind::Unary { operator, operand } => {
                match operator {
                    UnaryOperator::Not => self.truth(operand),
                    UnaryOperator::Negate | UnaryOperator::Complement => self.number(operand),
                }
                *operator == UnaryOperator::Not
            }
            ExpressionKind::Binary { operator, left, right } => match operator {
                BinaryOperator::OrElse | BinaryOperator::AndThen => {
                    self.truth(left);
                    self.truth(right);
                    true
                }
                BinaryOperator::Equal | BinaryOperator::NotEqual => {
                    if self.is_truth(left) != self.is_truth(right) {
                        self.problem(
                            e.at,
                            "a truth value cannot be compared with a number",
                            "compare two truth values or two numbers",
                        );
                    }
                    true
                }
                _ => {
                    self.number(left);
                    self.number(right);
                    use BinaryOperator::{Greater, GreaterOrEqual, Less, LessOrEqual};
                    matches!(operator, Less | LessOrEqual | Greater | GreaterOrEqual)
                }
            },
            ExpressionKind::Choice { condition, then, otherwise } => {
                self.truth(condition);
                let kind = self.is_truth(then);
                if self.is_truth(otherwise) != kind {
                    self.problem(
                        e.at,
                        "one branch of the choice is a truth value, the other a number",
                        "give \
                     both branches the same kind",
                    );
                }
                kind
            }
        }
    }

    /// Returns true if a call is a truth value; checks its arguments.
    fn is_truth_call(&mut self, call: &Call) -> bool {
        let name = &call.function.text;
        let known = self.model.rule_builtins.iter().find(|b| b.name == *name);
        let parameters = known.and_then(|b| b.parameters.as_deref()).unwrap_or(&[]);
        for (at, argument) in call.arguments.iter().enumerate() {
            match parameters.get(at).map(String::as_str) {
                Some("op") => self.operand(argument),
                Some(CONDITION) => {
                    let bound = std::mem::replace(&mut self.bound, true);
                    self.truth(argument);
                    self.bound = bound;
                }
                _ => self.number(argument),
            }
        }
        self.is_truth_builtin(name)
    }

    /// Checks that an operand that a row concerns is named only where there is one.
    fn operand(&mut self, e: &Expression) {
        if !self.bound && matches!(&e.kind, ExpressionKind::Name { name, .. } if name == IT) {
            let help = "fill in `Each`, or use a built-in with a condition, such as `every_source(…)`";
            self.problem(e.at, "this row concerns no operand", help);
        }
    }

    fn is_operand_builtin(&self, name: &str) -> bool {
        self.model.rule_builtins.iter().any(|b| b.name == name && b.kind == BuiltinKind::Operand)
    }

    fn is_truth_builtin(&self, name: &str) -> bool {
        self.model.rule_builtins.iter().any(|b| b.name == name && b.kind == BuiltinKind::Truth)
    }

    /// Returns true if a part of a field, or a column of its list, is a flag.
    fn is_flag(&self, of: &Expression, part: &str) -> bool {
        let (name, inner) = match &of.kind {
            ExpressionKind::Name { name, .. } => (name, None),
            ExpressionKind::BitField { of, part } => match &of.kind {
                ExpressionKind::Name { name, .. } => (name, Some(part.text.as_str())),
                _ => return false,
            },
            _ => return false,
        };
        let fields = self.page.forms.iter().flat_map(|f| &f.fields).filter(|f| f.name.eq_ignore_ascii_case(name));
        let lists = fields.filter_map(|f| match f.shape {
            FieldKind::List(id) => Some(self.model.list(id)),
            _ => None,
        });
        let is_flag = |list: &List| column(list, part).is_some_and(|at| list.columns[at].kind == ColumnKind::Flag);
        let lists: Vec<&List> = lists.collect();
        let parts = lists.iter().filter_map(|l| match &l.kind {
            ListKind::Parts(parts) => Some(parts),
            ListKind::Enumeration { .. } => None,
        });
        let mut parts = parts.flatten();
        match inner {
            Some(inner) => parts.filter(|p| p.name.eq_ignore_ascii_case(inner)).any(|p| match p.kind {
                BitFieldKind::Enumeration(id) => is_flag(self.model.list(id)),
                _ => false,
            }),
            None => {
                parts.any(|p| p.name.eq_ignore_ascii_case(part) && p.kind == BitFieldKind::Flag)
                    || lists.iter().any(|l| is_flag(l))
            }
        }
    }

    fn problem(&mut self, at: SourceSpan, message: &str, help: &str) {
        let (message, help) = (message.to_owned(), help.to_owned());
        self.problems.push(Problem { code: "semantics-value", at, message, help });
    }
}
