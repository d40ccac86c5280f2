//! Command `visa diff`: finds statements of the specification that the implementation does not
//! follow.

mod against;
mod edits;
mod explain;
#[cfg(test)]
mod planted;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use visakit::isa::Platform;
use visakit_codegen::model::{Model, Page};
use visakit_conform::behaviour::{self, Behaviour, Effort};
use visakit_conform::{Finding, Report};
use visakit_diag::{Diagnostic, Severity};

use crate::accept::{Accepted, AcceptedUse};
use crate::codes;
use crate::groups::{self, Group, Layout, listed};
use crate::io::{layout, note, out};
use crate::outcome::{Outcome, OutputFormat};
use crate::progress::Bar;
use crate::report::{Findings, finish, print_json, report};
use crate::spec::source::{self, OverlayArg};
use crate::summary;
use explain::{Cause, Known, causes};

/// Compare this implementation with the specification by testing it.
///
/// The report begins with totals, followed by the causes of the findings, most severe first. If the
/// pages differ from the built-in pages, each finding names the edit that caused it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa diff
  visa diff --spec pages --format json
  visa diff --spec vendors-documents --overlay builtin --details
  visa diff --against GenX_IR --platform dg2 --state dg2.jsonl --accept docs/data/against.toml
  visa diff --against 2022=GenX_IR --against now=./GenX_IR --platform pvc     what changed between two versions

Instructions are also executed by the Semantics of their pages and by the emulator's kernels. A \
difference is a finding with the smallest instruction that shows it, its inputs and both results.

With `--format json`, `behaviour` lists the instructions that were and were not compared, `causes` has `id`, `class`, `what`, `file`, `line`, `facts`, `instructions` and `help`, and each of the `findings` has the number of its `cause`.

Exit codes: 0 all facts hold, 1 some do not, 2 usage, or a page could not be read")]
pub(super) struct Args {
    /// The specification [default: the built-in pages]
    #[arg(long, value_name = "DIR")]
    spec: Option<PathBuf>,
    #[command(flatten)]
    overlay: OverlayArg,
    /// Test objects and texts only; do not execute instructions
    #[arg(long)]
    no_behaviour: bool,
    /// Execute instructions over whole domains, and a million channels for each page (slow)
    #[arg(long, conflicts_with = "no_behaviour")]
    thorough: bool,
    /// Execute the instructions of these pages only, such as ADD,MAD; test nothing else. With
    /// --against, ask about these pages only
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = page_name, conflicts_with = "no_behaviour")]
    only: Vec<String>,
    /// Give the text of each probe to another assembler and compare its answers: GenX_IR, or a
    /// command that follows the protocol of the guide. Named twice, show what changed between them
    #[arg(long, value_name = "[NAME=]COMMAND", conflicts_with_all = ["no_behaviour", "thorough"])]
    against: Vec<String>,
    /// Platform for --against
    #[arg(long, value_name = "PLATFORM", value_parser = crate::platform::platform, requires = "against")]
    platform: Option<Platform>,
    /// Keep the answers of --against in a file, and use those that it has
    #[arg(long, value_name = "FILE", requires = "against")]
    state: Option<PathBuf>,
    /// Accepted findings, which do not count: a TOML file of entries `[[accept]]` with `path`,
    /// `reason` and optionally `kind`, the code of the finding
    #[arg(long, value_name = "FILE")]
    accept: Option<PathBuf>,
    /// Append a Markdown summary to a file, such as $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Also show each finding, and the number of tested facts
    #[arg(long)]
    details: bool,
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(probe(&args), args.format)
}

/// Parses the name of a page, in upper or lower case.
fn page_name(name: &str) -> Result<String, String> {
    let page = visakit::isa::PAGES.iter().find(|page| page.name.eq_ignore_ascii_case(name));
    page.map(|page| page.name.to_owned()).ok_or_else(|| "there is no page of that name".to_owned())
}

fn probe(args: &Args) -> Result<Outcome, Findings> {
    let (model, _) = source::read(args.spec.as_deref(), &args.overlay)?;
    let completed = visakit_conform::with_own_chapters(&model);
    if completed.is_some() {
        note(
            "note: the chapters do not define all operands and platforms; the built-in chapters \
         are used for the missing definitions",
        );
    }
    let model = completed.unwrap_or(model);
    if !args.against.is_empty() {
        return against::run(args, &model);
    }
    let codes = codes::entries();
    let accepted = Accepted::read(args.accept.as_deref(), &|code| codes.iter().any(|entry| entry.code == code))?;
    let effort = if args.thorough { &Effort::THOROUGH } else { &Effort::QUICK };
    let execute = || {
        let mut bar = Bar::new("pages", 0);
        let found =
            behaviour::compare_watched(&model, effort, &args.only, &|done, of| bar.show(done as u64, of as u64));
        bar.clear();
        found
    };
    let probe = || if args.only.is_empty() { visakit_conform::run(&model) } else { Report::default() };
    // Probing keeps one core busy until it is done, so behaviour is compared in parallel.
    let pool = rayon::ThreadPoolBuilder::new().build().map_err(|error| {
        let message = format!("threads cannot be started: {error}");
        let finding = Diagnostic::new("out-of-memory", Severity::Error, "visa diff", message);
        finding.help("raise the limits of the process (`ulimit -v`, `ulimit -u`)")
    })?;
    let (mut found, behaviour) = pool.install(|| rayon::join(probe, || (!args.no_behaviour).then(execute)));
    if let Some(behaviour) = &behaviour {
        behaviour.report(&model, &mut found);
    }
    found.findings.retain(|finding| accepted.reason(finding.diagnostic.code, &finding.path).is_none());
    let (uses, unused) = (accepted.uses(), accepted.unused());
    let (own, _) = visakit_conform::own_model();
    let known = pool.install(|| known(&found, &own, &model));
    let (causes, of) = causes(&mut found.findings, &own, &model, &known);
    if let Some(file) = &args.summary {
        summary::append(file, &(markdown(&found, &causes) + &summary::accepted(&uses)))?;
    }
    match args.format {
        OutputFormat::Json => print_json(&Answer::new(&found, &causes, &of, behaviour.as_ref(), &uses)),
        OutputFormat::Human => {
            human(&found, causes, behaviour.as_ref(), args.details);
            report(&unused, args.format);
        }
        OutputFormat::Github | OutputFormat::Sarif => {
            let findings = found.findings.iter().map(|finding| finding.diagnostic.clone());
            report(&findings.chain(unused).collect::<Vec<_>>(), args.format);
        }
    }
    Ok(if found.findings.is_empty() { Outcome::Done } else { Outcome::Found })
}

/// Sets the place of a finding to a whole line of its page.
fn at_whole_line<'a>(finding: Diagnostic, line: u32, pages: impl IntoIterator<Item = &'a Page>) -> Diagnostic {
    let page = pages.into_iter().find(|page| page.shown == finding.file);
    let text = page.and_then(|page| page.text.lines().nth(line.checked_sub(1)? as usize)).unwrap_or("");
    let start = text.len() - text.trim_start().len();
    finding.at_line(line, text, start, text.trim_end().len().max(start))
}

/// Returns the findings that the built-in pages have too. They are searched only if an edit may
/// have caused findings.
fn known(found: &Report, own: &Model, model: &Model) -> Known {
    let is_edited = own.pages.iter().map(|p| (&p.path, &p.text)).ne(model.pages.iter().map(|p| (&p.path, &p.text)));
    if found.findings.is_empty() || !is_edited {
        return Known::new();
    }
    let own = visakit_conform::run(own).findings;
    own.into_iter().map(|finding| (finding.diagnostic.code, finding.path)).collect()
}

/// Returns the causes as a Markdown table.
fn markdown(found: &Report, causes: &[Cause]) -> String {
    let (probed, passed) = found.facts.values().fold((0, 0), |(a, b), n| (a + n.probed, b + n.passed));
    let mut s = format!("# Implementation and specification\n\n{passed} of {probed} facts hold.\n");
    if causes.is_empty() {
        return s;
    }
    s.push_str("\n| Class | Cause | Facts | Where |\n| --- | --- | --- | --- |\n");
    causes.iter().for_each(|cause| s.push_str(&cause.row()));
    s
}

/// JSON report with the causes.
#[derive(Serialize)]
struct Answer<'a> {
    findings: Vec<Entry<'a>>,
    causes: &'a [Cause],
    missing: &'a [visakit_conform::Entry],
    undefined: &'a [visakit_conform::Entry],
    filled: usize,
    facts: &'a BTreeMap<&'static str, visakit_conform::Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    behaviour: Option<&'a Behaviour>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    accepted: &'a [AcceptedUse],
}

/// Finding with the index of its cause.
#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    cause: usize,
}

impl<'a> Answer<'a> {
    fn new(
        found: &'a Report,
        causes: &'a [Cause],
        of: &[usize],
        behaviour: Option<&'a Behaviour>,
        accepted: &'a [AcceptedUse],
    ) -> Self {
        let Report { findings, missing, undefined, filled, facts, .. } = found;
        let findings = findings.iter().zip(of).map(|(finding, cause)| Entry { finding, cause: *cause }).collect();
        Self { findings, causes, missing, undefined, filled: *filled, facts, behaviour, accepted }
    }
}

fn human(found: &Report, causes: Vec<Cause>, behaviour: Option<&Behaviour>, details: bool) {
    let (probed, passed) = found.facts.values().fold((0, 0), |(a, b), n| (a + n.probed, b + n.passed));
    let mut classes: BTreeMap<usize, (&str, usize)> = BTreeMap::new();
    for (n, cause) in causes.iter().enumerate() {
        let first = causes.iter().position(|other| other.class == cause.class).unwrap_or(n);
        classes.entry(first).or_insert((cause.class, 0)).1 += cause.facts;
    }
    let totals: Vec<String> = classes.values().map(|(class, facts)| format!("{facts} {class}")).collect();
    let not = if totals.is_empty() {
        String::new()
    } else {
        format!("; {} do not: {}", probed - passed, totals.join(", "))
    };
    out(&format!("{passed} of {probed} facts hold{not}\n"));
    // With `--only`, no facts are probed.
    if found.filled + found.missing.len() > 0 {
        out(&format!("{} instructions have a kernel, {} lack one\n", found.filled, found.missing.len()));
    }
    let layout = layout();
    if details {
        let facts: Vec<String> =
            found.facts.iter().map(|(kind, n)| format!("{kind} {}/{}", n.passed, n.probed)).collect();
        out(&format!("facts that hold, of those tested: {}\n", facts.join(", ")));
    } else if !found.undefined.is_empty() {
        let names: Vec<String> = found.undefined.iter().map(|entry| entry.instruction.clone()).collect();
        let text = format!("no public text defines what {} instructions do: ", names.len());
        out(&format!("{text}{}\n", listed(&names, layout.width.saturating_sub(text.len()))));
    }
    if let Some(behaviour) = behaviour {
        say_behaviour(behaviour, details, layout);
    }
    let groups: Vec<Group> = causes.into_iter().map(Group::from).collect();
    out(&groups::summary(&groups, layout));
    if details {
        let diagnostics: Vec<_> = found.findings.iter().map(|f| f.diagnostic.clone()).collect();
        report(&diagnostics, OutputFormat::Human);
        for entry in &found.undefined {
            out(&format!("{}:{}: no public text defines its behaviour (no finding)\n", entry.page, entry.line));
        }
    } else if !groups.is_empty() {
        out("\n--details shows each finding; --format json shows all findings with the numbers of their causes\n");
    }
}

/// Prints how much of the behaviour was compared.
fn say_behaviour(behaviour: &Behaviour, details: bool, layout: Layout) {
    let channels: u64 = behaviour.compared.values().sum();
    out(&format!(
        "the behaviour of {} instructions was compared, in {channels} channels\n",
        behaviour.compared.len()
    ));
    if details {
        for (name, why) in &behaviour.apart {
            out(&format!("{name} was not compared: {why}\n"));
        }
    } else if !behaviour.apart.is_empty() {
        let names: Vec<String> = behaviour.apart.keys().cloned().collect();
        let text = format!("{} others were not compared: ", names.len());
        out(&format!("{text}{}\n", listed(&names, layout.width.saturating_sub(text.len()))));
    }
}
