//! Diagnostics of the whole project: a code, a place, what is wrong and what to do.
//!
//! Readers return their value together with a list of diagnostics, so that one run reports all
//! problems.

mod list;

pub use list::Diagnostics;

use std::fmt::Write as _;

#[cfg(feature = "serde")]
use serde::Serialize;

/// Severity of a finding. Only errors make an input unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// Information; the result is complete.
    Note,
    /// Text that was not understood, or a contradiction between two places.
    Warning,
    /// Defect that makes the input unusable.
    Error,
}

/// Finding with its place in a text (line and column, from 1) or in a binary (byte offset).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Diagnostic {
    /// Stable name of the kind of finding, such as `opcode-missing`.
    pub code: &'static str,
    /// Severity of the finding.
    pub severity: Severity,
    /// Problem, in one sentence.
    pub message: String,
    /// File, as the user named it.
    pub file: String,
    /// Line, from 1; 0 if the place is not in a text.
    pub line: u32,
    /// Column in characters, from 1; 0 if the place is not in a text.
    pub column: u32,
    /// Byte offset, if the input is binary.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub offset: Option<u64>,
    /// Help text: the expected input and what to do.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "String::is_empty"))]
    pub help: String,
    /// Quoted line of the text; empty if it is longer than [`QUOTED`].
    #[cfg_attr(feature = "serde", serde(skip))]
    pub quote: String,
    /// Number of marked characters in the quoted line, at least 1.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub width: u32,
}

impl Diagnostic {
    /// Creates a finding without a place inside its file.
    pub fn new(code: &'static str, severity: Severity, file: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            file: file.into(),
            line: 0,
            column: 0,
            offset: None,
            help: String::new(),
            quote: String::new(),
            width: 1,
        }
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Sets the place to a byte range of a text and quotes its first line.
    #[must_use]
    pub fn at_text(mut self, text: &str, start: usize, end: usize) -> Self {
        let start = floor_char(text, start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        self.line = to_u32(text[..line_start].matches('\n').count() + 1);
        self.in_line(text, line_start, start, end)
    }

    /// Sets the place as [`at_text`](Self::at_text) does, with a line index. Use it for many
    /// findings in one text, because `at_text` scans the text for each.
    #[must_use]
    pub fn at_place(mut self, text: &str, lines: &Lines, start: usize, end: usize) -> Self {
        let start = floor_char(text, start);
        let number = lines.0.partition_point(|&begin| begin <= start).max(1);
        self.line = to_u32(number);
        self.in_line(text, lines.0.get(number - 1).map_or(0, |&begin| begin.min(start)), start, end)
    }

    fn in_line(mut self, text: &str, line_start: usize, start: usize, end: usize) -> Self {
        let end = floor_char(text, end.max(start));
        let line_end = text[line_start..].find('\n').map_or(text.len(), |i| line_start + i);
        self.column = to_u32(text[line_start..start].chars().count() + 1);
        self.quote = match line_end - line_start {
            // A very long line is unreadable, and each finding would store a copy of it.
            QUOTED.. => String::new(),
            _ => text[line_start..line_end].trim_end_matches('\r').to_owned(),
        };
        self.width = to_u32(text[start..end.min(line_end).max(start)].chars().count().max(1));
        self
    }

    /// Sets the place to a byte range of a single line with a known number. Avoids the scan of the
    /// whole text for its lines.
    #[must_use]
    pub fn at_line(self, number: u32, line: &str, start: usize, end: usize) -> Self {
        let mut out = self.at_text(line, start, end);
        out.line = number;
        out
    }

    /// Sets the place to a byte offset of a binary.
    #[must_use]
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// Formats the place: `file:line:column`, `file:0xoffset` or only the file.
    pub fn place(&self) -> String {
        match (self.line, self.offset) {
            (0, Some(offset)) => format!("{}:0x{offset:x}", self.file),
            (0, None) => self.file.clone(),
            (line, _) => format!("{}:{line}:{}", self.file, self.column),
        }
    }

    /// Formats the finding in one line without the quoted text, for build scripts and logs.
    pub fn one_line(&self) -> String {
        let mut out = format!("{}: {} [{}]", self.place(), self.message, self.code);
        if !self.help.is_empty() {
            let _ = write!(out, "; {}", self.help);
        }
        out
    }

    /// Formats the finding for a person: code, place, quoted line with a caret, and help.
    #[cfg(feature = "render")]
    pub fn render(&self, color: bool) -> String {
        self.render_linked(color, None)
    }

    /// Formats the finding as [`Self::render`] does, with the code as a link of the terminal
    /// (OSC 8) to an address. Without colours there is no link.
    #[cfg(feature = "render")]
    pub fn render_linked(&self, color: bool, address: Option<&str>) -> String {
        use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let title = level.primary_title(self.message.as_str()).id(self.code);
        let title = match address {
            Some(address) if color => title.id_url(address),
            _ => title,
        };
        let mut report = Vec::new();
        if self.line > 0 && !(self.quote.is_empty() && self.column > 1) {
            let start = nth_char(&self.quote, self.column.saturating_sub(1));
            let end = nth_char(&self.quote, self.column.saturating_sub(1) + self.width);
            let snippet = Snippet::source(self.quote.as_str())
                .path(self.file.as_str())
                .line_start(self.line as usize)
                .annotation(AnnotationKind::Primary.span(start..end.max(start)));
            report.push(Group::with_title(title).element(snippet));
        } else {
            let origin = annotate_snippets::Origin::path(self.place());
            report.push(Group::with_title(title).element(origin));
        }
        if !self.help.is_empty() {
            report.push(Group::with_title(Level::HELP.secondary_title(self.help.as_str())));
        }
        let mut out = renderer.render(&report);
        out.push('\n');
        out
    }
}

/// Index of the byte offsets at which the lines of a text begin.
#[derive(Clone, Debug, Default)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// Builds the index.
    pub fn new(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(end, _)| end + 1)).collect())
    }

    /// Returns the byte offset of a line, counted from 1.
    pub fn start(&self, number: u32) -> Option<usize> {
        self.0.get((number as usize).checked_sub(1)?).copied()
    }
}

/// Maximum length of a quoted line in bytes.
pub const QUOTED: usize = 4096;

impl std::fmt::Display for Diagnostic {
    /// Formats as [`one_line`](Self::one_line).
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.one_line())
    }
}

impl std::error::Error for Diagnostic {}

/// Returns true if any finding is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// Sorts findings by file and place, the reading order.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(|a, b| {
        (&a.file, a.line, a.column, a.offset, a.code, &a.message)
            .cmp(&(&b.file, b.line, b.column, b.offset, b.code, &b.message))
    });
}

fn floor_char(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(feature = "render")]
fn nth_char(text: &str, n: u32) -> usize {
    text.char_indices().nth(n as usize).map_or(text.len(), |(i, _)| i)
}

fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
