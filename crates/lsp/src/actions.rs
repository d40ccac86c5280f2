//! Code actions: corrections of findings.

use std::collections::HashMap;

use lsp_types::{CodeAction, CodeActionKind, Diagnostic, NumberOrString, Position, Range, TextEdit, WorkspaceEdit};
use visakit::isa::{DataType, DeclaredClass, TextDirective, TextKey};
use visakit::rt::Version;

use crate::chunk::Head;
use crate::document::{Document, Place};
use crate::outline::Space;
use crate::publish::{SOURCE, UNUSED};

/// Returns the corrections of diagnostics that the client shows at a place.
#[expect(clippy::mutable_key_type, reason = "the protocol's type of an edit has addresses as keys")]
pub fn actions(document: &Document, diagnostics: &[Diagnostic]) -> Vec<CodeAction> {
    let mut out = Vec::new();
    for diagnostic in diagnostics.iter().filter(|one| one.source.as_deref() == Some(SOURCE)) {
        for (title, edit) in fixes(document, diagnostic) {
            let changes = HashMap::from([(document.uri.clone(), vec![edit])]);
            out.push(CodeAction {
                title,
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic.clone()]),
                edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
                is_preferred: Some(true),
                ..CodeAction::default()
            });
        }
    }
    out
}

/// Returns the corrections of one diagnostic with their titles.
fn fixes(document: &Document, diagnostic: &Diagnostic) -> Vec<(String, TextEdit)> {
    let code = match &diagnostic.code {
        Some(NumberOrString::String(code)) => code.as_str(),
        _ => "",
    };
    let message = diagnostic.message.as_str();
    let mut out = Vec::new();
    if let Some(meant) = quoted_after(message, "did you mean ") {
        let range = wrong(document, diagnostic.range, message);
        out.push((format!("Replace by `{meant}`"), TextEdit::new(range, meant.to_owned())));
    }
    match code {
        "label-missing" => out.extend(label(document, diagnostic)),
        "version-missing" => {
            let newest = Version::new(4, 1);
            let line = format!("{} {}.{}\n", TextDirective::VersionLine.text(), newest.major, newest.minor);
            out.push((format!("Insert `{}`", line.trim()), TextEdit::new(Range::default(), line)));
        }
        "statement" => out.extend(declaration(document, diagnostic)),
        UNUSED => {
            let line = diagnostic.range.start.line;
            let range = Range::new(Position::new(line, 0), Position::new(line + 1, 0));
            out.push(("Remove the declaration".to_owned(), TextEdit::new(range, String::new())));
        }
        _ => {}
    }
    out
}

/// Returns the text in backticks after some words.
fn quoted_after<'a>(message: &'a str, words: &str) -> Option<&'a str> {
    let (_, rest) = message.split_once(words)?;
    rest.strip_prefix('`')?.split('`').next().filter(|text| !text.is_empty())
}

/// Returns the range of the wrong word: the quoted word of the message in the marked line, or else
/// the word at the start of the marked range.
fn wrong(document: &Document, marked: Range, message: &str) -> Range {
    let place = document.place(marked.start);
    let Some(chunk) = document.chunks().get(place.chunk) else { return marked };
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let rest = chunk.text.get(place.byte..).unwrap_or("");
    let lead = rest.len() - rest.trim_start_matches([' ', '\t', '.']).len();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '%';
    let len = rest[lead..].find(|c| !is_word(c)).unwrap_or(rest.len() - lead);
    let word = &rest[lead..lead + len];
    let suggestion = message.find("did you mean").map_or(quoted.len(), |at| message[..at].matches('`').count() / 2);
    let named =
        quoted[..suggestion.min(quoted.len())].iter().rev().find(|name| !name.is_empty() && rest.contains(**name));
    let (start, end) = match named {
        Some(name) if *name != word => {
            let at = place.byte + rest.find(name).unwrap_or(0);
            (at, at + name.len())
        }
        _ => (place.byte + lead, place.byte + lead + len),
    };
    document.range(place.chunk, &(start..end))
}

/// Places a missing label at the end of its routine.
fn label(document: &Document, diagnostic: &Diagnostic) -> Option<(String, TextEdit)> {
    let name = quoted_after(&diagnostic.message, "label ")?;
    let chunk = document.place(diagnostic.range.start).chunk;
    let end = document.outline().routine(chunk).map_or(document.chunks().len(), |routine| routine.chunks.end);
    let at = document.position(Place { chunk: end, byte: 0 });
    let lead = if at.character > 0 { "\n" } else { "" };
    Some((format!("Add the label `{name}`"), TextEdit::new(Range::new(at, at), format!("{lead}{name}:\n"))))
}

/// Declares a variable that an instruction names. The type is the one that other operands of the
/// instruction have.
fn declaration(document: &Document, diagnostic: &Diagnostic) -> Option<(String, TextEdit)> {
    let name = quoted_after(&diagnostic.message, ", not ")?;
    let class = DeclaredClass::ALL.iter().copied().find(|class| {
        let words = class.name().split('_').next().unwrap_or_default();
        diagnostic.message.split(", not ").next().is_some_and(|head| head.contains(words))
    })?;
    let outline = document.outline();
    let chunk = document.place(diagnostic.range.start).chunk;
    let begin = outline.routine(chunk).map_or(0, |routine| routine.chunk);
    let is_before = |at: &usize| *at >= begin && *at <= chunk;
    let declared = outline.declarations.iter().filter(|one| one.space == Space::Variable && is_before(&one.chunk));
    let last = declared.map(|one| one.chunk).next_back().unwrap_or(begin);
    let at = document.position(Place { chunk: last + 1, byte: 0 });
    let statement = document.chunks().get(chunk)?;
    let Head::Instruction(_) = statement.head() else { return None };
    let of_line = statement.tokens.iter().filter_map(|token| outline.at_token(statement, chunk, token));
    let model = of_line.map(|at| &outline.declarations[at]).find(|one| one.class == Some(class));
    let keys = model.and_then(|one| document.chunks()[one.chunk].text.trim().split_once(one.name.as_str()));
    let keys = match keys {
        Some((_, keys)) => keys.trim().to_owned(),
        None => {
            let of_type = class.required().contains(&TextKey::KeyType);
            let ty = if of_type {
                format!(" {}={}", TextKey::KeyType.text(), DataType::default().name())
            } else {
                String::new()
            };
            format!("{}={}{ty} {}=16", TextKey::KeyClass.text(), class.text(), TextKey::KeyElements.text())
        }
    };
    let line = format!("{} {name} {keys}\n", TextDirective::DeclLine.text());
    Some((format!("Declare `{name}`"), TextEdit::new(Range::new(at, at), line)))
}
