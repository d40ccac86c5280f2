//! Notation of the Semantics sections: parser and name resolution. The tree is part of the model,
//! [`crate::model::semantics`].
//!
//! `spec/semantics.md` defines the grammar and the table of built-ins, which is read from there.
//! Without that page, as in the vendor's documents, Semantics sections are free text.
//!
//! All findings are warnings, because the build does not depend on the semantics.

use std::collections::BTreeSet;

use crate::markdown::{self, Document, Span};
use crate::model::semantics::{Statement, StatementKind};
use crate::model::{Instruction, Model, PageKind, SourceSpan};
use visakit_diag::{Diagnostic, Severity};

mod builtins;
mod check;
mod columns;
mod expression;
mod fields;
mod lex;
mod lower;
mod parse;
mod resolve;
mod rows;

pub(crate) use lower::{Node, lower, lower_accepted};
pub use parse::{Parsed, Problem, parse, parse_expression, parse_text};
pub(crate) use rows::{accepted, row};

/// Prefix of the name of a data type.
const DATA_TYPE: &str = "Data_type";

/// Last parameter of a variadic built-in.
const VARIADIC: &str = "...";

/// Parameter of a built-in that tests a condition for several operands.
const CONDITION: &str = "condition";

/// Name of the operand that a row of verification.md concerns.
const IT: &str = "it";

/// Reads the Semantics sections of all pages into the otherwise complete model. `documents` and the
/// model's pages have the same order.
pub(crate) fn read(model: &mut Model, documents: &[Document], out: &mut Vec<Diagnostic>) {
    let Some(notation) = model.pages.iter().position(|p| p.path == "semantics.md") else { return };
    let number = |page: usize| u32::try_from(page).unwrap_or(u32::MAX);
    if let (Some(page), Some(document)) = (model.pages.get(notation), documents.get(notation)) {
        model.builtins = builtins::read(page, number(notation), document, out);
    }
    let mut used = BTreeSet::new();
    let mut blocks = Vec::new();
    for instruction in &model.instructions {
        let page = instruction.at.page;
        blocks.push(documents.get(page as usize).and_then(|document| {
            let mut block = block(model, instruction, document, page, out)?;
            resolve::resolve(model, &model.builtins, instruction, &mut block, &mut used);
            kind(model, instruction, &block, out);
            for Problem { code, at, message, help } in block.problems {
                model.report(Severity::Warning, code, at, message, help, out);
            }
            Some(block.block)
        }));
    }
    for (instruction, block) in model.instructions.iter_mut().zip(blocks) {
        instruction.behaviour = block;
    }
    // Report unused built-ins for a whole folder only; single pages need not use all of them.
    if model.pages.iter().any(|p| p.path.starts_with("instructions/")) {
        for (_, builtin) in model.builtins.iter().enumerate().filter(|(i, _)| !used.contains(i)) {
            let message = format!("no page uses the built-in `{}`", builtin.name);
            let help = "use it, or remove it from the table";
            model.report(Severity::Warning, "semantics-builtin", builtin.at, message, help, out);
        }
    }
}

/// Reads the built-ins for the conditions of verification.md.
pub(crate) fn read_rules(model: &mut Model, documents: &[Document], out: &mut Vec<Diagnostic>) {
    let Some(chapter) = model.pages.iter().position(|p| p.path == "verification.md") else { return };
    if let (Some(page), Some(document)) = (model.pages.get(chapter), documents.get(chapter)) {
        model.rule_builtins = builtins::read(page, u32::try_from(chapter).unwrap_or(u32::MAX), document, out);
    }
}

/// Parses the block of a page's Semantics section; other content of the section is a finding.
fn block(
    model: &Model,
    instruction: &Instruction,
    document: &Document,
    page: u32,
    out: &mut Vec<Diagnostic>,
) -> Option<Parsed> {
    let section = document.sections.iter().find(|s| s.title.eq_ignore_ascii_case("semantics"))?;
    let mut parsed = None;
    let mut leftover = |span: &Span| {
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let at = SourceSpan { page, start: small(span.start), end: small(span.end) };
        let message =
            format!("the Semantics of {} must be one code block, and this text is outside it", instruction.name);
        let help = "describe the behaviour in the notation of semantics.md; move prose to the Description";
        model.report(Severity::Warning, "semantics-block", at, message, help, out);
    };
    for block in &section.blocks {
        match block {
            markdown::Block::Code(code) if parsed.is_none() => {
                let read = parse(&code.lines, page);
                match foreign(code, &read) {
                    true => {
                        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
                        let first = code.lines.iter().find(|(l, _)| !l.trim().is_empty());
                        let at = first.map_or(code.span.clone(), |(_, span)| span.clone());
                        let at = SourceSpan { page, start: small(at.start), end: small(at.end) };
                        let message =
                            format!("the Semantics of {} are not in the notation of semantics.md", instruction.name);
                        let help = "most lines cannot be read; rewrite the section, or write `undefined`";
                        model.report(Severity::Warning, "semantics-notation", at, message, help, out);
                        return None;
                    }
                    false => parsed = Some(read),
                }
            }
            markdown::Block::Code(code) => leftover(&code.span),
            markdown::Block::Paragraph(text) => leftover(&text.span),
            markdown::Block::Table(rows) => rows.iter().take(1).for_each(|row| leftover(&row.span)),
            markdown::Block::List(items) => items.iter().take(1).for_each(|item| leftover(&item.span)),
        }
    }
    parsed
}

/// Returns true if a block is in another notation: fewer than half of its lines are valid, or they
/// have the form of C. Lines of braces do not count, as all notations have them.
fn foreign(code: &markdown::Code, parsed: &Parsed) -> bool {
    let lines: Vec<_> = code.lines.iter().filter(|(line, _)| line.contains(char::is_alphanumeric)).collect();
    // The problems are sorted by position.
    let before = |at: usize| parsed.problems.partition_point(|problem| (problem.at.start as usize) < at);
    let is_broken = |span: &Span| before(span.start) < before(span.end + 1);
    // A final semicolon, a comment or an increment is C; the line is parsed as far as possible.
    let of_c = |line: &str| line.trim_end().ends_with(';') || line.contains("//") || line.contains("++");
    let bad = lines.iter().filter(|(line, span)| is_broken(span) || of_c(line)).count();
    // Only our notation has loops over channels.
    let ours = lines.iter().any(|(line, span)| line.trim_start().starts_with("channels ") && !is_broken(span));
    !parsed.problems.is_empty() && !ours && bad > 1 && bad * 2 > lines.len()
}

/// Checks that the Semantics of a page agree with its kind.
fn kind(model: &Model, instruction: &Instruction, parsed: &Parsed, out: &mut Vec<Diagnostic>) {
    let undefined = matches!(
        parsed.block.statements.as_slice(),
        [Statement { kind: StatementKind::Undefined, .. }] if parsed.problems.is_empty()
    );
    let name = &instruction.name;
    let (message, help) = match (&instruction.kind, undefined) {
        (PageKind::Undefined, false) => (
            format!("{name} is of `Kind: undefined`, but has Semantics"),
            "write `undefined` alone, or remove the kind",
        ),
        (PageKind::Ordinary, true) => (
            format!("the Semantics of {name} are `undefined`, but its kind is not"),
            "add `Kind: undefined` below the opcode, or describe the behaviour",
        ),
        _ => return,
    };
    model.report(Severity::Warning, "semantics-kind", parsed.block.at, message, help, out);
}
