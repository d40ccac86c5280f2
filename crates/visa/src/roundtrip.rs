//! `visa roundtrip`: decode and encode, parse and print, and compare.

use std::path::{Path, PathBuf};

use super::{Format, Outcome, object_problem, out, problem, read, report};
use visakit::isa::Platform;
use visakit::object::Object;
use visakit::text::{Options, Style, parse, print, print_exact};
use visakit_diag::Diagnostic;

/// Decode and encode objects, parse and print texts, and compare.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Objects (`.isa`) and texts (`.visaasm`)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The platform; it decides the size of a register
    #[arg(long, value_name = "NAME", value_parser = super::platform)]
    platform: Option<Platform>,
    /// How findings are reported
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: Args) -> Outcome {
    let mut findings = Vec::new();
    let mut unread = false;
    let mut same = 0;
    for file in &args.files {
        let result = match read(file) {
            Err(diagnostic) => {
                unread = true;
                Err(vec![*diagnostic])
            }
            Ok(bytes) if bytes.starts_with(b"CISA") => object(file, &bytes, args.platform),
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(source) => text(file, &source, args.platform),
                Err(_) => Err(vec![problem("file-kind", file, "is neither an object nor a text")]),
            },
        };
        match result {
            Ok(()) => same += 1,
            Err(diagnostics) => findings.extend(diagnostics),
        }
    }
    if args.format == Format::Json || !findings.is_empty() {
        report(&findings, args.format);
    }
    if args.format == Format::Human {
        out(&format!("{same} of {} files come out as they went in\n", args.files.len()));
    }
    match (unread, findings.is_empty()) {
        (true, _) => Outcome::Failed,
        (false, true) => Outcome::Done,
        (false, false) => Outcome::Found,
    }
}

/// Object to values to object, and each routine to full text and back.
fn object(file: &Path, bytes: &[u8], platform: Option<Platform>) -> Result<(), Vec<Diagnostic>> {
    let object = Object::decode(bytes).map_err(|e| vec![object_problem(file, e)])?;
    let again = object.encode().map_err(|e| vec![problem("encode", file, e.to_string())])?;
    if let Some(at) = first_difference(bytes, &again) {
        let diagnostic = problem("roundtrip-bytes", file, "decoding and encoding gives other bytes").at_offset(at);
        return Err(vec![diagnostic]);
    }
    for routine in object.routines().filter(|r| r.stripped.is_none()) {
        if let Err(text) = print_exact(&object, routine, platform) {
            let options = Options { file: format!("{} as text", file.display()), platform };
            // A text that cannot be read says more than that it is not the same.
            parse(&text, options)?;
            let message = format!("printing and parsing `{}` gives another routine", routine.name());
            return Err(vec![problem("roundtrip-text", file, message)]);
        }
    }
    Ok(())
}

/// Text to object to full text.
fn text(file: &Path, source: &str, platform: Option<Platform>) -> Result<(), Vec<Diagnostic>> {
    let options = Options { file: file.display().to_string(), platform };
    let object = parse(source, options)?.into_object();
    let bytes = object.encode().map_err(|e| vec![problem("encode", file, e.to_string())])?;
    let object = Object::decode(&bytes).map_err(|e| vec![object_problem(file, e)])?;
    let printed: String = object.routines().map(|r| print(&object, r, platform, Style::Full)).collect();
    // The declaration of a function whose body is in another file has no place in an object; the vendor's assembler
    // drops it too.
    let declared = source.lines().filter(|line| line.starts_with(".funcdecl")).count();
    let without = |text: &str| -> String {
        text.split_inclusive('\n').filter(|line| declared == 0 || !line.starts_with(".funcdecl")).collect()
    };
    if object.functions.is_empty() && without(source) == printed {
        return Ok(());
    }
    match first_difference(source.as_bytes(), printed.as_bytes()) {
        None => Ok(()),
        Some(at) => {
            let at = at as usize;
            let end = printed[floor(&printed, at)..].find('\n').map_or(printed.len(), |i| floor(&printed, at) + i);
            let start = printed[..floor(&printed, at)].rfind('\n').map_or(0, |i| i + 1);
            let diagnostic = problem("roundtrip-text", file, "parsing and printing gives another text")
                .at_text(source, at, at + 1)
                .help(format!("printed is: {}", &printed[start..end]));
            Err(vec![diagnostic])
        }
    }
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<u64> {
    if a == b {
        return None;
    }
    Some(a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len())) as u64)
}
