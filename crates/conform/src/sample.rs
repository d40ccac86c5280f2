//! Instructions as values of the model's fields, and their bytes: a second encoder, which knows the model only.

use visakit_codegen::model::{
    Field, FieldKind, Form, IndexKind, Instruction, ListId, Member, MemberType, Model, Presence, Storage, Structure,
};

use super::meaning::{Bits, BitsKind, bits, composed, counted_by, holds, one_of, part, put, storage, usual_of_list};
use visakit::rt::Version;

/// An instruction to be written.
#[derive(Clone, Debug)]
pub(super) struct Sample<'m> {
    /// Its page.
    pub(super) page: &'m Instruction,
    /// Its layout.
    pub(super) form: &'m Form,
    /// The version it is written for.
    pub(super) version: Version,
    /// A value for each field, also for those that are not stored.
    pub(super) values: Vec<Value>,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A number, an index or the bits of a list; negative numbers with their sign extended.
    Bits(u64),
    /// An operand.
    Operand(Operand),
    /// The elements of a repeated field.
    Many(Vec<Value>),
}

impl Value {
    pub(super) fn bits(&self) -> u64 {
        if let Self::Bits(bits) = self { *bits } else { 0 }
    }
}

/// An operand: its tag and the members of the structure of its class. A raw operand has no tag.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operand {
    /// The tag as stored.
    pub(super) tag: Option<u64>,
    /// The members of its structure.
    pub(super) members: Vec<u64>,
}

/// How operands are stored, found in the model's structures.
pub(super) struct Operands<'m> {
    pub(super) model: &'m Model,
    tag_storage: &'m Member,
    pub(super) tag: ListId,
    class: Bits<'m>,
    pub(super) modifier: Option<Bits<'m>>,
    /// The classes with a structure: code, name in lower case, structure.
    pub(super) classes: Vec<(u64, String, &'m Structure)>,
    pub(super) raw: &'m Structure,
}

impl<'m> Operands<'m> {
    /// The operands of a model; `None` where its chapters do not define them.
    pub(super) fn new(model: &'m Model) -> Option<Self> {
        let info = |m: &Member| m.storage.iter().any(|(_, t)| *t == MemberType::Info);
        let union = model.structures.iter().find(|s| s.members.iter().any(info))?;
        let raw = model.structures.iter().find(|s| s.name.eq_ignore_ascii_case("raw_operand"))?;
        let (tag_storage, tag) = union.members.iter().find_map(|m| match m.shape {
            FieldKind::List(id) => Some((m, id)),
            _ => None,
        })?;
        let classed: Vec<&Structure> = model.structures.iter().filter(|s| s.class.is_some()).collect();
        let code = |b: &Bits<'_>, s: &Structure| match (b.what, &s.class) {
            (BitsKind::Values(values), Some(class)) => {
                values.iter().find(|v| v.name.eq_ignore_ascii_case(class)).map(|v| v.value)
            }
            _ => None,
        };
        let all = bits(model, tag);
        let class = all.iter().find(|b| !classed.is_empty() && classed.iter().all(|s| code(b, s).is_some()))?.clone();
        let modifier = all.iter().find(|b| matches!(b.what, BitsKind::Values(_)) && b.lo != class.lo).cloned();
        let classes = classed
            .iter()
            .filter_map(|s| Some((code(&class, s)?, s.class.as_deref()?.to_ascii_lowercase(), *s)))
            .collect();
        Some(Self { model, tag_storage, tag, class, modifier, classes, raw })
    }

    /// The structure of an operand, if its tag has a class with one.
    pub(super) fn structure(&self, operand: &Operand) -> Option<&'m Structure> {
        match operand.tag {
            None => Some(self.raw),
            Some(tag) => self.classes.iter().find(|(code, ..)| *code == self.class.of(tag)).map(|(.., s)| *s),
        }
    }

    /// The class of an operand in lower case; empty for raw operands.
    pub(super) fn class(&self, operand: &Operand) -> &str {
        let tag = operand.tag.unwrap_or(u64::MAX);
        self.classes.iter().find(|(code, ..)| *code == self.class.of(tag)).map_or("", |(_, name, _)| name)
    }

    /// An operand of a class with everything as usual.
    pub(super) fn of_class(&self, class: &str) -> Option<Operand> {
        let (code, _, structure) = self.classes.iter().find(|(_, name, _)| name.eq_ignore_ascii_case(class))?;
        let members = structure.members.iter().map(|m| self.usual(m)).collect();
        Some(Operand { tag: Some(self.class.set(usual_of_list(self.model, self.tag), *code)), members })
    }

    /// A raw operand of variable 0.
    pub(super) fn of_raw(&self) -> Operand {
        Operand { tag: None, members: self.raw.members.iter().map(|m| self.usual(m)).collect() }
    }

    fn usual(&self, member: &Member) -> u64 {
        match member.shape {
            _ if member.data_type => self.model.types.first().map_or(0, |t| t.code),
            FieldKind::List(id) => usual_of_list(self.model, id),
            _ => 0,
        }
    }

    /// A member of an operand by name.
    pub(super) fn get(&self, operand: &Operand, name: &str) -> u64 {
        let at =
            self.structure(operand).and_then(|s| s.members.iter().position(|m| m.name.eq_ignore_ascii_case(name)));
        at.and_then(|at| operand.members.get(at)).copied().unwrap_or(0)
    }

    /// The operand with a member changed.
    pub(super) fn with(&self, mut operand: Operand, name: &str, value: u64) -> Operand {
        let at =
            self.structure(&operand).and_then(|s| s.members.iter().position(|m| m.name.eq_ignore_ascii_case(name)));
        if let Some(slot) = at.and_then(|at| operand.members.get_mut(at)) {
            *slot = value;
        }
        operand
    }

    /// The operand with its region made of the names of strides; a null stride is `""`.
    pub(super) fn region(&self, operand: Operand, v: &str, w: &str, h: &str) -> Operand {
        let member = self.structure(&operand).and_then(|s| s.members.iter().find(|m| m.name == "region"));
        let Some(FieldKind::List(id)) = member.map(|m| m.shape) else { return operand };
        let parts = [("vertical_stride", v), ("width", w), ("horizontal_stride", h)];
        let set: Vec<_> = parts.into_iter().filter(|(_, name)| !name.is_empty()).collect();
        self.with(operand, "region", composed(self.model, id, &set))
    }

    /// The name of an operand's modifier.
    pub(super) fn modifier(&self, operand: &Operand) -> &'m str {
        match (&self.modifier, operand.tag) {
            (Some(b), Some(tag)) => match b.what {
                BitsKind::Values(values) => super::meaning::named(values, b.of(tag)).map_or("", |v| v.name.as_str()),
                _ => "",
            },
            _ => "none",
        }
    }

    /// The bytes of an operand.
    pub(super) fn encode(&self, operand: &Operand, version: Version, out: &mut Vec<u8>) {
        if let Some(tag) = operand.tag {
            put(out, number_at(self.tag_storage, version), tag);
        }
        let Some(structure) = self.structure(operand) else { return };
        for (member, value) in structure.members.iter().zip(&operand.members) {
            if self.member_present(structure, member, &operand.members) {
                put(out, number_at(member, version), *value);
            }
        }
    }

    /// Whether a member is stored: it names the values of another one for which it is.
    pub(super) fn member_present(&self, structure: &Structure, member: &Member, values: &[u64]) -> bool {
        let Some((name, wanted)) = &member.presence else { return true };
        let Some(at) = structure.members.iter().position(|m| m.name == *name) else { return true };
        let value = values.get(at).copied().unwrap_or(0);
        wanted.iter().any(|w| match structure.members[at].data_type {
            true => self.model.types.iter().any(|t| t.code == value && t.name.eq_ignore_ascii_case(w)),
            false => super::meaning::number(w) == Some(value),
        })
    }
}

/// How a member is stored in a version.
pub(super) fn number_at(member: &Member, version: Version) -> Storage {
    let found = member.storage.iter().find_map(|(marks, ty)| match ty {
        MemberType::Number(storage) if holds(marks, version) => Some(*storage),
        _ => None,
    });
    found.unwrap_or(Storage::Ub)
}

/// The bytes of an instruction, and where each field begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EncodedSample {
    pub(super) bytes: Vec<u8>,
    /// (position of the field, first byte, one behind its last), in order; only what is stored.
    pub(super) fields: Vec<(usize, usize, usize)>,
}

impl<'m> Sample<'m> {
    /// Whether a field is stored.
    pub(super) fn present(&self, model: &Model, position: usize) -> bool {
        let Presence::If { field, part: name, values } = &self.form.fields[position].presence else { return true };
        self.has(model, *field, name, values)
    }

    /// Whether a field, or a part of it, has one of the values.
    pub(super) fn has(&self, model: &Model, position: usize, name: &str, values: &[String]) -> bool {
        let value = self.values[position].bits();
        match part(model, &self.form.fields[position], name) {
            Some(bits) => one_of(&bits, value, values),
            None => values.iter().any(|v| super::meaning::number(v) == Some(value)),
        }
    }

    /// The elements of a field: one, or as many as it is repeated.
    pub(super) fn elements(&self, position: usize) -> &[Value] {
        match &self.values[position] {
            Value::Many(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// The bytes of the instruction.
    pub(super) fn encode(&self, operands: &Operands<'_>) -> EncodedSample {
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

/// The table that an index refers to, where another field's enumerator decides.
pub(super) fn table_of(model: &Model, sample: &Sample<'_>, by: usize) -> IndexKind {
    let FieldKind::List(id) = sample.form.fields[by].shape else { return IndexKind::General };
    let value = sample.values[by].bits();
    let name = bits(model, id).iter().find_map(|b| match b.what {
        BitsKind::Values(values) => {
            let tables = values.iter().any(|v| IndexKind::ALL.iter().any(|k| k.name().eq_ignore_ascii_case(&v.name)));
            tables.then(|| super::meaning::named(values, b.of(value)).map(|v| v.name.clone())).flatten()
        }
        _ => None,
    });
    name.and_then(|n| IndexKind::ALL.into_iter().find(|k| k.name().eq_ignore_ascii_case(&n)))
        .unwrap_or(IndexKind::General)
}
