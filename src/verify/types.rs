//! Types of the operands of an instruction, compared with the type maps of its page.

use super::{Report, Verifier};
use crate::isa::{DataType, DataTypeClass, Operand, PageCheck};
use crate::object::Routine;
use crate::rt::reflect::EachOperand;

impl Report<'_> {
    /// Checks that a type map has the types of destination and sources.
    pub(super) fn type_maps(&mut self) {
        if self.page.type_maps.is_empty() || self.verifier.is_mapped(false, false) {
            return;
        }
        // An instruction whose destination has no type needs no map.
        let Some(dst) = self.destination_type() else { return };
        let names: Vec<_> = self.source_types().map(DataType::name).collect();
        let message =
            format!("the type map has no entry for destination {} with sources {}", dst.name(), names.join(", "));
        self.violated(PageCheck::TypeMap, self.page.line, message);
    }
}

impl Verifier<'_> {
    /// Returns the type of the destination.
    fn destination_type(&self) -> Option<DataType> {
        self.data_type(self.seen.get(self.destination?)?.1)
    }

    /// Returns the types of the sources that a type map decides about.
    fn source_types(&self) -> impl Iterator<Item = DataType> {
        self.each(EachOperand::Source).filter_map(|at| self.data_type(self.seen.get(at)?.1))
    }

    /// Returns true if a type map has the types of destination and sources: with `unpacked`, a
    /// packed constant may have the type of its elements; with `elsewhere`, on any platform.
    pub(super) fn is_mapped(&self, unpacked_too: bool, elsewhere: bool) -> bool {
        let Some(dst) = self.destination_type() else { return false };
        self.page.type_maps.iter().filter(|map| elsewhere || self.applies(map.platforms)).any(|map| {
            let legal = |s: &DataType| map.src.contains(s) || unpacked_too && map.src.contains(&unpacked(*s));
            map.dst.contains(&dst) && self.source_types().all(|s| legal(&s))
        })
    }

    /// Returns true if the page names a type for the platform.
    pub(super) fn is_listed(&self, ty: DataType) -> bool {
        self.page.types.iter().any(|(named, range)| *named == ty && self.applies(*range))
    }
}

/// Returns the type with half precision replaced by single, since the two mix.
pub(super) fn single(ty: DataType) -> DataType {
    if ty == DataType::Hf { DataType::F } else { unpacked(ty) }
}

/// Returns the element type of a packed type, and other types unchanged.
pub(super) fn unpacked(ty: DataType) -> DataType {
    ty.element().unwrap_or(ty)
}

pub(super) fn is_integer(ty: DataType) -> bool {
    matches!(ty.class(), DataTypeClass::Signed | DataTypeClass::Unsigned)
}

/// Returns the type of an operand, if it has one of its own.
pub(super) fn data_type(operand: &Operand, routine: &Routine) -> Option<DataType> {
    match operand {
        Operand::General(g) => routine.data_type(g.id),
        Operand::Indirect(i) => Some(i.bit_properties.type_),
        Operand::Immediate(c) => Some(c.type_),
        Operand::Predicate(_) => Some(DataType::Bool),
        Operand::Address(_) | Operand::State(_) => None,
    }
}
