//! Rules across the fields of an instruction: evaluation of the rows of verification.md.

use super::types::{data_type, guarded, is_integer};
use super::{Check, Seen, Severity};
use crate::isa::{DataType, Modifier, Operand, RuleBuiltin, predefined};
use crate::rt::reflect::{Field, Form, FormConstraint};
use crate::rt::{Facts, evaluate};

impl Check<'_> {
    /// Checks the rows that apply to the instruction.
    pub(super) fn across(&mut self, form: &'static Form, seen: &[(&'static Field, Seen)]) {
        for FormConstraint { row, when, must } in form.constraints {
            let on = |p| row.platforms.iter().any(|range| range.contains(p));
            let facts = Instruction { check: self, form, seen };
            let holds = (row.platforms.is_empty() || self.platform.is_some_and(on))
                && (when.is_empty() || evaluate(when, &facts).is_some_and(|n| n != 0));
            if holds && evaluate(must, &facts) == Some(0) {
                let severity = if row.warning { Severity::Warning } else { Severity::Error };
                self.push_at(row.finding, severity, row.origin.to_owned(), row.message.to_owned());
            }
        }
    }
}

/// Facts of an instruction for its conditions.
struct Instruction<'a> {
    check: &'a Check<'a>,
    form: &'static Form,
    seen: &'a [(&'static Field, Seen)],
}

impl Instruction<'_> {
    fn seen(&self, position: usize) -> Option<&Seen> {
        let field = self.form.fields.get(position)?;
        self.seen.iter().find(|(f, _)| std::ptr::eq(*f, field)).map(|(_, seen)| seen)
    }

    /// Returns the type of an operand. A raw operand on a predefined variable has none.
    fn data_type(&self, seen: &Seen) -> Option<DataType> {
        let routine = self.check.routine;
        match seen {
            Seen::Vector(v) => data_type(&v.operand, routine),
            Seen::Raw(raw) => (raw.id.0 >= predefined::DECLARED).then(|| routine.data_type(raw.id)).flatten(),
            _ => None,
        }
    }

    /// Returns the number of registers that an operand's variable fills; `None` for `%null`.
    fn registers(&self, seen: &Seen) -> Option<i64> {
        let id = match seen {
            Seen::Raw(raw) => raw.id,
            Seen::Vector(v) => match &v.operand {
                Operand::General(general) => general.id,
                _ => return None,
            },
            _ => return None,
        };
        let register = u64::from(self.check.platform?.register_bytes());
        let bytes = self.check.variables.whole_bytes(id.0).filter(|_| id != predefined::NULL)?;
        i64::try_from(bytes.div_ceil(register)).ok()
    }
}

impl Facts for Instruction<'_> {
    fn field(&self, position: usize) -> Option<i64> {
        let Some(seen) = self.seen(position) else {
            // An absent text-only field has its default.
            return self.form.fields.get(position).filter(|f| f.is_text_only()).map(|_| 0);
        };
        match seen {
            Seen::Number(number) => Some(*number),
            Seen::Bits(bits) => i64::try_from(*bits).ok(),
            Seen::Index(index) => Some(i64::from(*index)),
            Seen::Predicate(_) | Seen::Vector(_) | Seen::Raw(_) => None,
        }
    }

    fn operand(&self, builtin: RuleBuiltin, position: usize) -> Option<i64> {
        let seen = self.seen(position)?;
        let vector = match seen {
            Seen::Vector(v) => Some(&v.operand),
            _ => None,
        };
        let constant = match vector {
            Some(Operand::Immediate(constant)) => Some(constant),
            _ => None,
        };
        match builtin {
            RuleBuiltin::Type => self.data_type(seen).map(|t| t.code().into()),
            RuleBuiltin::BytesOf => self.data_type(seen).map(|t| i64::from(t.bits() / 8)),
            RuleBuiltin::IsInteger => self.data_type(seen).map(|t| is_integer(t).into()),
            RuleBuiltin::IsModified => match seen {
                Seen::Vector(v) => Some((v.modifier != Modifier::None).into()),
                _ => None,
            },
            RuleBuiltin::IsNull => Some(i64::from(match (seen, vector) {
                (Seen::Raw(raw), _) => raw.id == predefined::NULL,
                (_, Some(Operand::General(general))) => general.id == predefined::NULL,
                _ => false,
            })),
            RuleBuiltin::IsState => Some(matches!(vector, Some(Operand::State(_))).into()),
            RuleBuiltin::IsVariable => {
                Some(matches!(vector, Some(Operand::General(_) | Operand::Indirect(_))).into())
            }
            RuleBuiltin::IsConstant => Some(constant.is_some().into()),
            RuleBuiltin::Constant => constant.map(|c| c.low.into()),
            RuleBuiltin::Registers => self.registers(seen),
            // These built-ins do not apply to an operand.
            RuleBuiltin::ExecSize
            | RuleBuiltin::GrfBytes
            | RuleBuiltin::NoMask
            | RuleBuiltin::Guarded
            | RuleBuiltin::OneOf
            | RuleBuiltin::Includes
            | RuleBuiltin::Bits
            | RuleBuiltin::Max
            | RuleBuiltin::Popcount => None,
        }
    }

    fn builtin(&self, builtin: RuleBuiltin, stack: &mut Vec<Option<i64>>) -> Option<i64> {
        let check = self.check;
        match builtin {
            RuleBuiltin::ExecSize => i64::try_from(check.channels()).ok(),
            RuleBuiltin::GrfBytes => check.platform.map(|p| p.register_bytes().into()),
            RuleBuiltin::NoMask => Some(check.no_mask().into()),
            RuleBuiltin::Guarded => Some(guarded(self.seen).into()),
            RuleBuiltin::Max => {
                let (b, a) = (stack.pop().flatten(), stack.pop().flatten());
                Some(a?.max(b?))
            }
            RuleBuiltin::Popcount => stack.pop().flatten().map(|n| n.count_ones().into()),
            // Conditions encode these built-ins as separate operations.
            RuleBuiltin::OneOf | RuleBuiltin::Includes | RuleBuiltin::Bits => None,
            // These built-ins apply to an operand.
            RuleBuiltin::Type
            | RuleBuiltin::BytesOf
            | RuleBuiltin::IsInteger
            | RuleBuiltin::IsModified
            | RuleBuiltin::IsNull
            | RuleBuiltin::IsState
            | RuleBuiltin::IsVariable
            | RuleBuiltin::IsConstant
            | RuleBuiltin::Constant
            | RuleBuiltin::Registers => None,
        }
    }
}
