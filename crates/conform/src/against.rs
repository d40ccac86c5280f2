//! Statements for another assembler: the text of each probe, with the verdict of the pages.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use visakit_codegen::model::{FieldKind, Instruction, Model, targets};
use visakit_diag::Severity;

use crate::codec::{self, decode};
use crate::expect::base::{base, base_on};
use crate::expect::directive;
use crate::expect::meaning::{encodes, exists_on, holds};
use crate::expect::sample::{Sample, Value};
use crate::finding::{Fact, Tally};
use crate::probe::probes::Probes;
use crate::probe::{across, chapter, vary};
use visakit::isa::{DeclaredClass, Platform};
use visakit::object::Routine;
use visakit::text::{Style, in_revision, version_of};
use visakit::verify::Location;
use visakit::{text, verify};

/// Statement of a probe, with its expected answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Path of the fact, such as `ADD.Exec_size.0b101`. It begins with the page, also for facts of
    /// shared lists.
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
    /// Statement as the vendor prints it by the pages, with the losses of its text.
    pub printed: String,
    /// Text revision of the statement, as year times 100 plus month; 0 for the oldest.
    pub revision: u32,
    /// Forms in later text revisions, where they differ: revision, statement, printed statement.
    newer: Vec<(u32, String, String)>,
    /// Labels after the statement; empty if the statement uses none.
    pub labels: String,
    /// Code of the rule that the statement violates; `None` if the pages accept it.
    pub refused: Option<&'static str>,
    /// Bytes of the instruction.
    pub bytes: Vec<u8>,
}

impl Asked {
    /// Returns the text revisions in which the statement has another form, oldest first.
    pub fn revisions(&self) -> impl Iterator<Item = u32> {
        self.newer.iter().map(|(revision, ..)| *revision)
    }

    /// Returns the statement in its form of a text revision.
    #[must_use]
    pub fn in_revision(&self, revision: u32) -> Self {
        let newest = self.newer.iter().rev().find(|(since, ..)| *since <= revision);
        let form = newest.map(|(_, statement, printed)| (statement.clone(), printed.clone()));
        let (statement, printed) = form.unwrap_or_else(|| (self.statement.clone(), self.printed.clone()));
        Self { statement, printed, revision, ..self.clone() }
    }

    /// Returns a complete text with the statements, which share no labels.
    pub fn text(all: &[&Self]) -> String {
        let mut lines: BTreeSet<&str> = BTreeSet::new();
        let declared = all.iter().flat_map(|one| &one.declarations).filter(|line| lines.insert(line));
        let own = all.first().map_or(0, |one| one.revision);
        let head = format!(".version {}\n{KERNEL}", version_of(own));
        let mut out = format!("{head}{}", declared.map(|line| format!("{line}\n")).collect::<String>());
        for one in all {
            out += &format!("    {}\n", one.statement);
        }
        out + all.first().map_or("", |one| &one.labels)
    }

    /// Returns the number of lines before the first statement of [`Asked::text`].
    pub fn head(all: &[&Self]) -> usize {
        let lines: BTreeSet<&str> = all.iter().flat_map(|one| &one.declarations).map(String::as_str).collect();
        1 + KERNEL.lines().count() + lines.len()
    }
}

/// Line after the version of a text.
const KERNEL: &str = ".kernel \"probe\"\n";

/// Returns the statements of all probes for a platform, without duplicates; `None` if the pages do
/// not define operands or the platform. `chosen` selects pages.
pub fn asked(model: &Model, platform: Platform, chosen: &(dyn Fn(&str) -> bool + Sync)) -> Option<Vec<Asked>> {
    let probes = chapter::prepare(model, &mut Tally::default())?;
    let at = probes.platforms.iter().position(|known| *known == Some(platform))?;
    let pages: Vec<_> = model.instructions.iter().filter(|page| encodes(page) && chosen(&page.name)).collect();
    let illegal = illegal(&probes, platform);
    let revisions = revisions(model).into_iter().map(|revision| (revision, in_revision(&probes.routine, revision)));
    let revisions: Vec<_> = revisions.collect();
    let ask = Ask { probes: &probes, platform, at, illegal: &illegal, revisions: &revisions };
    let parts: Vec<Vec<Asked>> = pages.par_iter().map(|page| of_page(&ask, page)).collect();
    Some(parts.concat())
}

/// Inputs of the statements of all pages.
struct Ask<'a, 'm> {
    probes: &'a Probes<'m>,
    platform: Platform,
    /// Position of the platform in the model.
    at: usize,
    /// Names of variables with an illegal declaration, and the rule that it violates.
    illegal: &'a BTreeMap<String, &'static str>,
    /// Later text revisions, oldest first, with the routine that is printed in each.
    revisions: &'a [(u32, Routine)],
}

/// Returns the text revisions of the templates, oldest first.
fn revisions(model: &Model) -> BTreeSet<u32> {
    let forms = model.instructions.iter().flat_map(|page| &page.forms);
    forms.flat_map(|form| &form.texts).filter_map(|text| text.template.since).collect()
}

/// Returns the variables of the probes with an illegal declaration, and the rule that it violates.
fn illegal(probes: &Probes<'_>, platform: Platform) -> BTreeMap<String, &'static str> {
    let found = verify::routine(&probes.routine, Some(platform));
    let errors = found.into_iter().filter(|v| v.severity == Severity::Error);
    let named = errors.filter_map(|v| match v.place {
        Location::Declaration(name) => Some((name, v.code)),
        _ => None,
    });
    named.collect()
}

fn of_page<'m>(ask: &Ask<'_, 'm>, page: &'m Instruction) -> Vec<Asked> {
    let (probes, at) = (ask.probes, ask.at);
    let mut out = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let Some(version) = probes.versions.last().copied() else { return out };
    let mut add = |fact: &Fact, sample: &Sample<'m>| {
        let Some(one) = ask.about(fact, sample) else { return };
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
        // Texts leave out the default, and assemblers support few other numbers.
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

impl Ask<'_, '_> {
    /// Returns the statement of a probe; `None` if it has no complete text.
    fn about(&self, fact: &Fact, sample: &Sample<'_>) -> Option<Asked> {
        let (probes, world) = (self.probes, &self.probes.world);
        let bytes = sample.encode(&world.operands).bytes;
        let (instruction, _) = decode(&bytes, sample.version).ok()?;
        let statement = codec::print(&instruction, &probes.routine, sample.version);
        let words: BTreeSet<&str> = statement.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        // An assembler may number the variables of smaller tables, so these are always complete.
        let letter = directive::letter(world.model, DeclaredClass::GeneralClass);
        let declared = |line: &String| {
            let name = line.split(' ').nth(1).unwrap_or_default();
            !name.starts_with(letter) || words.contains(name)
        };
        let declarations: Vec<String> = world.declarations().into_iter().filter(declared).collect();
        let has_label = words.iter().any(|word| word.strip_prefix('L').is_some_and(|n| n.parse::<u32>().is_ok()));
        let labels = if has_label || statement.ends_with(':') { world.tail() } else { String::new() };
        let illegal = words.iter().find_map(|word| self.illegal.get(*word)).copied();
        let page = world.model.pages.get(fact.at?.page as usize)?;
        let line = page.text.get(..fact.at?.start as usize)?.matches('\n').count() as u32 + 1;
        let printed = codec::print_as(&instruction, &probes.routine, sample.version, Style::Vendor);
        let mut newer: Vec<(u32, String, String)> = Vec::new();
        for (revision, routine) in self.revisions {
            let print = |style| codec::print_as(&instruction, routine, sample.version, style);
            let form = (print(Style::Full), print(Style::Vendor));
            let last = newer.last().map_or((&statement, &printed), |(_, statement, printed)| (statement, printed));
            if (&form.0, &form.1) != last {
                newer.push((*revision, form.0, form.1));
            }
        }
        let own = &sample.page.name;
        let is_own = fact.path.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('.'));
        let mut one = Asked {
            path: if is_own { fact.path.clone() } else { format!("{own}.{}", fact.path) },
            page: own.clone(),
            file: page.shown.clone(),
            line,
            declarations,
            printed,
            revision: 0,
            newer,
            statement,
            labels,
            refused: None,
            bytes,
        };
        let refuses = |instruction, routine| {
            let found = verify::instruction(instruction, 0, routine, Some(self.platform));
            found.iter().find(|v| v.severity == Severity::Error).map(|v| v.code).or(illegal)
        };
        let Ok(parsed) = text::parse(&Asked::text(&[&one]), text::Options::default()) else {
            // A text that this assembler refuses too needs no bytes.
            one.refused = Some(refuses(&instruction, &probes.routine)?);
            return Some(one);
        };
        // A text may lack the illegal part of the instruction.
        let own = parsed.routine.instructions.first()?;
        one.refused = refuses(own, &parsed.routine);
        // The text numbers the variables that it declares, so only the lengths are comparable. They
        // show that the text has all of the instruction, so that the answer is about the probe.
        let encoded = codec::encode(own, sample.version).unwrap_or_default();
        (encoded.len() == one.bytes.len()).then_some(one)
    }
}
