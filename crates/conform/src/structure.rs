//! Structures of the object format as bytes, from the model alone.

use serde_json::{Map, Value, json};
use visakit_codegen::model::{FieldKind, Member, MemberType, Model, Structure};

use super::meaning::{bits, holds, meant, put, usual};
use super::sample::number_at;
use visakit::rt::Version;

/// A structure that was written, with the place of each of its members.
#[derive(Clone, Debug, Default)]
pub(super) struct EncodedStructure {
    pub(super) bytes: Vec<u8>,
    /// (position of the member, first byte, one behind its last).
    pub(super) members: Vec<(usize, usize, usize)>,
}

impl EncodedStructure {
    /// Where a member begins.
    pub(super) fn start(&self, structure: &Structure, name: &str) -> usize {
        let position = structure.members.iter().position(|m| m.name == name);
        self.members.iter().find(|(p, ..)| Some(*p) == position).map_or(0, |(_, start, _)| *start)
    }
}

/// A structure by name.
pub(super) fn find<'m>(model: &'m Model, name: &str) -> Option<&'m Structure> {
    model.structures.iter().find(|s| s.name == name)
}

/// Writes a structure. Members that are not given are zero or empty; counts follow from what they count.
pub(super) fn write(model: &Model, structure: &Structure, value: &Value, version: Version) -> EncodedStructure {
    let mut out = EncodedStructure::default();
    for (position, member) in structure.members.iter().enumerate() {
        let start = out.bytes.len();
        let counted = structure.members.iter().find(|m| m.count.as_deref() == Some(member.name.as_str()));
        let given = value.get(&member.name).unwrap_or(&Value::Null);
        match (counted, &member.count) {
            (Some(counted), _) => {
                let count = value.get(&counted.name).and_then(Value::as_array).map_or(0, Vec::len);
                put(&mut out.bytes, number_at(member, version), count as u64);
            }
            (None, Some(_)) => {
                for item in given.as_array().map_or(&[][..], Vec::as_slice) {
                    one(model, member, item, version, &mut out.bytes);
                }
            }
            (None, None) if stored(model, structure, member, value) => {
                one(model, member, given, version, &mut out.bytes);
            }
            (None, None) => {}
        }
        out.members.push((position, start, out.bytes.len()));
    }
    out
}

fn one(model: &Model, member: &Member, value: &Value, version: Version, out: &mut Vec<u8>) {
    let ty = member.storage.iter().find(|(marks, _)| holds(marks, version)).or(member.storage.last()).map(|(_, t)| t);
    match ty {
        Some(MemberType::Structure(name)) => {
            if let Some(inner) = find(model, name) {
                out.extend(write(model, inner, value, version).bytes);
            }
        }
        Some(MemberType::StringPool) => {
            out.extend(value.as_str().unwrap_or("").as_bytes());
            out.push(0);
        }
        Some(MemberType::Number(_)) => {
            let number = value.as_u64().or(value.as_i64().map(|n| n as u64)).unwrap_or(0);
            put(out, number_at(member, version), number);
        }
        Some(MemberType::Info | MemberType::Instructions) | None => {}
    }
}

/// Whether a member that depends on another one is stored.
fn stored(model: &Model, structure: &Structure, member: &Member, value: &Value) -> bool {
    let Some((name, wanted)) = &member.presence else { return true };
    let code = value.get(name).and_then(Value::as_u64).unwrap_or(0);
    let typed = structure.members.iter().any(|m| m.name == *name && m.data_type);
    wanted.iter().any(|w| match typed {
        true => model.types.iter().any(|t| t.code == code && t.name.eq_ignore_ascii_case(w)),
        false => super::meaning::number(w) == Some(code),
    })
}

/// A structure with two of everything that is repeated and different numbers, all of them legal.
pub(super) fn example(model: &Model, structure: &Structure, depth: u32) -> Value {
    let mut out = Map::new();
    for (position, member) in structure.members.iter().enumerate() {
        let ty = member.storage.first().map(|(_, t)| t);
        let number = 3 * position as u64 + 1;
        let one = match ty {
            Some(MemberType::Structure(name)) if depth > 0 => {
                find(model, name).map_or(Value::Null, |inner| example(model, inner, depth - 1))
            }
            Some(MemberType::StringPool) => json!("text"),
            Some(MemberType::Number(_)) => json!(match member.shape {
                _ if member.data_type => model.types.get(1).map_or(0, |t| t.code),
                FieldKind::List(id) => bits(model, id).iter().fold(0, |whole, b| {
                    // The last value that has a name differs from what would be read from zeros.
                    let last = (0..=super::meaning::ones(b.width.min(8))).rev().find(|v| meant(model, b, *v));
                    b.set(whole, last.unwrap_or_else(|| usual(model, b)))
                }),
                FieldKind::Zero => 0,
                _ => number,
            }),
            _ => Value::Null,
        };
        let count = structure.members.iter().find(|m| Some(&m.name) == member.count.as_ref());
        let value = match (&member.count, count.is_some_and(|c| c.shape == FieldKind::Zero) || one.is_null()) {
            (Some(_), true) => json!([]),
            (Some(_), false) => json!([one.clone(), one]),
            (None, _) => one,
        };
        out.insert(member.name.clone(), value);
    }
    Value::Object(out)
}
