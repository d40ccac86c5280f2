//! Resolution of every name of a block, and the rules that depend on it. Statements and scopes are
//! here, expressions in `check.rs`.

use std::collections::BTreeSet;

use super::fields::{Fields, Sort};
use super::parse::{Parsed, Problem};
use crate::model::semantics::{
    Block, Builtin, BuiltinKind, Expression, ExpressionKind, Name, Statement, StatementKind,
};
use crate::model::{Instruction, Model, SourceSpan};

/// Resolves the names of a page's block in place. `used` collects the positions of the built-ins in
/// use.
pub(super) fn resolve(
    model: &Model,
    builtins: &[Builtin],
    page: &Instruction,
    parsed: &mut Parsed,
    used: &mut BTreeSet<usize>,
) {
    let mut declarations = Vec::new();
    declared(&parsed.block, &mut declarations);
    let mut resolver = Resolver {
        model,
        builtins,
        fields: Fields { model, page, unrestricted: false },
        used,
        locals: Vec::new(),
        declarations,
        doubtful: &parsed.doubtful,
        whole: parsed.problems.is_empty(),
        problems: Vec::new(),
    };
    resolver.block(&mut parsed.block);
    parsed.problems.append(&mut resolver.problems);
    parsed.problems.sort_by_key(|p| p.at);
}

/// Resolves the names of a single expression on the fields of a page, outside any block.
pub(super) fn resolve_expression(
    model: &Model,
    builtins: &[Builtin],
    page: &Instruction,
    e: &mut Expression,
) -> Vec<Problem> {
    let mut used = BTreeSet::new();
    let mut resolver = Resolver {
        model,
        builtins,
        // A row may test values that only the documents forbid.
        fields: Fields { model, page, unrestricted: true },
        used: &mut used,
        locals: Vec::new(),
        declarations: Vec::new(),
        doubtful: &[],
        whole: true,
        problems: Vec::new(),
    };
    resolver.value(e);
    resolver.problems
}

/// Local name in scope.
pub(super) struct Local {
    pub(super) name: String,
    pub(super) sort: Sort,
    /// True for a loop variable, which cannot be assigned to.
    counts: bool,
    pub(super) used: bool,
    at: SourceSpan,
}

pub(super) struct Resolver<'m, 'a> {
    pub(super) model: &'m Model,
    pub(super) builtins: &'m [Builtin],
    pub(super) fields: Fields<'m>,
    pub(super) used: &'a mut BTreeSet<usize>,
    pub(super) locals: Vec<Local>,
    /// Every `let` and loop of the block, to distinguish a name used too early from an unknown
    /// name.
    pub(super) declarations: Vec<(String, SourceSpan)>,
    pub(super) doubtful: &'a [String],
    /// True if every statement was parsed.
    whole: bool,
    problems: Vec<Problem>,
}

impl Resolver<'_, '_> {
    fn block(&mut self, block: &mut Block) {
        let scope = self.locals.len();
        for statement in &mut block.statements {
            self.statement(statement);
        }
        self.leave(scope);
    }

    /// Removes the names of a scope.
    fn leave(&mut self, scope: usize) {
        for local in self.locals.split_off(scope) {
            if self.whole && !local.used && !local.counts {
                let message = format!("`{}` is never used", local.name);
                self.problem("semantics-unused", local.at, message, "remove it");
            }
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        match &mut statement.kind {
            StatementKind::Channels { channel, body } => self.counted(channel, body),
            StatementKind::For { variable, from, to, body } => {
                self.value(from);
                self.value(to);
                self.counted(variable, body);
            }
            StatementKind::If { condition, then, otherwise } => {
                self.value(condition);
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
            }
            StatementKind::Let { name, value } => {
                let sort = match self.expression(value) {
                    // A name can denote an operand only if a built-in returns it.
                    Sort::Operand { writable } if matches!(value.kind, ExpressionKind::Call(_)) => {
                        Sort::Operand { writable }
                    }
                    sort => self.as_value(sort, value.at),
                };
                self.declare(name, sort, false);
            }
            StatementKind::Assign { target, value } => {
                self.target(target);
                self.value(value);
            }
            StatementKind::Call(call) => {
                if let Some(builtin) = self.call(call)
                    && !builtin.kind.is_statement()
                {
                    let message = format!("`{}` gives a value, but has no effect", builtin.name);
                    self.problem("semantics-effect", call.function.at, message, "use its value, or remove it");
                }
            }
            StatementKind::Undefined => {}
        }
    }

    fn counted(&mut self, variable: &Name, body: &mut Block) {
        let scope = self.locals.len();
        self.declare(variable, Sort::Value, true);
        self.block(body);
        self.leave(scope);
    }

    fn declare(&mut self, name: &Name, sort: Sort, counts: bool) {
        let taken = match self.locals.iter().find(|l| l.name == name.text) {
            Some(_) => Some("a local name here"),
            None if self.builtin_value(&name.text).is_some() => Some("a built-in"),
            None if self.fields.get(&name.text).is_some() => Some("a field of the page"),
            None => None,
        };
        if let Some(what) = taken {
            let message = format!("`{}` is already {what}", name.text);
            self.problem("semantics-duplicate", name.at, message, "choose another name");
        }
        self.locals.push(Local { name: name.text.clone(), sort, counts, used: false, at: name.at });
    }

    /// Resolves the target of an assignment.
    fn target(&mut self, target: &mut Expression) {
        let at = target.at;
        match &mut target.kind {
            ExpressionKind::Name { name, .. } => {
                let name = name.clone();
                match self.locals.iter().rev().find(|l| l.name == name).map(|l| l.counts) {
                    Some(false) => self.assigned(target),
                    Some(true) => {
                        let message = format!("`{name}` is a loop counter and cannot be assigned to");
                        self.problem("semantics-assign", at, message, "assign to a local name: `let x = …`");
                        self.assigned(target);
                    }
                    None => match self.expression(target) {
                        Sort::Unknown => {}
                        Sort::Operand { .. } => {
                            let message = format!("`{name}` is an operand: assign to one element at a time");
                            self.problem("semantics-assign", at, message, format!("write `{name}[i] = …`"));
                        }
                        _ => {
                            let message = format!("`{name}` cannot be assigned to");
                            self.problem("semantics-assign", at, message, "assign to a local name: `let x = …`");
                        }
                    },
                }
            }
            ExpressionKind::Index { of, index } => {
                self.value(index);
                match self.expression(of) {
                    Sort::Unknown | Sort::Operand { writable: true } => {}
                    Sort::Operand { writable: false } => {
                        let message = "this operand is a source: it cannot be assigned to";
                        let help = "assign to a destination, or describe the operand with `Access: write`";
                        self.problem("semantics-assign", at, message, help);
                    }
                    sort => {
                        if !self.has_elements(&sort, of.at) {
                            return;
                        }
                        let help = "assign to an element of a destination operand";
                        self.problem("semantics-assign", at, "this element cannot be assigned to", help);
                    }
                }
            }
            ExpressionKind::Call(call) => {
                let Some(builtin) = self.call(call) else { return };
                let (kind, name) = (builtin.kind, builtin.name.clone());
                let first = call.arguments.first_mut();
                match (kind, first) {
                    (BuiltinKind::Place, Some(first)) if builtin_writes(builtin) => {
                        if let Sort::Operand { writable: false } = self.expression(first) {
                            let message = "this operand is a source: it cannot be assigned to";
                            self.problem("semantics-assign", first.at, message, "assign to a destination");
                        }
                    }
                    (BuiltinKind::Place, _) => {}
                    (BuiltinKind::View, Some(first)) => self.target(first),
                    _ => {
                        let places: Vec<_> = self
                            .builtins
                            .iter()
                            .filter(|b| matches!(b.kind, BuiltinKind::Place | BuiltinKind::View))
                            .map(|b| b.name.as_str())
                            .collect();
                        let help = format!("the built-ins that can be assigned to are {}", places.join(", "));
                        self.problem("semantics-assign", at, format!("`{name}` cannot be assigned to"), help);
                    }
                }
            }
            _ => {
                self.expression(target);
                let help = "assign to a local name, an element of an operand, or a place";
                self.problem("semantics-assign", at, "this cannot be assigned to", help);
            }
        }
    }

    pub(super) fn builtin_value(&self, name: &str) -> Option<usize> {
        self.builtins.iter().position(|b| b.name == name && b.parameters.is_none())
    }

    pub(super) fn problem(
        &mut self,
        code: &'static str,
        at: SourceSpan,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let problem = Problem { code, at, message: message.into(), help: help.into() };
        // The arguments of an assigned place are resolved twice.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

/// Returns true if a built-in writes to its first argument rather than to memory.
fn builtin_writes(builtin: &Builtin) -> bool {
    builtin.parameters.as_ref().and_then(|p| p.first()).is_some_and(|p| p == "op")
}

/// Collects every local name of a block, with its place.
fn declared(block: &Block, out: &mut Vec<(String, SourceSpan)>) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Channels { channel: name, body } | StatementKind::For { variable: name, body, .. } => {
                out.push((name.text.clone(), name.at));
                declared(body, out);
            }
            StatementKind::If { then, otherwise, .. } => {
                declared(then, out);
                otherwise.iter().for_each(|block| declared(block, out));
            }
            StatementKind::Let { name, .. } => out.push((name.text.clone(), name.at)),
            StatementKind::Assign { .. } | StatementKind::Call(_) | StatementKind::Undefined => {}
        }
    }
}
