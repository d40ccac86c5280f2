//! Command `visa spec html`: writes the reference as a static site.

use std::io::Write;
use std::path::PathBuf;

use flate2::write::GzEncoder;
use flate2::{Compression, Crc};
use serde_json::json;
use visakit_site::{Code, Extras, MACHINE, Machine, Revision};
use visakit_spec_tools::diff::Change;

use super::log;
use super::source::{self, OverlayArg};
use crate::codes;
use crate::io::{make_folder, out, read, write_named};
use crate::outcome::{Outcome, OutputFormat, count};
use crate::report::{Findings, answer, finish, problem};

/// Write the reference of a specification as a static site
///
/// The site has a page for each instruction, list, structure, platform, predefined variable and
/// code of a finding, and overviews by opcode, word and date. It needs no server and no script, and
/// loads nothing from elsewhere. Equal pages give equal files. Addresses are stable: they depend on
/// the kind and the name only.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa spec html -o site
  visa spec html pages -o site
  visa spec html spec -o site --history HEAD

Exit codes: 0 written, 1 written, but pages have errors, 2 usage, or a file could not be read or written")]
pub(crate) struct Args {
    /// The specification [default: the built-in pages]
    dir: Option<PathBuf>,
    #[command(flatten)]
    overlay: OverlayArg,
    /// The folder to write to
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Add the changes of the pages in the git revisions up to this one
    #[arg(long, value_name = "REV")]
    history: Option<String>,
    /// Maximum number of these revisions
    #[arg(long, value_name = "NUMBER", requires = "history", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// The WebAssembly module that `packaging/wasm` builds; pages then have editors that run
    /// statements, and the site has a playground
    #[arg(long, value_name = "FILE")]
    machine: Option<PathBuf>,
    /// How findings are reported; json lists the files as `written`
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(super) fn run(args: Args) -> Outcome {
    finish(write(&args), args.format)
}

fn write(args: &Args) -> Result<Outcome, Findings> {
    let (model, findings) = source::read(args.dir.as_deref(), &args.overlay)?;
    let machine = args.machine.as_deref().map(|path| read(path).map(packed)).transpose()?;
    make_folder(&args.output)?;
    let code =
        |one: &codes::Entry| Code { code: one.code.to_owned(), phase: one.phase.to_owned(), text: one.text.clone() };
    let extras = Extras {
        codes: codes::entries().iter().map(code).collect(),
        revisions: revisions(args)?,
        examples: visakit_site::examples::built_in(),
        machine: machine.as_ref().map_or(Machine::Absent, |bytes| Machine::Present(crc(bytes))),
    };
    let files = visakit_site::files(&model, &extras).map_err(|why| problem("emit", &args.output, why))?;
    let mut written = Vec::new();
    for file in &files {
        let path = args.output.join(&file.path);
        write_named(&path, &[], file.text.as_bytes())?;
        written.push(path.display().to_string());
    }
    if let Some(machine) = machine {
        let path = args.output.join(MACHINE);
        write_named(&path, &[], &machine)?;
        written.push(path.display().to_string());
    }
    match args.format {
        OutputFormat::Human => {
            let index = args.output.join("index.html");
            out(&format!("{}: {}\n", index.display(), count(written.len(), "file")));
            crate::report::report(&findings, args.format);
        }
        OutputFormat::Json => answer(&findings, json!({ "written": written })),
        format => crate::report::report(&findings, format),
    }
    Ok(Outcome::of(&findings))
}

/// Compresses a module, unless it is compressed already. Pages unpack it themselves, so that any
/// server sends the small file.
fn packed(module: Vec<u8>) -> Vec<u8> {
    const GZIP: &[u8] = b"\x1f\x8b";
    if module.starts_with(GZIP) {
        return module;
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let written = packed.write_all(&module).and_then(|()| packed.finish());
    written.unwrap_or(module)
}

fn crc(bytes: &[u8]) -> u32 {
    let mut sum = Crc::new();
    sum.update(bytes);
    sum.sum()
}

/// Returns the revisions of the pages, newest first.
fn revisions(args: &Args) -> Result<Vec<Revision>, Findings> {
    let Some(from) = &args.history else { return Ok(Vec::new()) };
    let spec = args.dir.clone().unwrap_or_else(|| PathBuf::from("spec"));
    let entries = log::entries(from, &spec, &spec, args.limit, &|change| !change.is_prose())?;
    let change =
        |change: &Change| (change.path.clone(), format!("{} {}", change.class.name(), change.kind.replace('-', " ")));
    let revision = |one: log::Entry| Revision {
        name: one.revision.chars().take(8).collect(),
        date: one.date,
        title: one.title,
        changes: one.changes.iter().map(change).collect(),
    };
    Ok(entries.into_iter().map(revision).collect())
}
