//! Findings as annotations of a GitHub workflow: commands on standard output that the runner shows
//! at their lines.

use visakit_diag::{Diagnostic, Severity};

use super::place::Place;
use crate::io;

/// Prints one line per finding.
pub(super) fn print(findings: &[Diagnostic]) {
    let lines: String = findings.iter().map(|finding| line(finding) + "\n").collect();
    io::out(&lines);
}

/// Returns the workflow command for a finding.
fn line(finding: &Diagnostic) -> String {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = Place::of(finding);
    let mut properties = Vec::new();
    if !place.file.is_empty() {
        properties.push(format!("file={}", property(&place.file)));
    }
    if place.line > 0 {
        let (line, column) = (place.line, finding.column.max(1));
        properties.push(format!("line={line},col={column},endColumn={}", column + finding.width.max(1)));
    }
    properties.push(format!("title={}", property(finding.code)));
    let help = if finding.help.is_empty() { String::new() } else { format!("\n{}", finding.help) };
    format!("::{command} {}::{}", properties.join(","), data(&format!("{}{}{help}", place.before, finding.message)))
}

/// Escapes a message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_escaped() {
        let finding = Diagnostic::new("value-range", Severity::Warning, "a,b.md", "100% of: these\nlines");
        let expected = "::warning file=a%2Cb.md,title=value-range::100%25 of: these%0Alines%0Aread it";
        assert_eq!(line(&finding.help("read it")), expected);
    }

    #[test]
    fn lines_have_columns() {
        let finding = Diagnostic::new("file-text", Severity::Note, "src/main.rs", "m").at_line(7, "let a", 4, 5);
        assert_eq!(line(&finding), "::notice file=src/main.rs,line=7,col=5,endColumn=6,title=file-text::m");
    }
}
