//! From pages to the model: each file here reads one kind of section.
//!
//! Readers return what they understood and push a diagnostic for everything else, so that one run over a
//! folder reports all pages. No reader fails and none panics, whatever the page holds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::diag::{Diagnostic, Severity};
use crate::markdown::{self, Document, Span};
use crate::model::{At, Mark, Marks, Model, Page};

pub(crate) use fields::head as field_head;

mod bits;
mod chapter;
mod fields;
mod format;
mod instruction;
mod markup;
mod opcode;
mod properties;
mod structure;
mod text;

/// What the readers of one page share: the page and where findings go.
pub(crate) struct Cx<'a> {
    pub(crate) page: u32,
    pub(crate) shown: &'a str,
    pub(crate) source: &'a str,
    pub(crate) diagnostics: &'a mut Vec<Diagnostic>,
}

impl Cx<'_> {
    pub(crate) fn at(&self, span: &Span) -> At {
        let clamp = |n: usize| u32::try_from(n.min(self.source.len())).unwrap_or(u32::MAX);
        At { page: self.page, start: clamp(span.start), end: clamp(span.end) }
    }

    pub(crate) fn report(
        &mut self,
        severity: Severity,
        code: &'static str,
        span: &Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let diagnostic = Diagnostic::new(code, severity, self.shown, message)
            .at_text(self.source, span.start, span.end)
            .help(help);
        self.diagnostics.push(diagnostic);
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

/// Reads a specification folder. The error is the file that could not be read and why.
pub fn read_dir(dir: &Path) -> Result<(Model, Vec<Diagnostic>), (PathBuf, std::io::Error)> {
    let (pages, files) = load(dir)?;
    Ok(checked(pages, Some(files)))
}

/// The pages of a folder, sorted by path, and the paths of all its files.
pub(crate) fn load(dir: &Path) -> Result<(Vec<Page>, BTreeSet<String>), (PathBuf, std::io::Error)> {
    let mut paths = Vec::new();
    collect(dir, &mut paths)?;
    paths.sort();
    let mut pages = Vec::new();
    let mut files = BTreeSet::new();
    for path in paths {
        let relative = path.strip_prefix(dir).unwrap_or(&path);
        let relative = relative.components().map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        files.insert(relative.clone());
        if path.extension().is_none_or(|e| e != "md") {
            continue;
        }
        let text = std::fs::read(&path).map_err(|e| (path.clone(), e))?;
        pages.push(Page {
            path: relative,
            shown: path.display().to_string(),
            text: String::from_utf8_lossy(&text).into_owned(),
            supplied: false,
        });
    }
    Ok((pages, files))
}

/// Reads single pages, given as (path as shown, text).
pub fn read_files(files: Vec<(String, String)>) -> (Model, Vec<Diagnostic>) {
    let pages = files
        .into_iter()
        .map(|(shown, text)| {
            let name = shown.rsplit(['/', '\\']).next().unwrap_or(&shown).to_owned();
            Page { path: name, shown, text, supplied: false }
        })
        .collect();
    checked(pages, None)
}

/// Reads a specification that is at hand as pages, in whatever order.
pub fn read_texts(mut pages: Vec<Page>) -> (Model, Vec<Diagnostic>) {
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    checked(pages, None)
}

fn collect(dir: &Path, out: &mut Vec<PathBuf>) -> Result<(), (PathBuf, std::io::Error)> {
    for entry in std::fs::read_dir(dir).map_err(|e| (dir.to_owned(), e))? {
        let path = entry.map_err(|e| (dir.to_owned(), e))?.path();
        if path.is_dir() {
            collect(&path, out)?;
        } else {
            out.push(path);
        }
    }
    Ok(())
}

fn checked(pages: Vec<Page>, files: Option<BTreeSet<String>>) -> (Model, Vec<Diagnostic>) {
    let (model, mut diagnostics) = read_pages(pages, files);
    crate::check::model(&model, &mut diagnostics);
    crate::diag::sort(&mut diagnostics);
    (model, diagnostics)
}

/// Reads pages in rounds, because later pages refer to facts of earlier ones: tables and shared
/// lists, then structures, then instructions.
pub(crate) fn read_pages(pages: Vec<Page>, files: Option<BTreeSet<String>>) -> (Model, Vec<Diagnostic>) {
    let mut model = Model { files, ..Model::default() };
    let mut diagnostics = Vec::new();
    let documents: Vec<Document> = pages.iter().map(|p| markdown::parse(&p.text)).collect();
    let is_instruction = |page: &Page, document: &Document| {
        page.path.starts_with("instructions/")
            || document
                .sections
                .iter()
                .any(|s| s.title.eq_ignore_ascii_case("opcode") || s.title.eq_ignore_ascii_case("format"))
    };
    for round in 0..4 {
        for (i, (page, document)) in pages.iter().zip(&documents).enumerate() {
            // The grammar describes pages, the overlay corrects them; neither holds facts of its own.
            if matches!(page.path.as_str(), "README.md" | "upstream-overlay.md") {
                continue;
            }
            let mut cx = Cx {
                page: u32::try_from(i).unwrap_or(u32::MAX),
                shown: &page.shown,
                source: &page.text,
                diagnostics: &mut diagnostics,
            };
            if round == 0 {
                markup::read(&mut cx, document, &mut model);
            }
            match (is_instruction(page, document), round) {
                // Lists that refer to others are read behind those that do not.
                (false, 0) => chapter::read_tables(&mut cx, document, &mut model),
                (false, 1) => chapter::read_lists(&mut cx, document, &mut model, true),
                (false, 2) => structure::read(&mut cx, document, &mut model),
                (true, 3) => instruction::read(&mut cx, document, &page.path, &mut model),
                _ => {}
            }
        }
    }
    model.pages = pages;
    model.types.sort_by_key(|t| t.code);
    model.instructions.sort_by(|a, b| (a.opcode, a.sub_opcode, &a.name).cmp(&(b.opcode, b.sub_opcode, &b.name)));
    platforms_of_index(&mut model);
    crate::semantics::read(&mut model, &documents, &mut diagnostics);
    (model, diagnostics)
}

/// The platforms of a page that names none stand in its line of the index.
fn platforms_of_index(model: &mut Model) {
    for instruction in model.instructions.iter_mut().filter(|i| i.platforms.is_empty()) {
        let Some(page) = model.pages.get(instruction.at.page as usize) else { continue };
        if let Some(line) = model.index.iter().find(|line| line.page == page.stem()) {
            instruction.platforms = line.platforms.clone();
        }
    }
}

/// Reads a number: decimal, `0x…` or `0b…`.
pub(crate) fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        u64::from_str_radix(hex, 16).ok()
    } else if let Some(bin) = text.strip_prefix("0b").or_else(|| text.strip_prefix("0B")) {
        u64::from_str_radix(bin, 2).ok()
    } else if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

/// Takes marks in braces off the front of a text: `{XEHP+}{3.4+}rest`. What is in braces but is no
/// mark stays part of the text.
pub(crate) fn leading_marks(text: &str) -> (Marks, &str) {
    let mut marks = Vec::new();
    let mut rest = text.trim_start();
    while let Some((mark, len)) = one_mark(rest) {
        marks.push(mark);
        rest = rest[len..].trim_start();
    }
    (Marks(marks), rest)
}

/// Takes all marks out of a text, wherever they stand.
pub(crate) fn all_marks(text: &str) -> (Marks, String) {
    let mut marks = Vec::new();
    let mut rest = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match one_mark(&text[at..]) {
            Some((mark, len)) => {
                marks.push(mark);
                at += len;
            }
            None => {
                rest.push(c);
                at += c.len_utf8();
            }
        }
    }
    (Marks(marks), rest)
}

fn one_mark(text: &str) -> Option<(Mark, usize)> {
    let inner = text.strip_prefix('{')?;
    let end = inner.find('}')?;
    let body = inner[..end].trim();
    let len = end + 2;
    let (name, before) = match (body.strip_suffix('+'), body.strip_prefix('-')) {
        (Some(name), _) => (name, false),
        (None, Some(name)) => (name, true),
        // Only words in capitals are platforms: braces have other uses in prose.
        _ if !body.is_empty() && body.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') => {
            return Some((Mark::Only(body.to_owned()), len));
        }
        _ => return None,
    };
    let version = name.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let platform = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let mark = match (version, before) {
        (Some((major, minor)), false) => Mark::FromVersion(major, minor),
        (Some((major, minor)), true) => Mark::BeforeVersion(major, minor),
        (None, false) if platform => Mark::From(name.to_owned()),
        (None, true) if platform => Mark::Before(name.to_owned()),
        _ => return None,
    };
    Some((mark, len))
}

/// The byte position of a phrase in a text, without regard to case.
pub(crate) fn find_phrase(text: &str, phrase: &str) -> Option<usize> {
    text.to_ascii_lowercase().find(&phrase.to_ascii_lowercase())
}

/// What follows a phrase up to the end of its sentence.
pub(crate) fn after_phrase<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let start = find_phrase(text, phrase)? + phrase.len();
    let rest = &text[start..];
    let end = rest
        .char_indices()
        .find(|&(i, c)| {
            c == '\n' || (c == '.' && rest[i + 1..].chars().next().is_none_or(|next| next.is_whitespace()))
        })
        .map_or(rest.len(), |(i, _)| i);
    Some(rest[..end].trim())
}

/// Comma-separated words.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(',').map(|w| w.trim().to_owned()).filter(|w| !w.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_off() {
        let (marks, rest) = leading_marks("{XEHP+}{-3.4} BF, F");
        assert_eq!(marks.0, [Mark::From("XEHP".into()), Mark::BeforeVersion(3, 4)]);
        assert_eq!(rest, "BF, F");
        assert_eq!(leading_marks("{GLOBAL|LOCAL}").0, Marks::default());
    }

    #[test]
    fn sentences_end_at_a_full_stop() {
        assert_eq!(after_phrase("Size. Must have type UD, D. Then 1.5", "must have type"), Some("UD, D"));
        assert_eq!(after_phrase("Valid from 1.5 on", "from"), Some("1.5 on"));
    }

    #[test]
    fn numbers_in_three_bases() {
        assert_eq!(number("0b101"), Some(5));
        assert_eq!(number("0x1F"), Some(31));
        assert_eq!(number(" 12 "), Some(12));
        assert_eq!(number("12a"), None);
    }
}
