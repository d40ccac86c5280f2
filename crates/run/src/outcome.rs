//! Results and errors of a run.

use std::time::Duration;

use crate::program::Program;
use crate::stats::Stats;
use visakit_diag::{Diagnostic, Severity};
use visakit_launch::element::{Element, elements};
use visakit_machine::fault::TrapReport;

/// Result of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Contents of each buffer or image argument; `None` for an argument that shares another's
    /// buffer.
    pub buffers: Vec<Option<Vec<u8>>>,
    /// Output that the kernel printed.
    pub printed: Vec<u8>,
    /// Wall time of the dispatch, or of all dispatches if the launch was run again. Lowering,
    /// copies and file output are not included.
    pub wall: Duration,
    /// Number of instructions that all hardware threads executed.
    pub instructions: u64,
    /// Counts by mnemonic, if requested.
    pub stats: Option<Stats>,
    /// True if groups ran sequentially because the kernel's result depends on their order.
    pub ordered: bool,
    /// Number of elements read as zero past the end of a surface, or outside every buffer if that
    /// is allowed.
    pub outside_reads: u64,
    /// Number of elements dropped by writes past the end of a surface, or outside every buffer.
    pub outside_writes: u64,
}

impl Outcome {
    /// Returns the contents of the buffer with this argument index, as elements of a type.
    ///
    /// # Errors
    /// The argument is no buffer with its own contents, or its size is not a multiple of the
    /// element's.
    pub fn elements<T: Element>(&self, argument: usize) -> Result<Vec<T>, Box<Diagnostic>> {
        let wrong = |code, message: String, help: &str| {
            Box::new(Diagnostic::new(code, Severity::Error, format!("arg {argument}"), message).help(help))
        };
        let Some(bytes) = self.buffers.get(argument).and_then(Option::as_ref) else {
            let message = format!("argument {argument} is no buffer or image with its own contents");
            return Err(wrong(
                "result-missing",
                message,
                "use the index of an argument that the launch gave as a buffer",
            ));
        };
        elements(bytes).ok_or_else(|| {
            let (size, each) = (bytes.len(), T::BYTES);
            let message =
                format!("argument {argument} has {size} bytes, no whole number of elements of {each} bytes");
            wrong("result-elements", message, "use the element type of the kernel's parameter")
        })
    }
}

/// Error of a run.
#[derive(Clone, Debug)]
pub enum RunError {
    /// The launch cannot start.
    Launch(Box<Diagnostic>),
    /// A thread stopped at a trap. If several did, this is the one of the first group.
    TrapReport(Box<TrapReport>),
}

impl From<Box<Diagnostic>> for RunError {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Self::Launch(diagnostic)
    }
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Launch(diagnostic) => f.write_str(&diagnostic.one_line()),
            Self::TrapReport(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Launch(_) => None,
            Self::TrapReport(fault) => fault.source(),
        }
    }
}

impl RunError {
    /// Returns the error as a diagnostic about the program's text.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        match self {
            Self::Launch(diagnostic) => (**diagnostic).clone(),
            Self::TrapReport(fault) => program.locate(fault),
        }
    }
}
