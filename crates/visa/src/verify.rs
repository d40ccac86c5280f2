//! Command `visa verify`: checks kernels against the rules of the pages.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;

use serde_json::json;
use visakit::isa::Platform;
use visakit::object::Routine;
use visakit::verify::{Location, Violation, doubts, routine};
use visakit_diag::{Diagnostic, Lines};

use crate::input::{Content, Module, Selection, modules};
use crate::io::out;
use crate::outcome::{Outcome, OutputFormat, count};
use crate::report::{Findings, answer, report};

/// Check kernels against the rules of the specification
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa verify k.visaasm --platform tgllp
  visa verify *.isa program.zebin --format json

If neither the file nor --platform names a platform, rules of platforms are not checked. Warnings report legal code that is
probably a mistake: unwritten values, operands past the end of their variables, unreachable code, barriers that not all
channels reach, and predicates that are never read.

Exit codes: 0 legal, or warnings only, 1 a rule is broken or a file is wrong, 2 usage, or a file could not be read")]
pub(super) struct Args {
    /// Objects, texts, zebins and archives of zebins; `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    let mut findings = Vec::new();
    for file in &args.files {
        match modules(file, &args.selection) {
            Err(Findings(found)) => findings.extend(found),
            Ok(all) => all.iter().for_each(|module| {
                let found = one(module, args.selection.platform());
                findings.extend(found.unwrap_or_else(|Findings(found)| found));
            }),
        }
    }
    match args.format {
        OutputFormat::Github | OutputFormat::Sarif => report(&findings, args.format),
        OutputFormat::Json => answer(&findings, json!({ "files": args.files.len() })),
        OutputFormat::Human => {
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
            let source = Source { text, lines: Lines::new(text), declarations: declarations(text) };
            let routines = parsed.routines();
            Ok(routines
                .flat_map(|(routine, lines)| check(module, routine, platform, Some((&source, lines))))
                .collect())
        }
    }
}

/// Text with the positions of its declarations.
struct Source<'a> {
    text: &'a str,
    lines: Lines,
    declarations: HashMap<(bool, &'a str), Vec<Range<usize>>>,
}

impl Source<'_> {
    /// Returns the byte range of a violation. `numbers` are the lines of the routine's
    /// instructions.
    fn range(&self, place: &Location, numbers: &[u32]) -> Option<Range<usize>> {
        // Several routines may use the same variable name; the routine's own declaration is the
        // last one before its code.
        let end = numbers.first().and_then(|line| self.lines.start(*line)).unwrap_or(self.text.len());
        let declared = |input: bool, name: &str| {
            let all = self.declarations.get(&(input, name))?;
            all.get(all.partition_point(|range| range.start < end).saturating_sub(1)).cloned()
        };
        match place {
            Location::Instruction(number) => statement(self.text, &self.lines, *numbers.get(*number)?),
            Location::Declaration(name) => declared(false, name),
            Location::Input(name) => declared(true, name),
            Location::Routine => None,
        }
    }
}

fn check(
    module: &Module,
    checked: &Routine,
    platform: Option<Platform>,
    source: Option<(&Source<'_>, &[u32])>,
) -> Vec<Diagnostic> {
    let place = |violation: Violation| {
        let message = match (&violation.place, source) {
            (Location::Instruction(number), None) => format!("instruction {number}: {}", violation.message),
            _ => violation.message,
        };
        let found = Diagnostic::new(violation.code, violation.severity, module.file.clone(), message)
            .help(format!("see spec/{} for the rule", violation.page));
        let Some((source, numbers)) = source else { return found };
        match source.range(&violation.place, numbers) {
            Some(range) => found.at_place(source.text, &source.lines, range.start, range.end),
            None => found,
        }
    };
    routine(checked, platform).into_iter().chain(doubts(checked, platform)).map(place).collect()
}

/// Returns the byte range of the statement in a line, without indentation and comment. Lines are
/// counted from 1.
fn statement(text: &str, lines: &Lines, line: u32) -> Option<Range<usize>> {
    let start = lines.start(line)?;
    let quoted = text.get(start..)?.lines().next()?;
    let lead = quoted.len() - quoted.trim_start().len();
    let body = quoted.split("///").next().unwrap_or("").trim_end().len().max(lead);
    Some(start + lead..start + body)
}

/// Returns the ranges of variable directives in the order of the text. Keys are the name and
/// whether the variable is an input.
fn declarations(text: &str) -> HashMap<(bool, &str), Vec<Range<usize>>> {
    let mut out: HashMap<_, Vec<_>> = HashMap::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut words = line.split_whitespace();
        let input = words.next().and_then(|word| {
            let is_input = [".input", ".parameter", ".implicit_"].iter().any(|d| word.starts_with(d));
            (is_input || word == ".decl").then_some(is_input)
        });
        if let (Some(input), Some(name)) = (input, words.next()) {
            let lead = line.len() - line.trim_start().len();
            out.entry((input, name)).or_default().push(start + lead..start + line.trim_end().len());
        }
        start += line.len();
    }
    out
}
