//! Selection of checks, and their results.

use visakit_launch::TextError;
use visakit_machine::fault::TrapReport;
use visakit_run::place::Place;
use visakit_run::program::Item;
use visakit_run::{Outcome, RunError};

/// Selection of checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Accesses outside buffers, surfaces and shared local memory.
    pub bounds: bool,
    /// Addresses, stored values and branches that depend on uninitialised data.
    pub uninit: bool,
    /// Unordered accesses of several work items to the same bytes.
    pub race: bool,
    /// Barriers without the fence that their purpose requires. Barriers not reached by all threads
    /// are traps in every run.
    pub sync: bool,
}

impl Checks {
    /// Names of the checks.
    pub const WORDS: [&str; 5] = ["bounds", "uninit", "race", "sync", "all"];

    /// Parses a comma-separated list of checks, such as `bounds,race`.
    ///
    /// # Errors
    /// The first word that is not in [`Checks::WORDS`].
    pub fn parse(list: &str) -> Result<Self, TextError> {
        let mut checks = Self::default();
        let mut at = 0;
        for word in list.split(',') {
            match word.trim() {
                "bounds" => checks.bounds = true,
                "uninit" => checks.uninit = true,
                "race" => checks.race = true,
                "sync" => checks.sync = true,
                "all" => checks = Self { bounds: true, uninit: true, race: true, sync: true },
                _ => {
                    return Err(TextError {
                        code: "check-unknown",
                        at: at..at + word.len(),
                        message: format!("unknown check `{word}`"),
                        help: format!("the checks are {}", Self::WORDS.join(", ")),
                    });
                }
            }
            at += word.len() + 1;
        }
        Ok(checks)
    }
}

/// A bug at its first occurrence.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Description and location.
    pub report: Box<TrapReport>,
    /// The conflicting access.
    pub other: Option<Box<TrapReport>>,
    /// Memory location of the bug.
    pub place: Option<Place>,
    /// Some of the other work items with the same bug.
    pub items: Vec<Item>,
    /// Locations where an uninitialised value was stored and loaded before its use.
    pub way: Vec<TrapReport>,
    /// Number of occurrences.
    pub count: u64,
    /// True if the bug overwrites another work item's private memory, so that later misbehaviour of
    /// that work item follows from it.
    pub overwrites: bool,
    /// True for a finding that deserves attention but is not a bug.
    pub is_note: bool,
}

/// Result of a checked launch.
#[derive(Debug)]
pub struct Checked {
    /// Result of the observed run. With [`Checks::bounds`], reads outside every buffer return zero.
    /// Groups after a faulty one have run.
    pub result: Result<Outcome, RunError>,
    /// Findings, each bug once, in order of occurrence.
    pub findings: Vec<Finding>,
}
