//! Findings of an assembly text. The rules are checked even if some statements are wrong.

use std::collections::BTreeSet;

use visakit::isa::Platform;
use visakit::text::{Options, Parsed, parse};
use visakit::verify::{Source, findings};
use visakit_diag::{Diagnostic, Lines, Severity};

/// Rounds in which wrong statements are left out; each round may find errors that they caused.
const ROUNDS: usize = 4;

/// Findings of a text, and the routines that it has without its wrong statements.
pub struct Checked {
    /// Findings in the order of the text.
    pub findings: Vec<Diagnostic>,
    /// Result of parsing the text, if it has no errors of syntax.
    pub parsed: Option<Parsed>,
}

/// Parses and verifies a text. After errors of syntax, only violations of rules are reported, but
/// no doubts: a missing statement would cause wrong ones.
pub fn check(file: &str, text: &str, platform: Option<Platform>) -> Checked {
    let options = || Options { file: file.to_owned(), platform };
    let mut found = match parse(text, options()) {
        Ok(parsed) => {
            let findings = verified(file, text, &parsed, platform);
            return Checked { findings: sorted(findings), parsed: Some(parsed) };
        }
        Err(errors) => errors.into_vec(),
    };
    let mut rest = text.to_owned();
    let mut wrong: Vec<u32> = lines_of(&found);
    for _ in 0..ROUNDS {
        if wrong.is_empty() {
            break;
        }
        rest = without(&rest, &wrong);
        match parse(&rest, options()) {
            Ok(parsed) => {
                let all = verified(file, &rest, &parsed, platform);
                found.extend(all.into_iter().filter(|one| one.severity == Severity::Error && one.line > 0));
                break;
            }
            Err(errors) => wrong = lines_of(&errors.into_vec()),
        }
    }
    Checked { findings: sorted(found), parsed: None }
}

fn sorted(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    visakit_diag::sort(&mut findings);
    findings.dedup();
    findings
}

/// Returns the violations and doubts of all routines.
fn verified(file: &str, text: &str, parsed: &Parsed, platform: Option<Platform>) -> Vec<Diagnostic> {
    let source = Source::new(text);
    let routines = parsed.routines();
    routines.flat_map(|(routine, lines)| findings(file, routine, platform, Some((&source, lines)))).collect()
}

/// Returns the lines of findings that concern a single statement.
fn lines_of(findings: &[Diagnostic]) -> Vec<u32> {
    let lines: BTreeSet<u32> =
        findings.iter().filter(|one| !one.quote.trim().is_empty()).map(|one| one.line).collect();
    lines.into_iter().filter(|line| *line > 0).collect()
}

/// Returns a text with blanks in place of some lines, which keeps all other places.
fn without(text: &str, lines: &[u32]) -> String {
    let index = Lines::new(text);
    let mut bytes = text.as_bytes().to_vec();
    for line in lines {
        let Some(start) = index.start(*line) else { continue };
        let mut end = start;
        // A backslash continues the statement on the next line.
        loop {
            let len = bytes[end..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - end);
            let continued = bytes[end..end + len].trim_ascii_end().ends_with(b" \\");
            end += len;
            if !continued || end >= bytes.len() {
                break;
            }
            end += 1;
        }
        bytes[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    // Whole lines were replaced, so no character was cut.
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROKEN: &str = "\
.version 4.1
.kernel \"k\"
.decl a v_type=G type=f num_elts=8 align=GRF
    ad (M1, 8) a(0,0)<1> a(0,0)<8;8,1> a(0,0)<8;8,1>
    add (M1, 8) b(0,0)<1> a(0,0)<8;8,1> a(0,0)<8;8,1>
    add (M1, 8) a(0,0)<1> a(0,0)<8;8,1> 0x1:ud
    ret (M1, 1)
";

    #[test]
    fn errors_of_syntax_do_not_hide_broken_rules() {
        let found = check("k", BROKEN, None);
        let shown: Vec<_> = found.findings.iter().map(|one| (one.line, one.code)).collect();
        assert_eq!(shown, [(4, "statement"), (5, "statement"), (6, "type-map")]);
        assert!(found.parsed.is_none());
    }

    #[test]
    fn a_text_without_errors_has_its_routine() {
        let good: String = BROKEN
            .lines()
            .filter(|line| !line.contains("ad (") && !line.contains("b("))
            .fold(String::new(), |text, line| text + line + "\n");
        let found = check("k", &good.replace("0x1:ud", "0x1:f"), None);
        assert_eq!(found.parsed.unwrap().routine.name(), "k");
    }

    #[test]
    fn whole_statements_are_left_out() {
        assert_eq!(without("a\nb \\\n c\nd\n", &[2]), "a\n   \n  \nd\n");
    }
}
