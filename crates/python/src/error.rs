//! The module's exception and its findings.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use visakit::diag::{Diagnostic, Severity};

create_exception!(_visakit, VisakitError, PyException, "Error of visakit, with the finding that explains it.");

/// A finding: its code, its place, the problem, and what to do.
#[pyclass(frozen, get_all, module = "visakit")]
#[derive(Clone)]
pub(crate) struct Finding {
    /// Stable name of the kind of finding.
    code: &'static str,
    /// `error`, `warning` or `note`.
    severity: &'static str,
    /// Problem, in one sentence.
    message: String,
    /// File, as the caller named it.
    file: String,
    /// Line, from 1; `None` outside texts.
    line: Option<u32>,
    /// Column, from 1; `None` outside texts.
    column: Option<u32>,
    /// Byte offset in a binary.
    offset: Option<u64>,
    /// Expected input, and what to do; may be empty.
    help: String,
    /// Text of the line; may be empty.
    quote: String,
    rendered: String,
}

impl From<&Diagnostic> for Finding {
    fn from(finding: &Diagnostic) -> Self {
        Self {
            code: finding.code,
            severity: match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            message: finding.message.clone(),
            file: finding.file.clone(),
            line: Some(finding.line).filter(|&line| line > 0),
            column: Some(finding.column).filter(|&column| column > 0),
            offset: finding.offset,
            help: finding.help.clone(),
            quote: finding.quote.clone(),
            rendered: finding.render(false),
        }
    }
}

#[pymethods]
impl Finding {
    fn __str__(&self) -> String {
        self.rendered.trim_end().to_owned()
    }

    fn __repr__(&self) -> String {
        let place = match (self.line, self.offset) {
            (Some(line), _) => format!(":{line}:{}", self.column.unwrap_or(1)),
            (None, Some(offset)) => format!(":0x{offset:x}"),
            (None, None) => String::new(),
        };
        format!("<Finding {}{place}: {}: {} [{}]>", self.file, self.severity, self.message, self.code)
    }
}

/// Returns the findings as objects.
pub(crate) fn findings(all: &[Diagnostic]) -> Vec<Finding> {
    all.iter().map(Finding::from).collect()
}

/// Returns the exception for findings; its attributes are those of the first error.
pub(crate) fn raised(py: Python<'_>, all: &[Diagnostic]) -> PyErr {
    let first = all.iter().find(|finding| finding.severity == Severity::Error).or(all.first());
    let text = first.map(|finding| finding.render(false).trim_end().to_owned()).unwrap_or_default();
    let error = VisakitError::new_err(text);
    let value = error.value(py);
    let set = || -> PyResult<()> {
        value.setattr("findings", findings(all))?;
        if let Some(first) = first.map(Finding::from) {
            value.setattr("code", first.code)?;
            value.setattr("message", first.message)?;
            value.setattr("file", first.file)?;
            value.setattr("line", first.line)?;
            value.setattr("column", first.column)?;
            value.setattr("offset", first.offset)?;
            value.setattr("help", first.help)?;
        }
        Ok(())
    };
    match set() {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// Returns the exception for one finding.
pub(crate) fn raise(py: Python<'_>, finding: Diagnostic) -> PyErr {
    raised(py, &[finding])
}

/// Returns a finding about an argument of a function of this module.
pub(crate) fn wrong(code: &'static str, place: &str, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::new(code, Severity::Error, place, message).help(help)
}
