//! Requests about pages of a specification.

use std::path::{Path, PathBuf};

use lsp_types::{DocumentLink, GotoDefinitionResponse, Hover, Location, Position, Range, Uri};

use crate::document::{Document, Place};
use crate::pages::{self, Reference};
use crate::requests::markdown;
use crate::state::{State, uri_of};

/// Returns the reference at a position, and its range.
fn reference(document: &Document, path: &Path, position: Position) -> Option<(Reference, Range)> {
    let place = document.place(position);
    let chunk = document.chunks().get(place.chunk)?;
    let start = chunk.lines.iter().rev().find(|start| **start <= place.byte).copied()?;
    let line = chunk.text[start..].lines().next()?;
    let (found, bytes) = pages::reference(path, line, place.byte - start)?;
    let at = |byte| document.position(Place { chunk: place.chunk, byte: start + byte });
    Some((found, Range::new(at(bytes.start), at(bytes.end))))
}

/// Returns what a word or a link of a page means.
pub(crate) fn hover(state: &State, document: &Document, path: &Path, position: Position) -> Option<Hover> {
    let (found, range) = reference(document, path, position)?;
    let text = match found {
        Reference::Link { path, anchor } => {
            let section = pages::section(&state.text_of(&path)?, &anchor)?;
            format!("**{}**\n\n{}\n", section.heading, section.text)
        }
        Reference::Word(word) => match pages::word(&word) {
            Some(text) => text,
            None => {
                let (path, line, _) = defined(state, path, &word)?;
                let text = state.text_of(&path)?;
                let line = text.lines().nth(line)?.to_owned();
                format!("{line}\n\n{}\n", path.file_name()?.to_string_lossy())
            }
        },
    };
    Some(markdown(text, range))
}

/// Returns the place that defines what a position names.
pub(crate) fn definition(
    state: &State,
    document: &Document,
    path: &Path,
    position: Position,
) -> Option<GotoDefinitionResponse> {
    let (found, _) = reference(document, path, position)?;
    let (path, line, columns) = match found {
        Reference::Link { path, anchor } => {
            let line = pages::section(&state.text_of(&path)?, &anchor).map_or(0, |section| section.line);
            (path, line, 0..0)
        }
        Reference::Word(word) => defined(state, path, &word)?,
    };
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let at = |column| Position::new(number(line), number(column));
    let location = Location::new(uri_of(&path)?, Range::new(at(columns.start), at(columns.end)));
    Some(GotoDefinitionResponse::Scalar(location))
}

/// Returns the page, line and byte range at which a word is defined: in the same page, in the
/// chapters, or as a page of its own.
fn defined(state: &State, path: &Path, word: &str) -> Option<(PathBuf, usize, std::ops::Range<usize>)> {
    if let Some((line, bytes)) = pages::defined(&state.text_of(path)?, word) {
        return Some((path.to_owned(), line, bytes));
    }
    let root = pages::root(path)?;
    let own = root.join("instructions").join(format!("{word}.md"));
    if own.is_file() {
        return Some((own, 0, 0..0));
    }
    let mut chapters: Vec<PathBuf> =
        std::fs::read_dir(&root).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    chapters.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    chapters.sort();
    chapters.into_iter().find_map(|chapter| {
        let (line, bytes) = pages::defined(&state.text_of(&chapter)?, word)?;
        Some((chapter, line, bytes))
    })
}

/// Returns the links of a page.
pub(crate) fn links(document: &Document, path: &Path) -> Vec<DocumentLink> {
    let mut out = Vec::new();
    for (at, chunk) in document.chunks().iter().enumerate() {
        for (inner, start) in chunk.lines.iter().enumerate() {
            let end = chunk.lines.get(inner + 1).copied().unwrap_or(chunk.text.len());
            let line = &chunk.text[*start..end];
            for (open, _) in line.match_indices("](") {
                let Some((Reference::Link { path, .. }, bytes)) = pages::reference(path, line, open) else {
                    continue;
                };
                let target: Option<Uri> = uri_of(&path);
                let range = document.range(at, &(start + bytes.start..start + bytes.end));
                out.push(DocumentLink { range, target, tooltip: None, data: None });
            }
        }
    }
    out
}
