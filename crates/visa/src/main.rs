//! The command `visa`: one file a command, and what they share.
//!
//! Exit codes: 0 done and nothing found, 1 the input is wrong or a comparison found something, 2 usage or I/O.

mod asm;
mod compile;
mod diff;
mod disasm;
mod dump;
mod extract;
mod launch;
mod roundtrip;
mod run;
mod spec;
mod verify;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use visakit_diag::{Diagnostic, Severity};

use visakit::isa::Platform;
use visakit::object::ObjectError;

/// Software made from the specification of Intel's Virtual ISA.
#[derive(Parser)]
#[command(name = "visa", version, about, max_term_width = 110, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Look at and check the specification's pages
    #[command(subcommand)]
    Spec(spec::Command),
    /// Compare the specification with this implementation by probing it
    Diff(diff::Args),
    /// Assemble a text into an object
    Asm(asm::Args),
    /// Print an object as text
    Disasm(disasm::Args),
    /// Decode and encode objects, or parse and print texts, and compare
    Roundtrip(roundtrip::Args),
    /// Write an object as JSON
    Dump(dump::Args),
    /// Take a zebin, a fat binary or an archive apart: vISA texts, `.ze_info`, native code
    Extract(extract::Args),
    /// Check kernels by the rules of the pages
    Verify(verify::Args),
    /// Compile OpenCL C with the vendor's compiler
    Compile(compile::Args),
    /// Run a kernel on this machine's CPU
    Run(Box<run::Args>),
}

/// How a command reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for a person.
    #[default]
    Human,
    /// One JSON value on standard output.
    Json,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Done, nothing found.
    Done,
    /// The input is wrong, or a comparison found something.
    Found,
    /// Wrong usage, or a file could not be read or written.
    Failed,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let outcome = match cli.command {
        Command::Spec(command) => spec::run(command),
        Command::Diff(args) => diff::run(args),
        Command::Asm(args) => asm::run(args),
        Command::Disasm(args) => disasm::run(args),
        Command::Roundtrip(args) => roundtrip::run(args),
        Command::Dump(args) => dump::run(args),
        Command::Extract(args) => extract::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Compile(args) => compile::run(args),
        Command::Run(args) => run::run(*args),
    };
    ExitCode::from(match outcome {
        Outcome::Done => 0,
        Outcome::Found => 1,
        Outcome::Failed => 2,
    })
}

/// Prints to standard output. A reader that went away is a quiet end.
pub(crate) fn out(text: &str) {
    out_bytes(text.as_bytes());
}

/// The same for bytes that need not be text.
pub(crate) fn out_bytes(bytes: &[u8]) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(bytes).and_then(|()| stdout.flush()).is_err() {
        std::process::exit(0);
    }
}

/// Prints findings: for a person on standard error, or as one JSON array on standard output.
pub(crate) fn report(diagnostics: &[Diagnostic], format: Format) {
    match format {
        Format::Human => {
            let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let text: String = diagnostics.iter().map(|d| d.render(color)).collect();
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
        Format::Json => {
            let text = serde_json::to_string_pretty(diagnostics).unwrap_or_else(|_| "[]".to_owned());
            out(&format!("{text}\n"));
        }
    }
}

/// A finding about a whole file.
pub(crate) fn problem(code: &'static str, file: &Path, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, Severity::Error, file.display().to_string(), message)
}

/// Reads a file, or says why not.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    std::fs::read(path).map_err(|error| problem("file-read", path, format!("cannot be read: {error}")).into())
}

/// Writes a file, or says why not.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    std::fs::write(path, bytes)
        .map_err(|error| problem("file-write", path, format!("cannot be written: {error}")).into())
}

/// Reads a text file, or says why not.
pub(crate) fn read_text(path: &Path) -> Result<String, Box<Diagnostic>> {
    String::from_utf8(read(path)?).map_err(|error| {
        problem("file-text", path, "is no text").at_offset(error.utf8_error().valid_up_to() as u64).into()
    })
}

/// What is wrong with an object, as a finding about its file.
pub(crate) fn object_problem(path: &Path, error: ObjectError) -> Diagnostic {
    problem(error.code, path, error.message).at_offset(error.offset as u64).help(error.help)
}

/// Reads the value of `--platform`.
pub(crate) fn platform(name: &str) -> Result<Platform, String> {
    Platform::from_name(name).ok_or_else(|| {
        let known: Vec<_> = Platform::ALL.iter().map(|p| p.name()).collect();
        format!("no such platform; known are {} and their aliases in spec/platforms.md", known.join(", "))
    })
}

/// The folder of the specification: what the user named, or `spec` here.
pub(crate) fn spec_dir(dir: Option<PathBuf>) -> PathBuf {
    dir.unwrap_or_else(|| PathBuf::from("spec"))
}
