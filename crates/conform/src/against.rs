//! Statements for another assembler: the text of each probe, with the verdict of the pages.

use std::collections::BTreeSet;

use rayon::prelude::*;
use visakit_codegen::model::{FieldKind, Instruction, Model, targets};
use visakit_diag::Severity;

use crate::codec::{self, decode};
use crate::expect::base::{base, base_on};
use crate::expect::meaning::{encodes, exists_on, holds};
use crate::expect::sample::{Sample, Value};
use crate::finding::{Fact, Tally};
use crate::probe::probes::Probes;
use crate::probe::{across, chapter, vary};
use visakit::isa::Platform;
use visakit::{text, verify};

/// Statement of a probe, with its expected answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Path of the fact, such as `ADD.Exec_size.0b101`.
    pub path: String,
    /// Name of the instruction's page.
    pub page: String,
    /// Page of the fact, as in diagnostics.
    pub file: String,
    /// Line of the fact, from 1; 0 if it has none.
    pub line: u32,
    /// Declarations that the statement uses, one on each line.
    pub declarations: Vec<String>,
    /// Statement as the pages print it.
    pub statement: String,
    /// Labels after the statement; empty if the statement uses none.
    pub labels: String,
    /// Code of the rule that the statement violates; `None` if the pages accept it.
    pub refused: Option<&'static str>,
    /// Bytes of the instruction.
    pub bytes: Vec<u8>,
}

impl Asked {
    /// Returns a complete text with the statements, which share no labels.
    pub fn text(all: &[&Self]) -> String {
        let mut lines: BTreeSet<&str> = BTreeSet::new();
        let declared = all.iter().flat_map(|one| &one.declarations).filter(|line| lines.insert(line));
        let mut out = format!("{HEAD}{}", declared.map(|line| format!("{line}\n")).collect::<String>());
        for one in all {
            out += &format!("    {}\n", one.statement);
        }
        out + all.first().map_or("", |one| &one.labels)
    }

    /// Returns the number of lines before the first statement of [`Asked::text`].
    pub fn head(all: &[&Self]) -> usize {
        let lines: BTreeSet<&str> = all.iter().flat_map(|one| &one.declarations).map(String::as_str).collect();
        HEAD.lines().count() + lines.len()
    }
}

/// Beginning of a text.
const HEAD: &str = ".version 4.1\n.kernel \"probe\"\n";

/// Returns the statements of all probes for a platform, without duplicates; `None` if the pages do
/// not define operands or the platform. `chosen` selects pages.
pub fn asked(model: &Model, platform: Platform, chosen: &(dyn Fn(&str) -> bool + Sync)) -> Option<Vec<Asked>> {
    let probes = chapter::prepare(model, &mut Tally::default())?;
    let at = probes.platforms.iter().position(|known| *known == Some(platform))?;
    let pages: Vec<_> = model.instructions.iter().filter(|page| encodes(page) && chosen(&page.name)).collect();
    let parts: Vec<Vec<Asked>> = pages.par_iter().map(|page| of_page(&probes, page, platform, at)).collect();
    Some(parts.concat())
}

fn of_page<'m>(probes: &Probes<'m>, page: &'m Instruction, platform: Platform, at: usize) -> Vec<Asked> {
    let mut out = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let Some(version) = probes.versions.last().copied() else { return out };
    let mut add = |fact: &Fact, sample: &Sample<'m>| {
        let Some(one) = ask(probes, fact, sample, platform) else { return };
        if known.insert(one.statement.clone()) {
            out.push(one);
        }
    };
    for form in page.forms.iter().filter(|form| holds(&form.versions, version)) {
        // The platform refuses all statements of an instruction that it lacks.
        if !exists_on(page, Some(at)) {
            let sample = base(&probes.world, page, form, version);
            add(&Fact::new("field", format!("{}.base", page.name), form.at), &sample);
            continue;
        }
        let mut sample = base_on(&probes.world, page, form, version, Some(at));
        // Assemblers support few numbers besides the default, which texts leave out.
        for (field, value) in form.fields.iter().zip(&mut sample.values) {
            if field.shape == FieldKind::Number && field.default != 0 {
                *value = Value::Bits(field.default as u64);
            }
        }
        let sample = across::repaired(probes, sample, &[], at);
        add(&Fact::new("field", format!("{}.base", page.name), form.at), &sample);
        for sample in operations(probes, sample, at) {
            around(probes, &sample, at, &mut add);
        }
    }
    out
}

/// Adds the variants of an instruction that differ in one fact, and those of the rules.
fn around<'m>(probes: &Probes<'m>, sample: &Sample<'m>, at: usize, add: &mut impl FnMut(&Fact, &Sample<'m>)) {
    let all = vary::all(probes, sample, true);
    for probe in &all.accepted {
        add(&probe.fact, &probe.sample);
        // An enumerator may need other operands.
        if probe.fact.kind == "enumerator" {
            let changed = |at: &usize| probe.sample.values[*at] != sample.values[*at];
            let fixed: Vec<usize> = (0..sample.values.len()).filter(changed).collect();
            add(&probe.fact, &across::repaired(probes, probe.sample.clone(), &fixed, at));
        }
    }
    all.judged.iter().for_each(|(fact, sample, _)| add(fact, sample));
    across::samples(probes, sample, at).iter().for_each(|(fact, sample)| add(fact, sample));
}

/// Returns a legal instruction for each group of a form's operations that needs other operands.
fn operations<'m>(probes: &Probes<'m>, base: Sample<'m>, at: usize) -> Vec<Sample<'m>> {
    let Some(condition) = &base.form.condition else { return vec![base] };
    let Some(place) = condition.of.to.filter(|place| place.part.is_none()) else { return vec![base] };
    let mut out: Vec<Sample<'m>> = Vec::new();
    for value in targets(&condition.values) {
        let mut sample = base.clone();
        sample.values[place.field] = Value::Bits(value);
        let sample = across::repaired(probes, sample, &[place.field], at);
        let is_like = |other: &Sample<'m>| {
            let pairs = sample.values.iter().zip(&other.values).enumerate();
            pairs.filter(|(position, _)| *position != place.field).all(|(_, (a, b))| a == b)
        };
        if !out.iter().any(is_like) {
            out.push(sample);
        }
    }
    out
}

fn ask(probes: &Probes<'_>, fact: &Fact, sample: &Sample<'_>, platform: Platform) -> Option<Asked> {
    let world = &probes.world;
    let bytes = sample.encode(&world.operands).bytes;
    let (instruction, _) = decode(&bytes, sample.version).ok()?;
    let statement = codec::print(&instruction, &probes.routine, sample.version);
    let words: BTreeSet<&str> = statement.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    // An assembler may number the variables of the smaller tables, so these are always complete.
    let declared = |line: &String| {
        !line.starts_with(".decl V") || line.split(' ').nth(1).is_some_and(|name| words.contains(name))
    };
    let declarations: Vec<String> = world.declarations().into_iter().filter(declared).collect();
    let has_label = words.iter().any(|word| word.strip_prefix('L').is_some_and(|n| n.parse::<u32>().is_ok()));
    let labels = if has_label || statement.ends_with(':') { world.tail() } else { String::new() };
    let found = verify::instruction(&instruction, 0, &probes.routine, Some(platform));
    let refused = found.iter().find(|v| v.severity == Severity::Error).map(|v| v.code);
    let page = world.model.pages.get(fact.at?.page as usize)?;
    let line = page.text.get(..fact.at?.start as usize)?.matches('\n').count() as u32 + 1;
    let one = Asked {
        path: fact.path.clone(),
        page: sample.page.name.clone(),
        file: page.shown.clone(),
        line,
        declarations,
        statement,
        labels,
        refused,
        bytes,
    };
    one.is_complete(sample).then_some(one)
}

impl Asked {
    /// Returns true if the text has all of the instruction, so that the answer is about the probe.
    fn is_complete(&self, sample: &Sample<'_>) -> bool {
        // A text that this assembler refuses too needs no bytes.
        let Ok(parsed) = text::parse(&Self::text(&[self]), text::Options::default()) else {
            return self.refused.is_some();
        };
        let encoded =
            parsed.routine.instructions.first().map(|one| codec::encode(one, sample.version).unwrap_or_default());
        // The text numbers the variables that it declares, so only the lengths are comparable.
        encoded.is_some_and(|bytes| bytes.len() == self.bytes.len())
    }
}
