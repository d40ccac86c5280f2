//! Reverse probes: features of the implementation that no page has.

use std::collections::BTreeSet;

use visakit_codegen::model::PageKind;
use visakit_codegen::template::Item;

use super::probes::Probes;
use crate::codec::decode;
use crate::expect::base::base;
use crate::expect::meaning::{encodes, holds};
use crate::finding::{Difference, Fact, Tally};
use visakit::isa::{Instruction, MNEMONICS};
use visakit::rt::DecodeProblem;

/// Probes for opcodes, operations, instructions and mnemonics that the pages lack.
pub(crate) fn extras(probes: &Probes<'_>, tally: &mut Tally) {
    opcodes(probes, tally);
    instructions(probes, tally);
    mnemonics(probes, tally);
    aliases(probes, tally);
}

/// Probes all opcodes, and all operations of shared opcodes.
fn opcodes(probes: &Probes<'_>, tally: &mut Tally) {
    let model = probes.world.model;
    let Some(version) = probes.versions.last().copied() else { return };
    for opcode in 0..=u8::MAX {
        let pages: Vec<_> = model.instructions.iter().filter(|i| i.opcode == opcode).collect();
        let plain = pages.iter().any(|i| encodes(i) && i.sub_opcode.is_none());
        let shared = pages.iter().any(|i| encodes(i) && i.sub_opcode.is_some());
        let reserved = pages.iter().find(|i| i.kind == PageKind::Reserved);
        if shared {
            for sub in 0..=u8::MAX {
                if !pages.iter().any(|i| encodes(i) && i.sub_opcode == Some(sub)) {
                    let mut bytes = vec![opcode, sub];
                    bytes.resize(80, 0);
                    let got = match decode(&bytes, version) {
                        Err(e) if matches!(e.problem(), DecodeProblem::UnknownSubOpcode { .. }) => None,
                        other => Some(seen(other)),
                    };
                    let path = format!("0x{opcode:02x}.0x{sub:02x}");
                    extra(tally, "sub-opcode", "sub-opcode-extra", path, got);
                }
            }
        }
        if plain || shared {
            continue;
        }
        let mut bytes = vec![opcode];
        bytes.resize(80, 0);
        match (decode(&bytes, version), reserved) {
            (Err(error), Some(page)) => {
                let fact = Fact::new("opcode", format!("{}.opcode", page.name), page.at);
                let result = match error.problem() {
                    DecodeProblem::ReservedOpcode { name, .. } if *name == page.name => Ok(()),
                    _ => Err(Difference {
                        code: "opcode",
                        message: format!("decoding 0x{opcode:02x}"),
                        expected: format!("{} is reserved", page.name),
                        got: error.to_string(),
                    }),
                };
                tally.probe(fact, result);
            }
            (other, _) => {
                let unknown = matches!(&other, Err(e) if matches!(e.problem(), DecodeProblem::UnknownOpcode(_)));
                let got = (!unknown).then(|| seen(other));
                extra(tally, "opcode", "opcode-extra", format!("0x{opcode:02x}"), got);
            }
        }
    }
}

fn seen(result: Result<(Instruction, usize), visakit::rt::DecodeError>) -> String {
    match result {
        Ok((instruction, _)) => instruction.page().name.to_owned(),
        Err(error) => error.to_string(),
    }
}

fn extra(tally: &mut Tally, kind: &'static str, code: &'static str, path: String, got: Option<String>) {
    let result = match got {
        None => Ok(()),
        Some(got) => Err(Difference {
            code,
            message: "decoding or parsing a form that no page defines".to_owned(),
            expected: "a rejection as unknown".to_owned(),
            got,
        }),
    };
    tally.probe(Fact::nowhere(kind, path), result);
}

/// Probes the instructions that the implementation can construct.
fn instructions(probes: &Probes<'_>, tally: &mut Tally) {
    let names: BTreeSet<&str> = Instruction::samples().iter().map(|i| i.page().name).collect();
    for name in names {
        let known = probes.world.model.instructions.iter().any(|i| encodes(i) && i.name == name);
        extra(
            tally,
            "instruction",
            "instruction-extra",
            name.to_owned(),
            (!known).then(|| format!("an instruction {name}")),
        );
    }
}

/// Probes the words that can begin a statement.
fn mnemonics(probes: &Probes<'_>, tally: &mut Tally) {
    let model = probes.world.model;
    let mut known: BTreeSet<String> = BTreeSet::new();
    for page in model.instructions.iter().filter(|i| encodes(i)) {
        known.extend(page.text.iter().filter_map(|text| text.template.mnemonic()).map(str::to_owned));
        for (form, text) in page.forms.iter().flat_map(|form| form.texts.iter().map(move |text| (form, text))) {
            let head = text.template.items.iter().find(|i| !matches!(i, Item::Predicate | Item::Space(_)));
            let Some(Item::Field { place: Some(place), .. }) = head else { continue };
            let list = model.names_list(form.fields[place.field].shape, place.part);
            let values = list.map_or(&[][..], |id| model.values(id));
            known.extend(values.iter().filter(|v| !v.reserved).map(|v| v.text.clone()));
        }
        // The mnemonic of a page without a template is its name.
        if page.text.is_empty() {
            known.insert(page.name.to_ascii_lowercase());
        }
    }
    for word in MNEMONICS {
        let got = (!known.contains(*word)).then(|| format!("`{word}` begins a statement"));
        extra(tally, "mnemonic", "mnemonic-extra", format!("mnemonic.{word}"), got);
    }
}

/// Checks that each alternative spelling is parsed as the instruction that it stands for.
fn aliases(probes: &Probes<'_>, tally: &mut Tally) {
    let model = probes.world.model;
    let Some(version) = probes.versions.last().copied() else { return };
    for alias in &model.instructions {
        let PageKind::Alias { of, .. } = &alias.kind else { continue };
        let Some(page) = of.to.map(|id| &model.instructions[id.0]).filter(|i| encodes(i)) else { continue };
        let Some(form) = page.forms.iter().find(|f| holds(&f.versions, version)) else { continue };
        let sample = base(&probes.world, page, form, version);
        let Some(text) = form.texts.first() else { continue };
        let (word, shown) =
            (alias.name.to_ascii_lowercase(), crate::expect::text::print(&probes.world, &sample, text).text());
        let line = shown.replacen(&of.name.to_ascii_lowercase(), &word, 1);
        let source = format!("{}    {line}\n{}", probes.world.head(version), probes.world.tail());
        let expected = sample.encode(&probes.world.operands).bytes;
        let got = match visakit::text::parse(&source, Default::default()) {
            Ok(parsed) => match parsed.routine.instructions.first() {
                Some(first) => crate::codec::encode(first, version).map_or_else(|e| e, |b| crate::codec::hex(&b)),
                None => "nothing".to_owned(),
            },
            Err(errors) => errors.first().map_or(String::new(), |e| e.message.clone()),
        };
        let expected = crate::codec::hex(&expected);
        let result = if got == expected {
            Ok(())
        } else {
            Err(Difference { code: "alias", message: format!("reading `{line}`"), expected, got })
        };
        tally.probe(Fact::new("alias", format!("{}.alias", alias.name), alias.at), result);
    }
}
