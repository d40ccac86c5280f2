//! Instructions as values of the model's fields, and an independent encoder that uses the model
//! only.

use visakit_codegen::anatomy::{Anatomy, MemberId};
use visakit_codegen::model::{
    CellValue, Condition, Enumerator, Field, FieldKind, Form, IndexKind, Instruction, ListId, Member, Model,
    Presence, Structure, StructureId, targets,
};

use super::meaning::{Bits, BitsKind, bits, bits_at, bits_of, counted_by, named, put, storage, usual, usual_of_list};
use super::structure::{number_at, stored};
use visakit::rt::Version;

/// Instruction to encode.
#[derive(Clone, Debug)]
pub(crate) struct Sample<'m> {
    /// Page of the instruction.
    pub(crate) page: &'m Instruction,
    /// Layout of the instruction.
    pub(crate) form: &'m Form,
    /// Object version to encode for.
    pub(crate) version: Version,
    /// Value of each field, including fields that are not stored.
    pub(crate) values: Vec<Value>,
}

/// Value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// Number, index or bits of a list; negative numbers are sign-extended.
    Bits(u64),
    /// Operand.
    Operand(Operand),
    /// Elements of a repeated field.
    Many(Vec<Value>),
}

impl Value {
    pub(crate) fn bits(&self) -> u64 {
        if let Self::Bits(bits) = self { *bits } else { 0 }
    }
}

/// Operand: its tag and the members of its class's structure. A raw operand has no tag.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operand {
    /// Tag as stored.
    pub(crate) tag: Option<u64>,
    /// Members of the structure.
    pub(crate) members: Vec<u64>,
}

/// Kind of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    General,
    Address,
    Predicate,
    Indirect,
    Immediate,
    State,
    Raw,
    /// Class without a name in the grammar.
    Other,
}

/// Operand class with a structure.
pub(crate) struct Class<'m> {
    pub(crate) kind: Kind,
    /// Value of the class in a tag.
    code: u64,
    /// Name on the pages, in lower case.
    pub(crate) name: String,
    pub(crate) id: StructureId,
    pub(crate) structure: &'m Structure,
}

impl Class<'_> {
    /// Returns true if a field explicitly accepts the class.
    pub(crate) fn is_named(&self, field: &Field) -> bool {
        targets(&field.classes).any(|id| id == self.id)
    }
}

/// Storage of operands.
pub(crate) struct Operands<'m> {
    pub(crate) model: &'m Model,
    pub(crate) anatomy: &'m Anatomy,
    tag_storage: &'m Member,
    pub(crate) tag: ListId,
    class: Bits<'m>,
    pub(crate) modifier: Option<Bits<'m>>,
    pub(crate) classes: Vec<Class<'m>>,
    pub(crate) raw: &'m Structure,
}

impl<'m> Operands<'m> {
    /// Returns the operands of a model; `None` if its chapters do not define them.
    pub(crate) fn new(model: &'m Model) -> Option<Self> {
        let anatomy = model.anatomy.as_ref()?;
        let raw = model.structure(anatomy.raw.structure)?;
        let tag_storage = model.member(anatomy.vector.tag)?;
        let FieldKind::List(tag) = tag_storage.shape else { return None };
        let class = bits_of(model, model.class_part?)?;
        let all = bits(model, tag);
        let modifier = all.iter().find(|b| b.values == Some(anatomy.modifier.list)).cloned();
        let kind = |id| match id {
            id if id == anatomy.general.structure => Kind::General,
            id if id == anatomy.address.structure => Kind::Address,
            id if id == anatomy.predicate_operand.structure => Kind::Predicate,
            id if id == anatomy.indirect.structure => Kind::Indirect,
            id if id == anatomy.immediate.structure => Kind::Immediate,
            id if id == anatomy.state.structure => Kind::State,
            _ => Kind::Other,
        };
        let classes = (0..).map(StructureId).zip(&model.structures).filter_map(|(id, structure)| {
            let class = structure.class.as_ref()?;
            Some(Class { kind: kind(id), code: class.to?, name: class.name.to_ascii_lowercase(), id, structure })
        });
        let classes = classes.collect();
        Some(Self { model, anatomy, tag_storage, tag, class, modifier, classes, raw })
    }

    pub(crate) fn class(&self, operand: &Operand) -> Option<&Class<'m>> {
        let tag = operand.tag?;
        self.classes.iter().find(|c| c.code == self.class.of(tag))
    }

    /// Returns the structure of an operand, if the class of its tag has one.
    pub(crate) fn structure(&self, operand: &Operand) -> Option<&'m Structure> {
        match operand.tag {
            None => Some(self.raw),
            Some(_) => self.class(operand).map(|c| c.structure),
        }
    }

    /// Returns the kind of an operand.
    pub(crate) fn kind(&self, operand: &Operand) -> Kind {
        match operand.tag {
            None => Kind::Raw,
            Some(_) => self.class(operand).map_or(Kind::Other, |c| c.kind),
        }
    }

    /// Returns the class name of an operand as pages write it; empty for raw operands.
    pub(crate) fn class_name(&self, operand: &Operand) -> &str {
        self.class(operand).map_or("", |c| &c.name)
    }

    /// Returns true if a field accepts a class: one of the classes that it names, or a common class
    /// if it names none.
    pub(crate) fn takes(&self, field: &Field, class: &Class<'_>) -> bool {
        match field.classes.is_empty() {
            true => !matches!(class.kind, Kind::Predicate | Kind::Address | Kind::State),
            false => class.is_named(field),
        }
    }

    /// Returns true if a field names an operand kind.
    pub(crate) fn lists(&self, field: &Field, kind: Kind) -> bool {
        self.classes.iter().any(|c| c.kind == kind && c.is_named(field))
    }

    /// Returns a default operand of a kind.
    pub(crate) fn of_kind(&self, kind: Kind) -> Option<Operand> {
        let class = self.classes.iter().find(|c| c.kind == kind)?;
        let members = class.structure.members.iter().map(|m| self.usual(m)).collect();
        Some(Operand { tag: Some(self.class.set(usual_of_list(self.model, self.tag), class.code)), members })
    }

    /// Returns a raw operand of variable 0.
    pub(crate) fn of_raw(&self) -> Operand {
        Operand { tag: None, members: self.raw.members.iter().map(|m| self.usual(m)).collect() }
    }

    fn usual(&self, member: &Member) -> u64 {
        match member.shape {
            _ if member.data_type => self.model.types.first().map_or(0, |t| t.code),
            FieldKind::List(id) => usual_of_list(self.model, id),
            _ => 0,
        }
    }

    /// Returns the id of an operand's structure.
    pub(crate) fn id(&self, operand: &Operand) -> Option<StructureId> {
        match operand.tag {
            None => Some(self.anatomy.raw.structure),
            Some(_) => self.class(operand).map(|c| c.id),
        }
    }

    /// Returns a member of an operand; 0 if it belongs to another structure.
    pub(crate) fn get(&self, operand: &Operand, id: MemberId) -> u64 {
        let value = operand.members.get(id.position).filter(|_| self.id(operand) == Some(id.structure));
        value.copied().unwrap_or(0)
    }

    /// Returns the operand with a member replaced.
    pub(crate) fn with(&self, mut operand: Operand, id: MemberId, value: u64) -> Operand {
        if self.id(&operand) == Some(id.structure)
            && let Some(slot) = operand.members.get_mut(id.position)
        {
            *slot = value;
        }
        operand
    }

    /// Returns the member that holds an operand's region.
    pub(crate) fn region_of(&self, operand: &Operand) -> Option<MemberId> {
        match self.kind(operand) {
            Kind::General => Some(self.anatomy.general.region),
            Kind::Indirect => Some(self.anatomy.indirect.region),
            _ => None,
        }
    }

    /// Returns the operand with a region of these strides in elements; absent strides are null.
    pub(crate) fn region(&self, operand: Operand, v: Option<i64>, w: Option<i64>, h: Option<i64>) -> Operand {
        let Some(member) = self.region_of(&operand) else { return operand };
        let region = &self.anatomy.region;
        let parts = [(region.vertical_stride, v), (region.width, w), (region.horizontal_stride, h)];
        let whole = bits(self.model, region.list).iter().fold(0, |whole, b| {
            let wanted = parts.iter().find(|(part, _)| b.part == Some(*part)).and_then(|(_, n)| *n);
            let stride = |v: &&Enumerator| b.cell(v, region.elements) == wanted.map(CellValue::Number).as_ref();
            let value = match (wanted, b.what) {
                (Some(_), BitsKind::Values(values)) => values.iter().find(stride).map(|v| v.value),
                _ => None,
            };
            b.set(whole, value.unwrap_or_else(|| usual(self.model, b)))
        });
        self.with(operand, member, whole)
    }

    /// Returns the code of an operand's modifier; 0 for raw operands.
    pub(crate) fn modifier(&self, operand: &Operand) -> u64 {
        match (&self.modifier, operand.tag) {
            (Some(b), Some(tag)) => b.of(tag),
            _ => self.anatomy.modifier.none,
        }
    }

    /// Encodes an operand.
    pub(crate) fn encode(&self, operand: &Operand, version: Version, out: &mut Vec<u8>) {
        if let Some(tag) = operand.tag {
            put(out, number_at(self.tag_storage, version), tag);
        }
        let Some(structure) = self.structure(operand) else { return };
        for (member, value) in structure.members.iter().zip(&operand.members) {
            if self.member_present(member, &operand.members) {
                put(out, number_at(member, version), *value);
            }
        }
    }

    /// Returns true if a member is stored, which may depend on the value of another member.
    pub(crate) fn member_present(&self, member: &Member, values: &[u64]) -> bool {
        stored(member, |at| values.get(at).copied().unwrap_or(0))
    }
}

/// Bytes of an instruction, and the offset of each field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EncodedSample {
    pub(crate) bytes: Vec<u8>,
    /// Stored fields in order: (position, first byte, end byte).
    pub(crate) fields: Vec<(usize, usize, usize)>,
}

impl<'m> Sample<'m> {
    /// Returns true if a field is stored.
    pub(crate) fn present(&self, model: &Model, position: usize) -> bool {
        let condition = match &self.form.fields[position].presence {
            Presence::Text => return false,
            Presence::If(condition) => condition,
            _ => return true,
        };
        self.has(model, condition)
    }

    /// Returns true if a condition holds: a field, or a part of it, has one of the listed values.
    pub(crate) fn has(&self, model: &Model, condition: &Condition) -> bool {
        let Some(place) = condition.of.to else { return false };
        let whole = self.values[place.field].bits();
        let value = bits_at(model, &self.form.fields[place.field], place.part).map_or(whole, |b| b.of(whole));
        targets(&condition.values).any(|wanted| wanted == value)
    }

    /// Returns the elements of a field: several if the field is repeated.
    pub(crate) fn elements(&self, position: usize) -> &[Value] {
        match &self.values[position] {
            Value::Many(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// Encodes the instruction.
    pub(crate) fn encode(&self, operands: &Operands<'_>) -> EncodedSample {
        let mut out = EncodedSample { bytes: vec![self.page.opcode], fields: Vec::new() };
        out.bytes.extend(self.page.sub_opcode);
        for (position, field) in self.form.fields.iter().enumerate() {
            if !self.present(operands.model, position) {
                continue;
            }
            let start = out.bytes.len();
            match (field.shape, counted_by(self.form, position)) {
                (_, Some(counted)) => {
                    let count = self.elements(counted).len() as u64;
                    put(&mut out.bytes, storage(&field.storage, self.version), count);
                }
                (FieldKind::Zero, None) => self.element(operands, field, &Value::Bits(0), &mut out.bytes),
                (FieldKind::Copy(of), None) => {
                    let value = self.values.get(of).unwrap_or(&Value::Bits(0));
                    self.element(operands, field, value, &mut out.bytes);
                }
                _ => {
                    for value in self.elements(position) {
                        self.element(operands, field, value, &mut out.bytes);
                    }
                }
            }
            out.fields.push((position, start, out.bytes.len()));
        }
        out
    }

    fn element(&self, operands: &Operands<'_>, field: &Field, value: &Value, out: &mut Vec<u8>) {
        match value {
            Value::Operand(operand) => operands.encode(operand, self.version, out),
            other => put(out, storage(&field.storage, self.version), other.bits()),
        }
    }
}

/// Returns the table of an index whose table another field's enumerator selects.
pub(crate) fn table_of(model: &Model, sample: &Sample<'_>, by: usize) -> IndexKind {
    let FieldKind::List(id) = sample.form.fields[by].shape else { return IndexKind::General };
    table_named(model, id, sample.values[by].bits()).unwrap_or(IndexKind::General)
}

/// Returns the table that a list's value names.
pub(crate) fn table_named(model: &Model, id: ListId, value: u64) -> Option<IndexKind> {
    bits(model, id).iter().find_map(|b| match b.what {
        BitsKind::Values(values) => named(values, b.of(value)).and_then(|v| IndexKind::from_name(&v.name)),
        _ => None,
    })
}
