//! Entry point of the command `visa`. Each subcommand has a module; the other modules are shared.
//!
//! Exit codes: 0 done without findings, 1 the input is wrong or a comparison found a difference, 2
//! usage or I/O.

mod accept;
mod asm;
mod codes;
mod compile;
mod compiler;
mod demo;
mod diff;
mod disasm;
mod dump;
mod eval;
mod explain;
mod extract;
mod groups;
mod info;
mod input;
mod installed;
mod io;
mod launch;
mod limits;
mod lsp;
mod outcome;
mod platform;
mod progress;
mod recompile;
mod report;
mod roundtrip;
mod run;
mod shell;
mod spec;
mod summary;
mod unfinished;
mod verify;
mod zebins;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use io::out;
use outcome::Outcome;

/// Turns a failed allocation into an error with exit code 2.
#[global_allocator]
static ALLOCATOR: visakit_native::Allocator = visakit_native::Allocator;

const AFTER_HELP: &str = "\
The kind of a file is recognised from its contents; `-` is standard input or output. Written files are named on standard error. With \
`--format json` a command prints one object: `findings`, a list of `code`, `severity`, `message`, `file`, `line`, `column`, and \
optionally `offset` and `help`; and the command's results. `--format github` prints findings only, as \
annotations of a GitHub workflow, and `--format sarif` as SARIF 2.1.0. `visa explain CODE` explains a finding.

Exit codes: 0 done without findings, 1 the input is wrong or a comparison found a difference, 2 usage, or a file could not be \
read or written";

/// Software made from the specification of Intel's Virtual ISA.
#[derive(Parser)]
#[command(name = "visa", version, about, max_term_width = 110, propagate_version = true, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    settings: io::Settings,
}

#[derive(Subcommand)]
enum Command {
    #[command(subcommand)]
    Spec(spec::Command),
    Diff(diff::Args),
    Asm(asm::Args),
    Disasm(disasm::Args),
    Roundtrip(roundtrip::Args),
    Dump(dump::Args),
    Info(info::Args),
    Extract(extract::Args),
    Verify(verify::Args),
    Compile(compile::Args),
    Run(Box<run::Args>),
    Eval(eval::Args),
    Explain(explain::Args),
    Lsp(lsp::Args),
    Demo(demo::Args),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(words()) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            // Standard error failed: there is no stream left for a report.
            let _ = error.print();
            return ExitCode::from(Outcome::Failed.code());
        }
        Err(help) => {
            let text = help.render();
            let color = io::color(&std::io::stdout());
            out(&if color { text.ansi().to_string() } else { text.to_string() });
            return io::end(Outcome::Done);
        }
    };
    io::set(cli.settings);
    let outcome = match cli.command {
        Command::Spec(command) => spec::run(command),
        Command::Diff(args) => diff::run(args),
        Command::Asm(args) => asm::run(args),
        Command::Disasm(args) => disasm::run(args),
        Command::Roundtrip(args) => roundtrip::run(args),
        Command::Dump(args) => dump::run(args),
        Command::Info(args) => info::run(args),
        Command::Extract(args) => extract::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Compile(args) => compile::run(args),
        Command::Run(args) => run::run(*args),
        Command::Eval(args) => eval::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Demo(args) => demo::run(args),
        Command::Completions(args) => shell::completions(&args),
        Command::Man(args) => shell::man(&args),
    };
    io::end(outcome)
}

/// Returns the words of the call. `visa help --help` is `visa --help`.
fn words() -> Vec<std::ffi::OsString> {
    let mut words: Vec<_> = std::env::args_os().collect();
    let is_help = |word: &std::ffi::OsString| word == "--help" || word == "-h";
    if words.len() == 3 && words[1] == "help" && is_help(&words[2]) {
        words.remove(1);
    }
    words
}
