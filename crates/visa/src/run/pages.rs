//! Instructions that run by their pages instead of by kernels.

use std::path::PathBuf;

use visakit_codegen::model::Model;
use visakit_diag::Diagnostic;
use visakit_oracle::{ByPages, Which};

use crate::io::note;
use crate::spec::source::{self, OverlayArg};

/// Which instructions run by their pages, and by which pages.
#[derive(Debug, clap::Args)]
pub(super) struct PagesArgs {
    /// Run every instruction by the Semantics of its page; those without any that execute are left
    /// to the emulator
    #[arg(help_heading = "Execution", long)]
    by_spec: bool,
    /// Let an instruction without a kernel be a fault, instead of running it by its page
    #[arg(help_heading = "Execution", long, conflicts_with = "by_spec")]
    no_fallback: bool,
    /// The specification whose pages run; the one that this program was built from when left out
    #[arg(help_heading = "Execution", long, value_name = "DIR")]
    spec: Option<PathBuf>,
}

impl PagesArgs {
    /// Which instructions run by their pages; none where nobody wants it.
    pub(super) fn which(&self) -> Option<Which> {
        match (self.by_spec, self.no_fallback) {
            (true, _) => Some(Which::All),
            (false, true) => None,
            (false, false) => Some(Which::Missing),
        }
    }

    /// The pages that were asked for; nothing where they are those of this program, which are read
    /// when they are needed.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(super) fn read(&self) -> Result<Option<Model>, Box<Diagnostic>> {
        let overlay = OverlayArg { overlay: None };
        self.spec.as_deref().map(|dir| source::read(Some(dir), &overlay).map(|(model, _)| model)).transpose()
    }
}

/// Says on standard error what ran by its page although it should not have to, and what did not
/// although it should.
pub(super) fn say(pages: &ByPages<'_>, which: Which) {
    let names = |all: Vec<&str>| all.join(", ");
    match which {
        Which::Missing if !pages.used().is_empty() => {
            note(&format!("note: by their pages, as they have no kernel, ran: {}", names(pages.used())));
        }
        Which::All if !pages.left().is_empty() => {
            note(&format!("note: by the emulator, not by their pages, ran: {}", names(pages.left())));
        }
        _ => {}
    }
}
