//! Evaluation of the conditions of verification.md: rows that an instruction must satisfy, and
//! violations that the vendor's assembler accepts.

use super::types::{data_type, is_integer, single};
use super::{Report, Seen, Severity, Verifier};
use crate::isa::{DataType, Modifier, Operand, PageCheck, Platform, RuleBuiltin, predefined};
use crate::rt::reflect::{EachOperand, FormConstraint, Platforms, Verdict};
use crate::rt::{Facts, Op, Role, Stack, evaluate};

impl Report<'_> {
    /// Checks the rows of conditions that apply to the instruction.
    pub(super) fn conditions(&mut self) {
        for constraint in self.form.constraints {
            let Some(it) = self.verifier.broken(constraint) else { continue };
            let row = constraint.row;
            let severity = if row.warning { Severity::Warning } else { Severity::Error };
            let message = match it.and_then(|at| self.seen.get(at)) {
                None => row.message.to_owned(),
                Some((field, value)) => {
                    let ty = self.verifier.data_type(*value).map_or("no type", DataType::name);
                    row.message.replace("{it}", field.name).replace("{type}", ty)
                }
            };
            self.push(row.finding, severity, row.origin.to_owned(), &message);
        }
    }
}

impl<'a> Verifier<'a> {
    /// Returns `Some` if the instruction violates a row: with the operand, if the row concerns
    /// operands.
    fn broken(&self, constraint: &FormConstraint) -> Option<Option<usize>> {
        let FormConstraint { row, when, must } = constraint;
        if !self.is_on(row.platforms) {
            return None;
        }
        let applies =
            |it| when.is_empty() || evaluate(when, &Instruction { verifier: self, it }).is_some_and(|n| n != 0);
        let breaks = |it| evaluate(must, &Instruction { verifier: self, it }) == Some(0);
        // A condition that does not depend on the operand is evaluated once for all operands.
        let is_common = !when.iter().any(|op| matches!(op, Op::It(_)));
        if is_common && !applies(None) {
            return None;
        }
        if row.each.is_empty() {
            return breaks(None).then_some(None);
        }
        let mut operands = (0..self.seen.len()).filter(|at| row.each.iter().any(|each| self.is_each(*each, *at)));
        operands.find(|at| (is_common || applies(Some(*at))) && breaks(Some(*at))).map(Some)
    }

    /// Returns the severity of a violation that the vendor's assembler accepts, for a check of the
    /// instruction or of one of its fields.
    pub(super) fn accepted(&self, check: PageCheck, it: Option<usize>) -> Option<Verdict> {
        let rows = self.page.accepted.iter().filter(|row| row.check == check && self.is_on(row.platforms));
        let concerned = |each: &[EachOperand]| {
            each.is_empty() || it.is_some_and(|at| each.iter().any(|each| self.is_each(*each, at)))
        };
        let facts = Instruction { verifier: self, it };
        let holds = |when: &'static [Op]| when.is_empty() || evaluate(when, &facts).is_some_and(|n| n != 0);
        rows.into_iter().find(|row| concerned(row.each) && holds(row.when)).map(|row| row.verdict)
    }

    /// Returns true if a row applies on the platform.
    fn is_on(&self, platforms: &[Platforms]) -> bool {
        platforms.is_empty() || self.platform.is_some_and(|p| platforms.iter().any(|range| range.contains(p)))
    }

    /// Returns true if a row concerns the field at a position.
    fn is_each(&self, each: EachOperand, at: usize) -> bool {
        let Some((field, Seen::Vector(_))) = self.seen.get(at) else { return false };
        match each {
            EachOperand::Destination => self.destination == Some(at),
            EachOperand::Source => field.role == Some(Role::Read) && field.types.is_empty(),
            EachOperand::Operand => true,
        }
    }

    /// Returns the positions of the operands that a row concerns.
    pub(super) fn each(&self, each: EachOperand) -> impl Iterator<Item = usize> {
        (0..self.seen.len()).filter(move |at| self.is_each(each, *at))
    }

    /// Returns the type of an operand. A raw operand on a predefined variable has none.
    pub(super) fn data_type(&self, seen: Seen<'_>) -> Option<DataType> {
        match seen {
            Seen::Vector(v) => data_type(&v.operand, self.routine),
            Seen::Raw(raw) => (raw.id.0 >= predefined::DECLARED).then(|| self.routine.data_type(raw.id)).flatten(),
            _ => None,
        }
    }

    /// Returns the number of registers that an operand's variable fills; `None` for `%null`.
    fn registers(&self, seen: Seen<'_>) -> Option<i64> {
        let id = match seen {
            Seen::Raw(raw) => raw.id,
            Seen::Vector(v) => match &v.operand {
                Operand::General(general) => general.id,
                _ => return None,
            },
            _ => return None,
        };
        let register = u64::from(self.platform?.register_bytes());
        let bytes = self.variables.whole_bytes(id.0).filter(|_| id != predefined::NULL)?;
        i64::try_from(bytes.div_ceil(register)).ok()
    }

    /// Returns the result of a built-in for an operand.
    fn operand(&self, builtin: RuleBuiltin, seen: Seen<'_>) -> Option<i64> {
        let vector = match seen {
            Seen::Vector(v) => Some(&v.operand),
            _ => None,
        };
        let constant = match vector {
            Some(Operand::Immediate(constant)) => Some(constant),
            _ => None,
        };
        let has = |modifier| match seen {
            Seen::Vector(v) => Some((v.modifier == modifier).into()),
            _ => None,
        };
        match builtin {
            RuleBuiltin::Type => self.data_type(seen).map(|t| t.code().into()),
            RuleBuiltin::Single => self.data_type(seen).map(|t| single(t).code().into()),
            RuleBuiltin::BytesOf => self.data_type(seen).map(|t| i64::from(t.bits() / 8)),
            RuleBuiltin::IsInteger => self.data_type(seen).map(|t| is_integer(t).into()),
            RuleBuiltin::IsPacked => self.data_type(seen).map(|t| t.element().is_some().into()),
            RuleBuiltin::IsTextOnly => self.data_type(seen).map(|t| t.object_type().is_some().into()),
            RuleBuiltin::Listed => self.data_type(seen).map(|t| self.is_listed(t).into()),
            RuleBuiltin::IsModified => has(Modifier::None).map(|none| 1 - none),
            RuleBuiltin::IsInverted => has(Modifier::Not),
            RuleBuiltin::IsSaturated => has(Modifier::Sat),
            RuleBuiltin::IsNull => Some(i64::from(match (seen, vector) {
                (Seen::Raw(raw), _) => raw.id == predefined::NULL,
                (_, Some(Operand::General(general))) => general.id == predefined::NULL,
                _ => false,
            })),
            RuleBuiltin::IsState => Some(matches!(vector, Some(Operand::State(_))).into()),
            RuleBuiltin::IsAddress => Some(matches!(vector, Some(Operand::Address(_))).into()),
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
            | RuleBuiltin::Popcount
            | RuleBuiltin::It
            | RuleBuiltin::Destination
            | RuleBuiltin::EverySource
            | RuleBuiltin::AnyOperand
            | RuleBuiltin::BeforeFirst
            | RuleBuiltin::PlatformsPast
            | RuleBuiltin::MappedUnpacked
            | RuleBuiltin::MappedElsewhere => None,
        }
    }

    /// Returns true if the platform is older than the first one that has the instruction.
    fn is_before_first(&self) -> bool {
        let first = self.page.platforms.iter().map(|range| range.from.map(Platform::age)).min().flatten();
        first.is_some_and(|first| self.platform.is_some_and(|p| p.age() < first))
    }

    /// Returns the number of platforms from the last one that has the instruction to this one.
    fn platforms_past(&self) -> Option<i64> {
        let end = self.page.platforms.iter().filter_map(|range| range.before.map(Platform::age)).max()?;
        i64::try_from((self.platform?.age() + 1).saturating_sub(end)).ok()
    }
}

/// Facts of an instruction for its conditions.
#[derive(Clone, Copy)]
struct Instruction<'a> {
    verifier: &'a Verifier<'a>,
    /// Position of the operand that the condition concerns.
    it: Option<usize>,
}

impl Instruction<'_> {
    fn seen(&self, position: usize) -> Option<Seen<'_>> {
        let field = self.verifier.form.fields.get(position)?;
        let seen = self.verifier.seen;
        // Fields before this one may be absent or repeated; usually none is.
        let usual = seen.get(position).into_iter();
        usual.chain(seen).find(|(f, _)| std::ptr::eq(*f, field)).map(|(_, seen)| *seen)
    }

    fn at(&self, builtin: RuleBuiltin, at: Option<usize>) -> Option<i64> {
        let (_, seen) = self.verifier.seen.get(at?)?;
        self.verifier.operand(builtin, *seen)
    }
}

impl Facts for Instruction<'_> {
    fn field(&self, position: usize) -> Option<i64> {
        let Some(seen) = self.seen(position) else {
            // An absent text-only field has its default.
            return self.verifier.form.fields.get(position).filter(|f| f.is_text_only()).map(|_| 0);
        };
        match seen {
            Seen::Number(number) => Some(number),
            Seen::Bits(bits) => i64::try_from(bits).ok(),
            Seen::Index(index) => Some(i64::from(index)),
            Seen::Predicate(_) | Seen::Vector(_) | Seen::Raw(_) => None,
        }
    }

    fn operand(&self, builtin: RuleBuiltin, position: usize) -> Option<i64> {
        self.verifier.operand(builtin, self.seen(position)?)
    }

    fn it(&self, builtin: RuleBuiltin) -> Option<i64> {
        self.at(builtin, self.it)
    }

    fn destination(&self, builtin: RuleBuiltin) -> Option<i64> {
        self.at(builtin, self.verifier.destination)
    }

    fn quantified(&self, builtin: RuleBuiltin, condition: &'static [Op]) -> Option<i64> {
        let holds = |at| evaluate(condition, &Instruction { it: Some(at), ..*self }).map(|n| n != 0);
        match builtin {
            RuleBuiltin::EverySource => {
                Some(self.verifier.each(EachOperand::Source).all(|at| holds(at) != Some(false)).into())
            }
            RuleBuiltin::AnyOperand => {
                Some(self.verifier.each(EachOperand::Operand).any(|at| holds(at) == Some(true)).into())
            }
            // The other built-ins test no condition.
            _ => None,
        }
    }

    fn builtin(&self, builtin: RuleBuiltin, stack: &mut Stack) -> Option<i64> {
        let verifier = self.verifier;
        match builtin {
            RuleBuiltin::ExecSize => i64::try_from(verifier.channels()).ok(),
            RuleBuiltin::GrfBytes => verifier.platform.map(|p| p.register_bytes().into()),
            RuleBuiltin::NoMask => Some(verifier.no_mask().into()),
            RuleBuiltin::Guarded => Some(verifier.is_guarded().into()),
            RuleBuiltin::BeforeFirst => Some(verifier.is_before_first().into()),
            RuleBuiltin::PlatformsPast => verifier.platforms_past(),
            RuleBuiltin::MappedUnpacked => Some(verifier.is_mapped(true, false).into()),
            RuleBuiltin::MappedElsewhere => Some(verifier.is_mapped(true, true).into()),
            RuleBuiltin::Max => {
                let (b, a) = (stack.pop(), stack.pop());
                Some(a?.max(b?))
            }
            RuleBuiltin::Popcount => stack.pop().map(|n| n.count_ones().into()),
            // Conditions encode the other built-ins as operations of their own.
            _ => None,
        }
    }
}
