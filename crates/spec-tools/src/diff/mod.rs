//! What changed between two specifications, by meaning: facts are compared as the readers understood them, prose as
//! words, and nothing depends on how a page is laid out.
//!
//! The flow: `matching` pairs what belongs together, one file for each kind of thing compares the pairs, and
//! `prose` compares the words that carry no facts. What the classes mean stands in spec/README.md.

mod chapter;
mod field;
mod form;
mod instruction;
mod lists;
mod matching;
mod phrases;
mod places;
mod platforms;
mod properties;
mod prose;
mod segments;
mod templates;
mod tokens;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use platforms::Platforms;
use visakit_codegen::model::{ListId, Model, Platform, SourceSpan};

/// What a change means for what was made under the old specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Bytes are laid out or read differently.
    WireBreaking,
    /// Something that was legal no longer is.
    Narrowed,
    /// Something more is legal; all that was keeps its meaning.
    Widened,
    /// Neither the bytes nor what is legal.
    TextOnly,
}

impl Class {
    /// All classes, the gravest first.
    pub const ALL: [Self; 4] = [Self::WireBreaking, Self::Narrowed, Self::Widened, Self::TextOnly];

    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::WireBreaking => "wire-breaking",
            Self::Narrowed => "narrowed",
            Self::Widened => "widened",
            Self::TextOnly => "text-only",
        }
    }
}

/// One side of a change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Side {
    /// What the page says.
    pub value: String,
    /// The page, as diagnostics show it.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Change {
    /// What it means.
    pub class: Class,
    /// What changed: `opcode`, `enumerator-added` and so on; spec/README.md has the table.
    pub kind: &'static str,
    /// The thing that changed, from the outside in: `ADD.Exec_size.0b101`.
    pub path: String,
    /// What the old specification says; nothing where the thing is new.
    pub old: Option<Side>,
    /// What the new specification says; nothing where the thing is gone.
    pub new: Option<Side>,
    /// The instructions that have a shared list that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
}

/// Compares two specifications. `platforms` are the platforms in their order, for documents that have no such table.
///
/// The changes come in the order of the new specification: tables and lists of the chapters, structures, instructions
/// by opcode, the prose of the chapters. Equal specifications, however they are laid out, give none.
pub fn diff(old: &Model, new: &Model, platforms: &[Platform]) -> Vec<Change> {
    let mut cx = Cx::new(old, new, platforms);
    chapter::compare(&mut cx);
    lists::shared(&mut cx);
    let structures = chapter::structures(&mut cx);
    let pairs = matching::instructions(old, new);
    let mut pages = BTreeSet::new();
    for pair in &pairs {
        let renamed = instruction::compare(&mut cx, *pair);
        if let matching::Pair::Both(a, b) = *pair {
            let (a, b) = (old.instructions[a].at.page, new.instructions[b].at.page);
            // Where two instructions share a page, it is compared once.
            if pages.insert((a, b)) {
                prose::page(&mut cx, Some(a), Some(b), &renamed);
            }
        }
    }
    chapter::platform_tables(&mut cx);
    for (a, b) in matching::chapters(old, new) {
        prose::page(&mut cx, a, b, &structures);
    }
    cx.out
}

/// What comparisons share: the two models, what was paired so far, and the changes found.
struct Cx<'a> {
    old: &'a Model,
    new: &'a Model,
    platforms: Platforms<'a>,
    /// Shared lists that are compared by themselves.
    lists: BTreeMap<ListId, ListId>,
    /// Where lines begin, by side and page.
    lines: [Vec<Vec<u32>>; 2],
    /// Places of facts that changed: side, page and line.
    places: BTreeSet<(usize, u32, u32)>,
    seen: BTreeSet<Change>,
    out: Vec<Change>,
}

/// A value with the place it was read from.
type Located = (String, SourceSpan);

impl<'a> Cx<'a> {
    fn new(old: &'a Model, new: &'a Model, platforms: &'a [Platform]) -> Self {
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

    fn model(&self, side: usize) -> &'a Model {
        if side == 0 { self.old } else { self.new }
    }

    /// The line of a place of the old (0) or the new (1) specification.
    fn line(&self, side: usize, at: SourceSpan) -> u32 {
        let found = self.lines[side].get(at.page as usize).map_or(0, |l| l.partition_point(|&s| s <= at.start));
        u32::try_from(found).unwrap_or(u32::MAX)
    }

    fn side(&self, side: usize, (value, at): Located) -> Side {
        let file = self.model(side).pages.get(at.page as usize).map_or(String::new(), |p| p.shown.clone());
        Side { value, file, line: self.line(side, at) }
    }

    /// Notes a change of a fact.
    fn fact(&mut self, class: Class, kind: &'static str, path: &str, old: Option<Located>, new: Option<Located>) {
        for (side, said) in [(0, &old), (1, &new)] {
            if let Some((_, at)) = said {
                self.places.insert((side, at.page, self.line(side, *at)));
            }
        }
        self.prose(class, kind, path, old, new);
    }

    /// Notes a change of a fact that both sides state.
    fn differs(&mut self, class: Class, kind: &'static str, path: &str, old: Located, new: Located) {
        self.fact(class, kind, path, Some(old), Some(new));
    }

    /// Notes a change of words. What several forms share is noted once.
    fn prose(&mut self, class: Class, kind: &'static str, path: &str, old: Option<Located>, new: Option<Located>) {
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
