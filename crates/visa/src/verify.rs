//! `visa verify`: is this kernel legal?

use std::path::PathBuf;

use serde_json::json;
use visakit::isa::Platform;
use visakit::object::Routine;
use visakit::verify::{Location, Violation, routine};
use visakit_diag::Diagnostic;

use super::{Findings, Format, Outcome, answer, count, out, report};
use crate::input::{Content, Module, Selection, modules};

/// Check kernels by the rules of the pages
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa verify k.visaasm --platform tgllp
  visa verify *.isa program.zebin --format json

The rules of platforms are left out where neither the file nor --platform says one.

Exit codes: 0 legal, or warnings only, 1 a rule is broken or a file is wrong, 2 usage, or a file could not be read")]
pub(super) struct Args {
    /// Objects, texts, zebins and archives of zebins; `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    let mut findings = Vec::new();
    for file in &args.files {
        match modules(file, &args.selection) {
            Err(Findings(found)) => findings.extend(found),
            Ok(all) => all.iter().for_each(|module| {
                let found = one(module, args.selection.platform);
                findings.extend(found.unwrap_or_else(|Findings(found)| found));
            }),
        }
    }
    match args.format {
        Format::Json => answer(&findings, json!({ "files": args.files.len() })),
        Format::Human => {
            report(&findings, args.format);
            out(&format!("{}, {}\n", count(args.files.len(), "file"), count(findings.len(), "finding")));
        }
    }
    Outcome::of(&findings)
}

fn one(module: &Module, platform: Option<Platform>) -> Result<Vec<Diagnostic>, Findings> {
    match &module.content {
        Content::Object(_) => {
            let object = module.object(platform)?;
            let platform = platform.or(object.platform());
            Ok(object.routines().flat_map(|routine| check(module, routine, platform, None)).collect())
        }
        Content::Text(text) => {
            let parsed = module.parse(text, platform)?;
            let platform = platform.or(module.platform);
            let routines = parsed.routines();
            Ok(routines.flat_map(|(routine, lines)| check(module, routine, platform, Some((text, lines)))).collect())
        }
    }
}

fn check(
    module: &Module,
    checked: &Routine,
    platform: Option<Platform>,
    source: Option<(&str, &[u32])>,
) -> Vec<Diagnostic> {
    let lines = source.map(|(text, _)| LineIndex::new(text));
    let place = |violation: Violation| {
        let message = match (&violation.place, source) {
            (Location::Instruction(number), None) => format!("instruction {number}: {}", violation.message),
            _ => violation.message,
        };
        let found = Diagnostic::new(violation.code, violation.severity, module.file.clone(), message)
            .help(format!("the rule stands in spec/{}", violation.page));
        let (Some((text, numbers)), Some(lines)) = (source, &lines) else { return found };
        let range = match &violation.place {
            Location::Instruction(number) => numbers.get(*number).and_then(|line| lines.statement(text, *line)),
            Location::Declaration(name) => declaration(text, &[".decl"], name),
            Location::Input(name) => declaration(text, &[".input", ".parameter", ".implicit_"], name),
            Location::Routine => None,
        };
        match range {
            Some(range) => found.at_text(text, range.start, range.end),
            None => found,
        }
    };
    routine(checked, platform).into_iter().map(place).collect()
}

/// Where the lines of a text begin.
struct LineIndex(Vec<usize>);

impl LineIndex {
    fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self(std::iter::once(0).chain(ends).collect())
    }

    /// The statement of a line, counted from 1: without blanks and comment.
    fn statement(&self, text: &str, line: u32) -> Option<std::ops::Range<usize>> {
        let start = *self.0.get((line as usize).checked_sub(1)?)?;
        let quoted = text.get(start..)?.lines().next()?;
        let lead = quoted.len() - quoted.trim_start().len();
        let body = quoted.split("///").next().unwrap_or("").trim_end().len().max(lead);
        Some(start + lead..start + body)
    }
}

/// The line of a directive about a variable.
fn declaration(text: &str, directives: &[&str], name: &str) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut words = line.split_whitespace();
        let directive = words.next().is_some_and(|word| directives.iter().any(|d| word.starts_with(d)));
        if directive && words.next() == Some(name) {
            let lead = line.len() - line.trim_start().len();
            return Some(start + lead..start + line.trim_end().len());
        }
        start += line.len();
    }
    None
}
