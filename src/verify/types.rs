//! Rules of types across the operands of an instruction.

use super::{Check, Seen};
use crate::isa::{DataType, DataTypeClass, Operand, Rule};
use crate::object::Routine;
use crate::rt::Role;
use crate::rt::reflect::{Field, FieldKind, Page, TypeMap};

/// Family of an instruction, as far as its rules depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Arithmetic: the types of all operands must match.
    Arithmetic,
    /// Bitwise operations.
    Logic,
    /// Moves, selections and comparisons, which convert types.
    Move,
    /// Messages to the data port; their operands have special rules.
    Port,
    /// All other instructions.
    Other,
}

/// Returns the family of a page's instruction.
pub(super) fn family(page: &Page) -> Family {
    let kinds = [(Rule::Logic, Family::Logic), (Rule::Move, Family::Move), (Rule::DataPort, Family::Port)];
    match kinds.iter().find(|(rule, _)| page.rules.contains(rule)) {
        Some((_, family)) => *family,
        None if !page.types.is_empty() || !page.type_maps.is_empty() => Family::Arithmetic,
        None => Family::Other,
    }
}

impl Check<'_> {
    /// Returns true if a field is the destination: the first operand with a region that the
    /// instruction writes. The types of further destinations, such as the carry of an addition, are
    /// not checked.
    pub(super) fn is_destination(&self, field: &Field) -> bool {
        let has_region = |f: &&Field| matches!(f.shape, FieldKind::Vector | FieldKind::Scalar);
        let mut written = self.fields.iter().filter(has_region).filter(|f| f.role.is_some_and(Role::is_write));
        written.next().is_some_and(|first| std::ptr::eq(first, field))
    }

    /// Checks the types of the destination and the sources.
    pub(super) fn types(&mut self, seen: &[(&'static Field, Seen)]) {
        let mut dst = None;
        let mut src = Vec::new();
        let mut all = Vec::new();
        for (field, value) in seen {
            let Seen::Vector(operand) = value else { continue };
            let Some(ty) = data_type(&operand.operand, self.routine) else { continue };
            all.push(ty);
            match self.is_destination(field) {
                true => dst = dst.or(Some(ty)),
                // The types of further destinations are not checked.
                false if is_source(field) && field.types.is_empty() => src.push(ty),
                false => {}
            }
        }
        let Some(dst) = dst else { return };
        if self.family == Family::Logic && (dst == DataType::Bool || src.contains(&DataType::Bool)) {
            self.booleans(dst, &src, seen);
        }
        if self.family == Family::Logic {
            let number = |t: &DataType| !is_integer(*t) && *t != DataType::Bool;
            if let Some(ty) = all.iter().find(|t| number(t)) {
                let message =
                    format!("an operand has type {}, but the instruction works on the bits of integers", ty.name());
                self.say("source-type", self.page.line, message);
            }
        }
        if self.has(Rule::FloatSource) {
            let wrong = src.iter().find(|s| !matches!(s, DataType::F | DataType::Df | DataType::Vf));
            if let Some(ty) = wrong {
                self.say(
                    "source-type",
                    self.page.line,
                    format!("a source has type {}; legal types are f, df and vf", ty.name()),
                );
            }
        }
        self.sizes(dst, &src, &all);
        self.type_maps(dst, &src);
    }

    /// Checks the assembler's rules on types beyond the type maps.
    fn sizes(&mut self, dst: DataType, src: &[DataType], all: &[DataType]) {
        let without = self.has(Rule::NoFloat) && matches!(dst, DataType::F | DataType::Df)
            || self.has(Rule::NoInteger) && is_integer(dst);
        let double = self.has(Rule::NoDouble) || self.has(Rule::NeverDouble);
        if without || double && dst == DataType::Df || self.has(Rule::NeverHalf) && dst == DataType::Hf {
            let message = format!("this platform has no such instruction for type {}", dst.name());
            self.say("double", self.page.line, message);
        }
        if self.has(Rule::NoQuad)
            && let Some(ty) = all.iter().find(|t| t.bits() == 64)
        {
            let message = format!("an operand has type {}; legal types have at most 32 bits", ty.name());
            self.say("source-type", self.page.line, message);
        }
        if self.has(Rule::DwordOnly)
            && let Some(ty) = src.iter().chain([&dst]).find(|t| !matches!(t, DataType::Ud | DataType::Uv))
        {
            self.say(
                "source-type",
                self.page.line,
                format!("an operand has type {}; the only legal type is ud", ty.name()),
            );
        }
        if self.has(Rule::ExactType)
            && let Some(ty) = src.iter().find(|t| unpacked(**t) != **t)
        {
            self.say("source-type", self.page.line, format!("a source is a packed constant of type {}", ty.name()));
        }
        if self.family == Family::Arithmetic && src.contains(&DataType::Vf) && dst == DataType::Hf {
            let message = "a source of type vf counts as f, but the destination has type hf".to_owned();
            self.say("source-type", self.page.line, message);
        }
        let plain = |t: &DataType| matches!(t, DataType::Bf | DataType::F | DataType::Bool);
        let looked_at = if self.has(Rule::FreeDestination) { src } else { all };
        if all.contains(&DataType::Bf)
            && !self.page.type_maps.is_empty()
            && !self.has(Rule::Unchecked)
            && !self.has(Rule::StrictMap)
            && let Some(ty) = looked_at.iter().find(|t| !plain(t))
        {
            let message =
                format!("an operand has type {}, but another one has type bf; legal types are bf and f", ty.name());
            self.say("source-type", self.page.line, message);
        }
    }

    fn type_maps(&mut self, dst: DataType, src: &[DataType]) {
        if self.page.type_maps.is_empty() {
            return;
        }
        let fits = |map: &&TypeMap| {
            let exact = self.has(Rule::StrictMap);
            let legal = |s: &DataType| map.src.contains(s) || !exact && map.src.contains(&unpacked(*s));
            map.dst.contains(&dst) && src.iter().all(legal)
        };
        if self.page.type_maps.iter().any(|map| self.applies(map.platforms) && fits(&map)) {
            return;
        }
        // The type map may exist for other platforms only.
        let elsewhere = self.page.type_maps.iter().any(|map| fits(&map));
        let names: Vec<_> = src.iter().map(|t| t.name()).collect();
        let message =
            format!("the type map has no entry for destination {} with sources {}", dst.name(), names.join(", "));
        match self.family {
            // A logic instruction on integers of any size is well defined.
            Family::Logic if is_integer(dst) && src.iter().all(|s| is_integer(*s)) => {
                self.warn("type-map", self.page.line, message);
            }
            // Integers of any size are extended; only some instructions require exact types.
            Family::Arithmetic
                if is_integer(dst)
                    && src.iter().all(|s| is_integer(*s))
                    && !elsewhere
                    && !self.is_strict(dst, src) =>
            {
                self.warn("type-map", self.page.line, message);
            }
            // These instructions encode more types than any platform supports.
            Family::Arithmetic if self.has(Rule::AnyType) && src.iter().all(|s| single(*s) == single(dst)) => {
                self.warn("type-map", self.page.line, message);
            }
            Family::Arithmetic
                if self.has(Rule::HalfSource)
                    && dst == DataType::F
                    && src.iter().all(|s| single(*s) == DataType::F) =>
            {
                self.warn("type-map", self.page.line, message);
            }
            Family::Arithmetic | Family::Logic => self.say("type-map", self.page.line, message),
            Family::Move if self.has(Rule::StrictMap) => self.say("type-map", self.page.line, message),
            _ => self.warn("type-map", self.page.line, message),
        }
    }

    /// Returns true if an instruction accepts only the integer types on its page.
    fn is_strict(&self, dst: DataType, src: &[DataType]) -> bool {
        let known = |t: &DataType| self.page.types.iter().any(|(p, range)| p == t && self.applies(*range));
        if self.has(Rule::StrictMap) {
            return true;
        }
        let quads = self.has(Rule::NoQuadSource);
        if quads || self.has(Rule::ExactType) {
            return src.iter().any(|s| if quads { s.bits() == 64 && is_integer(*s) } else { !known(s) });
        }
        !self.has(Rule::AnyType) && !self.has(Rule::AnyInteger) && !known(&dst)
    }

    /// Checks a logic instruction on predicates: all its operands are predicates, and it has no
    /// predicate itself.
    fn booleans(&mut self, dst: DataType, src: &[DataType], seen: &[(&'static Field, Seen)]) {
        let line = self.page.line;
        if dst != DataType::Bool || src.iter().any(|s| *s != DataType::Bool) {
            self.say("boolean", line, "either all operands are predicates, or none is".to_owned());
        }
        if guarded(seen) {
            self.say("boolean", line, "an instruction whose operands are predicates cannot be predicated".to_owned());
        }
    }
}

/// Returns true if the instruction has a predicate.
pub(super) fn guarded(seen: &[(&'static Field, Seen)]) -> bool {
    seen.iter().any(|(_, value)| matches!(value, Seen::Predicate(p) if p.id != 0))
}

/// Returns true if the instruction reads the field.
fn is_source(field: &Field) -> bool {
    field.role == Some(Role::Read)
}

/// Returns the type with half precision replaced by single, since the two mix.
fn single(ty: DataType) -> DataType {
    if ty == DataType::Hf { DataType::F } else { unpacked(ty) }
}

/// Returns the element type of a packed immediate.
pub(super) fn unpacked(ty: DataType) -> DataType {
    match ty {
        DataType::V => DataType::W,
        DataType::Uv => DataType::Uw,
        DataType::Vf => DataType::F,
        other => other,
    }
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
