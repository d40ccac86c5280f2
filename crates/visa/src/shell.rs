//! Commands `visa completions` and `visa man`: write shell completions and manual pages.

use std::path::PathBuf;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::io::out_bytes;
use crate::outcome::{Outcome, OutputFormat};
use crate::report::{Findings, finish};
use crate::{Cli, io};

/// Print a script that completes this command in a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  visa completions bash > ~/.local/share/bash-completion/completions/visa
  visa completions zsh > ~/.zfunc/_visa
  visa completions fish > ~/.config/fish/completions/visa.fish")]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

/// Write the manual pages, one for each command
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  visa man -o ~/.local/share/man/man1 && man visa-run")]
pub(super) struct ManArgs {
    /// The folder for the pages; it is created if it is missing
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

pub(super) fn completions(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "visa", &mut script);
    out_bytes(&script);
    Outcome::Done
}

pub(super) fn man(args: &ManArgs) -> Outcome {
    finish(write(args), OutputFormat::Human)
}

fn write(args: &ManArgs) -> Result<Outcome, Findings> {
    io::make_folder(&args.output)?;
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    for page in pages(command) {
        let output = io::Output::new(&args.output.join(page.get_filename()), &[], OutputFormat::Human)?;
        output.write_with(|to| page.render(to))?;
    }
    Ok(Outcome::Done)
}

/// Returns the manual pages of a command and its subcommands.
fn pages(command: clap::Command) -> Vec<Man> {
    let below: Vec<_> = command.get_subcommands().cloned().flat_map(pages).collect();
    std::iter::once(Man::new(command)).chain(below).collect()
}
