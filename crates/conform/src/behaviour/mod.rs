//! Behaviour: what pages say that instructions do, against what the emulator's kernels do.
//!
//! An instruction of each page is drawn until the rules take it (`visakit-smith`), and executed
//! from the same state twice: by the Semantics of its page (`visakit-oracle`) and by its kernel.
//! Where operands are so small that all their values can be tried, they are (`domain`); else
//! corners and random bits are. What differs is made smaller before it is shown (`shrink`).

mod case;
mod domain;
mod flow;
mod pictures;
mod pool;
mod reach;
mod shrink;
mod state;
mod wrong;
mod yard;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::Serialize;
use visakit::isa::{PAGES, Platform};
use visakit::rt::reflect;
use visakit_codegen::model::{Model, PageKind};
use visakit_diag::{Diagnostic, Severity};
use visakit_oracle::Refusal;
use visakit_smith::{Config, Unstructured};

use case::{Compared, Subject};
use pool::{Pool, Random};
pub use wrong::{Slip, Wrong};

use crate::{Count, Finding, Report};

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The most routines that are drawn for each page.
    pub routines: u32,
    /// The first of them: others are drawn from another one on.
    pub first: u32,
    /// No more are drawn when so many channels were compared.
    pub channels: u64,
    /// More are drawn, up to [`MORE`] times as many, as long as so few channels were compared: most
    /// of what is drawn of some pages is of one channel, or reaches no memory.
    pub least: u64,
    /// Instructions of each.
    pub instructions: usize,
    /// States that each instruction runs from.
    pub states: u32,
    /// The most states of a domain that is tried as a whole, for each combination of types.
    pub domain: u64,
    /// Combinations of types whose domain is tried.
    pub types: usize,
    /// A wrong kernel, for those who judge the judge.
    pub wrong: Option<Wrong>,
}

impl Effort {
    /// What a plain comparison does.
    pub const QUICK: Self = Self {
        routines: 12,
        first: 0,
        channels: u64::MAX,
        least: 16_000,
        instructions: 16,
        states: 24,
        domain: 1 << 16,
        types: 2,
        wrong: None,
    };
    /// The whole.
    pub const THOROUGH: Self =
        Self { routines: 2000, channels: 1_000_000, states: 48, types: usize::MAX, ..Self::QUICK };
}

/// How many times as many routines are drawn where few channels are compared.
pub const MORE: u32 = 3;

/// The most layouts of a page that have routines of their own.
const FORMS: u32 = 4;

/// How often an instruction is changed until the rules take it.
const TRIES: u32 = 4;

/// Routines of a page whose states are put together from the same numbers.
const POOLED: u32 = 16;

/// What comparing gave.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Behaviour {
    /// Pages that were compared, with the number of channels whose results were.
    pub compared: BTreeMap<String, u64>,
    /// Pages that cannot be, with the reason.
    pub apart: BTreeMap<String, String>,
    /// What differs, one for each page.
    pub differences: Vec<Difference>,
}

/// An instruction whose page and kernel disagree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The instruction's page.
    pub name: String,
    /// The instruction as text.
    pub text: String,
    /// The platform whose registers it has.
    pub platform: &'static str,
    /// Rounding and subnormal numbers, where they are not those of compiled programs.
    pub mode: String,
    /// The channel.
    pub channel: u32,
    /// Sources and their values in that channel.
    pub inputs: Vec<(String, String)>,
    /// What the page leaves, or why it stops.
    pub page: String,
    /// What the kernel leaves, or why it stops.
    pub kernel: String,
    /// The page's file.
    pub file: String,
    /// The line that says it.
    pub line: u32,
}

impl Behaviour {
    /// The differences as findings, beside those of probing.
    pub fn report(&self, model: &Model, report: &mut Report) {
        let compared = self.compared.len();
        let count = Count { probed: compared, passed: compared.saturating_sub(self.differences.len()) };
        report.facts.insert("behaviour", count);
        report.findings.extend(self.differences.iter().map(|difference| difference.finding(model)));
    }
}

impl Difference {
    /// The case in one line: the instruction, where it ran, and what its sources were.
    pub fn case(&self) -> String {
        if self.inputs.is_empty() {
            return format!("`{}` on {}", self.text, self.platform);
        }
        let inputs: Vec<String> = self.inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let mode = if self.mode.is_empty() { String::new() } else { format!(", {}", self.mode) };
        format!("`{}` on {}{mode}, channel {} with {}", self.text, self.platform, self.channel, inputs.join(", "))
    }

    fn finding(&self, model: &Model) -> Finding {
        let page = model.pages.iter().find(|page| page.path == self.file);
        let file = page.map_or("", |page| page.shown.as_str());
        let message = format!("{}: the page gives {}, the kernel {}", self.case(), self.page, self.kernel);
        let mut diagnostic = Diagnostic::new("behaviour", Severity::Error, file, message).help(
            "either the page or the kernel is wrong: the vendor's documents, IEEE 754 and \
             OpenCL decide; `visa eval` tries other values",
        );
        if let Some(page) = page {
            let text = page.text.lines().nth((self.line as usize).saturating_sub(1)).unwrap_or("");
            let start = text.len() - text.trim_start().len();
            diagnostic = diagnostic.at_line(self.line, text, start, text.trim_end().len().max(start));
        }
        let path = format!("{}.semantics", self.name);
        Finding { diagnostic, path, expected: self.page.clone(), got: self.kernel.clone() }
    }
}

/// Compares all pages with their kernels.
pub fn compare(model: &Model, effort: &Effort) -> Behaviour {
    compare_watched(model, effort, &[], &|_, _| ())
}

/// Compares all pages with their kernels, or those with the names in `only`; `done` is told of how
/// many pages, of how many, it has been done.
pub fn compare_watched(
    model: &Model,
    effort: &Effort,
    only: &[String],
    done: &(dyn Fn(usize, usize) + Sync),
) -> Behaviour {
    let is_wanted = |page: &reflect::Page| only.is_empty() || only.iter().any(|name| name == page.name);
    let pages: Vec<_> = PAGES.iter().copied().filter(|page| is_compared(page) && is_wanted(page)).collect();
    let count = AtomicUsize::new(0);
    let all = pages.len();
    done(0, all);
    let compared = |page: &'static reflect::Page| {
        let found = of_page(model, page, effort);
        done(count.fetch_add(1, Ordering::Relaxed) + 1, all);
        (page.name, found)
    };
    // One page at a time, as some take much longer than others.
    let parts: Vec<_> = pages.into_par_iter().with_max_len(1).map(compared).collect();
    let flow = if only.is_empty() { flow::compare(model) } else { None };
    let mut out = Behaviour { differences: Vec::from_iter(flow), ..Behaviour::default() };
    for (name, result) in parts {
        match result {
            Ok(Found { channels, difference, .. }) => {
                out.compared.insert(name.to_owned(), channels);
                out.differences.extend(difference);
            }
            Err(why) => {
                out.apart.insert(name.to_owned(), why);
            }
        }
    }
    out
}

/// Compares one page with its kernel.
///
/// # Errors
/// Why it cannot be compared.
pub fn compare_only(
    model: &Model,
    page: &'static reflect::Page,
    effort: &Effort,
) -> Result<Option<Difference>, String> {
    let found =
        if is_compared(page) { of_page(model, page, effort) } else { Err("it is not an instruction".to_owned()) };
    found.map(|found| found.difference)
}

/// Whether a page is one of an instruction that can be compared.
fn is_compared(page: &reflect::Page) -> bool {
    page.kind == reflect::PageKind::Ordinary && !page.forms.is_empty()
}

/// What comparing one page gave.
#[derive(Debug, Default)]
struct Found {
    channels: u64,
    /// Whether a wrong kernel has left anything wrong.
    spoiled: bool,
    difference: Option<Difference>,
}

/// Compares one page, or says why it cannot be.
fn of_page(model: &Model, page: &'static reflect::Page, effort: &Effort) -> Result<Found, String> {
    let said = model.instructions.iter().find(|i| i.name == page.name).ok_or("these pages do not contain it")?;
    match (&said.kind, &said.behaviour) {
        (PageKind::Undefined, _) => return Err("its page does not define it".to_owned()),
        (_, None) => return Err("its page has no Semantics section".to_owned()),
        _ => {}
    }
    let mut found = Found::default();
    let mut refusal = None;
    let mut pool = Pool::new(page.opcode.into());
    // Each layout has its share.
    let routines = effort.routines * u32::try_from(page.forms.len()).unwrap_or(1).clamp(1, FORMS);
    for n in effort.first..effort.first + routines * MORE {
        let enough = if n < effort.first + routines { effort.channels } else { effort.least };
        if found.channels >= enough {
            break;
        }
        if n > effort.first && n.is_multiple_of(POOLED) {
            pool = Pool::new(u64::from(n) << 8 | u64::from(page.opcode));
        }
        let Some((platform, routine)) = drawn(page, n, effort.instructions) else { continue };
        let Ok(mut subject) = Subject::new(model, &routine, platform, effort.wrong, &pool) else { continue };
        for at in 0..routine.instructions.len() {
            found.spoiled |= subject.spoiled;
            if !std::ptr::eq(routine.instructions[at].page(), page) {
                continue;
            }
            let mut bound = match subject.bind(at) {
                Ok(Some(bound)) => bound,
                Ok(None) => continue,
                Err(Refusal::Illegal(_)) => continue,
                Err(why) => {
                    refusal = Some(why);
                    continue;
                }
            };
            let seed = u64::from(n) << 32 | (at as u64) << 16;
            for state in 0..effort.states {
                match subject.compare(&mut bound, seed + u64::from(state)) {
                    Compared::Same => found.channels += u64::from(bound.channels()),
                    Compared::Undefined | Compared::Stopped => {}
                    Compared::Differs(place) => {
                        found.difference = Some(shrink::smallest(&mut subject, at, seed + u64::from(state), place));
                        return Ok(found);
                    }
                }
            }
        }
        found.spoiled |= subject.spoiled;
    }
    if found.channels == 0 {
        let reason = "no instruction was found that its kernel supports";
        return Err(refusal.map_or(reason.to_owned(), |why| why.to_string()));
    }
    domain::all(model, page, effort, &pool, &mut found);
    if effort.wrong.is_some() && !found.spoiled {
        return Err("what the wrong kernel does is right too".to_owned());
    }
    Ok(found)
}

/// A routine with instructions of a page, on one of the platforms that have it.
fn drawn(page: &'static reflect::Page, n: u32, instructions: usize) -> Option<(Platform, visakit::object::Routine)> {
    let exists = |p: &Platform| page.platforms.is_empty() || page.platforms.iter().any(|range| range.contains(*p));
    let here: Vec<Platform> =
        Platform::emulated_ones().filter(exists).chain(Platform::ALL.iter().copied().rfind(exists)).collect();
    let platform = *here.get(n as usize % here.len().max(1))?;
    let config =
        Config { platform: Some(platform), instructions: Some(instructions), page: Some(page), straight: true };
    let bytes = visakit_smith::bytes(u64::from(n) << 8 | u64::from(page.opcode), 4096);
    let (platform, mut routine) = visakit_smith::routine(&mut Unstructured::new(&bytes), &config).ok()?;
    let mut random = Random(u64::from(n));
    for at in 0..routine.instructions.len() {
        // What the rules refuse is tried otherwise, and at last stays as it was drawn.
        let near = (0..TRIES).find_map(|_| {
            let mut near = routine.instructions[at].clone();
            reach::bring_near(&mut near, &mut random);
            visakit::verify::instruction(&near, 0, &routine, Some(platform)).is_empty().then_some(near)
        });
        if let Some(near) = near {
            routine.instructions[at] = near;
        }
    }
    Some((platform, routine))
}
