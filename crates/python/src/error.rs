//! The module's exception and its findings.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use visakit::diag::{Diagnostic, Severity};

create_exception!(_visakit, VisakitError, PyException, "Error of visakit, with the finding that explains it.");

/// A finding: its code, its place, the problem, and what to do.
#[pyclass(frozen, get_all, from_py_object, module = "visakit")]
#[derive(Clone)]
pub(crate) struct Finding {
    /// Stable name of the kind of finding.
    code: String,
    /// `error`, `warning` or `note`.
    severity: String,
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
            code: finding.code.to_owned(),
            severity: match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            }
            .to_owned(),
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
    #[new]
    #[pyo3(signature = (code, severity, message, file, line = None, column = None, offset = None, help = String::new()))]
    #[expect(clippy::too_many_arguments, reason = "the fields of a finding")]
    fn new(
        code: String,
        severity: String,
        message: String,
        file: String,
        line: Option<u32>,
        column: Option<u32>,
        offset: Option<u64>,
        help: String,
    ) -> Self {
        let mut finding = Self {
            code,
            severity,
            message,
            file,
            line,
            column,
            offset,
            help,
            quote: String::new(),
            rendered: String::new(),
        };
        let advice = if finding.help.is_empty() { String::new() } else { format!("\nhelp: {}", finding.help) };
        finding.rendered =
            format!("{}[{}]: {}\n --> {}{advice}", finding.severity, finding.code, finding.message, finding.place());
        finding
    }

    fn __str__(&self) -> String {
        self.rendered.trim_end().to_owned()
    }

    fn __repr__(&self) -> String {
        format!("<Finding {}: {}: {} [{}]>", self.place(), self.severity, self.message, self.code)
    }
}

impl Finding {
    fn place(&self) -> String {
        match (self.line, self.offset) {
            (Some(line), _) => format!("{}:{line}:{}", self.file, self.column.unwrap_or(1)),
            (None, Some(offset)) => format!("{}:0x{offset:x}", self.file),
            (None, None) => self.file.clone(),
        }
    }
}

/// Returns the findings as objects.
pub(crate) fn findings(all: &[Diagnostic]) -> Vec<Finding> {
    all.iter().map(Finding::from).collect()
}

/// Returns the exception for findings.
pub(crate) fn raised(py: Python<'_>, all: &[Diagnostic]) -> PyErr {
    error(py, findings(all)).map_or_else(|other| other, |value| PyErr::from_value(value.into_bound(py)))
}

/// Returns the exception for findings; its attributes are those of the first error.
#[pyfunction]
pub(crate) fn error(py: Python<'_>, findings: Vec<Finding>) -> PyResult<Py<PyAny>> {
    let first = findings.iter().find(|finding| finding.severity == "error").or(findings.first());
    let Some(first) = first.cloned() else {
        return Ok(VisakitError::new_err("no findings").into_value(py).into_any());
    };
    let error = VisakitError::new_err(first.rendered.trim_end().to_owned()).into_value(py).into_any();
    let value = error.bind(py);
    value.setattr("findings", findings)?;
    value.setattr("code", first.code)?;
    value.setattr("message", first.message)?;
    value.setattr("file", first.file)?;
    value.setattr("line", first.line)?;
    value.setattr("column", first.column)?;
    value.setattr("offset", first.offset)?;
    value.setattr("help", first.help)?;
    Ok(error)
}

/// Returns the exception for one finding.
pub(crate) fn raise(py: Python<'_>, finding: Diagnostic) -> PyErr {
    raised(py, &[finding])
}

/// Returns a finding about an argument of a function of this module.
pub(crate) fn wrong(code: &'static str, place: &str, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::new(code, Severity::Error, place, message).help(help)
}
