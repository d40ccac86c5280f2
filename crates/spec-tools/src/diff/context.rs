//! Shared state of all comparisons.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Class, KINDS, Side};
use super::platforms::Platforms;
use visakit_codegen::model::{ListId, Model, Platform, SourceSpan};

/// Shared state of all comparisons: the two models, the pairs so far, and the changes found.
pub(super) struct Cx<'a> {
    pub(super) old: &'a Model,
    pub(super) new: &'a Model,
    pub(super) platforms: Platforms<'a>,
    /// Pairs of shared lists, which are compared once.
    pub(super) lists: BTreeMap<ListId, ListId>,
    /// Line starts, by side and page.
    pub(super) lines: [Vec<Vec<u32>>; 2],
    /// Places of changed facts: side, page and line.
    pub(super) places: BTreeSet<(usize, u32, u32)>,
    pub(super) seen: BTreeSet<Change>,
    pub(super) out: Vec<Change>,
}

/// Value with its place.
pub(super) type Located = (String, SourceSpan);

impl<'a> Cx<'a> {
    pub(super) fn new(old: &'a Model, new: &'a Model, platforms: &'a [Platform]) -> Self {
        let lines = |model: &Model| model.pages.iter().map(|p| line_starts(&p.text)).collect();
        Self {
            old,
            new,
            platforms: Platforms::new(old, new, platforms),
            lists: BTreeMap::new(),
            lines: [lines(old), lines(new)],
            places: BTreeSet::new(),
            seen: BTreeSet::new(),
            out: Vec::new(),
        }
    }

    pub(super) fn model(&self, side: usize) -> &'a Model {
        if side == 0 { self.old } else { self.new }
    }

    /// Returns the line of a place in the old (0) or the new (1) specification.
    pub(super) fn line(&self, side: usize, at: SourceSpan) -> u32 {
        let found = self.lines[side].get(at.page as usize).map_or(0, |l| l.partition_point(|&s| s <= at.start));
        u32::try_from(found).unwrap_or(u32::MAX)
    }

    pub(super) fn side(&self, side: usize, (value, at): Located) -> Side {
        let file = self.model(side).pages.get(at.page as usize).map_or(String::new(), |p| p.shown.clone());
        Side { value, file, line: self.line(side, at) }
    }

    /// Records a changed fact.
    pub(super) fn fact(
        &mut self,
        class: Class,
        kind: &'static str,
        path: &str,
        old: Option<Located>,
        new: Option<Located>,
    ) {
        for (side, said) in [(0, &old), (1, &new)] {
            if let Some((_, at)) = said {
                self.places.insert((side, at.page, self.line(side, *at)));
            }
        }
        self.prose(class, kind, path, old, new);
    }

    /// Records a changed fact that both sides state.
    pub(super) fn differs(&mut self, class: Class, kind: &'static str, path: &str, old: Located, new: Located) {
        self.fact(class, kind, path, Some(old), Some(new));
    }

    /// Records changed prose. A change that several forms share is recorded once.
    pub(super) fn prose(
        &mut self,
        class: Class,
        kind: &'static str,
        path: &str,
        old: Option<Located>,
        new: Option<Located>,
    ) {
        debug_assert!(KINDS.contains(&kind), "`{kind}` is missing in KINDS");
        let change = Change {
            class,
            kind,
            path: path.to_owned(),
            old: old.map(|s| self.side(0, s)),
            new: new.map(|s| self.side(1, s)),
            touches: Vec::new(),
        };
        if self.seen.insert(change.clone()) {
            self.out.push(change);
        }
    }
}

fn line_starts(text: &str) -> Vec<u32> {
    let ends = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i + 1);
    std::iter::once(0).chain(ends).map(|i| u32::try_from(i).unwrap_or(u32::MAX)).collect()
}
