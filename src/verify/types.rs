//! Rules of types across the operands of an instruction.

use super::{Check, Seen, operand};
use crate::isa::{DataType, Instruction, Operand};
use crate::rt::reflect::Field;

/// What an instruction does, as far as its rules depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Computes with numbers: all types have to fit.
    Arithmetic,
    /// Works on bits.
    Logic,
    /// Moves, chooses or compares: types are converted.
    Move,
    /// Reads or writes memory through a message of the data port, whose operands have rules of their own.
    Port,
    /// Everything else.
    Other,
}

/// The family of an instruction.
pub(super) fn family(instruction: &Instruction) -> Family {
    use Instruction as I;
    match instruction {
        I::And(_) | I::Or(_) | I::Xor(_) | I::Not(_) | I::Shl(_) | I::Shr(_) | I::Asr(_) | I::Rol(_) | I::Ror(_) => {
            Family::Logic
        }
        I::Bfe(_) | I::Bfi(_) | I::Bfn(_) | I::Bfrev(_) | I::Cbit(_) | I::Fbh(_) | I::Fbl(_) => Family::Logic,
        I::Mov(_) | I::Movs(_) | I::Sel(_) | I::MinMax(_) | I::Cmp(_) | I::Setp(_) | I::Fcvt(_) => Family::Move,
        I::OwordLd(_) | I::OwordSt(_) | I::OwordLdUnaligned(_) | I::MediaLd(_) | I::MediaSt(_) => Family::Port,
        I::Gather(_) | I::Scatter(_) | I::GatherScaled(_) | I::ScatterScaled(_) => Family::Port,
        I::Gather4Scaled(_) | I::Scatter4Scaled(_) | I::Gather4Typed(_) | I::Scatter4Typed(_) => Family::Port,
        I::RtWrite(_) => Family::Port,
        I::DwordAtomic(_) | I::TypedAtomic(_) | I::QwGather(_) | I::QwScatter(_) => Family::Port,
        other if !other.page().types.is_empty() || !other.page().type_maps.is_empty() => Family::Arithmetic,
        _ => Family::Other,
    }
}

impl Check<'_> {
    /// Rules across the types of the destination and the sources.
    pub(super) fn types(&mut self, seen: &[(&'static Field, Seen)]) {
        let mut dst = None;
        let mut src = Vec::new();
        let mut all = Vec::new();
        for (field, value) in seen {
            let Seen::Vector(operand) = value else { continue };
            let Some(ty) = operand::data_type(&operand.operand, self.routine) else { continue };
            all.push(ty);
            match is_destination(field) {
                true => dst = dst.or(Some((ty, &operand.operand))),
                false if field.types.is_empty() => src.push(ty),
                false => {}
            }
        }
        let Some((dst, place)) = dst else { return };
        if self.family == Family::Logic && (dst == DataType::Bool || src.contains(&DataType::Bool)) {
            self.booleans(dst, &src, seen);
        }
        if matches!(self.page.name, "MOV") && src.contains(&DataType::Bool) {
            self.flag_copy(dst, place, seen);
        }
        if self.family == Family::Logic {
            let number = |t: &DataType| !is_integer(*t) && *t != DataType::Bool;
            if let Some(ty) = all.iter().find(|t| number(t)) {
                let message = format!("an operand has type {}, and bits have none of numbers", ty.name());
                self.say("source-type", self.page.line, message);
            }
        }
        if ["SQRTM", "DIVM"].contains(&self.page.name) {
            let wrong = src.iter().find(|s| !matches!(s, DataType::F | DataType::Df | DataType::Vf));
            if let Some(ty) = wrong {
                self.say(
                    "source-type",
                    self.page.line,
                    format!("a source has type {}, legal are f, df and vf", ty.name()),
                );
            }
        }
        self.no_steps(dst);
        self.type_maps(dst, &src);
    }

    /// Platforms without the steps of IEEE's algorithms have no quotients and roots of doubles, and no exact ones.
    fn no_steps(&mut self, dst: DataType) {
        let stepless = self.platform.is_some_and(|p| STEPLESS.contains(&p.name()));
        let needed = match self.page.name {
            "SQRTM" | "DIVM" => matches!(dst, DataType::F | DataType::Df),
            "INV" | "DIV" | "SQRT" => dst == DataType::Df,
            _ => false,
        };
        if stepless && needed {
            let message = format!("the platform does not have this for type {}", dst.name());
            self.say("double", self.page.line, message);
        }
    }

    fn type_maps(&mut self, dst: DataType, src: &[DataType]) {
        if self.page.type_maps.is_empty() {
            return;
        }
        let legal = self.page.type_maps.iter().any(|map| {
            self.applies(map.platforms)
                && map.dst.contains(&dst)
                && src.iter().all(|s| map.src.contains(&unpacked(*s)) || map.src.contains(s))
        });
        if legal {
            return;
        }
        let names: Vec<_> = src.iter().map(|t| t.name()).collect();
        let message = format!("no type map has destination {} with sources {}", dst.name(), names.join(", "));
        match self.family {
            // What a logic instruction does to integers of any size is clear.
            Family::Logic if is_integer(dst) && src.iter().all(|s| is_integer(*s)) => {
                self.warn("type-map", self.page.line, message);
            }
            // Integers of any size are extended; only some instructions insist on theirs.
            Family::Arithmetic
                if is_integer(dst) && src.iter().all(|s| is_integer(*s)) && !self.is_strict(dst, src) =>
            {
                self.warn("type-map", self.page.line, message);
            }
            // These have a form for more types than any platform computes with.
            Family::Arithmetic if LOOSE.contains(&self.page.name) && src.iter().all(|s| *s == dst) => {
                self.warn("type-map", self.page.line, message);
            }
            Family::Arithmetic | Family::Logic => self.say("type-map", self.page.line, message),
            Family::Move if self.page.name == "FCVT" => self.say("type-map", self.page.line, message),
            _ => self.warn("type-map", self.page.line, message),
        }
    }

    /// Whether an instruction takes only the integers that its page names.
    fn is_strict(&self, dst: DataType, src: &[DataType]) -> bool {
        let known = |t: &DataType| self.page.types.iter().any(|(p, range)| p == t && self.applies(*range));
        match self.page.name {
            "MUL" | "DIV" => src.iter().any(|s| s.bits() == 64 && is_integer(*s)),
            "ADDC" | "SUBB" | "ADD3" | "ADD3O" | "DP4A" => src.iter().any(|s| !known(s) && !known(&unpacked(*s))),
            name => !LOOSE.contains(&name) && !known(&dst),
        }
    }

    /// When one operand of a logic instruction is a predicate, all are, and none guards it.
    fn booleans(&mut self, dst: DataType, src: &[DataType], seen: &[(&'static Field, Seen)]) {
        let line = self.page.line;
        if dst != DataType::Bool || src.iter().any(|s| *s != DataType::Bool) {
            self.say("boolean", line, "operands are either all predicates or none is".to_owned());
        }
        if guarded(seen) {
            self.say("boolean", line, "an instruction on predicates cannot have one in front of it".to_owned());
        }
    }

    /// A predicate is copied as a whole: into one integer.
    fn flag_copy(&mut self, dst: DataType, place: &Operand, seen: &[(&'static Field, Seen)]) {
        let line = self.page.line;
        if self.channels() != 1 {
            self.say("boolean", line, "a predicate is copied by one channel".to_owned());
        }
        if matches!(place, Operand::General(_) | Operand::Indirect(_)) && (!is_integer(dst) || dst.bits() > 32) {
            self.say("boolean", line, format!("a predicate is copied into an integer, not into {}", dst.name()));
        }
        if guarded(seen) {
            self.say("boolean", line, "a copy of a predicate cannot have one in front of it".to_owned());
        }
    }
}

/// Platforms that lack the steps of IEEE's algorithms.
const STEPLESS: [&str; 4] = ["icllp", "tgllp", "dg1", "dg2"];

/// Instructions that the vendor's assembler takes with types that their pages do not name.
pub(super) const LOOSE: [&str; 6] = ["INV", "RSQRT", "SQRT", "SQRTM", "DIVM", "LINE"];

/// Whether a predicate stands in front of the instruction.
fn guarded(seen: &[(&'static Field, Seen)]) -> bool {
    seen.iter().any(|(_, value)| matches!(value, Seen::Predicate(p) if p.id != 0))
}

/// Whether a field is what an instruction writes.
pub(super) fn is_destination(field: &Field) -> bool {
    field.name.get(..3).is_some_and(|n| n.eq_ignore_ascii_case("dst"))
}

/// What a packed immediate counts as.
pub(super) fn unpacked(ty: DataType) -> DataType {
    match ty {
        DataType::V => DataType::W,
        DataType::Uv => DataType::Uw,
        DataType::Vf => DataType::F,
        other => other,
    }
}

pub(super) fn is_integer(ty: DataType) -> bool {
    !matches!(ty, DataType::F | DataType::Df | DataType::Hf | DataType::Bf | DataType::Vf | DataType::Bool)
}
