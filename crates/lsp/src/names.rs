//! Names under the cursor: definition, references, highlights and renaming.

use std::collections::HashMap;

use lsp_types::{Location, Position, Range, TextEdit};
use visakit::text::{Options, parse};

use crate::chunk::Token;
use crate::document::{Document, Place};
use crate::outline::name;

/// Token under a position.
pub struct Under<'a> {
    /// Index of its chunk.
    pub chunk: usize,
    /// The token.
    pub token: &'a Token,
    /// Its text.
    pub word: &'a str,
}

/// Returns the token under a position, if any.
pub fn under(document: &Document, position: Position) -> Option<Under<'_>> {
    let Place { chunk: at, byte } = document.place(position);
    let chunk = document.chunks().get(at)?;
    let token = &chunk.tokens[chunk.token_at(byte)?];
    Some(Under { chunk: at, token, word: chunk.word(token) })
}

/// Returns the index of the declaration that the name under a position denotes.
fn declared(document: &Document, position: Position) -> Option<usize> {
    let under = under(document, position)?;
    document.outline().at_token(&document.chunks()[under.chunk], under.chunk, under.token)
}

/// Returns the place of the declaration of the name under a position.
pub fn definition(document: &Document, position: Position) -> Option<Location> {
    let declaration = &document.outline().declarations[declared(document, position)?];
    Some(Location::new(document.uri.clone(), document.range(declaration.chunk, &declaration.bytes)))
}

/// Returns the ranges of all uses of the name under a position, its declaration included if wanted.
pub fn references(document: &Document, position: Position, with_declaration: bool) -> Option<Vec<Range>> {
    let wanted = declared(document, position)?;
    Some(uses(document, wanted, with_declaration))
}

/// Returns the ranges of all uses of a declaration.
pub fn uses(document: &Document, wanted: usize, with_declaration: bool) -> Vec<Range> {
    let outline = document.outline();
    let one = &outline.declarations[wanted];
    let mut out = Vec::new();
    for at in one.scope.clone() {
        let Some(chunk) = document.chunks().get(at) else { break };
        // A quoted name has two bytes more.
        let fits = |token: &&Token| matches!(token.range().len() - one.name.len().min(token.range().len()), 0 | 2);
        for token in chunk.tokens.iter().filter(fits) {
            let named = name(chunk, token).filter(|(name, _)| *name == one.name);
            let Some((_, bytes)) = named.filter(|_| outline.at_token(chunk, at, token) == Some(wanted)) else {
                continue;
            };
            if with_declaration || (at, &bytes) != (one.chunk, &one.bytes) {
                out.push(document.range(at, &bytes));
            }
        }
    }
    out
}

/// Returns the range that a renaming would replace.
///
/// # Errors
/// No declaration of the text has the name under the position.
pub fn prepare_rename(document: &Document, position: Position) -> Result<Range, String> {
    let under = under(document, position).ok_or("no name is here")?;
    let named = name(&document.chunks()[under.chunk], under.token).filter(|_| declared(document, position).is_some());
    let (_, bytes) = named.ok_or_else(|| format!("`{}` is not declared in this text", under.word))?;
    Ok(document.range(under.chunk, &bytes))
}

/// Returns the edits that rename the declaration under a position.
///
/// # Errors
/// The new name is no name or already means something else; the message has the reason.
pub fn rename(document: &Document, position: Position, new: &str) -> Result<Vec<TextEdit>, String> {
    prepare_rename(document, position)?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if new.is_empty() || new.starts_with(|c: char| c.is_ascii_digit()) || !new.chars().all(is_word) {
        return Err(format!("`{new}` is not a name; use letters, digits and `_`, and begin with no digit"));
    }
    let wanted = declared(document, position).ok_or("no name is here")?;
    let outline = document.outline();
    let one = &outline.declarations[wanted];
    let overlaps = |other: &crate::outline::Declaration| {
        other.name == new
            && other.space == one.space
            && other.scope.start < one.scope.end
            && one.scope.start < other.scope.end
    };
    if one.name != new && outline.declarations.iter().any(overlaps) {
        return Err(format!("`{new}` is already declared here; choose another name"));
    }
    let ranges = uses(document, wanted, true);
    let edits: Vec<_> = ranges.into_iter().map(|range| TextEdit::new(range, new.to_owned())).collect();
    keeps_parsing(document, &edits)?;
    Ok(edits)
}

/// Checks that a correct text stays correct.
fn keeps_parsing(document: &Document, edits: &[TextEdit]) -> Result<(), String> {
    let Err(errors) = parse(&applied(document, edits), Options::default()) else { return Ok(()) };
    match (parse(&document.text(), Options::default()), errors.first()) {
        (Ok(_), Some(error)) => Err(format!("the text would be wrong: {}", error.message)),
        _ => Ok(()),
    }
}

/// Returns the text of a document after edits.
pub fn applied(document: &Document, edits: &[TextEdit]) -> String {
    let mut by_chunk: HashMap<usize, Vec<(usize, usize, &str)>> = HashMap::new();
    for edit in edits {
        let (from, to) = (document.place(edit.range.start), document.place(edit.range.end));
        by_chunk.entry(from.chunk).or_default().push((from.byte, to.byte, &edit.new_text));
    }
    let mut out = String::new();
    for (at, chunk) in document.chunks().iter().enumerate() {
        let mut edits = by_chunk.remove(&at).unwrap_or_default();
        edits.sort_unstable();
        let mut done = 0;
        for (from, to, with) in edits {
            out.push_str(chunk.text.get(done..from).unwrap_or(""));
            out.push_str(with);
            done = to.max(from);
        }
        out.push_str(chunk.text.get(done..).unwrap_or(""));
    }
    out
}
