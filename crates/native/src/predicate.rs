//! Predicates: comparisons and logic, from vectors to one bit a channel.

use iced_x86::{Code, Register};

use crate::asm::{Vector, Width, at};
use crate::choice::ANSWER;
use crate::compute::{units, uses};
use crate::emit::{ENABLED, Emitter, Enabled, PREDICATES};
use crate::ir::{Expression, Kind, Logic, Mask, Relation, Value};
use crate::op;
use crate::operation::{BySize, EQUAL, GREATER, integer};

impl Emitter<'_> {
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
        // The bits so far stand in a register that functions may use.
        if expression.nodes.get(sides[1])?.0 != kind || !expression.functions.is_empty() {
            return None;
        }
        let uses = uses(expression, &sides)?;
        let units = units(expression, &uses, mask, kind.bytes(), self.widest())?;
        let bits = Register::R9D;
        for unit in 0..units.count {
            let values = self.evaluate(expression, &uses, units, unit, &sides)?;
            let width = Width::of(kind.bytes() * units.lanes);
            let some = if unit == 0 { bits } else { Register::EDX };
            if self.has_bits {
                self.answer(kind, width, relation, values[0], values[1])?;
                self.asm.rr(Code::VEX_Kmovd_r32_kr, some, ANSWER);
            } else {
                let answer = self.relation(kind, width, relation, values[0], values[1])?;
                self.bits_of(answer, kind.bytes(), width, some);
                self.cache.drop(answer);
            }
            values.iter().for_each(|value| self.cache.drop(*value));
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
            self.asm.rr(Code::And_r32_rm32, bits, ENABLED);
        } else if mask.lanes != u32::MAX {
            self.asm.ri(Code::And_rm32_imm32, bits, mask.lanes as i32);
        }
        if mask.shift > 0 {
            self.asm.ri(Code::Shl_rm32_imm8, bits, mask.shift as i32);
        }
        if is_some || all != u32::MAX {
            let old = Register::EDX;
            if is_some {
                self.asm.rr(Code::Mov_r32_rm32, Register::ECX, ENABLED);
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
        if self.enabled.is_some_and(|enabled| enabled.mask.predicate == to) {
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

    /// The bits of the elements for which a relation holds become the [`ANSWER`].
    fn answer(&mut self, kind: Kind, w: Width, relation: Relation, a: Vector, b: Vector) -> Option<()> {
        let size = kind.bytes().trailing_zeros() as usize;
        let (op, relation) = match kind {
            Kind::F16 => return None,
            Kind::F32 => (op::COMPAREPS, relation_of_floats(relation)),
            Kind::F64 => (op::COMPAREPD, relation_of_floats(relation)),
            _ => {
                let signed = [op::COMPAREB, op::COMPAREW, op::COMPARED, op::COMPAREQ];
                let unsigned = [op::COMPAREUB, op::COMPAREUW, op::COMPAREUD, op::COMPAREUQ];
                let relation = match relation {
                    Relation::Equal => 0,
                    Relation::Less => 1,
                    Relation::LessOrEqual => 2,
                };
                (if kind.is_signed() { signed } else { unsigned }[size], relation)
            }
        };
        self.asm.compare(op, w, ANSWER, [a, b], relation);
        Some(())
    }

    /// Ones where a relation holds.
    pub(crate) fn relation(
        &mut self,
        kind: Kind,
        w: Width,
        relation: Relation,
        a: Vector,
        b: Vector,
    ) -> Option<Vector> {
        let bytes = kind.bytes();
        if self.has_bits {
            self.answer(kind, w, relation, a, b)?;
            let d = self.cache.take()?;
            self.asm.ones(integer(bytes, ONES), w, d, ANSWER);
            return Some(d);
        }
        if let Kind::F32 | Kind::F64 = kind {
            let d = self.cache.take()?;
            let compare = if kind == Kind::F32 { op::CMPPS } else { op::CMPPD };
            self.asm.v3i(compare, w, d, a, b, relation_of_floats(relation));
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
}

/// The number of a relation of floats.
fn relation_of_floats(relation: Relation) -> i32 {
    match relation {
        Relation::Equal => 0,
        Relation::Less => 0x11,
        Relation::LessOrEqual => 0x12,
    }
}

const ONES: BySize = [op::ONESB, op::ONESW, op::ONESD, op::ONESQ];

/// The low byte of a register.
fn low_byte(register: Register) -> Register {
    match register {
        Register::EDX => Register::DL,
        _ => Register::R9L,
    }
}
