//! `visa verify`: is this kernel legal?

use std::path::{Path, PathBuf};

use visakit_codegen::diag::{Diagnostic, Severity};

use super::{Format, Outcome, object_problem, out, problem, read, report};
use crate::isa::Platform;
use crate::object::{Object, Routine};
use crate::text::{Options, parse};
use crate::verify::{Violation, routine};

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
    match (unread, findings.is_empty()) {
        (true, _) => Outcome::Failed,
        (false, true) => Outcome::Done,
        (false, false) => Outcome::Found,
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
        Ok(parsed) => check(file, &parsed.routine, platform, Some((text, &parsed.lines))),
        Err(errors) => errors,
    }
}

fn check(
    file: &Path,
    checked: &Routine,
    platform: Option<Platform>,
    source: Option<(&str, &[u32])>,
) -> Vec<Diagnostic> {
    let place = |violation: Violation| {
        let message = match source {
            Some(_) => violation.message,
            None => format!("instruction {}: {}", violation.instruction, violation.message),
        };
        let found = Diagnostic::new(violation.code, Severity::Error, file.display().to_string(), message)
            .help(format!("the rule stands in spec/{}", violation.page));
        match source.and_then(|(text, lines)| Some((text, *lines.get(violation.instruction)?))) {
            Some((text, line)) => {
                let start: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
                let quoted = text[start..].lines().next().unwrap_or("");
                let lead = quoted.len() - quoted.trim_start().len();
                let body = quoted.split("///").next().unwrap_or("").trim_end().len().max(lead);
                found.at_text(text, start + lead, start + body)
            }
            None => found,
        }
    };
    routine(checked, platform).into_iter().map(place).collect()
}
