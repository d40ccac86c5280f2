//! Command `visa roundtrip`: decodes and encodes objects, parses and prints texts, and compares the
//! results.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;
use visakit::isa::Platform;
use visakit::object::Object;
use visakit::text::{Options, Style, parse, print, print_exact};
use visakit_diag::Diagnostic;

use crate::input::{Content, Module, Selection, modules};
use crate::io::out;
use crate::outcome::{Outcome, OutputFormat, count};
use crate::report::{Findings, answer, report};

/// Decode and encode objects, parse and print texts, and compare
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa roundtrip k.isa k.visaasm
  visa roundtrip program.zebin

A text that differs in form from the output of `visa disasm --full` is printed differently; it must \
then assemble to the same object.

Exit codes: 0 all files are unchanged, 1 a file changed or is wrong, 2 usage, or a file could not be read")]
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

/// Verdicts on a file, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    /// Identical bytes.
    Same,
    /// A different text of the same object.
    SameObject,
    /// A different object, or none.
    Different,
}

pub(super) fn run(args: Args) -> Outcome {
    let mut findings = Vec::new();
    let verdicts: Vec<_> = args.files.iter().map(|file| compare(file, &args.selection, &mut findings)).collect();
    match args.format {
        OutputFormat::Json => {
            let files = args.files.iter().zip(&verdicts);
            let files: Vec<_> = files.map(|(file, verdict)| json!({ "file": file, "verdict": verdict })).collect();
            answer(&findings, json!({ "files": files }));
        }
        OutputFormat::Human => {
            report(&findings, args.format);
            let number = |wanted| verdicts.iter().filter(|verdict| **verdict == wanted).count();
            let (same, files) = (number(Verdict::Same), count(args.files.len(), "file"));
            let other = match number(Verdict::SameObject) {
                0 => String::new(),
                n => format!(", {n} with another text of the same object"),
            };
            out(&format!("{same} of {files} unchanged{other}\n"));
        }
        OutputFormat::Github | OutputFormat::Sarif => report(&findings, args.format),
    }
    Outcome::of(&findings)
}

/// Checks all programs of a file and returns the worst verdict.
fn compare(file: &Path, selection: &Selection, findings: &mut Vec<Diagnostic>) -> Verdict {
    let mut ended = |Findings(found): Findings| {
        findings.extend(found);
        Verdict::Different
    };
    let modules = match modules(file, selection) {
        Ok(modules) => modules,
        Err(found) => return ended(found),
    };
    let verdicts = modules.iter().map(|module| {
        let result = match &module.content {
            Content::Object(bytes) => object(module, bytes, selection.platform()),
            Content::Text(source) => text(module, source, selection.platform()),
        };
        result.unwrap_or_else(&mut ended)
    });
    verdicts.max().unwrap_or(Verdict::Same)
}

/// Decodes and encodes an object, then prints and parses each routine.
fn object(module: &Module, bytes: &[u8], platform: Option<Platform>) -> Result<Verdict, Findings> {
    let object = module.object(platform)?;
    let again = object.encode().map_err(|error| module.problem("encode", error.to_string()))?;
    if let Some(at) = first_difference(bytes, &again) {
        return Err(module
            .problem("roundtrip-bytes", "decoding and encoding gives different bytes")
            .at_offset(at)
            .into());
    }
    as_text(module, &object, platform)?;
    Ok(Verdict::Same)
}

/// Prints each routine of an object as full text and parses it again.
fn as_text(module: &Module, object: &Object, platform: Option<Platform>) -> Result<(), Findings> {
    for routine in object.routines().filter(|r| r.stripped.is_none()) {
        if let Err(text) = print_exact(object, routine, platform) {
            let options = Options { file: format!("{} as text", module.file), platform };
            // A parse error is more specific than a difference, so it is reported first.
            parse(&text, options)?;
            let message = format!("printing and parsing `{}` gives a different routine", routine.name());
            return Err(module.problem("roundtrip-text", message).into());
        }
    }
    Ok(())
}

/// Assembles a text and prints the object: yields the same text, or a different text of the same
/// object.
fn text(module: &Module, source: &str, platform: Option<Platform>) -> Result<Verdict, Findings> {
    let platform = platform.or(module.platform);
    let bytes = module.object(platform)?.encode().map_err(|error| module.problem("encode", error.to_string()))?;
    let object = Object::decode(&bytes)
        .map_err(|error| module.problem(error.code, error.message).at_offset(error.offset as u64).help(error.help))?;
    let printed: String = object.routines().map(|r| print(&object, r, platform, Style::Full)).collect();
    // An object cannot hold the declaration of a function whose body is in another file. The
    // vendor's assembler drops the declaration too.
    let declared = source.lines().any(|line| line.starts_with(".funcdecl"));
    let without = |text: &str| -> String {
        text.split_inclusive('\n').filter(|line| !declared || !line.starts_with(".funcdecl")).collect()
    };
    if object.functions.is_empty() && without(source) == printed || source == printed {
        return Ok(Verdict::Same);
    }
    as_text(module, &object, platform)?;
    Ok(Verdict::SameObject)
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<u64> {
    if a == b {
        return None;
    }
    Some(a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len())) as u64)
}
