//! Parser of an overlay's notation: `## reason`, then `### place` with a block of `- old`, `+ new`
//! and `= kept` lines.

use std::collections::BTreeSet;

use super::{Entry, FactPath};
use crate::markdown::{self, Block, Span};
use visakit_diag::{Diagnostic, Severity};

pub(super) fn entries(text: &str, shown: &str, out: &mut Vec<Diagnostic>) -> Vec<Entry> {
    let mut error = |code, span: &Span, message: String, help: &str| {
        let d = Diagnostic::new(code, Severity::Error, shown, message).at_text(text, span.start, span.end).help(help);
        out.push(d);
    };
    let mut entries: Vec<Entry> = Vec::new();
    let mut reason = String::new();
    for section in markdown::parse(text).sections {
        let prose = |blocks: &[Block]| {
            let paragraphs = blocks.iter().filter_map(|b| match b {
                Block::Paragraph(p) => Some(p.text.trim().to_owned()),
                _ => None,
            });
            paragraphs.collect::<Vec<_>>().join("\n\n")
        };
        match section.level {
            0 | 1 => continue,
            2 => {
                reason = prose(&section.blocks);
                continue;
            }
            _ => {}
        }
        let path = match section.title.strip_prefix("page ") {
            Some(path) => FactPath::Page(path.trim().to_owned()),
            None => FactPath::Facts(section.title.trim().to_owned()),
        };
        let own = prose(&section.blocks);
        let reason = if own.is_empty() { reason.clone() } else { own };
        if reason.is_empty() {
            let help = "give the reason below the place, or below the `##` heading above it";
            error("overlay-reason", &section.span, format!("`{}` has no reason", section.title), help);
        }
        let (start, end) = (section.span.start, section.span.end);
        let none = BTreeSet::new;
        let mut entry = Entry { path, old: none(), new: none(), kept: none(), reason, start, end };
        for block in &section.blocks {
            let Block::Code(code) = block else { continue };
            for (line, span) in &code.lines {
                let set = match line.get(..2) {
                    Some("- ") => &mut entry.old,
                    Some("+ ") => &mut entry.new,
                    Some("= ") => &mut entry.kept,
                    _ if line.trim().is_empty() => continue,
                    _ => {
                        let help = "begin with `- ` for a wrong fact, `+ ` for a right fact, or `= ` \
                             for a fact to leave alone";
                        error("overlay-syntax", span, "this line is not a fact".to_owned(), help);
                        continue;
                    }
                };
                set.insert(line[2..].trim_end().to_owned());
            }
        }
        if let Some(earlier) = entries.iter().find(|e| e.path == entry.path) {
            let line = text[..earlier.start].matches('\n').count() + 1;
            let message = format!("`{}` already has an entry in line {line}", section.title);
            error("overlay-duplicate", &section.span, message, "merge the two entries");
            continue;
        }
        entries.push(entry);
    }
    entries
}
