//! Command `visa disasm`: prints an object as text.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;
use visakit::isa::Platform;
use visakit::object::{Object, Routine, RoutineKind};
use visakit::text::{Style, Token, TokenKind, print, print_exact, print_salvaged, tokens};
use visakit_diag::Diagnostic;
use visakit_zebin::plain_name;

use crate::groups::paint;
use crate::input::{Content, Module, Selection, modules};
use crate::io::{Output, Written, color, make_folder};
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, answer, finish, report};

/// Print an object as text
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa disasm k.isa
  visa disasm k.isa --full -o k.visaasm
  visa disasm program.zebin --kernel add
  visa disasm program.zebin -o texts/

Exit codes: 0 printed, 1 the object is wrong or incomplete, 2 usage, or a file could not be read or written")]
pub(super) struct Args {
    /// An object, a text, a zebin or an archive of zebins, or `-` for standard input
    input: PathBuf,
    /// A file for the text, or a folder for one file per routine (`DIR/` is created if missing)
    /// [default: standard output]
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// Keep all names, so that the text assembles to the same object
    #[arg(long)]
    full: bool,
    /// Print an object whose instructions lack operands, with `<missing>` for each missing operand
    #[arg(long, conflicts_with = "full")]
    salvage: bool,
    /// How errors are reported; with json, the texts are in the member `texts`
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Text of a routine, and a name that is unique within the file.
#[derive(Serialize)]
struct Text {
    name: String,
    text: String,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(disassemble(&args), args.format)
}

fn disassemble(args: &Args) -> Result<Outcome, Findings> {
    let folder = args.output.as_deref().filter(|path| is_folder(path));
    let output = match folder {
        Some(_) => None,
        None => Some(Output::or_stdout(args.output.as_deref(), &[&args.input], args.format)?),
    };
    let mut findings = Vec::new();
    let mut texts = Vec::new();
    let mut taken = HashSet::new();
    for module in modules(&args.input, &args.selection)? {
        match texts_of(&module, args, &mut findings) {
            Ok(found) => {
                texts.extend(found.into_iter().map(|(name, text)| Text { name: unique(name, &mut taken), text }))
            }
            Err(Findings(found)) => findings.extend(found),
        }
    }
    let written = match (folder, output) {
        (Some(folder), _) => {
            make_folder(folder)?;
            texts.iter().map(|text| write(&folder.join(format!("{}.visaasm", text.name)), text, args)).collect()
        }
        (None, Some(output)) if texts.is_empty() || (output.is_stdout() && args.format != OutputFormat::Human) => {
            Ok(Vec::new())
        }
        (None, output) => {
            let all: String = texts.iter().map(|text| text.text.as_str()).collect();
            let colored = output.as_ref().is_some_and(Output::is_stdout) && color(&std::io::stdout());
            let all = if colored { painted(&all) } else { all };
            output.iter().map(|output| output.write(all.as_bytes())).collect()
        }
    };
    let written: Vec<Written> = written?;
    match (args.format, args.output.is_some()) {
        (OutputFormat::Human | OutputFormat::Github | OutputFormat::Sarif, _) => report(&findings, args.format),
        (OutputFormat::Json, true) => answer(&findings, json!({ "written": written })),
        (OutputFormat::Json, false) => answer(&findings, json!({ "texts": texts })),
    }
    Ok(if findings.is_empty() { Outcome::Done } else { Outcome::Found })
}

/// Returns a text with colours for a terminal.
fn painted(text: &str) -> String {
    let paint = |token: Token| {
        let code = match token.kind {
            TokenKind::Comment => "2",
            TokenKind::String => "0;32",
            TokenKind::Directive => "35",
            TokenKind::Mnemonic => "1",
            TokenKind::Modifier | TokenKind::Region => "36",
            TokenKind::Number => "33",
            TokenKind::Type => "34",
            TokenKind::Label => "1;34",
            TokenKind::Unknown => "31",
            TokenKind::Blank | TokenKind::Variable | TokenKind::Punctuation => "",
        };
        paint(&text[token.range], code, !code.is_empty())
    };
    tokens(text).map(paint).collect()
}

fn write(path: &Path, text: &Text, args: &Args) -> Result<Written, Box<Diagnostic>> {
    Output::new(path, &[&args.input], args.format)?.write(text.text.as_bytes())
}

/// Returns the name and the text of each routine of a program.
fn texts_of(module: &Module, args: &Args, findings: &mut Vec<Diagnostic>) -> Result<Vec<(String, String)>, Findings> {
    let platform = args.selection.platform().or(module.platform);
    let (object, texts) = match (module.object(args.selection.platform()), &module.content) {
        (Ok(object), _) => {
            let text = |routine: &Routine| match args.full {
                true => full(module, &object, routine, platform, findings),
                false => print(&object, routine, platform, Style::Vendor),
            };
            let texts = object.routines().map(text).collect::<Vec<_>>();
            (object, texts)
        }
        (Err(found), Content::Object(bytes)) if args.salvage => {
            findings.extend(found);
            // An object with damaged tables has nothing that could be printed.
            let Ok(salvaged) = Object::salvage(bytes) else { return Ok(Vec::new()) };
            let texts = print_salvaged(&salvaged, platform);
            (salvaged.object, texts)
        }
        (Err(found), _) => return Err(found.into()),
    };
    findings.extend(stripped(module, &object));
    let kernels = object.kernels.len();
    let names = object.routines().enumerate().map(|(number, routine)| match (&module.name, &routine.kind) {
        (Some(name), _) => plain_name(name),
        (None, RoutineKind::Kernel) => plain_name(&routine.name()),
        (None, RoutineKind::Function { .. }) => format!("{}_f{}", plain_name(&routine.name()), number - kernels),
    });
    Ok(names.zip(texts).collect())
}

/// Returns the text that assembles to the same object. If no text does, returns the nearest text
/// and adds a finding.
fn full(
    module: &Module,
    object: &Object,
    routine: &Routine,
    platform: Option<Platform>,
    findings: &mut Vec<Diagnostic>,
) -> String {
    print_exact(object, routine, platform).unwrap_or_else(|text| {
        let message = format!("the text of `{}` does not assemble to the same object", routine.name());
        let help = "the object contains something that texts cannot express, or is damaged; \
         compare with `visa roundtrip`";
        findings.push(module.problem("text-inexact", message).help(help));
        text
    })
}

/// Returns true if the path is an existing folder or ends like one.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

/// Returns a name that differs from all taken names, even on file systems that ignore case.
fn unique(base: String, taken: &mut HashSet<String>) -> String {
    let mut name = base.clone();
    let mut again = 2;
    while !taken.insert(name.to_lowercase()) {
        name = format!("{base}-{again}");
        again += 1;
    }
    name
}

/// Returns a finding for each routine whose code was removed: its text has declarations only.
fn stripped(module: &Module, object: &Object) -> Vec<Diagnostic> {
    let removed = object.routines().filter_map(|r| Some((r.name(), r.stripped?)));
    removed
        .map(|(name, code)| {
            let message = format!("the code of `{name}`, {} bytes, was removed from the object", code.size);
            module.problem("object-stripped", message).help(
                "only the tables and the native code \
             are left; compile the kernel so that its vISA is kept",
            )
        })
        .collect()
}
