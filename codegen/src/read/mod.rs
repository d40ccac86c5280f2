//! From pages to the model: each file here reads one kind of section.
//!
//! Readers return what they understood and push a diagnostic for everything else, so that one run over a
//! folder reports all pages. No reader fails and none panics, whatever the page holds.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use visakit_diag::{Diagnostic, Severity};

use crate::markdown::{self, Document, Span};
use crate::model::{At, Model, Page};

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
    visakit_diag::sort(&mut diagnostics);
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
