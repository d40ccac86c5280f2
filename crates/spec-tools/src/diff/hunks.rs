//! Edited lines of pages: what a person changed, independent of its meaning.

use std::collections::BTreeMap;
use std::ops::Range;

use similar::DiffOp;
use visakit_codegen::model::{Model, Page};

use super::change::{Change, Side};
use super::matching::operations;

/// Contiguous edited lines of a page. A page that only one side has is one hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Name of the page on the old side, as in diagnostics; empty if the page is new.
    pub old_file: String,
    /// Edited lines of the old side, from 1; empty for an insertion.
    pub old: Range<u32>,
    /// Name of the page on the new side; empty if the page was removed.
    pub new_file: String,
    /// Edited lines of the new side; empty for a removal.
    pub new: Range<u32>,
}

impl Hunk {
    /// Returns true if a change has a side on an edited line.
    pub fn has(&self, change: &Change) -> bool {
        let on = |side: &Option<Side>, file: &str, lines: &Range<u32>| {
            side.as_ref().is_some_and(|side| side.file == file && lines.contains(&side.line))
        };
        on(&change.old, &self.old_file, &self.old) || on(&change.new, &self.new_file, &self.new)
    }

    /// Returns the place of the edit: a line of the new side, or of the old side for a removal.
    pub fn place(&self) -> (&str, u32) {
        if self.new.is_empty() && !self.old.is_empty() {
            (&self.old_file, self.old.start)
        } else {
            (&self.new_file, self.new.start)
        }
    }
}

/// Returns the edited lines of all pages, in the order of the new side.
pub fn hunks(old: &Model, new: &Model) -> Vec<Hunk> {
    let by_path = |model: &'_ Model| -> BTreeMap<String, Page> {
        model.pages.iter().map(|page| (page.path.clone(), page.clone())).collect()
    };
    let mut left = by_path(old);
    let mut out = Vec::new();
    for page in &new.pages {
        match left.remove(&page.path) {
            Some(before) if before.text == page.text => {}
            Some(before) => lines(&before, page, &mut out),
            None => out.push(Hunk {
                old_file: String::new(),
                old: 0..0,
                new_file: page.shown.clone(),
                new: 1..page.text.lines().count() as u32 + 1,
            }),
        }
    }
    out.extend(left.into_values().map(|page| Hunk {
        old_file: page.shown.clone(),
        old: 1..page.text.lines().count() as u32 + 1,
        new_file: String::new(),
        new: 0..0,
    }));
    out
}

fn lines(old: &Page, new: &Page, out: &mut Vec<Hunk>) {
    let split = |page: &'_ Page| page.text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (a, b) = (split(old), split(new));
    let range = |start: usize, length: usize| start as u32 + 1..(start + length) as u32 + 1;
    for operation in operations(&a, &b) {
        let (old_lines, new_lines) = match operation {
            DiffOp::Equal { .. } => continue,
            DiffOp::Delete { old_index, old_len, new_index } => (range(old_index, old_len), range(new_index, 0)),
            DiffOp::Insert { old_index, new_index, new_len } => (range(old_index, 0), range(new_index, new_len)),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                (range(old_index, old_len), range(new_index, new_len))
            }
        };
        match out.last_mut() {
            // A deletion and an insertion at one place are one edit.
            Some(last)
                if last.new_file == new.shown
                    && last.old.end == old_lines.start
                    && last.new.end == new_lines.start =>
            {
                last.old.end = old_lines.end;
                last.new.end = new_lines.end;
            }
            _ => out.push(Hunk {
                old_file: old.shown.clone(),
                old: old_lines,
                new_file: new.shown.clone(),
                new: new_lines,
            }),
        }
    }
}
