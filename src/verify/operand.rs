//! Rules of single operands: class, type, modifier, and writes.

use super::types::{Family, data_type, is_integer, unpacked};
use super::{Check, Severity};
use crate::isa::{DataType, Modifier, Operand, RawOperand, Rule, VecOperand, predefined};
use crate::rt::reflect::{Field, Saturation, SourceModifier};

impl Check<'_> {
    pub(super) fn vector(&mut self, field: &'static Field, operand: &VecOperand) {
        let class = operand.operand.class().name();
        let is_dst = self.is_destination(field);
        let unusual = matches!(operand.operand, Operand::Predicate(_) | Operand::Address(_) | Operand::State(_));
        if field.classes.is_empty() && unusual {
            self.say(
                "class",
                field.line,
                format!("{} is of class {class}, which this instruction does not accept", field.name),
            );
        }
        if !field.classes.is_empty() && !field.classes.contains(&class) {
            let message =
                format!("{} is of class {class}; legal classes are {}", field.name, field.classes.join(", "));
            let taken = self.has(Rule::AddressOperand) && matches!(operand.operand, Operand::Address(_));
            self.push("class", if taken { Severity::Warning } else { Severity::Error }, field.line, message);
        }
        let ty = data_type(&operand.operand, self.routine);
        if let Some(ty) = ty {
            self.data_type(field, ty, is_dst);
        }
        if let Operand::Immediate(constant) = &operand.operand
            && matches!(constant.type_, DataType::Bf | DataType::Bool)
        {
            let message = format!(
                "{} is a constant of type {}, but this type has no constants",
                field.name,
                constant.type_.name()
            );
            self.say("constant", field.line, message);
        }
        self.modifier(field, operand, is_dst, ty);
        self.written(field, &operand.operand, is_dst);
        match self.family {
            // For messages only the syntax of a source region is checked, not its extent.
            Family::Port if !is_dst => self.spelled(field, &operand.operand),
            Family::Port => {}
            _ => self.region(field, &operand.operand, is_dst),
        }
    }

    pub(super) fn raw(&mut self, field: &'static Field, operand: &RawOperand) {
        self.raw_place(field, operand);
        if operand.id == predefined::NULL && operand.offset != 0 {
            self.say(
                "raw-place",
                field.line,
                format!("{} is %null with offset {}; the offset of %null must be 0", field.name, operand.offset),
            );
        }
        let Some(ty) = self.routine.data_type(operand.id).filter(|_| operand.id.0 >= predefined::DECLARED) else {
            return;
        };
        // Only the width of a raw operand's type counts; its sign does not matter to a message.
        let fits = |legal: &DataType| legal.bits() == ty.bits();
        if !field.types.is_empty() && !field.types.iter().any(fits) {
            self.warn("type", field.line, format!("{} has type {}", field.name, ty.name()));
        }
    }

    fn data_type(&mut self, field: &'static Field, ty: DataType, is_dst: bool) {
        if !field.types.is_empty() && !field.types.contains(&ty) {
            let legal: Vec<_> = field.types.iter().map(|t| t.name()).collect();
            // Constants of another integer type of the same width are equivalent.
            let same = field.types.iter().any(|t| t.bits() == ty.bits() && is_integer(*t) && is_integer(ty));
            if !same {
                let message = format!("{} has type {}; legal types are {}", field.name, ty.name(), legal.join(", "));
                // For most messages the vendor's assembler does not check these types.
                let severity = if self.has(Rule::FieldType) { Severity::Error } else { Severity::Warning };
                self.push("type", severity, field.line, message);
            }
        }
        let known = |t: &DataType| self.page.types.iter().any(|(p, range)| p == t && self.applies(*range));
        let unknown = !self.page.types.is_empty()
            && field.types.is_empty()
            && !known(&ty)
            && !known(&unpacked(ty))
            && ty != DataType::Bool;
        if unknown {
            let severity = match self.family {
                // Bytes cannot be rotated, and mixed floats need a platform that supports them.
                Family::Logic if self.has(Rule::ListedType) => Severity::Error,
                Family::Move | Family::Arithmetic if ty.object_type().is_some() => Severity::Error,
                Family::Move if ty == DataType::Bf => Severity::Error,
                Family::Logic if is_integer(ty) => Severity::Warning,
                // The type maps decide about types of sources.
                Family::Arithmetic if !is_dst && is_integer(ty) => Severity::Warning,
                Family::Arithmetic if self.has(Rule::AnyType) && ty != DataType::Bf => Severity::Warning,
                Family::Arithmetic if self.has(Rule::AnyInteger) && is_integer(ty) => Severity::Warning,
                Family::Arithmetic if !is_dst && ty == DataType::Hf && self.has(Rule::HalfSource) => {
                    Severity::Warning
                }
                Family::Arithmetic | Family::Logic => Severity::Error,
                _ => Severity::Warning,
            };
            let message = format!("{} has type {}, which the instruction does not support", field.name, ty.name());
            self.push("type", severity, self.page.line, message);
        }
    }

    fn modifier(&mut self, field: &'static Field, operand: &VecOperand, is_dst: bool, ty: Option<DataType>) {
        let modifier = operand.modifier;
        if modifier == Modifier::None {
            return;
        }
        let (name, line) = (modifier.name(), self.page.line);
        if !matches!(operand.operand, Operand::General(_) | Operand::Indirect(_)) {
            self.say("modifier", line, format!("{} has modifier {name}, but is not a variable", field.name));
            return;
        }
        if is_dst {
            let float = ty.is_some_and(|t| !is_integer(t));
            let legal = match self.page.saturation {
                Saturation::Yes => true,
                Saturation::Floats => float,
                Saturation::No => false,
            };
            let never =
                ty == Some(DataType::Df) && self.has(Rule::NoDoubleSaturation) || self.has(Rule::NoSaturation);
            if modifier == Modifier::Sat && never {
                self.say(
                    "saturated",
                    line,
                    format!("{} has modifier {name}, which the instruction does not support", field.name),
                );
            }
            if modifier != Modifier::Sat || !legal {
                self.push(
                    "saturation",
                    self.saturation_rule(),
                    line,
                    format!(
                        "{} has modifier \
                 {name}, which the instruction does not support",
                        field.name
                    ),
                );
            }
        } else if !allows(self.page.source_modifier, modifier) {
            let severity = match (self.family, modifier) {
                _ if self.has(Rule::StrictModifier) => Severity::Error,
                _ if self.has(Rule::FreeModifier) => Severity::Warning,
                (Family::Logic, Modifier::Not) => Severity::Warning,
                (_, Modifier::Not) => Severity::Error,
                (Family::Other | Family::Port, _) => Severity::Warning,
                (Family::Move, Modifier::Abs | Modifier::Negate | Modifier::NegateAbs)
                    if self.page.source_modifier == SourceModifier::None =>
                {
                    Severity::Warning
                }
                (Family::Arithmetic, Modifier::Abs | Modifier::Negate | Modifier::NegateAbs) => Severity::Warning,
                _ => Severity::Error,
            };
            self.push(
                "modifier",
                severity,
                line,
                format!(
                    "{} has modifier {name}, which the \
             instruction does not support",
                    field.name
                ),
            );
        }
    }

    /// Returns the severity of an illegal saturation. The vendor's assembler rejects it for some
    /// instructions only.
    fn saturation_rule(&self) -> Severity {
        match self.has(Rule::StrictSaturation) || self.family == Family::Logic {
            true => Severity::Error,
            false => Severity::Warning,
        }
    }

    /// Checks that a destination is not a constant or a read-only predefined variable.
    fn written(&mut self, field: &'static Field, operand: &Operand, is_dst: bool) {
        if !is_dst {
            return;
        }
        if let Operand::General(g) = operand
            && g.id.0 < predefined::DECLARED
            && !self.variables.is_writable(g)
        {
            let name = predefined::ALL.iter().find(|p| p.id == g.id.0).map_or("a predefined variable", |p| p.name);
            self.say("read-only", field.line, format!("{} is {name}, which is read-only", field.name));
        }
    }
}

/// Returns true if a page allows a modifier on sources.
fn allows(allowed: SourceModifier, modifier: Modifier) -> bool {
    match allowed {
        SourceModifier::None => false,
        SourceModifier::Arithmetic => matches!(modifier, Modifier::Abs | Modifier::Negate | Modifier::NegateAbs),
        SourceModifier::Logic => modifier == Modifier::Not,
    }
}
