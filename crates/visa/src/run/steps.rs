//! The instructions of work items that are traced.

use std::sync::{Mutex, PoisonError};

use visakit_emulator::run::TracedStep;

use crate::OutputFormat;
use crate::io::{note, out};

/// Instructions that are told; the others are counted.
const MOST: u64 = 100_000;

/// Prints instructions for a person as they come, and keeps them for programs.
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

    /// What is kept.
    pub(super) fn finish(self) -> Vec<TracedStep> {
        let (count, kept) = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if count > MOST {
            note(&format!("note: {} more instructions were not traced; the limit is {MOST}", count - MOST));
        }
        kept
    }
}
