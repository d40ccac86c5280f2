//! Rules of its page that an instruction violates, from the model alone. The codes are those of the
//! validator.

use std::collections::BTreeSet;

use visakit_codegen::anatomy::ColumnId;
use visakit_codegen::model::{
    Access, CellValue, Field, FieldKind, ListKind, Model, Reference, Saturation, SourceModifier, TypeId, targets,
};

use super::meaning::{BitsKind, bits, bits_of, counted_by, destination, exists_on, named, on};
use super::sample::{Kind, Operand, Sample, Value};
use super::world::{World, element, is_integer};
use visakit::isa::predefined;

/// Rules that a page states about one field or its types. No page states the validator's other
/// rules, about several operands and declarations, so they are not compared here.
pub(crate) const OF_PAGES: [&str; 10] =
    ["platform", "value", "zero", "range", "mask", "class", "type", "type-map", "modifier", "saturation"];

/// Row of verification.md with the instructions that enforce their type maps.
const STRICT: &str = "strict-map";

/// Returns the rules that an instruction violates. `platform` is a position in the model; `None`
/// means independent of platforms.
pub(crate) fn broken(world: &World<'_>, sample: &Sample<'_>, platform: Option<usize>) -> BTreeSet<&'static str> {
    let mut check = Check { world, sample, platform, dst: None, src: Vec::new(), out: BTreeSet::new() };
    if !exists_on(sample.page, platform) {
        check.out.insert("platform");
    }
    for (position, field) in sample.form.fields.iter().enumerate() {
        if let Some(counted) = counted_by(sample.form, position) {
            check.number(field, sample.elements(counted).len() as i64);
        } else if sample.present(world.model, position) {
            for value in sample.elements(position) {
                check.field(field, value);
            }
        }
    }
    check.type_maps();
    check.out
}

/// Returns true if a predicate guards an instruction on predicates. The text has no syntax for it,
/// so the assembler drops it.
pub(crate) fn is_guarded(world: &World<'_>, sample: &Sample<'_>) -> bool {
    let operands = sample.values.iter().filter_map(|v| match v {
        Value::Operand(operand) => Some(operand),
        _ => None,
    });
    let guard = sample.form.fields.iter().position(|f| f.shape == FieldKind::Predicate);
    guard.is_some_and(|at| sample.values[at].bits() != 0)
        && operands.into_iter().any(|o| world.operands.kind(o) == Kind::Predicate)
}

struct Check<'a, 'm> {
    world: &'a World<'m>,
    sample: &'a Sample<'m>,
    platform: Option<usize>,
    dst: Option<TypeId>,
    src: Vec<TypeId>,
    out: BTreeSet<&'static str>,
}

impl<'m> Check<'_, 'm> {
    fn model(&self) -> &'m Model {
        self.world.model
    }

    fn field(&mut self, field: &Field, value: &Value) {
        match (field.shape, value) {
            (FieldKind::Number | FieldKind::IndexBy(_), value) => self.number(field, value.bits() as i64),
            (FieldKind::List(id), value) => {
                if field.nonzero && value.bits() == 0 {
                    self.out.insert("zero");
                }
                self.list(field, id, value.bits());
            }
            (FieldKind::Vector | FieldKind::Scalar, Value::Operand(operand)) => self.vector(field, operand),
            (FieldKind::Raw, Value::Operand(operand)) => self.raw(field, operand),
            _ => {}
        }
    }

    fn number(&mut self, field: &Field, value: i64) {
        if field.range.is_some_and(|(low, high)| value < low || value > high) {
            self.out.insert("range");
        }
        if field.nonzero && value == 0 {
            self.out.insert("zero");
        }
    }

    fn list(&mut self, field: &Field, id: visakit_codegen::model::ListId, whole: u64) {
        let all = bits(self.model(), id);
        for b in &all {
            let BitsKind::Values(values) = b.what else { continue };
            let Some(value) = named(values, b.of(whole)) else { continue };
            if !on(&value.marks, self.platform) {
                self.out.insert("value");
            }
            for only in field.only.iter().filter(|only| only.is_of(b.position())) {
                let legal = |r: &Reference<u64>, marks| r.to == Some(value.value) && on(marks, self.platform);
                if !only.values.iter().any(|(r, marks)| legal(r, marks)) {
                    self.out.insert("value");
                }
            }
        }
        // *Enabled channels* in chapter 5: the first channel is a multiple of the channel count,
        // and the last channel is below 32.
        let sizes = &self.world.anatomy.exec_size;
        if sizes.list == id {
            let number = |column: ColumnId| {
                all.iter().find_map(|b| match b.said(whole, column)? {
                    CellValue::Number(number) => Some(*number),
                    _ => None,
                })
            };
            let (first, size) = (number(sizes.first_channel).unwrap_or(0), number(sizes.channels).unwrap_or(1));
            if first % size != 0 || first + size > 32 {
                self.out.insert("mask");
            }
        }
    }

    fn vector(&mut self, field: &Field, operand: &Operand) {
        let operands = &self.world.operands;
        let kind = operands.kind(operand);
        if !operands.class(operand).map_or(field.classes.is_empty(), |class| operands.takes(field, class)) {
            self.out.insert("class");
        }
        let form = self.sample.form;
        let is_dst = destination(form).is_some_and(|at| std::ptr::eq(&form.fields[at], field));
        let ty = self.world.operand_type(operand);
        if let Some(ty) = ty {
            self.data_type(field, ty);
            match is_dst {
                true => self.dst = Some(ty),
                // An additional output, such as a carry, is not a source.
                false if field.types.is_empty() && field.access == Access::Read => self.src.push(ty),
                false => {}
            }
        }
        let (modifier, codes) = (operands.modifier(operand), &self.world.anatomy.modifier);
        let page = self.sample.page;
        if modifier != codes.none && !matches!(kind, Kind::General | Kind::Indirect) {
            // Chapter 5: only operands in variables have modifiers.
            self.out.insert("modifier");
        } else if is_dst {
            let float = ty.is_some_and(|t| !is_integer(self.model(), t));
            let saturates = page.saturation == Saturation::Yes || page.saturation == Saturation::Floats && float;
            if modifier != codes.none && !(modifier == codes.sat && saturates) {
                self.out.insert("saturation");
            }
        } else {
            let legal: &[u64] = match page.source_modifier {
                SourceModifier::None => &[],
                SourceModifier::Arithmetic => &[codes.abs, codes.negate, codes.negate_abs],
                SourceModifier::Logic => &[codes.not],
            };
            if modifier != codes.none && !legal.contains(&modifier) {
                self.out.insert("modifier");
            }
        }
        if is_dst && kind == Kind::General && !self.may_be_written(operand) {
            self.out.insert("region");
        }
    }

    /// Returns true if a destination can have the operand's horizontal stride.
    fn may_be_written(&self, operand: &Operand) -> bool {
        let a = self.world.anatomy;
        let region = self.world.operands.get(operand, a.general.region);
        let stride = bits_of(self.model(), a.region.horizontal_stride);
        stride.is_some_and(|stride| stride.said(region, a.region.destination) == Some(&CellValue::Flag(true)))
    }

    /// Checks types against the field's list, or the page's list if the field has none. A type
    /// stands for both signs, a packed type for its element type, and only predicates are booleans.
    fn data_type(&mut self, field: &Field, ty: TypeId) {
        if !field.types.is_empty() {
            let bits = |t| self.world.ty(t).bits;
            let same = |t| t == ty || bits(t) == bits(ty) && [t, ty].iter().all(|t| is_integer(self.model(), *t));
            if !targets(&field.types).any(same) {
                self.out.insert("type");
            }
            return;
        }
        let page = &self.sample.page.types;
        let boolean = self.world.anatomy.types.boolean;
        let known = |ty| page.iter().any(|(t, marks)| t.to == Some(ty) && on(marks, self.platform));
        if !page.is_empty() && !known(ty) && !known(element(self.model(), ty)) && ty != boolean {
            self.out.insert("type");
        }
    }

    /// Checks the element width of a raw operand, which its types determine.
    fn raw(&mut self, field: &Field, operand: &Operand) {
        let id = self.world.operands.get(operand, self.world.anatomy.raw.id);
        let bits = |ty| self.world.ty(ty).bits;
        let Some(ty) = self.world.type_of(id).filter(|_| id >= u64::from(predefined::DECLARED)) else { return };
        if !field.types.is_empty() && !targets(&field.types).any(|t| bits(t) == bits(ty)) {
            self.out.insert("type");
        }
    }

    fn type_maps(&mut self) {
        let maps = &self.sample.page.type_maps;
        let (Some(dst), false) = (self.dst, maps.is_empty()) else { return };
        // Instructions that enforce their maps accept no packed constants as integers.
        let model = self.model();
        let has_rule = |r: &&visakit_codegen::model::Rule| model.covers(&r.instructions, self.sample.page);
        let exact = model.rules.iter().filter(has_rule).any(|r| r.name == STRICT);
        let fits = |s: TypeId, t: TypeId| t == s || !exact && t == element(model, s);
        let legal = maps.iter().any(|map| {
            on(&map.marks, self.platform)
                && targets(&map.dst).any(|t| t == dst)
                && self.src.iter().all(|s| targets(&map.src).any(|t| fits(*s, t)))
        });
        if !legal {
            self.out.insert("type-map");
        }
    }
}

/// Returns true if any value of a list is restricted to some platforms.
pub(crate) fn marked(model: &Model, id: visakit_codegen::model::ListId) -> bool {
    let any = |values: &[visakit_codegen::model::Enumerator]| values.iter().any(|v| !v.marks.0.is_empty());
    match &model.list(id).kind {
        ListKind::Enumeration { values, .. } => any(values),
        ListKind::Parts(_) => {
            bits(model, id).iter().any(|b| matches!(b.what, BitsKind::Values(values) if any(values)))
        }
    }
}
