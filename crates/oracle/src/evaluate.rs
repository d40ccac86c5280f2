//! Execution of a [`Program`]: statements and expressions. Reads of registers see the state before
//! the instruction, because register writes are applied at the end.

use ethnum::I256;
use visakit::isa::Cr1;
use visakit::rt::Bits as _;
use visakit_codegen::model::semantics::BinaryOperator;
use visakit_machine::World;
use visakit_machine::fault::Trap;
use visakit_machine::thread::Thread;

use crate::builtins::Builtin;
use crate::effects::{Effects, Target, Write};
use crate::execution::{Halt, Result, Run, senseless};
use crate::float::Join;
use crate::functions;
use crate::operand::{Kind, Place};
use crate::operators::{binary, unary};
use crate::program::{Channels, Node, Program, Statement, StatementKind};
use crate::sent::{Going, Sent, To};
use crate::space::Space;
use crate::surface;
use crate::value::{Float, Integer, Value};

impl Program {
    /// Executes the instruction for a thread.
    ///
    /// # Errors
    /// A trap of the machine, or behaviour that the page does not define. The thread is then
    /// unchanged, except for an exception bit in `%cr0` that the instruction itself sets.
    pub fn run(&self, thread: &mut Thread, world: &World<'_>) -> std::result::Result<Effects, Halt> {
        self.run_beside(thread, None, world)
    }

    /// Executes the instruction for the first of two fused threads.
    ///
    /// # Errors
    /// As [`Program::run`].
    pub fn run_beside(
        &self,
        thread: &mut Thread,
        neighbour: Option<&Thread>,
        world: &World<'_>,
    ) -> std::result::Result<Effects, Halt> {
        if let Some(at) = self.enabled {
            thread.registers.set(at, thread.active);
        }
        if let Some(at) = self.time {
            let time = world.memory.time(thread);
            thread.registers.set(at, time);
        }
        let mut run = Run {
            channels: Some(&self.channels),
            thread: Some(thread),
            neighbour,
            world: Some(world),
            mode: thread.mode,
            locals: vec![Value::Unknown; self.locals],
            ..Run::without_state(&self.operands)
        };
        for statement in &self.statements {
            run.statement(statement)?;
        }
        let (writes, clashes, around, going) = (run.writes, run.clashes, run.around, run.going);
        if let Some((lane, offset)) = self.enabled.and_then(|at| written_over(&writes, at)) {
            return Err(Halt::Trap(Box::new(Trap::Indirect { lane, offset })));
        }
        writes.iter().for_each(|write| write.apply(thread));
        if let Some(at) = self.control {
            thread.set_mode(thread.registers.get(at));
            let exceptions = Cr1::from_bits(thread.registers.get::<u32>(at + 4).into());
            if exceptions.is_ok_and(|exceptions| exceptions.software_exception) {
                return Err(Halt::Trap(Box::new(Trap::Exception(String::new()))));
            }
        }
        Ok(Effects { writes, clashes, around, going })
    }
}

impl Program {
    /// Returns the register offset of the enabled channels if the instruction reads them. They are
    /// stored there before it runs.
    pub fn enabled_at(&self) -> Option<u32> {
        self.enabled
    }

    /// Returns the binding table entry of a space, if it has one.
    pub(crate) fn entry(&self, space: Space, thread: &Thread) -> Option<u32> {
        let mut run = Run { thread: Some(thread), ..Run::without_state(&self.operands) };
        surface::entry(&mut run, space).ok().flatten()
    }
}

/// Returns the value of a node that does not depend on the state; otherwise `None`.
pub(crate) fn constant(node: &Node, operands: &[Place]) -> Option<Value> {
    let mut run = Run::without_state(operands);
    match node {
        Node::Unary(_, a) => run.is_constant(&[a]).then(|| run.value(node).ok())?,
        Node::Binary(_, a, b) => run.is_constant(&[a, b]).then(|| run.value(node).ok())?,
        Node::Call(Builtin::Near | Builtin::Sin, _) => None,
        Node::Call(_, arguments) => {
            let all: Vec<&Node> = arguments.iter().collect();
            run.is_constant_call(&all).then(|| run.value(node).ok())?
        }
        _ => None,
    }
}

/// Returns the first write that overlaps the enabled channels at `enabled`. Only an indirect
/// address can reach them, and chapter 5 forbids it.
fn written_over(writes: &[Write], enabled: u32) -> Option<(u32, u32)> {
    (0..).zip(writes).find_map(|(n, write)| match write.target {
        Target::Register(at, bytes) if at < enabled + 4 && enabled < at + bytes => Some((n, at)),
        _ => None,
    })
}

impl Run<'_> {
    fn is_constant(&self, nodes: &[&Node]) -> bool {
        nodes.iter().all(|node| matches!(node, Node::Value(_)))
    }

    fn is_constant_call(&self, nodes: &[&Node]) -> bool {
        nodes.iter().all(|node| matches!(node, Node::Value(_) | Node::Operand(_)))
    }

    pub(crate) fn thread(&self) -> Result<&Thread> {
        self.thread.ok_or_else(|| Halt::Senseless("the state of a thread outside a thread".to_owned()))
    }

    fn block(&mut self, statements: &[Statement]) -> Result<()> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<()> {
        self.at = statement.at;
        match &statement.kind {
            StatementKind::Channels { slot, body } => {
                let enabled = self.enabled()?;
                for i in (0..32).filter(|i| enabled >> i & 1 == 1) {
                    self.locals[*slot] = Value::integer(i);
                    self.block(body)?;
                }
            }
            StatementKind::For { slot, from, to, body } => {
                let (from, to) = (self.number(from)?, self.number(to)?);
                for i in from..to {
                    self.locals[*slot] = Value::integer(i);
                    self.block(body)?;
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                let branch = if self.truth(condition)? { then } else { otherwise };
                self.block(branch)?;
            }
            StatementKind::Local { slot, value } => self.locals[*slot] = self.value(value)?,
            // A message result for the null operand is not read.
            StatementKind::Element { operand, .. } if self.is_nowhere(*operand) => {}
            StatementKind::Place { place: Builtin::Raw, arguments, .. } if matches!(arguments.first(), Some(Node::Operand(operand)) if self.is_nowhere(*operand)) =>
                {}
            StatementKind::Element { operand, index, value, as_bits } => {
                let index = self.number(index)?;
                let value = self.value(value)?;
                self.write(*operand, index as u64, &value, *as_bits, statement.at)?;
            }
            StatementKind::Place { place, arguments, value } => {
                let value = self.value(value)?;
                self.put(*place, arguments, value, statement.at)?;
            }
            StatementKind::Effect { effect, arguments } => match effect {
                Builtin::Atomic => drop(functions::call(self, *effect, arguments)?),
                // Accesses happen in program order anyway.
                Builtin::Fence | Builtin::Dependencies => {}
                effect => self.going(*effect, arguments)?,
            },
            StatementKind::Undefined => return Err(Halt::Undefined(statement.at)),
        }
        Ok(())
    }

    /// Returns the channels that execute the instruction: chapter 5, *Enabled channels*.
    fn enabled(&self) -> Result<u32> {
        let (thread, channels) = (self.thread()?, self.channels());
        let mut enabled = 0;
        // A thread has no channels beyond the last bit of its mask.
        for i in 0..channels.count.min(u32::BITS - channels.first) {
            let active = channels.no_mask || thread.active >> (channels.first + i) & 1 == 1;
            if active && self.predicate(i)? {
                enabled |= 1 << i;
            }
        }
        Ok(enabled)
    }

    /// Records channels that branch or wait.
    fn going(&mut self, effect: Builtin, arguments: &[Node]) -> Result<()> {
        let Channels { count, first, .. } = self.channels();
        let active = self.thread()?.active;
        // Chapter 3: with an execution size of 1, the single channel decides for all.
        let enabled = match count {
            1 if !self.predicate(0)? => 0,
            1 => active,
            _ => self.enabled()? << first & active,
        };
        let mut number = |n: usize| match arguments.get(n) {
            Some(node) => self.wide(node),
            None => senseless(format!("{effect:?} without an argument")),
        };
        let (channels, to) = match effect {
            Builtin::Branch => (enabled, To::Branch(number(0)? as u32)),
            Builtin::Jump => (active, To::Jump(number(0)? as u32)),
            Builtin::Call => (enabled, To::Call(number(0)? as u32)),
            Builtin::Function => match arguments.first() {
                Some(Node::Value(_)) => (enabled, To::Named(number(0)? as u32)),
                _ => (enabled, To::At(number(0)?)),
            },
            Builtin::Return | Builtin::Leave => (enabled, To::Leave),
            Builtin::Barrier => (active, To::Barrier),
            Builtin::Signal if arguments.len() == 1 => (active, To::Signal(number(0)? as u32, None)),
            Builtin::Signal => (active, To::Signal(number(0)? as u32, Some(number(1)? as u32))),
            Builtin::Wait => (active, To::Wait(number(0)? as u32)),
            other => return senseless(format!("{other:?} as a statement")),
        };
        if channels != 0 {
            self.going.push(Going { sent: Sent { channels, to }, at: self.at });
        }
        Ok(())
    }

    /// Returns true if an operand is a null raw operand.
    fn is_nowhere(&self, operand: usize) -> bool {
        let place = &self.operands[operand];
        place.raw && matches!(place.kind, Kind::Null)
    }

    pub(crate) fn channels(&self) -> Channels {
        self.channels.copied().unwrap_or(Channels { count: 1, first: 0, no_mask: false, predicate: None })
    }

    /// Returns the predicate's bit for a channel after combination and inversion; true without a
    /// predicate.
    fn predicate(&self, channel: u32) -> Result<bool> {
        let channels = self.channels();
        let Some(predicate) = channels.predicate else { return Ok(true) };
        let bits = self.thread()?.predicates[predicate.number as usize];
        let bit = |element: u32| u64::from(bits) >> element & 1 == 1;
        let mut elements = channels.combined();
        let combined = match predicate.combine {
            visakit::isa::Combine::None => bit(channels.first + channel),
            visakit::isa::Combine::Any => elements.any(bit),
            visakit::isa::Combine::All => elements.all(bit),
        };
        Ok(combined != predicate.inverse)
    }

    /// Returns the offset of bytes in a raw operand; `None` for the null operand.
    pub(crate) fn raw(&self, operand: usize, offset: i64, count: i64) -> Result<Option<u32>> {
        let place = &self.operands[operand];
        if matches!(place.kind, Kind::Null) {
            return Ok(None);
        }
        let thread = self.thread()?;
        let start = i64::from(place.offset(0, thread)?) + offset;
        match (u32::try_from(start), usize::try_from(count)) {
            (Ok(start), Ok(count)) if thread.registers.holds(start, count) => Ok(Some(start)),
            _ => Err(Halt::Trap(Box::new(Trap::Illegal(
                "a raw operand extends past the end of the registers".to_owned(),
            )))),
        }
    }

    pub(crate) fn value(&mut self, node: &Node) -> Result<Value> {
        Ok(match node {
            Node::Value(Value::Real(real)) if !self.real => Value::Real(*real),
            Node::Value(value) => value.clone(),
            Node::Local(slot) => self.locals[*slot].clone(),
            Node::Element(operand, index) => {
                let index = self.number(index)?;
                self.element(*operand, index as u64)?
            }
            Node::Operand(operand) => self.element(*operand, 0)?,
            Node::Space(_) | Node::Update(_) => return senseless("a surface or an operation as a value"),
            Node::Predicate(index) => {
                let index = self.number(index)?;
                Value::Truth(self.predicate(index as u32)?)
            }
            Node::OneOf(entries, index) => {
                let index = self.number(index)?;
                let entry = usize::try_from(index).ok().and_then(|index| entries.get(index));
                let Some(entry) = entry else {
                    return Err(Halt::Trap(Box::new(Trap::Illegal(
                        "the index selects no entry of the list".to_owned(),
                    ))));
                };
                Value::integer(*entry)
            }
            Node::Unary(operator, operand) => {
                let value = self.value(operand)?;
                unary(*operator, value)?
            }
            Node::Binary(BinaryOperator::OrElse, a, b) => Value::Truth(self.truth(a)? || self.truth(b)?),
            Node::Binary(BinaryOperator::AndThen, a, b) => Value::Truth(self.truth(a)? && self.truth(b)?),
            Node::Binary(operator, a, b) => {
                let (left, right) = (self.value(a)?, self.value(b)?);
                let sum = binary(*operator, left.clone(), right.clone(), self.mode)?;
                self.perhaps_fused(*operator, (a, b), (left, right), sum)?
            }
            Node::Choice(condition, then, otherwise) => {
                let chosen = if self.truth(condition)? { then } else { otherwise };
                self.value(chosen)?
            }
            Node::Call(builtin, arguments) => functions::call(self, *builtin, arguments)?,
        })
    }

    fn element(&self, operand: usize, index: u64) -> Result<Value> {
        let place = &self.operands[operand];
        let index = match place.kind {
            // Predicate bits are indexed by the channel of the thread.
            Kind::Predicate { .. } => index + u64::from(self.channels().first),
            _ => index,
        };
        let value = place.read(index, self.thread()?)?;
        Ok(match value {
            Value::Float(float) if self.real => {
                Value::Real(float.format.to_real(float.format.flushed(float.bits, self.mode)))
            }
            value => value,
        })
    }

    /// Adds the fused result as an alternative. Chapter 2: a multiplication and an addition in one
    /// instruction may be rounded once.
    fn perhaps_fused(
        &mut self,
        operator: BinaryOperator,
        (a, b): (&Node, &Node),
        (left, right): (Value, Value),
        sum: Value,
    ) -> Result<Value> {
        let (Value::Float(left), Value::Float(right), Value::Float(mut out)) = (left, right, sum.clone()) else {
            return Ok(sum);
        };
        if operator != BinaryOperator::Add || out.format.is_nan(out.bits) {
            return Ok(sum);
        }
        for (product, addend) in [(a, &right), (b, &left)] {
            let Node::Binary(BinaryOperator::Multiply, x, y) = product else { continue };
            if let (Value::Float(x), Value::Float(y)) = (self.value(x)?, self.value(y)?)
                && let Value::Float(fused) = Float::joined(Join::Fused, [&x, &y, addend], self.mode)
            {
                out = out.or(fused.bits);
            }
        }
        Ok(Value::Float(out))
    }

    pub(crate) fn truth(&mut self, node: &Node) -> Result<bool> {
        match self.value(node)? {
            Value::Truth(truth) => Ok(truth),
            Value::Integer(Integer { value, .. }) => Ok(value != I256::ZERO),
            _ => senseless("a condition that is not a truth value"),
        }
    }

    /// Evaluates an integer such as an index or a count.
    pub(crate) fn number(&mut self, node: &Node) -> Result<i64> {
        match self.value(node)? {
            Value::Integer(Integer { value, .. }) => {
                i64::try_from(value).map_err(|_| Halt::Senseless("a number that is too large".to_owned()))
            }
            Value::Truth(truth) => Ok(truth.into()),
            _ => senseless("an index that is not an integer"),
        }
    }

    /// Evaluates a 64-bit integer; higher bits are ignored.
    pub(crate) fn wide(&mut self, node: &Node) -> Result<u64> {
        match self.value(node)? {
            Value::Integer(Integer { value, .. }) => Ok(value.as_u64()),
            // A message takes the bits of a float register as a number.
            Value::Float(float) => Ok(float.bits),
            _ => senseless("an address that is not an integer"),
        }
    }

    /// Returns true if the execution mask enables a channel.
    pub(crate) fn is_active(&self, channel: i64) -> Result<bool> {
        let channels = self.channels();
        Ok(channels.no_mask || u64::from(self.thread()?.active) >> (i64::from(channels.first) + channel) & 1 == 1)
    }
}
