//! Commands `visa spec …`: work on the pages of the specification.

mod diff;
mod export;
mod generate;
mod html;
mod lint;
mod log;
mod page;
mod revision;
pub(crate) mod show;
pub(crate) mod source;

use crate::outcome::Outcome;
pub(crate) use lint::open_pages;
use visakit::isa::Platform;
use visakit_codegen::model::{Platform as Row, SourceSpan};

/// Show, check, compare and export the specification's pages.
#[derive(clap::Subcommand)]
pub(super) enum Command {
    Lint(lint::Args),
    Show(show::Args),
    Diff(diff::Args),
    Log(log::Args),
    Export(export::Args),
    Generate(generate::Args),
    Html(html::Args),
}

pub(super) fn run(command: Command) -> Outcome {
    match command {
        Command::Lint(args) => lint::run(args),
        Command::Show(args) => show::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Log(args) => log::run(args),
        Command::Export(args) => export::run(args),
        Command::Generate(args) => generate::run(args),
        Command::Html(args) => html::run(args),
    }
}

/// Returns the platforms of this build, for documents without a table of platforms.
pub(crate) fn platforms() -> Vec<Row> {
    let row = |p: &Platform| Row {
        name: p.name().to_owned(),
        aliases: p.aliases().iter().map(|a| (*a).to_owned()).collect(),
        gen_codes: Vec::new(),
        families: Vec::new(),
        register_bytes: 0,
        cells: Vec::new(),
        at: SourceSpan::default(),
    };
    Platform::ALL.iter().map(row).collect()
}
