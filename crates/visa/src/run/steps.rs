//! Trace of the instructions executed by selected work items.

use std::sync::{Mutex, PoisonError};

use visakit_emulator::run::TracedStep;

use crate::io::{note, out};
use crate::outcome::OutputFormat;

/// Maximum number of traced instructions; further ones are only counted.
const MOST: u64 = 100_000;

/// Collector that prints instructions for a person as they execute, or keeps them for JSON.
pub(super) struct Steps {
    format: OutputFormat,
    state: Mutex<(u64, Vec<TracedStep>)>,
}

impl Steps {
    pub(super) fn new(format: OutputFormat) -> Self {
        Self { format, state: Mutex::default() }
    }

    pub(super) fn take(&self, step: TracedStep) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 += 1;
        match self.format {
            _ if state.0 > MOST => {}
            OutputFormat::Human => out(&format!("{step}\n")),
            OutputFormat::Json => state.1.push(step),
            OutputFormat::Github | OutputFormat::Sarif => {}
        }
    }

    /// Returns the kept instructions.
    pub(super) fn finish(self) -> Vec<TracedStep> {
        let (count, kept) = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if count > MOST {
            note(&format!("note: {} more instructions were not traced; the limit is {MOST}", count - MOST));
        }
        kept
    }
}
