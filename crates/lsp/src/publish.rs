//! Findings as diagnostics of the protocol.

use std::collections::HashMap;

use lsp_types::{
    CodeDescription, Diagnostic as LspDiagnostic, DiagnosticSeverity, DiagnosticTag, NumberOrString, Range, Uri,
};
use visakit_diag::{Diagnostic, Severity};

use crate::document::{Document, Place};
use crate::outline::Space;

/// Name of the server in diagnostics.
pub const SOURCE: &str = "visa";

/// Code of the hint at a variable that no statement names.
pub const UNUSED: &str = "declaration-unused";

/// Addresses of the explanations of codes.
pub type Addresses = HashMap<&'static str, String>;

/// Converts findings to diagnostics. `addresses` are links to the explanations of the codes.
pub fn diagnostics(document: &Document, findings: &[Diagnostic], addresses: &Addresses) -> Vec<LspDiagnostic> {
    let starts = starts(document);
    findings.iter().map(|finding| one(document, &starts, finding, addresses)).collect()
}

fn one(document: &Document, starts: &[Place], finding: &Diagnostic, addresses: &Addresses) -> LspDiagnostic {
    let severity = match finding.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    };
    let help = if finding.help.is_empty() { String::new() } else { format!("\n{}", finding.help) };
    LspDiagnostic {
        range: range(document, starts, finding),
        severity: Some(severity),
        message: format!("{}{help}", finding.message),
        ..coded(finding.code, addresses)
    }
}

/// Returns a diagnostic with a code and the link to its explanation.
fn coded(code: &'static str, addresses: &Addresses) -> LspDiagnostic {
    let href = addresses.get(code).and_then(|address| address.parse::<Uri>().ok());
    LspDiagnostic {
        code: Some(NumberOrString::String(code.to_owned())),
        code_description: href.map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        ..LspDiagnostic::default()
    }
}

/// Returns the places of the lines that findings count, which end with `\n` only.
fn starts(document: &Document) -> Vec<Place> {
    let mut out = Vec::with_capacity(document.line_count());
    for (chunk, text) in document.chunks().iter().map(|chunk| &chunk.text).enumerate() {
        out.push(Place { chunk, byte: 0 });
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        out.extend(ends.filter(|end| *end < text.len()).map(|byte| Place { chunk, byte }));
    }
    out
}

fn range(document: &Document, starts: &[Place], finding: &Diagnostic) -> Range {
    let Some(start) = (finding.line as usize).checked_sub(1).and_then(|line| starts.get(line)) else {
        return Range::default();
    };
    let text = document.chunks()[start.chunk].text.get(start.byte..).unwrap_or("");
    let line = text.split('\n').next().unwrap_or("").trim_end_matches('\r');
    let byte = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    let first = (finding.column as usize).saturating_sub(1);
    let (from, to) = (byte(first), byte(first + finding.width as usize));
    // An error at the end of a line marks the last word before it.
    let from = if from >= line.trim_end().len() && from > 0 {
        let before = line.trim_end();
        before.rfind([' ', '\t', '(', ')', ',']).map_or(0, |at| (at + 1).min(before.len().saturating_sub(1)))
    } else {
        from
    };
    let place = |byte| document.position(Place { chunk: start.chunk, byte: start.byte + byte });
    Range::new(place(from), place(to.max(from)))
}

/// Returns hints at the variables that no statement of a correct text names.
pub fn unused(document: &Document, addresses: &Addresses) -> Vec<LspDiagnostic> {
    let outline = document.outline();
    let mut used = vec![false; outline.declarations.len()];
    for (at, chunk) in document.chunks().iter().enumerate() {
        for token in &chunk.tokens {
            let Some(named) = outline.at_token(chunk, at, token) else { continue };
            let one = &outline.declarations[named];
            used[named] |= (one.chunk, &one.bytes) != (at, &token.range());
        }
    }
    let unused = outline.declarations.iter().zip(used).filter(|(one, used)| one.space == Space::Variable && !used);
    unused
        .map(|(one, _)| LspDiagnostic {
            range: document.range(one.chunk, &one.bytes),
            severity: Some(DiagnosticSeverity::HINT),
            message: format!("no statement names `{}`", one.name),
            tags: Some(vec![DiagnosticTag::UNNECESSARY]),
            ..coded(UNUSED, addresses)
        })
        .collect()
}
