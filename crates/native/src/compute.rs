//! Expressions: one channel's meaning becomes vectors of channels, as many at a time as fit into a register.
//!
//! Whatever is not known here gives nothing, and the caller does the step.

use iced_x86::{Code, Register};

use crate::asm::{Op, Vector, Width, at, op};
use crate::cache::Tag;
use crate::emit::{Emitter, Enabled, FILE, PREDICATES};
use crate::ir::{Binary, Expression, Kind, Logic, Mask, Node, Relation, Unary, Value};

/// How many channels are done at a time.
#[derive(Clone, Copy)]
pub(crate) struct Units {
    /// Channels of each.
    pub(crate) lanes: u32,
    /// How many there are.
    count: u32,
    /// Whether there is one channel, whose values stand in all places.
    is_single: bool,
}

/// An expression that is being computed for some channels.
struct Evaluation<'e> {
    expression: &'e Expression,
    units: Units,
    /// Which of the units.
    unit: u32,
    registers: Vec<Option<Vector>>,
    /// How often each node is still needed.
    uses: Vec<u32>,
}

/// Marks the nodes that values need; gives how often each is.
fn uses(expression: &Expression, roots: &[Value]) -> Option<Vec<u32>> {
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

fn operands(node: &Node) -> Vec<Value> {
    match *node {
        Node::Load { .. } | Node::Constant(_) => Vec::new(),
        Node::Unary(_, a) | Node::Convert { value: a, .. } => vec![a],
        Node::Binary(_, a, b) | Node::Pick(_, a, b) => vec![a, b],
        Node::Fused(a, b, c) => vec![a, b, c],
    }
}

/// How the channels of an expression are done.
fn units(expression: &Expression, uses: &[u32], mask: &Mask, least: u32) -> Option<Units> {
    let lanes = mask.lanes.count_ones();
    if !lanes.is_power_of_two() || mask.lanes.trailing_ones() != lanes {
        return None;
    }
    let needed = expression.nodes.iter().zip(uses).filter(|(_, uses)| **uses > 0);
    let bytes = needed.map(|((kind, _), _)| kind.bytes()).chain([least]).max()?;
    let most = 32 / bytes;
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
        let units = units(expression, &uses, mask, kind.bytes())?;
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
        let mut waiting = Vec::new();
        for unit in 0..units.count {
            let value = self.evaluate(expression, &uses, units, unit, &[result])?[0];
            if waits {
                waiting.push(value);
            } else {
                self.write(mask, units, unit, kind, to, value)?;
                self.cache.drop(value);
            }
        }
        for (unit, value) in (0..).zip(waiting) {
            self.write(mask, units, unit, kind, to, value)?;
            self.cache.drop(value);
        }
        Some(())
    }

    /// Writes a unit's values for the enabled channels.
    fn write(&mut self, mask: &Mask, units: Units, unit: u32, kind: Kind, to: u32, value: Vector) -> Option<()> {
        let bytes = kind.bytes();
        let size = if units.is_single { bytes } else { bytes * units.lanes };
        let place = to + unit * size;
        let mut value = value;
        self.cache.hold(value);
        if let Some(enabled) = self.enabled_elements(mask, unit * units.lanes, bytes, Width::of(size))? {
            let row = self.value(Tag::Row { at: place, bytes: size })?;
            let blended = self.cache.take()?;
            self.asm.v4(op::PBLENDVB, Width::of(size), blended, row, value, enabled);
            [row, enabled, value].into_iter().for_each(|vector| self.cache.drop(vector));
            value = blended;
            self.store_row(place, size, value);
            self.cache.forget(place, size);
            self.cache.name(value, Tag::Row { at: place, bytes: size });
        } else {
            self.store_row(place, size, value);
            self.cache.forget(place, size);
            if units.is_single {
                let width = Width::of(bytes * units.lanes);
                self.name_result(value, Tag::Splat { at: place, bytes, width });
            } else {
                self.name_result(value, Tag::Row { at: place, bytes: size });
            }
        }
        self.cache.drop(value);
        Some(())
    }

    /// Says what a result is, unless its register is known as something else: both are there then, and that one was first.
    fn name_result(&mut self, value: Vector, tag: Tag) {
        let is_other = self.cache.known().iter().any(|(vector, _)| *vector == value);
        if !is_other {
            self.cache.name(value, tag);
        }
    }

    /// Sets the bits of a predicate where a relation holds.
    pub(crate) fn compare(
        &mut self,
        mask: &Mask,
        expression: &Expression,
        relation: Relation,
        sides: [Value; 2],
        (inverse, to): (bool, u32),
    ) -> Option<()> {
        let kind = expression.nodes.get(sides[0])?.0;
        if expression.nodes.get(sides[1])?.0 != kind {
            return None;
        }
        let uses = uses(expression, &sides)?;
        let units = units(expression, &uses, mask, kind.bytes())?;
        let bits = Register::R9D;
        for unit in 0..units.count {
            let values = self.evaluate(expression, &uses, units, unit, &sides)?;
            let width = Width::of(kind.bytes() * units.lanes);
            let answer = self.relation(kind, width, relation, values[0], values[1])?;
            values.iter().for_each(|value| self.cache.drop(*value));
            let some = if unit == 0 { bits } else { Register::EDX };
            self.bits_of(answer, kind.bytes(), width, some);
            self.cache.drop(answer);
            if unit > 0 {
                self.asm.ri(Code::Shl_rm32_imm8, Register::EDX, (unit * units.lanes) as i32);
                self.asm.rr(Code::Or_r32_rm32, bits, Register::EDX);
            }
        }
        if inverse {
            self.asm.r(Code::Not_rm32, bits);
        }
        self.set_predicate(mask, to, bits);
        Some(())
    }

    /// One bit of a register for each element of ones.
    fn bits_of(&mut self, a: Vector, bytes: u32, width: Width, to: Register) {
        let x = Width::X;
        match (bytes, width) {
            (8, _) => self.asm.rr(op::MOVMSKPD.code(width), to, a.register(width)),
            (4, _) => self.asm.rr(op::MOVMSKPS.code(width), to, a.register(width)),
            (2, Width::X) => {
                self.asm.v3(op::PACKSSWB, x, a, a, a);
                self.asm.rr(op::PMOVMSKB.code(x), to, a.register(x));
                self.asm.ri(Code::And_rm32_imm32, to, 0xff);
            }
            (2, Width::Y) => {
                // The halves are packed each for itself: 8 bits at 0 and at 16.
                self.asm.v3(op::PACKSSWB, width, a, a, a);
                self.asm.rr(op::PMOVMSKB.code(width), to, a.register(width));
                self.asm.rr(Code::Movzx_r32_rm8, Register::ECX, low_byte(to));
                self.asm.ri(Code::Shr_rm32_imm8, to, 16);
                self.asm.ri(Code::Shl_rm32_imm8, to, 8);
                self.asm.ri(Code::And_rm32_imm32, to, 0xff00);
                self.asm.rr(Code::Or_r32_rm32, to, Register::ECX);
            }
            _ => self.asm.rr(op::PMOVMSKB.code(width), to, a.register(width)),
        }
    }

    /// Replaces the bits of a predicate for the enabled channels.
    fn set_predicate(&mut self, mask: &Mask, to: u32, bits: Register) {
        let memory = at(PREDICATES, to * 4);
        let all = mask.lanes << mask.shift;
        let is_some = self.enabled(mask) == Enabled::Some;
        if is_some {
            self.asm.rr(Code::And_r32_rm32, bits, crate::emit::ENABLED);
        } else if mask.lanes != u32::MAX {
            self.asm.ri(Code::And_rm32_imm32, bits, mask.lanes as i32);
        }
        if mask.shift > 0 {
            self.asm.ri(Code::Shl_rm32_imm8, bits, mask.shift as i32);
        }
        if is_some || all != u32::MAX {
            let old = Register::EDX;
            if is_some {
                self.asm.rr(Code::Mov_r32_rm32, Register::ECX, crate::emit::ENABLED);
                if mask.shift > 0 {
                    self.asm.ri(Code::Shl_rm32_imm8, Register::ECX, mask.shift as i32);
                }
                self.asm.r(Code::Not_rm32, Register::ECX);
                self.asm.rm(Code::Mov_r32_rm32, old, memory);
                self.asm.rr(Code::And_r32_rm32, old, Register::ECX);
            } else {
                self.asm.rm(Code::Mov_r32_rm32, old, memory);
                self.asm.ri(Code::And_rm32_imm32, old, !all as i32);
            }
            self.asm.rr(Code::Or_r32_rm32, bits, old);
        }
        self.asm.mr(Code::Mov_rm32_r32, memory, bits);
        self.cache.forget_predicate(to);
        if self.enabled.is_some_and(|mask| mask.predicate == to) {
            self.enabled = None;
        }
    }

    /// Logic of predicates.
    pub(crate) fn logic(&mut self, mask: &Mask, logic: Logic, [a, b]: [u32; 2], to: u32) {
        let bits = Register::R9D;
        self.asm.rm(Code::Mov_r32_rm32, bits, at(PREDICATES, a * 4));
        match logic {
            Logic::And => self.asm.rm(Code::And_r32_rm32, bits, at(PREDICATES, b * 4)),
            Logic::Or => self.asm.rm(Code::Or_r32_rm32, bits, at(PREDICATES, b * 4)),
            Logic::Xor => self.asm.rm(Code::Xor_r32_rm32, bits, at(PREDICATES, b * 4)),
            Logic::Not => self.asm.r(Code::Not_rm32, bits),
        }
        if mask.shift > 0 {
            self.asm.ri(Code::Shr_rm32_imm8, bits, mask.shift as i32);
        }
        self.set_predicate(mask, to, bits);
    }

    /// The values of some nodes for a unit, each with a user of its own.
    fn evaluate(
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
    fn node(&mut self, e: &mut Evaluation<'_>, value: Value) -> Option<Vector> {
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
            Node::Pick(mask, a, b) => {
                let (a, b) = (self.node(e, a)?, self.node(e, b)?);
                let first = if e.units.is_single { 0 } else { e.unit * lanes };
                match self.enabled_elements(&mask, first, bytes, width)? {
                    Some(first) => {
                        if e.units.is_single {
                            // Only the first element has the channel's choice.
                            [a, b, first].into_iter().for_each(|vector| self.cache.drop(vector));
                            return None;
                        }
                        let d = self.cache.take()?;
                        self.asm.v4(op::PBLENDVB, width, d, b, a, first);
                        [a, b, first].into_iter().for_each(|vector| self.cache.drop(vector));
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
    fn copy(&mut self, a: Vector, width: Width) -> Option<Vector> {
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

    fn unary(&mut self, kind: Kind, width: Width, unary: Unary, a: Vector) -> Option<Vector> {
        use Kind::{F32, F64};
        let bytes = kind.bytes();
        let sign = 1_u64 << (bytes * 8 - 1);
        let d = match (unary, kind) {
            (Unary::Neg, kind) if kind.is_float() => return self.with_number(op::PXOR, kind, width, a, sign),
            (Unary::Abs, kind) if kind.is_float() => return self.with_number(op::PAND, kind, width, a, sign - 1),
            (Unary::Not, _) => {
                return self.with_number(op::PXOR, kind, width, a, u64::MAX >> (64 - bytes * 8));
            }
            (Unary::Neg, _) => {
                let zero = self.number(0, bytes, width)?;
                let d = self.cache.take()?;
                self.asm.v3(integer(bytes, SUB), width, d, zero, a);
                self.cache.drop(zero);
                d
            }
            (Unary::Abs, _) => {
                let abs = match bytes {
                    1 => op::PABSB,
                    2 => op::PABSW,
                    4 => op::PABSD,
                    _ => return None,
                };
                let d = self.cache.take()?;
                self.asm.v2(abs, width, d, a, width);
                d
            }
            (Unary::Sqrt, F32 | F64) => {
                let d = self.cache.take()?;
                self.asm.v2(if kind == F32 { op::SQRTPS } else { op::SQRTPD }, width, d, a, width);
                d
            }
            (Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Round, F32 | F64) => {
                // Without a flag for inexact results.
                let mode = 8 + match unary {
                    Unary::Round => 0,
                    Unary::Floor => 1,
                    Unary::Ceil => 2,
                    _ => 3,
                };
                let d = self.cache.take()?;
                self.asm.v2i(if kind == F32 { op::ROUNDPS } else { op::ROUNDPD }, width, d, a, mode);
                d
            }
            _ => return None,
        };
        Some(d)
    }

    /// An operation with a number.
    pub(crate) fn with_number(&mut self, op: Op, kind: Kind, width: Width, a: Vector, bits: u64) -> Option<Vector> {
        let number = self.number(bits, kind.bytes(), width)?;
        let d = self.cache.take()?;
        self.asm.v3(op, width, d, a, number);
        self.cache.drop(number);
        Some(d)
    }

    fn binary(&mut self, kind: Kind, width: Width, binary: Binary, a: Vector, b: Vector) -> Option<Vector> {
        use Binary::{Add, And, Div, Max, Min, Mul, Or, Rotate, Shl, Shr, Sub, Xor};
        let bytes = kind.bytes();
        let simple = match (binary, kind) {
            (And, _) => op::PAND,
            (Or, _) => op::POR,
            (Xor, _) => op::PXOR,
            (Add, Kind::F32) => op::ADDPS,
            (Add, Kind::F64) => op::ADDPD,
            (Sub, Kind::F32) => op::SUBPS,
            (Sub, Kind::F64) => op::SUBPD,
            (Mul, Kind::F32) => op::MULPS,
            (Mul, Kind::F64) => op::MULPD,
            (Div, Kind::F32) => op::DIVPS,
            (Div, Kind::F64) => op::DIVPD,
            (Min | Max, Kind::F32 | Kind::F64) => return self.float_extreme(kind, width, binary, a, b),
            (_, Kind::F16 | Kind::F32 | Kind::F64) | (Div, _) => return None,
            (Add, _) => integer(bytes, ADD),
            (Sub, _) => integer(bytes, SUB),
            (Mul, _) if bytes == 4 => op::PMULLD,
            (Mul, _) if bytes == 2 => op::PMULLW,
            (Mul, _) => return None,
            (Min | Max, Kind::U64 | Kind::I64) => return self.long_extreme(kind, width, binary, a, b),
            (Min, Kind::U8) => op::PMINUB,
            (Min, Kind::I8) => op::PMINSB,
            (Min, Kind::U16) => op::PMINUW,
            (Min, Kind::I16) => op::PMINSW,
            (Min, Kind::U32) => op::PMINUD,
            (Min, _) => op::PMINSD,
            (Max, Kind::U8) => op::PMAXUB,
            (Max, Kind::I8) => op::PMAXSB,
            (Max, Kind::U16) => op::PMAXUW,
            (Max, Kind::I16) => op::PMAXSW,
            (Max, Kind::U32) => op::PMAXUD,
            (Max, _) => op::PMAXSD,
            (Shl, _) if bytes == 4 => op::PSLLVD,
            (Shl, _) if bytes == 8 => op::PSLLVQ,
            (Shr, Kind::U32) => op::PSRLVD,
            (Shr, Kind::I32) => op::PSRAVD,
            (Shr, Kind::U64) => op::PSRLVQ,
            (Shr, Kind::I64) => {
                let sign = self.number(1 << 63, 8, width)?;
                let (d, places) = (self.cache.take()?, self.cache.take()?);
                self.asm.v3(op::PSRLVQ, width, d, a, b);
                self.asm.v3(op::PSRLVQ, width, places, sign, b);
                self.asm.v3(op::PXOR, width, d, d, places);
                self.asm.v3(op::PSUBQ, width, d, d, places);
                [sign, places].into_iter().for_each(|vector| self.cache.drop(vector));
                return Some(d);
            }
            (Rotate, _) if bytes == 4 || bytes == 8 => {
                let (left, right) = if bytes == 4 { (op::PSLLVD, op::PSRLVD) } else { (op::PSLLVQ, op::PSRLVQ) };
                let all = self.number(u64::from(bytes * 8), bytes, width)?;
                let (d, rest) = (self.cache.take()?, self.cache.take()?);
                // A shift by all places leaves nothing.
                self.asm.v3(integer(bytes, SUB), width, rest, all, b);
                self.asm.v3(right, width, rest, a, rest);
                self.asm.v3(left, width, d, a, b);
                self.asm.v3(op::POR, width, d, d, rest);
                [all, rest].into_iter().for_each(|vector| self.cache.drop(vector));
                return Some(d);
            }
            (Shl | Shr | Rotate, _) => return None,
        };
        let d = self.cache.take()?;
        self.asm.v3(simple, width, d, a, b);
        Some(d)
    }

    /// A shift by the same number of places for all channels.
    fn shift_by(&mut self, kind: Kind, width: Width, binary: Binary, a: Vector, count: u32) -> Option<Vector> {
        let bytes = kind.bytes();
        let bits = bytes * 8;
        if count >= bits {
            return None;
        }
        let (left, right) = match bytes {
            2 => (op::PSLLW, op::PSRLW),
            4 => (op::PSLLD, op::PSRLD),
            8 => (op::PSLLQ, op::PSRLQ),
            _ => return None,
        };
        let d = self.cache.take()?;
        match binary {
            Binary::Shl => self.asm.v2i(left, width, d, a, count as i32),
            Binary::Shr if kind == Kind::I32 => self.asm.v2i(op::PSRAD, width, d, a, count as i32),
            Binary::Shr if kind == Kind::I16 => self.asm.v2i(op::PSRAW, width, d, a, count as i32),
            Binary::Shr if kind == Kind::I64 => {
                let sign = self.number(1 << 63, 8, width)?;
                let places = self.cache.take()?;
                self.asm.v2i(op::PSRLQ, width, d, a, count as i32);
                self.asm.v2i(op::PSRLQ, width, places, sign, count as i32);
                self.asm.v3(op::PXOR, width, d, d, places);
                self.asm.v3(op::PSUBQ, width, d, d, places);
                [sign, places].into_iter().for_each(|vector| self.cache.drop(vector));
            }
            Binary::Shr => self.asm.v2i(right, width, d, a, count as i32),
            _ => {
                let rest = self.cache.take()?;
                self.asm.v2i(right, width, rest, a, (bits - count) as i32);
                self.asm.v2i(left, width, d, a, count as i32);
                self.asm.v3(op::POR, width, d, d, rest);
                self.cache.drop(rest);
            }
        }
        Some(d)
    }

    /// The smaller or the larger, where a NaN gives way.
    fn float_extreme(&mut self, kind: Kind, w: Width, binary: Binary, a: Vector, b: Vector) -> Option<Vector> {
        let (compare, extreme) = match (kind, binary) {
            (Kind::F32, Binary::Min) => (op::CMPPS, op::MINPS),
            (Kind::F32, _) => (op::CMPPS, op::MAXPS),
            (_, Binary::Min) => (op::CMPPD, op::MINPD),
            _ => (op::CMPPD, op::MAXPD),
        };
        let (d, nan) = (self.cache.take()?, self.cache.take()?);
        // The host gives the second when either is NaN, and of two zeros.
        self.asm.v3(extreme, w, d, a, b);
        self.asm.v3i(compare, w, nan, b, b, UNORDERED);
        self.asm.v4(op::PBLENDVB, w, d, d, a, nan);
        self.cache.drop(nan);
        Some(d)
    }

    fn long_extreme(&mut self, kind: Kind, w: Width, binary: Binary, a: Vector, b: Vector) -> Option<Vector> {
        let greater = self.long_greater(kind, w, a, b)?;
        let d = self.cache.take()?;
        let (first, second) = if binary == Binary::Max { (b, a) } else { (a, b) };
        self.asm.v4(op::PBLENDVB, w, d, first, second, greater);
        self.cache.drop(greater);
        Some(d)
    }

    /// Ones where the first integer of 64 bits is greater.
    fn long_greater(&mut self, kind: Kind, w: Width, a: Vector, b: Vector) -> Option<Vector> {
        let d = self.cache.take()?;
        if kind == Kind::I64 {
            self.asm.v3(op::PCMPGTQ, w, d, a, b);
            return Some(d);
        }
        let sign = self.number(1 << 63, 8, w)?;
        let other = self.cache.take()?;
        self.asm.v3(op::PXOR, w, d, a, sign);
        self.asm.v3(op::PXOR, w, other, b, sign);
        self.asm.v3(op::PCMPGTQ, w, d, d, other);
        [sign, other].into_iter().for_each(|vector| self.cache.drop(vector));
        Some(d)
    }

    /// The low 64 bits of a product; of numbers that have just been extended, the product of their low halves.
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

    /// Ones where a relation holds.
    fn relation(&mut self, kind: Kind, w: Width, relation: Relation, a: Vector, b: Vector) -> Option<Vector> {
        let bytes = kind.bytes();
        if let Kind::F32 | Kind::F64 = kind {
            let predicate = match relation {
                Relation::Equal => 0,
                Relation::Less => 0x11,
                Relation::LessOrEqual => 0x12,
            };
            let d = self.cache.take()?;
            self.asm.v3i(if kind == Kind::F32 { op::CMPPS } else { op::CMPPD }, w, d, a, b, predicate);
            return Some(d);
        }
        match (relation, kind) {
            (Relation::LessOrEqual, _) | (_, Kind::F16) => None,
            (Relation::Equal, _) => {
                let d = self.cache.take()?;
                self.asm.v3(integer(bytes, EQUAL), w, d, a, b);
                Some(d)
            }
            (_, Kind::U64 | Kind::I64) => self.long_greater(kind, w, b, a),
            (_, Kind::I8 | Kind::I16 | Kind::I32) => {
                let d = self.cache.take()?;
                self.asm.v3(integer(bytes, GREATER), w, d, b, a);
                Some(d)
            }
            _ => {
                // Less when it is not the larger.
                let max = match bytes {
                    1 => op::PMAXUB,
                    2 => op::PMAXUW,
                    _ => op::PMAXUD,
                };
                let d = self.cache.take()?;
                self.asm.v3(max, w, d, a, b);
                self.asm.v3(integer(bytes, EQUAL), w, d, d, a);
                let turned = self.with_number(op::PXOR, kind, w, d, u64::MAX >> (64 - bytes * 8))?;
                self.cache.drop(d);
                Some(turned)
            }
        }
    }

    /// Replaces an element of the table of states.
    pub(crate) fn set_state(&mut self, mask: &Mask, element: u32, from: u32) -> Option<()> {
        if self.enabled(mask) == Enabled::Some {
            return None;
        }
        self.asm.rm(Code::Mov_r32_rm32, Register::EDX, at(FILE, from));
        self.frame(Register::RCX, crate::frame::offset::STATES);
        self.asm.mr(Code::Mov_rm32_r32, at(Register::RCX, element * 4), Register::EDX);
        Some(())
    }
}

/// The comparison that holds where either is NaN.
const UNORDERED: i32 = 3;

/// The low byte of a register.
fn low_byte(register: Register) -> Register {
    match register {
        Register::EDX => Register::DL,
        _ => Register::R9L,
    }
}

/// An operation for elements of 1, 2, 4 and 8 bytes.
pub(crate) type BySize = [Op; 4];
const ADD: BySize = [op::PADDB, op::PADDW, op::PADDD, op::PADDQ];
const SUB: BySize = [op::PSUBB, op::PSUBW, op::PSUBD, op::PSUBQ];
const EQUAL: BySize = [op::PCMPEQB, op::PCMPEQW, op::PCMPEQD, op::PCMPEQQ];
const GREATER: BySize = [op::PCMPGTB, op::PCMPGTW, op::PCMPGTD, op::PCMPGTQ];

fn integer(bytes: u32, ops: BySize) -> Op {
    ops[bytes.trailing_zeros() as usize]
}
