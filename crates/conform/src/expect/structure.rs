//! Encoder for structures of the object format, from the model alone.

use std::collections::BTreeMap;

use visakit_codegen::anatomy::MemberId;
use visakit_codegen::model::{FieldKind, Member, MemberType, Model, Storage, Structure, targets};

use super::meaning::{bits, holds, meant, put, usual};
use visakit::rt::Version;

/// Contents of a structure.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Number(u64),
    Text(String),
    List(Vec<Data>),
    /// Members of a structure by position. Absent members are zero or empty.
    Members(BTreeMap<usize, Data>),
}

/// Builds a structure from some of its members.
pub(crate) fn members<const N: usize>(all: [(MemberId, Data); N]) -> Data {
    Data::Members(all.into_iter().map(|(id, data)| (id.position, data)).collect())
}

/// Builds a structure from some of its numeric members.
pub(crate) fn numbers<const N: usize>(all: [(MemberId, u64); N]) -> Data {
    members(all.map(|(id, number)| (id, Data::Number(number))))
}

impl Data {
    /// Returns a member, if this value is a structure that has it.
    fn member(&self, position: usize) -> Option<&Self> {
        if let Self::Members(all) = self { all.get(&position) } else { None }
    }

    /// Returns a member as a number.
    pub(crate) fn number(&self, position: usize) -> u64 {
        if let Some(Self::Number(number)) = self.member(position) { *number } else { 0 }
    }

    /// Returns the elements of a member.
    fn elements(&self, position: usize) -> &[Self] {
        if let Some(Self::List(all)) = self.member(position) { all } else { &[] }
    }

    /// Returns the structure with a member replaced by a number.
    pub(crate) fn with(&self, position: usize, number: u64) -> Self {
        let mut out = self.clone();
        if let Self::Members(all) = &mut out {
            all.insert(position, Self::Number(number));
        }
        out
    }
}

/// Encoded structure, with the place of each member.
#[derive(Clone, Debug, Default)]
pub(crate) struct EncodedStructure {
    pub(crate) bytes: Vec<u8>,
    /// Members: (position, first byte, end byte).
    pub(crate) members: Vec<(usize, usize, usize)>,
}

impl EncodedStructure {
    /// Returns the offset of a member.
    pub(crate) fn start(&self, id: MemberId) -> usize {
        self.members.iter().find(|(p, ..)| *p == id.position).map_or(0, |(_, start, _)| *start)
    }
}

/// Encodes a structure. Counts are computed from the lists that they count.
pub(crate) fn write(model: &Model, structure: &Structure, value: &Data, version: Version) -> EncodedStructure {
    let mut out = EncodedStructure::default();
    for (position, member) in structure.members.iter().enumerate() {
        let start = out.bytes.len();
        let counted =
            structure.members.iter().position(|m| m.count.as_ref().is_some_and(|count| count.to == Some(position)));
        match (counted, &member.count) {
            (Some(counted), _) => {
                put(&mut out.bytes, number_at(member, version), value.elements(counted).len() as u64);
            }
            (None, Some(_)) => {
                for item in value.elements(position) {
                    one(model, member, Some(item), version, &mut out.bytes);
                }
            }
            (None, None) if stored(member, |at| value.number(at)) => {
                one(model, member, value.member(position), version, &mut out.bytes);
            }
            (None, None) => {}
        }
        out.members.push((position, start, out.bytes.len()));
    }
    out
}

fn one(model: &Model, member: &Member, value: Option<&Data>, version: Version, out: &mut Vec<u8>) {
    let ty = member.storage.iter().find(|(marks, _)| holds(marks, version)).or(member.storage.last()).map(|(_, t)| t);
    match ty {
        Some(MemberType::Structure(inner)) => {
            if let Some(inner) = inner.to.and_then(|id| model.structure(id)) {
                let nothing = Data::Members(BTreeMap::new());
                out.extend(write(model, inner, value.unwrap_or(&nothing), version).bytes);
            }
        }
        Some(MemberType::StringPool) => {
            if let Some(Data::Text(text)) = value {
                out.extend(text.as_bytes());
            }
            out.push(0);
        }
        Some(MemberType::Number(_)) => {
            let number = if let Some(Data::Number(number)) = value { *number } else { 0 };
            put(out, number_at(member, version), number);
        }
        Some(MemberType::Info | MemberType::Instructions) | None => {}
    }
}

/// Returns true if a member is stored. Its presence may depend on another member's number.
pub(crate) fn stored(member: &Member, number: impl Fn(usize) -> u64) -> bool {
    let Some((condition, place)) = member.presence.as_ref().and_then(|c| Some((c, c.of.to?))) else { return true };
    let value = number(place.field);
    targets(&condition.values).any(|wanted| wanted == value)
}

/// Returns an example structure: two elements of each repeated member, and distinct legal numbers.
pub(crate) fn example(model: &Model, structure: &Structure, depth: u32) -> Data {
    let mut out = BTreeMap::new();
    for (position, member) in structure.members.iter().enumerate() {
        let one = match member.storage.first().map(|(_, t)| t) {
            Some(MemberType::Structure(inner)) if depth > 0 => {
                inner.to.and_then(|id| model.structure(id)).map(|inner| example(model, inner, depth - 1))
            }
            Some(MemberType::StringPool) => Some(Data::Text("text".to_owned())),
            Some(MemberType::Number(_)) => Some(Data::Number(match member.shape {
                _ if member.data_type => model.types.get(1).map_or(0, |t| t.code),
                FieldKind::List(id) => bits(model, id).iter().fold(0, |whole, b| {
                    // The last named value is distinguishable from zero bytes.
                    let last = (0..=super::meaning::ones(b.width.min(8))).rev().find(|v| meant(model, b, *v));
                    b.set(whole, last.unwrap_or_else(|| usual(model, b)))
                }),
                FieldKind::Zero => 0,
                _ => 3 * position as u64 + 1,
            })),
            _ => None,
        };
        let count = member.count.as_ref().and_then(|count| structure.members.get(count.to?));
        let none = count.is_some_and(|c| c.shape == FieldKind::Zero);
        let value = match (&member.count, one) {
            (Some(_), Some(one)) if !none => Data::List(vec![one.clone(), one]),
            (Some(_), _) => Data::List(Vec::new()),
            (None, Some(one)) => one,
            (None, None) => continue,
        };
        out.insert(position, value);
    }
    Data::Members(out)
}

/// Returns the storage of a member in a version.
pub(crate) fn number_at(member: &Member, version: Version) -> Storage {
    let found = member.storage.iter().find_map(|(marks, ty)| match ty {
        MemberType::Number(storage) if holds(marks, version) => Some(*storage),
        _ => None,
    });
    found.unwrap_or(Storage::Ub)
}
