//! Formatting: the blanks of the printer. Words, numbers and comments stay as they are.

use std::ops::Range;

use lsp_types::TextEdit;
use visakit::text::{RoutineNames, TokenKind, parse, tokens};

use crate::chunk::{Chunk, Head};
use crate::document::Document;

/// Indentation of an instruction.
const INDENT: &str = "    ";

/// Returns the edits that give the statements in a range of lines the blanks of the printer.
/// Statements that the parser refuses are only indented.
pub fn format(document: &Document, lines: Range<usize>) -> Vec<TextEdit> {
    let printed = printed(document);
    let mut out = Vec::new();
    for (at, chunk) in document.chunks().iter().enumerate() {
        let line = document.first_line(at);
        if !lines.contains(&line) || chunk.line_count() > 1 {
            continue;
        }
        let body = chunk.text.trim_end_matches(['\n', '\r']);
        let new = formatted(chunk, body, printed.get(&line).map(String::as_str));
        if new != body {
            out.push(TextEdit::new(document.range(at, &(0..body.len())), new));
        }
    }
    out
}

/// Returns the printed form of each instruction of a correct text, by its line.
fn printed(document: &Document) -> std::collections::HashMap<usize, String> {
    let mut out = std::collections::HashMap::new();
    let Ok(parsed) = parse(&document.text(), visakit::text::Options::default()) else { return out };
    for (routine, lines) in parsed.routines() {
        let names = RoutineNames::of(routine);
        for (instruction, line) in routine.instructions.iter().zip(lines) {
            out.insert((*line as usize).saturating_sub(1), instruction.display(&names).to_string());
        }
    }
    out
}

/// Returns a line in its new form. The tokens are those of the old line in all cases.
fn formatted(chunk: &Chunk, body: &str, printed: Option<&str>) -> String {
    let Some((_, last)) = chunk.code().last() else {
        // A comment alone keeps its column, a blank line has no blanks.
        return body.trim_end().to_owned();
    };
    // The last word of a broken text may contain an end of line.
    if last.range().end > body.len() {
        return body.to_owned();
    }
    let first = chunk.tokens.first().map_or(0, |token| token.range().start);
    // Comments between the words of a statement stay where they are.
    let inner =
        chunk.tokens.iter().any(|token| token.kind == TokenKind::Comment && token.range().start < last.range().start);
    let braces = chunk.text.contains(['{', '}']);
    if inner || (braces && !matches!(chunk.head(), Head::Directive(_))) {
        return body.trim_end().to_owned();
    }
    let statement = &chunk.text[first..last.range().end];
    let spaced = match chunk.head() {
        Head::Instruction(_) => {
            let same = printed.filter(|printed| *printed == statement || words(printed) == words(statement));
            format!("{INDENT}{}", same.map_or_else(|| single_blanks(statement), str::to_owned))
        }
        Head::Directive(_) => single_blanks(statement),
        Head::Label(_) => statement.to_owned(),
        Head::Other | Head::Empty => return body.trim_end().to_owned(),
    };
    let comment = body[last.range().end..].trim();
    let gap = &body[last.range().end..body.len() - body[last.range().end..].trim_start().len()];
    match comment {
        "" => spaced,
        comment if gap.is_empty() => format!("{spaced} {comment}"),
        // The comment keeps its column where that is possible.
        comment => {
            let column = (last.range().end + gap.len()).saturating_sub(spaced.len()).max(1);
            format!("{spaced}{:column$}{comment}", "")
        }
    }
}

/// Returns the words of a statement without its blanks.
fn words(text: &str) -> Vec<&str> {
    tokens(text).filter(|token| token.kind != TokenKind::Blank).filter_map(|token| text.get(token.range)).collect()
}

/// Returns a statement with one blank for each run of blanks outside of strings.
fn single_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokens(text) {
        out.push_str(if token.kind == TokenKind::Blank { " " } else { text.get(token.range).unwrap_or("") });
    }
    out.trim().to_owned()
}
