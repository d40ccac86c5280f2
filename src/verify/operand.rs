//! Rules of single operands: class, type, modifier, and writes.

use super::Report;
use super::types::{data_type, is_integer, unpacked};
use crate::isa::{DataType, DataTypeClass, Modifier, Operand, PageCheck, RawOperand, VecOperand, predefined};
use crate::rt::reflect::{Field, Saturation, SourceModifier};

impl Report<'_> {
    pub(super) fn vector(&mut self, field: &'static Field, operand: &VecOperand) {
        let class = operand.operand.class().name();
        let unusual = matches!(operand.operand, Operand::Predicate(_) | Operand::Address(_) | Operand::State(_));
        if field.classes.is_empty() && unusual {
            let message = format!("{} is of class {class}, which this instruction does not accept", field.name);
            self.violated(PageCheck::Class, field.line, message);
        }
        if !field.classes.is_empty() && !field.classes.contains(&class) {
            let legal = field.classes.join(", ");
            let message = format!("{} is of class {class}; legal classes are {legal}", field.name);
            self.violated(PageCheck::Class, field.line, message);
        }
        let ty = data_type(&operand.operand, self.routine);
        if let Some(ty) = ty {
            self.data_type(field, ty);
        }
        if let Operand::Immediate(constant) = &operand.operand
            && (!constant.type_.operand() || constant.type_.class() == DataTypeClass::Boolean)
        {
            let ty = constant.type_.name();
            let message = format!("{} is a constant of type {ty}, but this type has no constants", field.name);
            self.violated(PageCheck::ConstantType, field.line, message);
        }
        if let Operand::Indirect(indirect) = &operand.operand
            && !indirect.bit_properties.type_.variable()
        {
            let ty = indirect.bit_properties.type_.name();
            let message = format!("{} has type {ty}, but an indirect operand has a type of variables", field.name);
            self.violated(PageCheck::IndirectType, field.line, message);
        }
        let is_dst = self.destination == self.it;
        self.modifier(field, operand, is_dst, ty);
        if is_dst {
            self.written(field, &operand.operand);
        }
        self.region(field, &operand.operand, is_dst);
    }

    pub(super) fn raw(&mut self, field: &'static Field, operand: &RawOperand) {
        self.raw_place(field, operand);
        if operand.id == predefined::NULL && operand.offset != 0 {
            let message =
                format!("{} is %null with offset {}; the offset of %null must be 0", field.name, operand.offset);
            self.violated(PageCheck::RawStart, field.line, message);
        }
        let Some(ty) = self.routine.data_type(operand.id).filter(|_| operand.id.0 >= predefined::DECLARED) else {
            return;
        };
        // Only the width of a raw operand's type counts; its sign does not matter to a message.
        let fits = |legal: &DataType| legal.bits() == ty.bits();
        if !field.types.is_empty() && !field.types.iter().any(fits) {
            let legal: Vec<_> = field.types.iter().map(|t| t.name()).collect();
            let message = format!(
                "{} has type {}; its elements must be as wide as {}",
                field.name,
                ty.name(),
                legal.join(", ")
            );
            self.violated(PageCheck::RawType, field.line, message);
        }
    }

    fn data_type(&mut self, field: &'static Field, ty: DataType) {
        if !field.types.is_empty() {
            // Constants of another integer type of the same width are equivalent.
            let same = |t: &DataType| t.bits() == ty.bits() && is_integer(*t) && is_integer(ty);
            if !field.types.contains(&ty) && !field.types.iter().any(same) {
                let legal: Vec<_> = field.types.iter().map(|t| t.name()).collect();
                let message = format!("{} has type {}; legal types are {}", field.name, ty.name(), legal.join(", "));
                self.violated(PageCheck::FieldType, field.line, message);
            }
            return;
        }
        let known = self.is_listed(ty) || self.is_listed(unpacked(ty)) || ty == DataType::Bool;
        if !self.page.types.is_empty() && !known {
            let message = format!("{} has type {}, which the instruction does not support", field.name, ty.name());
            self.violated(PageCheck::PageType, self.page.line, message);
        }
    }

    fn modifier(&mut self, field: &'static Field, operand: &VecOperand, is_dst: bool, ty: Option<DataType>) {
        let modifier = operand.modifier;
        if modifier == Modifier::None {
            return;
        }
        let (name, line) = (modifier.name(), self.page.line);
        if !matches!(operand.operand, Operand::General(_) | Operand::Indirect(_)) {
            let message = format!("{} has modifier {name}, but is not a variable", field.name);
            return self.violated(PageCheck::ModifiedVariable, line, message);
        }
        let (check, is_legal) = match is_dst {
            true => {
                let saturates = match self.page.saturation {
                    Saturation::Yes => true,
                    Saturation::Floats => ty.is_some_and(|t| !is_integer(t)),
                    Saturation::No => false,
                };
                (PageCheck::Saturation, modifier == Modifier::Sat && saturates)
            }
            false => (PageCheck::SourceModifier, allows(self.page.source_modifier, modifier)),
        };
        if !is_legal {
            let message = format!("{} has modifier {name}, which the instruction does not support", field.name);
            self.violated(check, line, message);
        }
    }

    /// Checks that a destination is not a read-only predefined variable.
    fn written(&mut self, field: &'static Field, operand: &Operand) {
        if let Operand::General(g) = operand
            && g.id.0 < predefined::DECLARED
            && !self.variables.is_writable(g)
        {
            let name = predefined::ALL.iter().find(|p| p.id == g.id.0).map_or("a predefined variable", |p| p.name);
            self.violated(PageCheck::Writable, field.line, format!("{} is {name}, which is read-only", field.name));
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
