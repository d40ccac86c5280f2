//! Probes for structures: the operands of chapter 5 and the object tables of chapter 4.

use std::collections::{BTreeMap, BTreeSet};

use visakit_codegen::model::{FieldKind, MemberType, Model, Structure, StructureId};

use crate::codec::hex;
use crate::expect::meaning::{Bits, BitsKind, bits, meant, ones};
use crate::expect::structure::{Data, EncodedStructure, example, write};
use crate::expect::text::value_path;
use crate::finding::{Difference, Fact, Tally};
use visakit::isa;
use visakit::rt::{Context, DecodeError, DecodeProblem, Reader, StructureVisitor, Version, Wire, Writer};

/// Function that decodes a structure and returns its re-encoded bytes and the number of consumed
/// bytes.
type Decoder = fn(&[u8], Version) -> Result<(Result<Vec<u8>, String>, usize), DecodeError>;

fn through<T: Wire>(bytes: &[u8], version: Version) -> Result<(Result<Vec<u8>, String>, usize), DecodeError> {
    let mut reader = Reader::new(bytes, 0);
    let value = T::decode(&mut reader, Context { version })?;
    let mut writer = Writer::new();
    let written = value.encode(&mut writer, Context { version }).map_err(|e| e.to_string());
    Ok((written.map(|()| writer.into_bytes()), reader.offset()))
}

/// Decoders of the implementation by structure name.
#[derive(Default)]
struct Decoders(BTreeMap<&'static str, Decoder>);

impl StructureVisitor for Decoders {
    fn structure<T: Wire>(&mut self, name: &'static str) {
        self.0.insert(name, through::<T>);
    }
}

/// Probes every structure. Returns the broken ones.
pub(crate) fn structures(model: &Model, versions: &[Version], tally: &mut Tally) -> BTreeSet<StructureId> {
    let mut decoders = Decoders::default();
    isa::each_structure(&mut decoders);
    let mut broken = BTreeSet::new();
    let mut left: Vec<(StructureId, &Structure)> = (0..).map(StructureId).zip(&model.structures).collect();
    // Probe inner structures first, so that their errors are not repeated for the outer ones.
    while !left.is_empty() {
        let ids: BTreeSet<StructureId> = left.iter().map(|(id, _)| *id).collect();
        let (now, later): (Vec<_>, Vec<_>) =
            left.iter().partition(|(own, s)| !inner(s).any(|id| id != *own && ids.contains(&id)));
        // Structures that contain each other have no valid order; take them all.
        let now = if now.is_empty() { left.clone() } else { now };
        left = if now.len() == left.len() { Vec::new() } else { later };
        for (id, structure) in now {
            let mut own = Tally::default();
            match decoders.0.get(structure.name.as_str()) {
                _ if inner(structure).any(|id| broken.contains(&id)) => {
                    broken.insert(id);
                }
                Some(decoder) => one(model, structure, *decoder, versions, &mut own),
                None => own.fail(
                    Fact::new("structure", &structure.name, structure.at),
                    Difference {
                        code: "structure-missing",
                        message: "reading the structure's type".to_owned(),
                        expected: structure.name.clone(),
                        got: "no type with that name".to_owned(),
                    },
                ),
            }
            if own.is_broken() {
                broken.insert(id);
            }
            tally.merge(own);
        }
    }
    broken
}

/// Returns the structures that a structure contains.
fn inner(structure: &Structure) -> impl Iterator<Item = StructureId> {
    structure.members.iter().flat_map(|m| &m.storage).filter_map(|(_, ty)| match ty {
        MemberType::Structure(inner) => inner.to,
        _ => None,
    })
}

fn one(model: &Model, structure: &Structure, decoder: Decoder, versions: &[Version], tally: &mut Tally) {
    if structure.members.iter().any(|m| m.storage.iter().any(|(_, t)| *t == MemberType::Info)) {
        tags(model, structure, decoder, versions, tally);
        return;
    }
    let value = example(model, structure, 4);
    for version in versions {
        if !layout(structure, decoder, &write(model, structure, &value, *version), *version, tally) {
            return;
        }
    }
    let Some(newest) = versions.last().copied() else { return };
    for (position, member) in structure.members.iter().enumerate() {
        let path = format!("{}.{}", structure.name, member.name);
        match member.shape {
            _ if member.data_type => {
                for code in 0..=255u64 {
                    let known = model.types.iter().find(|t| t.code == code && model.object_type(t).is_none());
                    let (name, at) = known.map_or((format!("{path}=0x{code:02x}"), member.at), |t| {
                        (format!("Data_type.{}", t.name), t.at)
                    });
                    let bytes = with(model, structure, &value, position, code, newest);
                    accepted(
                        decoder,
                        &bytes,
                        newest,
                        known.is_some(),
                        Fact::new("data-type", name, at),
                        "data-type",
                        tally,
                    );
                }
            }
            FieldKind::List(id) => {
                let base = value.number(position);
                for b in bits(model, id) {
                    let candidates: Vec<u64> = match b.what {
                        BitsKind::Zero => (0..b.width).map(|n| 1 << n).collect(),
                        _ => (0..=ones(b.width.min(8))).collect(),
                    };
                    for v in candidates {
                        let bytes = with(model, structure, &value, position, b.set(base, v), newest);
                        let (fact, code) = fact_of(&path, &b, v, meant(model, &b, v));
                        accepted(decoder, &bytes, newest, meant(model, &b, v), fact, code, tally);
                    }
                }
            }
            FieldKind::Zero => {
                let written = write(model, structure, &value, newest);
                let mut bytes = written.bytes.clone();
                if let Some(byte) = written.members.get(position).and_then(|(_, start, _)| bytes.get_mut(*start)) {
                    *byte = 1;
                    bytes.extend([0; 64]);
                    accepted(
                        decoder,
                        &bytes,
                        newest,
                        false,
                        Fact::new("reserved", path, member.at),
                        "reserved-accepted",
                        tally,
                    );
                }
            }
            _ => {}
        }
    }
}

fn fact_of(path: &str, b: &Bits<'_>, value: u64, legal: bool) -> (Fact, &'static str) {
    let named = match b.what {
        BitsKind::Values(values) => values.iter().find(|v| v.value == value),
        _ => None,
    };
    let kind = if matches!(b.what, BitsKind::Zero) { "reserved" } else { "enumerator" };
    let fact = Fact::new(kind, value_path(path, b, value), named.map_or(b.at, |v| v.at));
    let code = match (legal, b.what, named) {
        (true, ..) => "enumerator-missing",
        (false, BitsKind::Zero, _) | (false, _, Some(_)) => "reserved-accepted",
        (false, _, None) => "enumerator-extra",
    };
    (fact, code)
}

/// Encodes a structure with one member changed.
fn with(model: &Model, structure: &Structure, value: &Data, position: usize, to: u64, version: Version) -> Vec<u8> {
    write(model, structure, &value.with(position, to), version).bytes
}

/// Probes the order and widths of the members, and the round trip of the bytes.
fn layout(
    structure: &Structure,
    decoder: Decoder,
    written: &EncodedStructure,
    version: Version,
    tally: &mut Tally,
) -> bool {
    for (position, start, end) in &written.members {
        let member = &structure.members[*position];
        for cut in [*start, end.saturating_sub(1)] {
            if start == end || cut < *start {
                continue;
            }
            let mut fact = Fact::new("structure", format!("{}.{}", structure.name, member.name), member.at);
            let failed = |code, got: String| Difference {
                code,
                message: format!("reading {cut} bytes of {} in version {version}", structure.name),
                expected: format!("{} at bytes {start} to {}", member.name, end - 1),
                got,
            };
            let result = match decoder(&written.bytes[..cut], version) {
                Ok((_, read)) => Err(failed("member-missing", format!("a complete structure of {read} bytes"))),
                Err(error) if !matches!(error.problem(), DecodeProblem::Truncated { .. }) => Ok(()),
                Err(error) if error.place().1 == member.name => Ok(()),
                Err(error) => {
                    let found = error.place().1;
                    let known = structure.members.iter().find(|m| m.name == found);
                    let before =
                        written.members.iter().rev().find(|(p, a, b)| p < position && a < b).map(|(p, ..)| *p);
                    let (code, blamed) = match (known, cut == *start) {
                        (None, _) => ("member-extra", member),
                        // The previous member is too wide.
                        (Some(m), true) if before.is_some_and(|p| structure.members[p].name == m.name) => {
                            ("member-width", m)
                        }
                        (Some(_), true) => ("member-order", member),
                        (Some(_), false) => ("member-width", member),
                    };
                    fact = Fact::new("structure", format!("{}.{}", structure.name, blamed.name), blamed.at);
                    Err(failed(code, format!("{found} missing at byte {}", error.offset())))
                }
            };
            if !tally.probe(fact, result) {
                return false;
            }
        }
    }
    let fact = Fact::new("structure", format!("{}@{version}", structure.name), structure.at);
    accepted(decoder, &written.bytes, version, true, fact, "structure", tally)
}

/// Checks that bytes are consumed completely and round-trip, or are refused.
fn accepted(
    decoder: Decoder,
    bytes: &[u8],
    version: Version,
    legal: bool,
    fact: Fact,
    code: &'static str,
    tally: &mut Tally,
) -> bool {
    let got = match (decoder(bytes, version), legal) {
        (Ok((Ok(again), read)), true) if again == bytes && read == bytes.len() => None,
        (Ok((Ok(again), read)), true) => Some(format!("{read} bytes that are written as {}", hex(&again))),
        (Ok((Err(error), _)), true) => Some(format!("a value that cannot be written: {error}")),
        (Ok(_), false) => Some("a value".to_owned()),
        (Err(error), true) => Some(error.to_string()),
        (Err(_), false) => None,
    };
    tally.probe(
        fact,
        match got {
            None => Ok(()),
            Some(got) => Err(Difference {
                code,
                message: format!("decoding {} in version {version}", hex(bytes)),
                expected: if legal { "a value whose encoding is the same bytes" } else { "an error" }.to_owned(),
                got,
            }),
        },
    )
}

/// Probes the tag of operands: classes, modifiers and reserved bits.
fn tags(model: &Model, structure: &Structure, decoder: Decoder, versions: &[Version], tally: &mut Tally) {
    let Some(operands) = crate::expect::sample::Operands::new(model) else { return };
    let Some(version) = versions.last().copied() else { return };
    let path = format!("{}.tag", structure.name);
    for class in &operands.classes {
        let (of_class, Some(operand)) = (class.structure, operands.of_kind(class.kind)) else { continue };
        let tag = operand.tag.unwrap_or(0);
        for version in versions {
            let mut bytes = Vec::new();
            operands.encode(&operand, *version, &mut bytes);
            let fact = Fact::new("structure", format!("{}@{version}", of_class.name), of_class.at);
            accepted(decoder, &bytes, *version, true, fact, "structure", tally);
        }
        for b in bits(model, operands.tag) {
            let is_class = b.of(tag) != 0 || operands.modifier.as_ref().is_none_or(|m| m.lo != b.lo);
            let candidates: Vec<u64> = match b.what {
                BitsKind::Zero => (0..b.width).map(|n| 1 << n).collect(),
                // Existing classes are skipped, because another structure follows their tag.
                BitsKind::Values(_) if is_class => (0..=ones(b.width)).filter(|v| !meant(model, &b, *v)).collect(),
                _ => (0..=ones(b.width)).collect(),
            };
            for v in candidates {
                let mut bytes = Vec::new();
                let changed = crate::expect::sample::Operand { tag: Some(b.set(tag, v)), ..operand.clone() };
                operands.encode(&changed, version, &mut bytes);
                if !meant(model, &b, v) {
                    bytes.extend([0; 16]);
                }
                let (fact, code) = fact_of(&path, &b, v, meant(model, &b, v));
                accepted(decoder, &bytes, version, meant(model, &b, v), fact, code, tally);
            }
        }
    }
}
