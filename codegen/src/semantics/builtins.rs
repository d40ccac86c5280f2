//! Reader of the built-ins from the table in `semantics.md`: name with arguments, kind and meaning.

use crate::markdown::{Block, Document, Row, Span};
use crate::model::semantics::{Builtin, BuiltinKind};
use crate::model::{Page, SourceSpan};
use visakit_diag::{Diagnostic, Severity};

/// Reads the table of the page with this number.
pub(super) fn read(page: &Page, number: u32, document: &Document, out: &mut Vec<Diagnostic>) -> Vec<Builtin> {
    let mut builtins: Vec<Builtin> = Vec::new();
    let mut report = |code, span: &Span, message: String, help: &str| {
        out.push(page.place(
            Diagnostic::new(code, Severity::Warning, page.shown.as_str(), message).help(help),
            span.start,
            span.end,
        ));
    };
    for block in document.sections.iter().flat_map(|s| &s.blocks) {
        let Block::Table(rows) = block else { continue };
        let Some((head, rows)) = rows.split_first() else { continue };
        let titles = ["Built-in", "Kind", "Value or effect"];
        if head.cells.iter().map(|(text, _)| text.as_str()).ne(titles) {
            continue;
        }
        for row in rows {
            match read_row(row, number) {
                Ok(new) => {
                    for builtin in new {
                        let count = |b: &Builtin| b.parameters.as_ref().map(Vec::len);
                        if builtins.iter().any(|b| b.name == builtin.name && count(b) == count(&builtin)) {
                            let span = builtin.at.start as usize..builtin.at.end as usize;
                            let message = format!("built-in `{}` is defined twice", builtin.name);
                            report("semantics-table", &span, message, "remove one of them");
                        } else {
                            builtins.push(builtin);
                        }
                    }
                }
                Err(span) => report(
                    "semantics-table",
                    &span,
                    "this row of the built-ins is not understood".to_owned(),
                    "write `` | `name(a, b)` | kind | meaning | `` with a kind of the table above",
                ),
            }
        }
    }
    builtins
}

/// Parses the built-ins of a row; the error is the place of the invalid part.
fn read_row(row: &Row, page: u32) -> Result<Vec<Builtin>, Span> {
    let [(names, span), (kind, kind_span), (doc, _)] = row.cells.as_slice() else { return Err(row.span.clone()) };
    let kind = BuiltinKind::ALL.iter().find(|(_, name)| *name == kind.as_str()).ok_or(kind_span.clone())?.0;
    let mut out = Vec::new();
    let mut at = span.start;
    // Names are in back-ticks, with commas between.
    for (i, piece) in names.split('`').enumerate() {
        let place = at..at + piece.len();
        at += piece.len() + 1;
        if i % 2 == 0 {
            if !piece.trim_matches([' ', ',']).is_empty() {
                return Err(place);
            }
            continue;
        }
        let (name, parameters) = match piece.split_once('(') {
            None => (piece, None),
            Some((name, rest)) => {
                let inner = rest.strip_suffix(')').ok_or(place.clone())?;
                (name, Some(crate::phrase::words(inner)))
            }
        };
        let is_word = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_word(name) || !parameters.iter().flatten().all(|p| is_word(p) || p == super::VARIADIC) {
            return Err(place);
        }
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let at = SourceSpan { page, start: small(place.start), end: small(place.end) };
        out.push(Builtin { name: name.to_owned(), parameters, kind, doc: doc.clone(), at });
    }
    if out.is_empty() { Err(span.clone()) } else { Ok(out) }
}
