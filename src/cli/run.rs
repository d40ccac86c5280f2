//! `visa run` (being written).
use super::Outcome;

/// Run a kernel.
#[derive(clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_: Args) -> Outcome {
    Outcome::Failed
}
