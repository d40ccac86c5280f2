//! Expressions: one channel's meaning becomes vectors of channels, as many at a time as fit into a
//! register.
//!
//! Whatever is not known here gives nothing, and the caller does the step.

use std::sync::Arc;

use iced_x86::{Code, Register};

use crate::asm::{Vector, Width, at};
use crate::cache::{Bytes, Tag};
use crate::code::call;
use crate::emit::{Emitter, Enabled, FILE, FRAME};
use crate::frame::offset;
use crate::ir::{Binary, Expression, Function, Kind, Mask, Node, Operands, Value};
use crate::op;

/// How many channels are done at a time.
#[derive(Clone, Copy)]
pub(crate) struct Units {
    /// Channels of each.
    pub(crate) lanes: u32,
    /// How many there are.
    pub(crate) count: u32,
    /// Whether there is one channel, whose values stand in all places.
    is_single: bool,
}

/// An expression that is being computed for some channels.
pub(crate) struct Evaluation<'e> {
    pub(crate) expression: &'e Expression,
    units: Units,
    /// Which of the units.
    unit: u32,
    pub(crate) registers: Vec<Option<Vector>>,
    /// How often each node is still needed.
    pub(crate) uses: Vec<u32>,
}

/// Marks the nodes that values need; gives how often each is.
pub(crate) fn uses(expression: &Expression, roots: &[Value]) -> Option<Vec<u32>> {
    let mut uses = vec![0; expression.nodes.len()];
    for root in roots {
        *uses.get_mut(*root)? += 1;
    }
    for n in (0..expression.nodes.len()).rev() {
        if uses[n] > 0 {
            for from in operands(&expression.nodes[n].1) {
                // Nodes refer to earlier ones.
                *uses[..n].get_mut(from)? += 1;
            }
        }
    }
    Some(uses)
}

/// What a node is made of.
pub(crate) fn operands(node: &Node) -> Vec<Value> {
    match *node {
        Node::Load { .. } | Node::Constant(_) => Vec::new(),
        Node::Unary(_, a) | Node::Convert { value: a, .. } => vec![a],
        Node::Binary(_, a, b) | Node::Pick(_, a, b) | Node::Call(_, a, b) | Node::Holds(_, a, b) => {
            vec![a, b]
        }
        Node::Fused(a, b, c) => vec![a, b, c],
    }
}

/// How the channels of an expression are done.
pub(crate) fn units(expression: &Expression, uses: &[u32], mask: &Mask, least: u32, width: Width) -> Option<Units> {
    let lanes = mask.lanes.count_ones();
    if !lanes.is_power_of_two() || mask.lanes.trailing_ones() != lanes {
        return None;
    }
    let needed = expression.nodes.iter().zip(uses).filter(|(_, uses)| **uses > 0);
    let bytes = needed.map(|((kind, _), _)| kind.bytes()).chain([least]).max()?;
    let most = width.bytes() / bytes;
    if lanes == 1 {
        return Some(Units { lanes: most, count: 1, is_single: true });
    }
    Some(Units { lanes: lanes.min(most), count: lanes.div_ceil(most), is_single: false })
}

impl Emitter<'_> {
    /// Computes a value for all channels and writes it.
    pub(crate) fn compute(&mut self, mask: &Mask, expression: &Expression, result: Value, to: u32) -> Option<()> {
        let kind = expression.nodes.get(result)?.0;
        let uses = uses(expression, &[result])?;
        let units = units(expression, &uses, mask, kind.bytes(), self.widest())?;
        let bytes = kind.bytes();
        // What a later unit reads must not be written before.
        let end = to + mask.lanes.count_ones() * bytes;
        let is_hazard = |(node, uses): (&(Kind, Node), &u32)| match (node, uses) {
            (_, 0) => false,
            ((kind, Node::Load { at, step }), _) => {
                let size = kind.bytes() + step * (mask.lanes.count_ones() - 1);
                (*step == 0 || *at != to || kind.bytes() != bytes) && *at < end && to < at + size
            }
            _ => false,
        };
        let waits = units.count > 1 && expression.nodes.iter().zip(&uses).any(is_hazard);
        // Results that are smaller than what they are made of are written two at a time: what reads
        // them whole would have to wait for what has been written in parts.
        let size = bytes * units.lanes;
        let is_joined = !units.is_single && units.count > 1 && size * 2 <= self.widest().bytes();
        let written =
            if is_joined { Units { lanes: units.lanes * 2, count: units.count / 2, ..units } } else { units };
        let mut waiting = Vec::new();
        for number in 0..written.count {
            let mut value =
                self.evaluate(expression, &uses, units, number * units.count / written.count, &[result])?[0];
            if is_joined {
                let other = self.evaluate(expression, &uses, units, number * 2 + 1, &[result])?[0];
                value = self.joined(size, [value, other])?;
            }
            if waits {
                waiting.push(value);
            } else {
                self.write(mask, written, number, kind, to, value)?;
                self.cache.drop(value);
            }
        }
        for (number, value) in (0..).zip(waiting) {
            self.write(mask, written, number, kind, to, value)?;
            self.cache.drop(value);
        }
        Some(())
    }

    /// Two vectors of so many bytes, one behind the other.
    fn joined(&mut self, bytes: u32, [a, b]: [Vector; 2]) -> Option<Vector> {
        let d = self.cache.take()?;
        let registers = |whole, half| [d.register(whole), a.register(whole), b.register(half)];
        match bytes {
            32 => self.asm.rrri(Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, registers(Width::Z, Width::Y), 1),
            16 => self.asm.rrri(Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8, registers(Width::Y, Width::X), 1),
            8 => self.asm.v3(op::PUNPCKLQDQ, Width::X, d, a, b),
            4 => self.asm.v3(op::PUNPCKLDQ, Width::X, d, a, b),
            _ => self.asm.v3(op::PUNPCKLWD, Width::X, d, a, b),
        }
        [a, b].into_iter().for_each(|vector| self.cache.drop(vector));
        Some(d)
    }

    /// Writes a unit's values for the enabled channels.
    fn write(&mut self, mask: &Mask, units: Units, unit: u32, kind: Kind, to: u32, value: Vector) -> Option<()> {
        let bytes = kind.bytes();
        let size = if units.is_single { bytes } else { bytes * units.lanes };
        let place = to + unit * size;
        let mut value = value;
        self.cache.hold(value);
        let is_all = self.may_spoil(mask, Bytes { at: place, bytes: size });
        let enabled =
            if is_all { None } else { self.enabled_elements(mask, unit * units.lanes, bytes, Width::of(size))? };
        if let Some(enabled) = enabled {
            let row = self.value(Tag::Row { at: place, bytes: size })?;
            let blended = self.cache.take()?;
            self.blend(bytes, Width::of(size), blended, [row, value], enabled);
            self.drop_choice(enabled);
            [row, value].into_iter().for_each(|vector| self.cache.drop(vector));
            value = blended;
            self.give_way(Bytes { at: place, bytes: size })?;
            self.cache.forget(place, size);
            self.cache.name(value, Tag::Row { at: place, bytes: size });
            self.cache.owe(value, Bytes { at: place, bytes: size });
        } else {
            self.give_way(Bytes { at: place, bytes: size })?;
            self.cache.forget(place, size);
            // A value that has become smaller stands in a part of the places only.
            if units.is_single && bytes * units.lanes >= 16 {
                let width = Width::of(bytes * units.lanes);
                self.name_result(value, Tag::Splat { at: place, bytes, width }, Bytes { at: place, bytes });
            } else {
                self.name_result(value, Tag::Row { at: place, bytes: size }, Bytes { at: place, bytes: size });
            }
        }
        self.cache.drop(value);
        Some(())
    }

    /// Says what a result is and that it has to be written, or writes it where its register is
    /// known as something else: both are there then, and that one was first.
    fn name_result(&mut self, value: Vector, tag: Tag, place: Bytes) {
        if self.cache.is_known(value) {
            self.store_row(place.at, place.bytes, value);
        } else {
            self.cache.name(value, tag);
            self.cache.owe(value, place);
        }
    }

    /// The values of some nodes for a unit, each with a user of its own.
    pub(crate) fn evaluate(
        &mut self,
        expression: &Expression,
        uses: &[u32],
        units: Units,
        unit: u32,
        roots: &[Value],
    ) -> Option<Vec<Vector>> {
        let registers = vec![None; expression.nodes.len()];
        let mut evaluation = Evaluation { expression, units, unit, registers, uses: uses.to_vec() };
        roots.iter().map(|root| self.node(&mut evaluation, *root)).collect()
    }

    /// The value of a node, once more; who asked drops it.
    pub(crate) fn node(&mut self, e: &mut Evaluation<'_>, value: Value) -> Option<Vector> {
        let found = match e.registers[value] {
            Some(found) => found,
            None => {
                let found = self.make(e, value)?;
                e.registers[value] = Some(found);
                found
            }
        };
        // The node itself holds it as long as others will ask.
        e.uses[value] -= 1;
        if e.uses[value] > 0 {
            self.cache.hold(found);
        }
        Some(found)
    }

    fn make(&mut self, e: &mut Evaluation<'_>, value: Value) -> Option<Vector> {
        let (kind, node) = e.expression.nodes[value];
        let lanes = e.units.lanes;
        let bytes = kind.bytes();
        let width = Width::of(bytes * lanes);
        if let Some(fused) = self.fused_logic(e, value, width) {
            return fused;
        }
        Some(match node {
            Node::Load { at, step } if step == 0 || e.units.is_single => {
                self.value(Tag::Splat { at, bytes, width })?
            }
            Node::Load { at, step } if step == bytes => {
                self.value(Tag::Row { at: at + e.unit * lanes * bytes, bytes: lanes * bytes })?
            }
            Node::Load { .. } => return None,
            Node::Constant(bits) => self.number(bits, bytes, width)?,
            Node::Unary(unary, a) => {
                let a = self.node(e, a)?;
                let d = self.unary(kind, width, unary, a)?;
                self.cache.drop(a);
                d
            }
            Node::Binary(Binary::Mul, a, b) if bytes == 8 && !kind.is_float() => {
                self.product(e, kind, width, a, b)?
            }
            Node::Binary(binary @ (Binary::Shl | Binary::Shr | Binary::Rotate), a, b) => {
                match self.known(e.expression, b) {
                    Some(count) => {
                        let a = self.node(e, a)?;
                        let d = self.shift_by(kind, width, binary, a, count as u32)?;
                        self.cache.drop(a);
                        // It is not computed at all.
                        self.release(e, b);
                        d
                    }
                    None => self.two(e, kind, width, binary, a, b)?,
                }
            }
            Node::Binary(binary, a, b) => self.two(e, kind, width, binary, a, b)?,
            Node::Fused(a, b, c) => {
                let (a, b, c) = (self.node(e, a)?, self.node(e, b)?, self.node(e, c)?);
                let fused = match kind {
                    Kind::F32 => op::FMADD213PS,
                    Kind::F64 => op::FMADD213PD,
                    _ => return None,
                };
                // Of several NaNs the host gives that of its second operand.
                let d = self.copy(b, width)?;
                self.asm.v3(fused, width, d, a, c);
                [a, c].into_iter().for_each(|vector| self.cache.drop(vector));
                d
            }
            Node::Convert { value: from, saturate } => {
                let from_kind = e.expression.nodes.get(from)?.0;
                let a = self.node(e, from)?;
                let d = self.convert(from_kind, kind, saturate, lanes, a)?;
                self.cache.drop(a);
                d
            }
            Node::Holds(relation, a, b) => {
                let of = |value: Value| e.expression.nodes[value].0;
                (of(a) == of(b) && of(a).bytes() == bytes).then_some(())?;
                let from = of(a);
                let (a, b) = (self.node(e, a)?, self.node(e, b)?);
                let d = self.relation(from, width, relation, a, b)?;
                [a, b].into_iter().for_each(|vector| self.cache.drop(vector));
                d
            }
            Node::Call(function, a, b) => {
                let function = e.expression.functions.get(function)?;
                let is_word = |value: Value| e.expression.nodes[value].0.bytes() == 4;
                (bytes == 4 && is_word(a) && is_word(b)).then_some(())?;
                let (a, b) = (self.node(e, a)?, self.node(e, b)?);
                self.call(function, width, [a, b])?
            }
            Node::Pick(mask, a, b) => {
                let (a, b) = (self.node(e, a)?, self.node(e, b)?);
                let first = if e.units.is_single { 0 } else { e.unit * lanes };
                match self.enabled_elements(&mask, first, bytes, width)? {
                    Some(choice) => {
                        // Only the first element of a single channel has its choice.
                        (!e.units.is_single).then_some(())?;
                        let d = self.cache.take()?;
                        self.blend(bytes, width, d, [b, a], choice);
                        self.drop_choice(choice);
                        [a, b].into_iter().for_each(|vector| self.cache.drop(vector));
                        d
                    }
                    None => {
                        self.cache.drop(b);
                        a
                    }
                }
            }
        })
    }

    /// What a function makes of two values, of eight channels at a time.
    fn call(&mut self, function: &Function, width: Width, values: [Vector; 2]) -> Option<Vector> {
        self.write_all();
        let operands = |half: u32, n: u32| at(FRAME, offset::OPERANDS + half * size_of::<Operands>() as u32 + n * 32);
        for (n, value) in (0..).zip(values) {
            self.asm.store(op::MOVUPS_STORE, Width::Y, operands(0, n), value);
            if width == Width::Z {
                self.asm.store_upper(operands(1, n), value);
            }
            self.cache.drop(value);
        }
        // The function may use all of the registers.
        let used = self.cache.keep_used()?;
        let widest = self.widest();
        let place = |vector: Vector| at(FRAME, offset::SPILLED + u32::from(vector.0) * 64);
        used.iter().for_each(|vector| self.asm.store(op::MOVUPS_STORE, widest, place(*vector), *vector));
        self.asm.plain(Code::VEX_Vzeroupper);
        for half in 0..if width == Width::Z { 2 } else { 1 } {
            self.asm.rm(Code::Lea_r64_m, Register::RDI, operands(half, 0));
            self.asm.rq(Register::RSI, Arc::as_ptr(&function.0) as u64);
            self.asm.rq(Register::RAX, call as *const () as u64);
            self.asm.r(Code::Call_rm64, Register::RAX);
        }
        self.functions.push(function.clone());
        self.enabled = None;
        used.iter().for_each(|vector| self.asm.load(op::MOVUPS, widest, *vector, place(*vector)));
        let d = self.cache.take()?;
        self.asm.load(op::MOVUPS, Width::Y, d, operands(0, 0));
        if width == Width::Z {
            self.asm.load_upper(d, operands(1, 0));
        }
        Some(d)
    }

    /// A node that turns out not to be needed.
    fn release(&mut self, e: &mut Evaluation<'_>, value: Value) {
        e.uses[value] -= 1;
        if e.uses[value] == 0
            && let Some(vector) = e.registers[value]
        {
            self.cache.drop(vector);
        }
    }

    /// A register of which nobody else needs what it holds, with that.
    pub(crate) fn copy(&mut self, a: Vector, width: Width) -> Option<Vector> {
        if self.cache.is_temporary(a) {
            return Some(a);
        }
        let d = self.cache.take()?;
        self.asm.v2(op::MOVUPS, width, d, a, width);
        self.cache.drop(a);
        Some(d)
    }

    fn two(
        &mut self,
        e: &mut Evaluation<'_>,
        kind: Kind,
        width: Width,
        binary: Binary,
        a: Value,
        b: Value,
    ) -> Option<Vector> {
        let (a, b) = (self.node(e, a)?, self.node(e, b)?);
        let d = self.binary(kind, width, binary, a, b)?;
        [a, b].into_iter().for_each(|vector| self.cache.drop(vector));
        Some(d)
    }

    /// The low 64 bits of a product; of numbers that have just been extended, the product of their
    /// low halves.
    fn product(&mut self, e: &mut Evaluation<'_>, kind: Kind, w: Width, a: Value, b: Value) -> Option<Vector> {
        let extended = |value: Value| match e.expression.nodes[value].1 {
            Node::Convert { value, .. } => Some(e.expression.nodes[value].0),
            _ => None,
        };
        let op = match (extended(a), extended(b)) {
            (Some(Kind::U32), Some(Kind::U32)) => Some(op::PMULUDQ),
            (Some(Kind::I32), Some(Kind::I32)) if kind.is_signed() => Some(op::PMULDQ),
            _ => None,
        };
        let (a, b) = (self.node(e, a)?, self.node(e, b)?);
        let d = self.cache.take()?;
        match op {
            Some(op) => self.asm.v3(op, w, d, a, b),
            None if self.has_bits => self.asm.v3(op::MULLQ, w, d, a, b),
            None => {
                let other = self.cache.take()?;
                self.asm.v2i(op::PSRLQ, w, d, a, 32);
                self.asm.v3(op::PMULUDQ, w, d, d, b);
                self.asm.v2i(op::PSRLQ, w, other, b, 32);
                self.asm.v3(op::PMULUDQ, w, other, other, a);
                self.asm.v3(op::PADDQ, w, d, d, other);
                self.asm.v2i(op::PSLLQ, w, d, d, 32);
                self.asm.v3(op::PMULUDQ, w, other, a, b);
                self.asm.v3(op::PADDQ, w, d, d, other);
                self.cache.drop(other);
            }
        }
        [a, b].into_iter().for_each(|vector| self.cache.drop(vector));
        Some(d)
    }

    /// Replaces an element of the table of states.
    pub(crate) fn set_state(&mut self, mask: &Mask, element: u32, from: u32, number: Option<u32>) -> Option<()> {
        if self.enabled(mask) == Enabled::Some {
            return None;
        }
        let state = at(Register::RCX, element * 4);
        match number {
            Some(number) if self.states.insert(element, number) == Some(number) => {}
            Some(number) => {
                self.frame(Register::RCX, offset::STATES);
                self.asm.mi(Code::Mov_rm32_imm32, state, number as i32);
            }
            None => {
                self.write_what(|place| place.touches(Bytes { at: from, bytes: 4 }))?;
                self.states.remove(&element);
                self.asm.rm(Code::Mov_r32_rm32, Register::EDX, at(FILE, from));
                self.frame(Register::RCX, offset::STATES);
                self.asm.mr(Code::Mov_rm32_r32, state, Register::EDX);
            }
        }
        Some(())
    }
}
