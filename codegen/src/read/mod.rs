//! Readers that convert pages to the model; each file reads one kind of section.
//!
//! A reader returns what it understood and reports everything else, so that one run covers all
//! pages of a folder. No input makes a reader fail or panic.

use std::collections::BTreeSet;

use visakit_diag::Diagnostic;

use crate::anatomy::Anatomy;
use crate::markdown::{self, Document};
use crate::model::{Model, Page};
use crate::resolve;

mod bits;
mod cells;
mod chapter;
mod columns;
mod context;
mod damaged;
mod fields;
mod format;
mod head;
mod index;
mod instruction;
mod lists;
mod markup;
mod opcode;
mod platforms;
mod properties;
mod rules;
mod said;
mod sources;
mod structure;
mod text;

use context::Cx;

/// Reads the pages in rounds, because later facts refer to earlier ones: tables and shared lists,
/// then structures, then instructions.
pub(crate) fn read_pages(mut pages: Vec<Page>, files: Option<BTreeSet<String>>) -> (Model, Vec<Diagnostic>) {
    let mut model = Model { files, ..Model::default() };
    for page in &mut pages {
        skip_mark(&mut page.text);
    }
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
            // The grammar and the overlay contain no facts of their own.
            if matches!(page.path.as_str(), "README.md" | "upstream-overlay.md") {
                continue;
            }
            let mut cx = Cx { page: u32::try_from(i).unwrap_or(u32::MAX), text: page, diagnostics: &mut diagnostics };
            if round == 0 {
                for excess in &document.excess {
                    let message = format!("{}; the rest is not read", excess.what);
                    cx.error("page-limit", &excess.span, message, "divide the page, or remove nesting");
                }
                markup::read(&mut cx, document, &mut model);
                sources::read(&mut cx, document, &mut model);
            }
            match (is_instruction(page, document), round) {
                // Lists that refer to other lists are read after those that do not.
                (false, 0) => chapter::read_tables(&mut cx, document, &mut model),
                (false, 1) => lists::read(&mut cx, document, &mut model, true),
                (false, 2) => structure::read(&mut cx, document, &mut model),
                (true, 3) => instruction::read(&mut cx, document, &page.path, &mut model),
                _ => {}
            }
        }
    }
    columns::resolve(&mut model);
    model.pages = pages;
    model.types.sort_by_key(|t| t.code);
    model.instructions.sort_by(|a, b| (a.opcode, a.sub_opcode, &a.name).cmp(&(b.opcode, b.sub_opcode, &b.name)));
    platforms_of_index(&mut model);
    resolve::names(&mut model);
    model.anatomy = Anatomy::find(&model).ok();
    crate::semantics::read_rules(&mut model, &documents, &mut diagnostics);
    crate::semantics::read(&mut model, &documents, &mut diagnostics);
    (model, diagnostics)
}

/// Removes the byte order mark that some editors write.
pub(crate) fn skip_mark(text: &mut String) {
    if text.starts_with(BYTE_ORDER_MARK) {
        text.remove(0);
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Sets the platforms of pages that name none to those in their index lines.
fn platforms_of_index(model: &mut Model) {
    for instruction in model.instructions.iter_mut().filter(|i| i.platforms.is_empty()) {
        let Some(page) = model.pages.get(instruction.at.page as usize) else { continue };
        if let Some(line) = model.index.iter().find(|line| line.page == page.stem()) {
            instruction.platforms = line.platforms.clone();
            instruction.platforms_at = line.at;
        }
    }
}
