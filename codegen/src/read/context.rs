//! Context that the readers of a page share.

use visakit_diag::{Diagnostic, Severity};

use crate::markdown::Span;
use crate::model::{Page, SourceSpan};
use crate::phrase::{has_gap, words};

/// Page in progress, and the target of findings.
pub(crate) struct Cx<'a> {
    pub(crate) page: u32,
    pub(crate) text: &'a Page,
    pub(crate) diagnostics: &'a mut Vec<Diagnostic>,
}

impl Cx<'_> {
    pub(crate) fn at(&self, span: &Span) -> SourceSpan {
        let clamp = |n: usize| u32::try_from(n.min(self.text.text.len())).unwrap_or(u32::MAX);
        SourceSpan { page: self.page, start: clamp(span.start), end: clamp(span.end) }
    }

    /// Splits a text at commas; reports a missing word.
    pub(crate) fn words(&mut self, text: &str, span: &Span) -> Vec<String> {
        if has_gap(text) {
            let help = "write a word before and after every comma, or remove the comma";
            self.warn("list-gap", span, format!("a word is missing in `{}`", text.trim()), help);
        }
        words(text)
    }

    pub(crate) fn report(
        &mut self,
        severity: Severity,
        code: &'static str,
        span: &Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let diagnostic = Diagnostic::new(code, severity, self.text.shown.as_str(), message).help(help);
        self.diagnostics.push(self.text.place(diagnostic, span.start, span.end));
    }

    pub(crate) fn error(
        &mut self,
        code: &'static str,
        span: &Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(Severity::Error, code, span, message, help);
    }

    pub(crate) fn warn(
        &mut self,
        code: &'static str,
        span: &Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(Severity::Warning, code, span, message, help);
    }
}
