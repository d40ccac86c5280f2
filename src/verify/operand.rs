//! Rules of single operands: class, type, modifier, region.

use super::{Check, allows, class};
use crate::isa::{DataType, GeneralId, Operand, RawOperand, Stride, VecOperand};
use crate::object::Routine;
use crate::rt::reflect::{Field, Saturation};
use crate::text::data_type as variable_type;

/// The type of an operand, where it has one of its own.
pub(super) fn data_type(operand: &Operand, routine: &Routine) -> Option<DataType> {
    match operand {
        Operand::General(g) => variable_type(routine, g.id),
        Operand::Indirect(i) => Some(i.bit_properties.type_),
        Operand::Immediate(c) => Some(c.type_),
        Operand::Predicate(_) => Some(DataType::Bool),
        Operand::Address(_) | Operand::State(_) => None,
    }
}

impl Check<'_> {
    pub(super) fn vector(&mut self, field: &'static Field, operand: &VecOperand, is_dst: bool) {
        let class = class(&operand.operand);
        if !field.classes.is_empty() && !field.classes.contains(&class) {
            let message = format!("{} is of class {class}, legal are {}", field.name, field.classes.join(", "));
            self.say("class", field.line, message);
        }
        let ty = data_type(&operand.operand, self.routine);
        if let Some(ty) = ty {
            self.data_type(field, ty);
        }
        self.modifier(field, operand, is_dst, ty);
        if let Operand::General(g) = &operand.operand
            && is_dst
            && g.region.horizontal_stride == Stride::N0
        {
            self.say("region", field.line, format!("{} has horizontal stride 0", field.name));
        }
    }

    pub(super) fn raw(&mut self, field: &'static Field, operand: &RawOperand) {
        if operand.id == GeneralId(0) {
            return;
        }
        if let Some(ty) = variable_type(self.routine, operand.id) {
            // The types of raw operands say how wide an element is: signs do not matter to a message.
            let width = |t: DataType| t.bits();
            if !field.types.is_empty() && !field.types.iter().any(|t| width(*t) == width(ty)) && ty.bits() > 32 {
                self.say("type", field.line, format!("{} has type {}", field.name, ty.name()));
            }
        }
    }

    fn data_type(&mut self, field: &'static Field, ty: DataType) {
        if !field.types.is_empty() && !field.types.contains(&ty) {
            let legal: Vec<_> = field.types.iter().map(|t| t.name()).collect();
            // Constants of another integer type of the same width mean the same.
            let same = field.types.iter().any(|t| t.bits() == ty.bits() && is_integer(*t) && is_integer(ty));
            if !same {
                let message = format!("{} has type {}, legal are {}", field.name, ty.name(), legal.join(", "));
                self.say("type", field.line, message);
            }
        }
        let known = |t: &DataType| self.page.types.iter().any(|(p, range)| p == t && self.applies(*range));
        let counted = super::unpacked(ty);
        if !self.page.types.is_empty()
            && field.types.is_empty()
            && !known(&ty)
            && !known(&counted)
            && ty != DataType::Bool
        {
            let line = self.page.line;
            self.say(
                "type",
                line,
                format!("{} has type {}, which the instruction does not support", field.name, ty.name()),
            );
        }
    }

    fn modifier(&mut self, field: &'static Field, operand: &VecOperand, is_dst: bool, ty: Option<DataType>) {
        let name = operand.modifier.name();
        if is_dst {
            let float = ty.is_some_and(|t| !is_integer(t));
            let legal = match (name, self.page.saturation) {
                ("none", _) | ("sat", Saturation::Yes) => true,
                ("sat", Saturation::Floats) => float,
                _ => false,
            };
            if !legal {
                self.say("saturation", self.page.line, format!("{} has modifier {name}", field.name));
            }
        } else if !allows(self.page.source_modifier, name) {
            self.say("modifier", self.page.line, format!("{} has modifier {name}", field.name));
        }
    }
}

fn is_integer(ty: DataType) -> bool {
    !matches!(ty, DataType::F | DataType::Df | DataType::Hf | DataType::Bf | DataType::Vf)
}
