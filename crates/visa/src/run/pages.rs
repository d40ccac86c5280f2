//! Execution of instructions by the Semantics of their pages instead of the emulator's kernels.

use std::path::PathBuf;

use visakit_codegen::model::Model;
use visakit_diag::Diagnostic;
use visakit_oracle::{ByPages, Which};

use crate::io::note;
use crate::spec::source::{self, OverlayArg};

/// Options that select instructions to run by their pages, and the pages.
#[derive(Debug, clap::Args)]
pub(super) struct PagesArgs {
    /// Execute every instruction by the Semantics of its page, or by the emulator if they cannot be
    /// executed
    #[arg(help_heading = "Execution", long)]
    by_spec: bool,
    /// Report an instruction without a kernel as a fault, instead of executing its page
    #[arg(help_heading = "Execution", long, conflicts_with = "by_spec")]
    no_fallback: bool,
    /// The specification whose pages are executed [default: the built-in pages]
    #[arg(help_heading = "Execution", long, value_name = "DIR")]
    spec: Option<PathBuf>,
}

impl PagesArgs {
    /// Returns the instructions to run by their pages; `None` for no instruction.
    pub(super) fn which(&self) -> Option<Which> {
        match (self.by_spec, self.no_fallback) {
            (true, _) => Some(Which::All),
            (false, true) => None,
            (false, false) => Some(Which::Missing),
        }
    }

    /// Returns the pages of `--spec`. Without the option, returns `None`: this program's own pages
    /// are read only if needed.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub(super) fn read(&self) -> Result<Option<Model>, Box<Diagnostic>> {
        let overlay = OverlayArg { overlay: None };
        self.spec.as_deref().map(|dir| source::read(Some(dir), &overlay).map(|(model, _)| model)).transpose()
    }
}

/// Prints a note on standard error that lists the instructions executed in another way than
/// requested.
pub(super) fn say(pages: &ByPages<'_>, which: Which) {
    let names = |all: Vec<&str>| all.join(", ");
    match which {
        Which::Missing if !pages.used().is_empty() => {
            note(&format!(
                "note: no kernel exists for these instructions, so their pages' \
             Semantics were executed: {}",
                names(pages.used())
            ));
        }
        Which::All if !pages.left().is_empty() => {
            note(&format!(
                "note: executed by the emulator's kernels instead of the pages' Semantics: {}",
                names(pages.left())
            ));
        }
        _ => {}
    }
}
