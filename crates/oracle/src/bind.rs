//! Binding of a page to an instruction: resolves every name and yields a [`Program`]. Everything
//! that depends on the instruction alone is computed here, which removes branches that the
//! instruction cannot take.

mod fields;
mod images;
mod messages;
mod operands;

use std::collections::HashMap;

use visakit::isa::{Instruction, predefined};
use visakit::object::Routine;
use visakit::rt::Table;
use visakit_codegen::model::semantics::{Block, Call, Expression, ExpressionKind, Meaning, StatementKind as Said};
use visakit_codegen::model::{Form, Instruction as Page, Model, PageKind, SourceSpan};
use visakit_kernels::layout::Layout;

use crate::builtins::Builtin;
use crate::evaluate;
use crate::operand::Place;
use crate::program::{Channels, Node, Program, Statement, StatementKind, Touches};
use crate::refusal::Refusal;
use crate::space::Space;
use crate::value::Value;

/// Name of the table of data types, which pages write in front of a type name.
const DATA_TYPES: &str = "Data_type";

/// Lookup of the addresses of a program's functions and data by name.
pub(crate) type Symbols<'a> = &'a dyn Fn(&str) -> Option<u64>;

type Result<T> = std::result::Result<T, Refusal>;

/// Value of a field of the instruction.
#[derive(Clone, Debug)]
enum Field {
    /// Bits of a list, or a number.
    Number(i64),
    /// Operand, by its index in the program.
    Operand(usize),
    /// Predicate of the instruction.
    Predicate,
    /// Entry of a table.
    Entry(u32),
    /// Elements of a repeated field.
    Many(Vec<Field>),
}

/// Binds a page to an instruction of a routine; `layout` places the routine's variables.
pub(crate) fn bind(
    model: &Model,
    instruction: &Instruction,
    routine: &Routine,
    layout: &Layout,
    symbols: Symbols<'_>,
) -> Result<Program> {
    let name = instruction.page().name;
    let page = model.instructions.iter().find(|i| i.name == name).ok_or_else(|| Refusal::NoPage(name.to_owned()))?;
    if page.kind == PageKind::Undefined {
        return Err(Refusal::Undefined(name.to_owned()));
    }
    let block = page.behaviour.as_ref().ok_or_else(|| Refusal::NoSemantics(name.to_owned()))?;
    let mut binder = Binder {
        model,
        page,
        instruction,
        layout,
        routine,
        symbols,
        fields: HashMap::new(),
        form: None,
        operands: Vec::new(),
        names: Vec::new(),
        locals: Vec::new(),
        known: HashMap::new(),
        slots: 0,
        images: Vec::new(),
        samplers: Vec::new(),
        touches: Touches::default(),
        channels: Channels { count: 1, first: 0, no_mask: false, predicate: None },
    };
    binder.take(instruction, routine)?;
    let statements = binder.block(block)?;
    let reads =
        |id| instruction.uses().any(|u| u.table == Table::General && root(layout, u.id) == id && u.role.is_read());
    let writes =
        |id| instruction.uses().any(|u| u.table == Table::General && root(layout, u.id) == id && u.role.is_write());
    if writes(predefined::CE0) {
        return Err(Refusal::Illegal("a register that can only be read is written".to_owned()));
    }
    let offset = |id| layout.variable(id).map(|v| v.offset);
    Ok(Program {
        statements,
        operands: binder.operands,
        names: binder.names,
        locals: binder.slots,
        touches: binder.touches,
        images: binder.images,
        samplers: binder.samplers,
        channels: binder.channels,
        control: if writes(predefined::CR0) { offset(predefined::CR0) } else { None },
        enabled: if reads(predefined::CE0) { offset(predefined::CE0) } else { None },
        time: if reads(predefined::TSC) { offset(predefined::TSC) } else { None },
    })
}

fn root(layout: &Layout, id: u32) -> visakit::isa::GeneralId {
    let id = visakit::isa::GeneralId(id);
    layout.variable(id).map_or(id, |v| v.root)
}

struct Binder<'m> {
    model: &'m Model,
    page: &'m Page,
    instruction: &'m Instruction,
    layout: &'m Layout,
    routine: &'m Routine,
    symbols: Symbols<'m>,
    /// Fields by their lower-case names.
    fields: HashMap<String, Field>,
    form: Option<&'m Form>,
    operands: Vec<Place>,
    names: Vec<(&'static str, bool)>,
    /// Local names in scope, with their slots.
    locals: Vec<(String, usize)>,
    /// Values of the slots that are never reassigned.
    known: HashMap<usize, Node>,
    slots: usize,
    /// Spaces accessed as images.
    images: Vec<Space>,
    samplers: Vec<Space>,
    touches: Touches,
    channels: Channels,
}

/// Returns true if a block assigns to a local name.
fn assigns(block: &Block, name: &str) -> bool {
    block.statements.iter().any(|statement| match &statement.kind {
        Said::Assign { target, .. } => {
            matches!(&target.kind, ExpressionKind::Name { name: assigned, meaning: Meaning::Local } if assigned == name)
        }
        Said::Channels { body, .. } | Said::For { body, .. } => assigns(body, name),
        Said::If { then, otherwise, .. } => {
            assigns(then, name) || otherwise.as_ref().is_some_and(|block| assigns(block, name))
        }
        _ => false,
    })
}

impl<'m> Binder<'m> {
    fn block(&mut self, block: &Block) -> Result<Vec<Statement>> {
        let scope = self.locals.len();
        let mut out = Vec::new();
        for statement in &block.statements {
            self.statement(&statement.kind, statement.at, &mut out)?;
        }
        self.locals.truncate(scope);
        Ok(out)
    }

    fn statement(&mut self, said: &Said, at: SourceSpan, out: &mut Vec<Statement>) -> Result<()> {
        let kind = match said {
            Said::Channels { channel, body } => {
                let slot = self.declare(&channel.text);
                let body = self.block(body)?;
                self.locals.pop();
                StatementKind::Channels { slot, body }
            }
            Said::For { variable, from, to, body } => {
                let (from, to) = (self.node(from)?, self.node(to)?);
                let slot = self.declare(&variable.text);
                let body = self.block(body)?;
                self.locals.pop();
                StatementKind::For { slot, from, to, body }
            }
            Said::If { condition, then, otherwise } => {
                let condition = self.node(condition)?;
                if let Node::Value(Value::Truth(truth)) = condition {
                    let taken = if truth { Some(then) } else { otherwise.as_ref() };
                    let Some(block) = taken else { return Ok(()) };
                    out.append(&mut self.block(block)?);
                    return Ok(());
                }
                let then = self.block(then)?;
                let otherwise = otherwise.as_ref().map(|block| self.block(block)).transpose()?.unwrap_or_default();
                StatementKind::If { condition, then, otherwise }
            }
            Said::Let { name, value } => {
                let value = self.node(value)?;
                let slot = self.declare(&name.text);
                let is_shared = matches!(value, Node::Operand(operand) if self.operands[operand].shared.is_some());
                if let Some(block) = &self.page.behaviour
                    && (matches!(value, Node::Value(_)) || is_shared)
                    && !assigns(block, &name.text)
                {
                    self.known.insert(slot, value.clone());
                }
                StatementKind::Local { slot, value }
            }
            Said::Assign { target, value } => {
                let value = self.node(value)?;
                self.target(target, value, false)?
            }
            Said::Call(call) => {
                let (effect, arguments) = self.call(call)?;
                StatementKind::Effect { effect, arguments }
            }
            Said::Undefined => StatementKind::Undefined,
        };
        out.push(Statement { kind, at });
        Ok(())
    }

    fn declare(&mut self, name: &str) -> usize {
        let slot = self.slots;
        self.slots += 1;
        self.locals.push((name.to_owned(), slot));
        slot
    }

    fn target(&mut self, target: &Expression, value: Node, as_bits: bool) -> Result<StatementKind> {
        match &target.kind {
            ExpressionKind::Name { name, meaning: Meaning::Local } => {
                let slot = self.local(name, target.at)?;
                Ok(StatementKind::Local { slot, value })
            }
            ExpressionKind::Index { of, index } => {
                let index = self.node(index)?;
                match self.node(of)? {
                    Node::Operand(operand) => Ok(StatementKind::Element { operand, index, value, as_bits }),
                    _ => self.refuse("an assignment to an element of a value that is not an operand", target.at),
                }
            }
            ExpressionKind::Call(call) => match self.builtin(call)? {
                Builtin::Bits => match call.arguments.first() {
                    Some(inner) => self.target(inner, value, true),
                    None => self.refuse("an assignment to bits() without an argument", target.at),
                },
                _ => {
                    let (place, arguments) = self.call(call)?;
                    Ok(StatementKind::Place { place, arguments, value })
                }
            },
            _ => self.refuse("an assignment to this expression", target.at),
        }
    }

    fn node(&mut self, e: &Expression) -> Result<Node> {
        Ok(match &e.kind {
            ExpressionKind::Integer(n) => Node::Value(Value::integer(*n)),
            ExpressionKind::Float(n) => Node::Value(Value::Real(*n)),
            ExpressionKind::Boolean(truth) => Node::Value(Value::Truth(*truth)),
            ExpressionKind::Name { name, meaning } => match meaning {
                Meaning::Local => {
                    let slot = self.local(name, e.at)?;
                    self.known.get(&slot).cloned().unwrap_or(Node::Local(slot))
                }
                Meaning::Builtin => self.constant(name, e.at)?,
                Meaning::Field => self.field(name, e.at)?,
                _ => return self.refuse(&format!("`{name}`"), e.at),
            },
            ExpressionKind::BitField { of, part } => match &of.kind {
                ExpressionKind::Name { name, .. } => self.number(name, Some(&part.text), e.at)?,
                _ => return self.refuse("a part of a value that is not a field", e.at),
            },
            ExpressionKind::Enumerator { list, name } if list == DATA_TYPES => {
                match self.model.types.iter().find(|t| t.name == *name) {
                    Some(ty) => Node::Value(Value::integer(ty.code)),
                    None => return self.refuse(&format!("`{name}`"), e.at),
                }
            }
            // An enumerator is valid only in a comparison.
            ExpressionKind::Enumerator { .. } => return self.refuse("an enumerator outside a comparison", e.at),
            ExpressionKind::Index { of, index } => self.index(of, index, e.at)?,
            ExpressionKind::Call(call) => {
                let (builtin, mut arguments) = self.call(call)?;
                // The value of a field is a constant.
                if let Builtin::MemoryBytes
                | Builtin::RegisterBytes
                | Builtin::ElementBits
                | Builtin::Symbol
                | Builtin::Fused = builtin
                {
                    return Ok(arguments.swap_remove(0));
                }
                self.folded(Node::Call(builtin, arguments))
            }
            ExpressionKind::Unary { operator, operand } => {
                let operand = self.node(operand)?;
                self.folded(Node::Unary(*operator, Box::new(operand)))
            }
            ExpressionKind::Binary { operator, left, right } => {
                if operator.is_equality()
                    && let Some(same) = self.named_equality(left, right)
                {
                    use visakit_codegen::model::semantics::BinaryOperator::Equal;
                    return Ok(Node::Value(Value::Truth(same == (*operator == Equal))));
                }
                let (left, right) = (self.node(left)?, self.node(right)?);
                self.folded(Node::Binary(*operator, Box::new(left), Box::new(right)))
            }
            ExpressionKind::Choice { condition, then, otherwise } => {
                let condition = self.node(condition)?;
                if let Node::Value(Value::Truth(truth)) = condition {
                    return self.node(if truth { then } else { otherwise });
                }
                let (then, otherwise) = (self.node(then)?, self.node(otherwise)?);
                Node::Choice(Box::new(condition), Box::new(then), Box::new(otherwise))
            }
        })
    }

    fn local(&self, name: &str, at: SourceSpan) -> Result<usize> {
        let found = self.locals.iter().rev().find(|(local, _)| local == name).map(|(_, slot)| *slot);
        found.map_or_else(|| self.refuse(&format!("the name `{name}`"), at), Ok)
    }

    /// Evaluates a built-in without arguments.
    fn constant(&self, name: &str, at: SourceSpan) -> Result<Node> {
        let value = match Builtin::from_name(name) {
            Some(Builtin::ExecSize) => u64::from(self.channels.count),
            Some(Builtin::GrfBytes) => u64::from(self.layout.grf_bytes),
            Some(Builtin::NarrowParams) => return self.narrow_params(at),
            _ => return self.refuse(&format!("the built-in `{name}`"), at),
        };
        Ok(Node::Value(Value::integer(value)))
    }

    fn index(&mut self, of: &Expression, index: &Expression, at: SourceSpan) -> Result<Node> {
        let index = self.node(index)?;
        if let ExpressionKind::Name { name, meaning: Meaning::Field } = &of.kind {
            match self.fields.get(name) {
                Some(Field::Predicate) => return Ok(Node::Predicate(Box::new(index))),
                Some(Field::Many(all)) => return self.one_of(all, index, at),
                _ => {}
            }
        }
        match self.node(of)? {
            Node::Operand(operand) => Ok(Node::Element(operand, Box::new(index))),
            // An element of an absent field is zero.
            zero @ Node::Value(_) => Ok(zero),
            _ => self.refuse("an element of a value that is not an operand", at),
        }
    }

    fn builtin(&self, call: &Call) -> Result<Builtin> {
        let name = &call.function.text;
        Builtin::from_name(name).map_or_else(|| self.refuse(&format!("the built-in `{name}`"), call.function.at), Ok)
    }

    fn call(&mut self, call: &Call) -> Result<(Builtin, Vec<Node>)> {
        let builtin = self.builtin(call)?;
        // The code of a field is not the value of an operand.
        if let (Builtin::Bits, [Expression { kind, .. }]) = (builtin, call.arguments.as_slice()) {
            let code = match kind {
                ExpressionKind::Name { name, meaning: Meaning::Field } => {
                    self.form.and_then(|f| self.code(f, name, None))
                }
                _ => None,
            };
            if let Some(code) = code {
                return Ok((builtin, vec![Node::Value(Value::sized(code, 64))]));
            }
        }
        let (mut arguments, rest) = self.leading(builtin, call)?;
        for argument in &call.arguments[rest..] {
            arguments.push(self.node(argument)?);
        }
        match builtin {
            Builtin::Memory => arguments.insert(0, self.reach(Space::Flat, 64, false)),
            Builtin::Lsc | Builtin::Mapped => arguments.insert(0, self.lsc(call.function.at)?),
            _ => {}
        }
        Ok((builtin, arguments))
    }

    /// Replaces a node by its value if the value does not depend on the thread's state.
    fn folded(&self, node: Node) -> Node {
        evaluate::constant(&node, &self.operands).map_or(node, Node::Value)
    }

    fn refuse<T>(&self, what: &str, at: SourceSpan) -> Result<T> {
        let (page, line) = self.model.origin(at);
        Err(Refusal::Unsupported { what: what.to_owned(), page: page.to_owned(), line })
    }
}
