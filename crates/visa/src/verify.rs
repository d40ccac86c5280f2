//! `visa verify`: is this kernel legal?

use std::path::{Path, PathBuf};

use visakit_diag::{Diagnostic, Severity};

use super::{Format, Outcome, object_problem, out, problem, read, report};
use visakit::isa::Platform;
use visakit::object::{Object, Routine};
use visakit::text::{Options, parse};
use visakit::verify::{Location, Violation, routine};

/// Check kernels by the rules of the pages.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Objects (`.isa`) and texts (`.visaasm`)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The platform that the kernels are for; without it the rules of platforms are left out
    #[arg(long, value_name = "NAME", value_parser = super::platform)]
    platform: Option<Platform>,
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    let mut findings = Vec::new();
    let mut unread = false;
    for file in &args.files {
        match read(file) {
            Err(diagnostic) => {
                unread = true;
                findings.push(*diagnostic);
            }
            Ok(bytes) => findings.extend(one(file, &bytes, args.platform)),
        }
    }
    report(&findings, args.format);
    if args.format == Format::Human {
        out(&format!("{} files, {} findings\n", args.files.len(), findings.len()));
    }
    let wrong = findings.iter().any(|f| f.severity == Severity::Error);
    match (unread, wrong) {
        (true, _) => Outcome::Failed,
        (false, false) => Outcome::Done,
        (false, true) => Outcome::Found,
    }
}

fn one(file: &Path, bytes: &[u8], platform: Option<Platform>) -> Vec<Diagnostic> {
    if bytes.starts_with(b"CISA") {
        let object = match Object::decode(bytes) {
            Ok(object) => object,
            Err(error) => return vec![object_problem(file, error)],
        };
        let platform = platform.or(object.platform());
        return object.routines().flat_map(|r| check(file, r, platform, None)).collect();
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return vec![problem("file-kind", file, "is neither an object nor a text")];
    };
    match parse(text, Options { file: file.display().to_string(), platform }) {
        Ok(parsed) => {
            parsed.routines().flat_map(|(r, lines)| check(file, r, platform, Some((text, lines)))).collect()
        }
        Err(errors) => errors,
    }
}

fn check(
    file: &Path,
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
        let found = Diagnostic::new(violation.code, violation.severity, file.display().to_string(), message)
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
