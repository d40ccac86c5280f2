//! Predicates: comparisons and logic, from vectors to one bit a channel.

use iced_x86::{Code, Register};

use crate::asm::{Vector, Width, at};
use crate::cache::Bits;
use crate::choice::{ANSWER, Choice};
use crate::compute::{Units, units, uses};
use crate::emit::{ENABLED, Emitter, Enabled, PREDICATES};
use crate::ir::{Combine, Expression, Kind, Logic, Mask, Relation, Value};
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
        if self.has_bits && units.count <= 2 && self.predicate_bytes(&of_predicate(mask, to), 0).is_some() {
            return self.compare_bits(mask, expression, (relation, inverse), sides, (units, &uses), to);
        }
        let bits = Register::R9D;
        for unit in 0..units.count {
            let values = self.evaluate(expression, &uses, units, unit, &sides)?;
            let width = Width::of(kind.bytes() * units.lanes);
            let some = if unit == 0 { bits } else { Register::EDX };
            if self.has_bits {
                self.answer(kind, width, (relation, false), [values[0], values[1]], ANSWER)?;
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

    /// The same for whole bytes of a predicate, whose bits stay known.
    fn compare_bits(
        &mut self,
        mask: &Mask,
        expression: &Expression,
        relation: (Relation, bool),
        sides: [Value; 2],
        (units, uses): (Units, &[u32]),
        to: u32,
    ) -> Option<()> {
        let kind = expression.nodes[sides[0]].0;
        let mut answers = Vec::new();
        for unit in 0..units.count {
            let values = self.evaluate(expression, uses, units, unit, &sides)?;
            let (first, width) = (unit * units.lanes, Width::of(kind.bytes() * units.lanes));
            let answer = self.cache.take_bits()?;
            self.answer(kind, width, relation, [values[0], values[1]], answer.register())?;
            values.iter().for_each(|value| self.cache.drop(*value));
            let mut enabled = None;
            if let Some(Choice::Bits(bits)) = self.enabled_elements(mask, first, kind.bytes(), width)? {
                self.asm.rrr(Code::VEX_Kandd_kr_kr_kr, answer.register(), answer.register(), bits.register());
                enabled = Some(bits);
            }
            answers.push((first, answer, enabled));
        }
        self.set_bits(mask, units.lanes, to, answers)
    }

    /// Replaces whole bytes of a predicate for the enabled channels, by bits of these alone; those
    /// of so many channels from one on, and which are enabled if not all are.
    fn set_bits(&mut self, mask: &Mask, lanes: u32, to: u32, answers: Vec<(u32, Bits, Option<Bits>)>) -> Option<()> {
        // All that this has to do with is in registers.
        self.forget_predicate(mask, to);
        for (first, answer, enabled) in answers {
            let place = Mask { lanes: u32::MAX >> (32 - lanes), shift: mask.shift + first, ..of_predicate(mask, to) };
            let ([load, store], memory) = self.predicate_bytes(&place, 0)?;
            let mut all = answer.register();
            if let Some(enabled) = enabled {
                self.asm.rm(load, ANSWER, memory);
                self.asm.rrr(Code::VEX_Kandnd_kr_kr_kr, ANSWER, enabled.register(), ANSWER);
                self.asm.rrr(Code::VEX_Kord_kr_kr_kr, ANSWER, ANSWER, all);
                all = ANSWER;
                self.cache.drop(enabled.0);
            }
            self.asm.mr(store, memory, all);
            // What the same channels find there from now on.
            if mask.predicate == 0 {
                let tag = self.bits_tag(&Mask { always: mask.always, ..place }, 0, lanes);
                self.cache.name(answer.0, tag);
            }
            self.cache.drop(answer.0);
        }
        Some(())
    }

    /// Logic of whole bytes of predicates.
    fn logic_bits(&mut self, mask: &Mask, logic: Logic, [a, b]: [u32; 2], to: u32) -> Option<()> {
        let lanes = mask.lanes.count_ones().min(16);
        let mut answers = Vec::new();
        for first in (0..mask.lanes.count_ones()).step_by(lanes as usize) {
            let mut enabled = None;
            if let Some(Choice::Bits(bits)) = self.enabled_elements(mask, first, 4, Width::of(lanes * 4))? {
                enabled = Some(bits);
            }
            let part = Mask { lanes: u32::MAX >> (32 - lanes), shift: mask.shift + first, ..*mask };
            let answer = self.cache.take_bits()?;
            let (k, other) = (answer.register(), ANSWER);
            for (bits, predicate) in [(k, a), (other, b)] {
                let place = of_predicate(&part, predicate);
                match self.cache.find_bits(&place) {
                    Some(known) => self.asm.rr(Code::VEX_Kmovd_kr_km32, bits, known.register()),
                    None => {
                        let ([load, _], memory) = self.predicate_bytes(&place, 0)?;
                        self.asm.rm(load, bits, memory);
                    }
                }
            }
            match logic {
                Logic::And => self.asm.rrr(Code::VEX_Kandd_kr_kr_kr, k, k, other),
                Logic::Or => self.asm.rrr(Code::VEX_Kord_kr_kr_kr, k, k, other),
                Logic::Xor => self.asm.rrr(Code::VEX_Kxord_kr_kr_kr, k, k, other),
                Logic::Not => self.asm.rr(Code::VEX_Knotd_kr_kr, k, k),
            }
            if let Some(enabled) = enabled {
                self.asm.rrr(Code::VEX_Kandd_kr_kr_kr, k, k, enabled.register());
            }
            answers.push((first, answer, enabled));
        }
        self.set_bits(mask, lanes, to, answers)
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
        self.forget_predicate(mask, to);
    }

    /// Forgets the bits of a predicate that are about to change.
    fn forget_predicate(&mut self, mask: &Mask, predicate: u32) {
        self.cache.forget_predicate(predicate, mask.lanes << mask.shift);
        self.enabled = self.enabled.filter(|enabled| enabled.predicate != predicate);
    }

    /// Logic of predicates.
    pub(crate) fn logic(&mut self, mask: &Mask, logic: Logic, [a, b]: [u32; 2], to: u32) -> Option<()> {
        if self.has_bits && self.predicate_bytes(&of_predicate(mask, to), 0).is_some() {
            return self.logic_bits(mask, logic, [a, b], to);
        }
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
        Some(())
    }

    /// The bits of the elements for which a relation holds, or does not.
    fn answer(
        &mut self,
        kind: Kind,
        w: Width,
        (relation, inverse): (Relation, bool),
        sides: [Vector; 2],
        to: Register,
    ) -> Option<()> {
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
        // The same relation turned over has this bit too.
        self.asm.compare(op, w, (to, None), sides, relation ^ if inverse { 4 } else { 0 });
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
            self.answer(kind, w, (relation, false), [a, b], ANSWER)?;
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

/// The bits of a predicate for the channels of a mask, whether these are active or not.
fn of_predicate(mask: &Mask, predicate: u32) -> Mask {
    Mask { always: true, predicate, combine: Combine::Each, inverse: false, ..*mask }
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
