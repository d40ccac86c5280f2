//! Rules of its page that an instruction violates, from the model alone. The codes are those of the
//! validator.

use std::collections::BTreeSet;

use visakit_codegen::anatomy::ColumnId;
use visakit_codegen::model::{
    CellValue, Field, FieldKind, ListKind, Model, Reference, Saturation, SourceModifier, TypeId, Verdict, targets,
};

use super::condition::Subject;
use super::meaning::{BitsKind, bits, bits_of, counted_by, destination, exists_on, named, on};
use super::sample::{Kind, Operand, Sample, Value};
use super::world::{World, element, is_integer};
use visakit::isa::predefined;

/// Findings of the checks of verification.md. Rows of conditions and declarations have their own
/// probes.
pub(crate) const OF_PAGES: [&str; 15] = [
    "platform",
    "value",
    "zero",
    "range",
    "predicate",
    "mask",
    "class",
    "constant",
    "type",
    "type-map",
    "raw-place",
    "modifier",
    "saturation",
    "read-only",
    "region",
];

/// Finding of the validator: its code, and whether it is a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Broken {
    pub(crate) code: &'static str,
    pub(crate) warning: bool,
}

/// Returns the rules that an instruction violates. `platform` is a position in the model; `None`
/// means independent of platforms.
pub(crate) fn broken(world: &World<'_>, sample: &Sample<'_>, platform: Option<usize>) -> BTreeSet<Broken> {
    violations(world, sample, platform).0
}

/// Returns true if an operand of the instruction ends after its variable.
pub(crate) fn is_outside(world: &World<'_>, sample: &Sample<'_>, position: usize, platform: Option<usize>) -> bool {
    let subject = Subject::new(world, sample, platform);
    let check = Check { world, sample, platform, subject, out: BTreeSet::new(), checks: BTreeSet::new() };
    matches!(&sample.values[position], Value::Operand(operand) if check.is_outside(operand))
}

/// Returns the rules that an instruction violates, and the names of the violated checks, including
/// those that the assembler does not apply.
pub(crate) fn violations(
    world: &World<'_>,
    sample: &Sample<'_>,
    platform: Option<usize>,
) -> (BTreeSet<Broken>, BTreeSet<&'static str>) {
    let subject = Subject::new(world, sample, platform);
    let mut check = Check { world, sample, platform, subject, out: BTreeSet::new(), checks: BTreeSet::new() };
    if !exists_on(sample.page, platform) {
        check.violated("platform", "platform");
    }
    for (position, field) in sample.form.fields.iter().enumerate() {
        if let Some(counted) = counted_by(sample.form, position) {
            check.number(field, sample.elements(counted).len() as i64);
        } else if sample.present(world.model, position) {
            for value in sample.elements(position) {
                if let Value::Operand(operand) = value {
                    check.subject.it = Some((position, operand));
                }
                check.field(field, value);
                check.subject.it = None;
            }
        }
    }
    check.type_maps();
    (check.out, check.checks)
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

/// Checks of an instruction.
pub(super) struct Check<'a, 'm> {
    pub(super) world: &'a World<'m>,
    pub(super) sample: &'a Sample<'m>,
    pub(super) platform: Option<usize>,
    /// Instruction and operand for the conditions of what the assembler accepts.
    pub(super) subject: Subject<'a, 'm>,
    out: BTreeSet<Broken>,
    /// Names of the violated checks.
    checks: BTreeSet<&'static str>,
}

impl<'m> Check<'_, 'm> {
    /// Records a violation of a check, unless the assembler accepts it.
    pub(super) fn violated(&mut self, check: &'static str, code: &'static str) {
        self.checks.insert(check);
        match self.subject.accepted(check) {
            None => self.out.insert(Broken { code, warning: false }),
            Some(Verdict::Warning) => self.out.insert(Broken { code, warning: true }),
            Some(Verdict::Nothing) => false,
        };
    }

    fn model(&self) -> &'m Model {
        self.world.model
    }

    fn field(&mut self, field: &Field, value: &Value) {
        match (field.shape, value) {
            (FieldKind::Number | FieldKind::IndexBy(_), value) => self.number(field, value.bits() as i64),
            (FieldKind::List(id), value) => {
                if field.nonzero && value.bits() == 0 {
                    self.violated("nonzero", "zero");
                }
                self.list(field, id, value.bits());
            }
            (FieldKind::Vector | FieldKind::Scalar, Value::Operand(operand)) => self.vector(field, operand),
            (FieldKind::Raw, Value::Operand(operand)) => self.raw(field, operand),
            (FieldKind::Predicate, value) => self.declared_predicate(field, value.bits()),
            _ => {}
        }
    }

    fn number(&mut self, field: &Field, value: i64) {
        if field.range.is_some_and(|(low, high)| value < low || value > high) {
            self.violated("range", "range");
        }
        if field.nonzero && value == 0 {
            self.violated("nonzero", "zero");
        }
    }

    fn list(&mut self, field: &Field, id: visakit_codegen::model::ListId, whole: u64) {
        let all = bits(self.model(), id);
        for b in &all {
            let BitsKind::Values(values) = b.what else { continue };
            let Some(value) = named(values, b.of(whole)) else { continue };
            if !on(&value.marks, self.platform) {
                self.violated("listed-value", "value");
            }
            for only in field.only.iter().filter(|only| only.is_of(b.position())) {
                let legal = |r: &Reference<u64>, marks| r.to == Some(value.value) && on(marks, self.platform);
                if !only.values.iter().any(|(r, marks)| legal(r, marks)) {
                    self.violated("page-value", "value");
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
            if first + size > 32 {
                self.violated("last-channel", "mask");
            } else if first % size != 0 {
                self.violated("first-channel", "mask");
            }
        }
    }

    fn vector(&mut self, field: &Field, operand: &Operand) {
        let operands = &self.world.operands;
        let kind = operands.kind(operand);
        if !operands.class(operand).map_or(field.classes.is_empty(), |class| operands.takes(field, class)) {
            self.violated("class", "class");
        }
        let form = self.sample.form;
        let is_dst = destination(form).is_some_and(|at| std::ptr::eq(&form.fields[at], field));
        let ty = self.world.operand_type(operand);
        if let Some(ty) = ty {
            self.data_type(field, ty);
        }
        let (modifier, codes) = (operands.modifier(operand), &self.world.anatomy.modifier);
        let page = self.sample.page;
        if modifier != codes.none && !matches!(kind, Kind::General | Kind::Indirect) {
            // Chapter 5: only operands in variables have modifiers.
            self.violated("modified-variable", "modifier");
        } else if is_dst {
            let float = ty.is_some_and(|t| !is_integer(self.model(), t));
            let saturates = page.saturation == Saturation::Yes || page.saturation == Saturation::Floats && float;
            if modifier != codes.none && !(modifier == codes.sat && saturates) {
                self.violated("saturation", "saturation");
            }
        } else {
            let legal: &[u64] = match page.source_modifier {
                SourceModifier::None => &[],
                SourceModifier::Arithmetic => &[codes.abs, codes.negate, codes.negate_abs],
                SourceModifier::Logic => &[codes.not],
            };
            if modifier != codes.none && !legal.contains(&modifier) {
                self.violated("source-modifier", "modifier");
            }
        }
        self.constant_type(operand);
        self.indirect_type(operand);
        if is_dst {
            self.writable(operand);
        }
        match operands.region_of(operand) {
            Some(member) if is_dst => self.destination_stride(operands.get(operand, member)),
            Some(_) => self.source_region(operand),
            None => {}
        }
    }

    /// Checks the horizontal stride of a destination.
    fn destination_stride(&mut self, region: u64) {
        let a = self.world.anatomy;
        let stride = bits_of(self.model(), a.region.horizontal_stride);
        let said = |column| stride.as_ref().and_then(|stride| stride.said(region, column));
        if said(a.region.elements) == Some(&CellValue::Number(0)) {
            self.violated("zero-stride", "region");
        } else if said(a.region.destination) != Some(&CellValue::Flag(true)) {
            self.violated("destination-stride", "region");
        }
    }

    /// Checks types against the field's list, or the page's list if the field has none. A type
    /// stands for both signs, a packed type for its element type, and only predicates are booleans.
    fn data_type(&mut self, field: &Field, ty: TypeId) {
        if !field.types.is_empty() {
            let bits = |t| self.world.ty(t).bits;
            let same = |t| t == ty || bits(t) == bits(ty) && [t, ty].iter().all(|t| is_integer(self.model(), *t));
            if !targets(&field.types).any(same) {
                self.violated("field-type", "type");
            }
            return;
        }
        let page = &self.sample.page.types;
        let boolean = self.world.anatomy.types.boolean;
        let known = |ty| page.iter().any(|(t, marks)| t.to == Some(ty) && on(marks, self.platform));
        if !page.is_empty() && !known(ty) && !known(element(self.model(), ty)) && ty != boolean {
            self.violated("page-type", "type");
        }
    }

    /// Checks the element width of a raw operand, which its types determine, and its start.
    fn raw(&mut self, field: &Field, operand: &Operand) {
        self.raw_start(operand);
        let id = self.world.operands.get(operand, self.world.anatomy.raw.id);
        let bits = |ty| self.world.ty(ty).bits;
        let Some(ty) = self.world.type_of(id).filter(|_| id >= u64::from(predefined::DECLARED)) else { return };
        if !field.types.is_empty() && !targets(&field.types).any(|t| bits(t) == bits(ty)) {
            self.violated("raw-type", "type");
        }
    }

    fn type_maps(&mut self) {
        let has_type = |operand| self.world.operand_type(operand).is_some();
        let typed = self.subject.destination().is_some_and(|(_, dst)| has_type(dst));
        if typed && !self.sample.page.type_maps.is_empty() && !self.subject.is_mapped(false, false) {
            self.violated("type-map", "type-map");
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
