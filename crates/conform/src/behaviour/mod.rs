//! Comparison of the behaviour that pages define with the behaviour of the emulator's kernels.
//!
//! `visakit-smith` generates an instruction of each page that the rules accept. The page's
//! Semantics (`visakit-oracle`) and its kernel execute the instruction from the same state.
//! `domain` tries all values of small operands; other operands get corner values and random bits.
//! `shrink` reduces a difference before it is reported.

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

/// Limits of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Maximum number of routines per page.
    pub routines: u32,
    /// Number of the first routine. Another start gives other random routines.
    pub first: u32,
    /// Number of compared channels after which a page gets no more routines.
    pub channels: u64,
    /// Minimum number of compared channels. While a page is below it, up to [`MORE`] times as many
    /// routines are generated: on some pages most random instructions have one channel or access no
    /// valid memory.
    pub least: u64,
    /// Number of instructions per routine.
    pub instructions: usize,
    /// Number of initial states per instruction.
    pub states: u32,
    /// Maximum number of states for an exhaustive comparison, per combination of types.
    pub domain: u64,
    /// Maximum number of type combinations that are compared exhaustively.
    pub types: usize,
    /// Deliberately wrong kernel, to test the comparison itself.
    pub wrong: Option<Wrong>,
}

impl Effort {
    /// Limits of a quick comparison.
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
    /// Limits of a thorough comparison.
    pub const THOROUGH: Self =
        Self { routines: 2000, channels: 1_000_000, states: 48, types: usize::MAX, ..Self::QUICK };
}

/// Factor by which more routines are generated when too few channels were compared.
pub const MORE: u32 = 3;

/// Maximum number of layouts per page with their own routines.
const FORMS: u32 = 4;

/// Maximum number of changes to make a random instruction legal.
const TRIES: u32 = 4;

/// Number of routines per page that share one pool of numbers.
const POOLED: u32 = 16;

/// Results of a comparison.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Behaviour {
    /// Number of compared channels by page.
    pub compared: BTreeMap<String, u64>,
    /// Pages that cannot be compared, with the reason.
    pub apart: BTreeMap<String, String>,
    /// Differences, at most one per page.
    pub differences: Vec<Difference>,
}

/// Instruction whose page and kernel disagree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Name of the instruction's page.
    pub name: String,
    /// Instruction as text.
    pub text: String,
    /// Platform whose registers are used.
    pub platform: &'static str,
    /// Rounding and subnormal modes, if they differ from those of compiled programs.
    pub mode: String,
    /// Channel of the difference.
    pub channel: u32,
    /// Sources and their values in the channel.
    pub inputs: Vec<(String, String)>,
    /// Result of the page, or its error.
    pub page: String,
    /// Result of the kernel, or its error.
    pub kernel: String,
    /// File of the page.
    pub file: String,
    /// Line of the statement that defines the result.
    pub line: u32,
}

impl Behaviour {
    /// Adds the differences to the findings of the probes.
    pub fn report(&self, model: &Model, report: &mut Report) {
        let compared = self.compared.len();
        let count = Count { probed: compared, passed: compared.saturating_sub(self.differences.len()) };
        report.facts.insert("behaviour", count);
        report.findings.extend(self.differences.iter().map(|difference| difference.finding(model)));
    }
}

impl Difference {
    /// Formats the case in one line: instruction, platform, modes, channel and source values.
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
        let pages = [self.name.clone()].into();
        Finding { diagnostic, path, expected: self.page.clone(), got: self.kernel.clone(), pages }
    }
}

/// Compares all pages with their kernels.
pub fn compare(model: &Model, effort: &Effort) -> Behaviour {
    compare_watched(model, effort, &[], &|_, _| ())
}

/// Compares all pages, or those named in `only`, with their kernels. Calls `done` with the numbers
/// of finished and of all pages.
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
    // Schedule pages singly, because some take much longer than others.
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
/// The reason why the page cannot be compared.
pub fn compare_only(
    model: &Model,
    page: &'static reflect::Page,
    effort: &Effort,
) -> Result<Option<Difference>, String> {
    let found =
        if is_compared(page) { of_page(model, page, effort) } else { Err("it is not an instruction".to_owned()) };
    found.map(|found| found.difference)
}

/// Returns true for the page of an instruction that can be compared.
fn is_compared(page: &reflect::Page) -> bool {
    page.kind == reflect::PageKind::Ordinary && !page.forms.is_empty()
}

/// Result for one page.
#[derive(Debug, Default)]
struct Found {
    channels: u64,
    /// True once the wrong kernel has changed a result.
    spoiled: bool,
    difference: Option<Difference>,
}

/// Compares one page, or returns the reason why it cannot be compared.
fn of_page(model: &Model, page: &'static reflect::Page, effort: &Effort) -> Result<Found, String> {
    let said =
        model.instructions.iter().find(|i| i.name == page.name).ok_or("the specification lacks the instruction")?;
    match (&said.kind, &said.behaviour) {
        (PageKind::Undefined, _) => return Err("the instruction's page does not define its behaviour".to_owned()),
        (_, None) => return Err("the instruction's page has no Semantics section".to_owned()),
        _ => {}
    }
    let mut found = Found::default();
    let mut refusal = None;
    let mut pool = Pool::new(page.opcode.into());
    // Each layout gets its share of the routines.
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
        return Err("the deliberately wrong kernel computes a correct result too".to_owned());
    }
    Ok(found)
}

/// Generates a routine with instructions of a page, on one of the page's platforms.
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
        // Replace illegal instructions; after the last attempt, keep the generated one.
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
