//! Evaluation of conditions in braces: the platforms and object versions for which they hold.

use std::collections::BTreeSet;

use visakit_codegen::model::{Availability, Bound, Model, Platform};

/// Platforms of both sides, by age.
pub(super) struct Platforms<'a> {
    old: &'a [Platform],
    new: &'a [Platform],
    /// Positions of the platforms that both sides have.
    common: Vec<(usize, usize)>,
}

/// Losses and gains of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Moved {
    pub(super) lost: bool,
    pub(super) gained: bool,
}

/// Version above every version in a mark.
const NEWEST: (u8, u8) = (u8::MAX, u8::MAX);

impl<'a> Platforms<'a> {
    pub(super) fn new(old: &'a Model, new: &'a Model, fallback: &'a [Platform]) -> Self {
        let first = |a: &'a [Platform], b: &'a [Platform]| match (a.is_empty(), b.is_empty()) {
            (false, _) => a,
            (true, false) => b,
            (true, true) => fallback,
        };
        let old_rows = first(&old.platforms, &new.platforms);
        let new_rows = first(&new.platforms, &old.platforms);
        let common = old_rows
            .iter()
            .enumerate()
            .filter_map(|(i, p)| Some((i, new_rows.iter().position(|q| same(p, q))?)))
            .collect();
        Self { old: old_rows, new: new_rows, common }
    }

    /// Compares two lists of alternatives; an empty list holds everywhere. A direction that is
    /// undecidable because of an unknown platform counts as a loss.
    pub(super) fn compare(&self, old: &[Availability], new: &[Availability]) -> Moved {
        if old == new {
            return Moved::default();
        }
        let versions: BTreeSet<(u8, u8)> = old
            .iter()
            .chain(new)
            .flat_map(|m| &m.0)
            .filter_map(|m| match m {
                Bound::FromVersion(a, b) | Bound::BeforeVersion(a, b) => Some((*a, *b)),
                _ => None,
            })
            .chain([(0, 0), NEWEST])
            .collect();
        let mut out = Moved::default();
        for &(i, j) in &self.common {
            for &version in &versions {
                match (holds(self.old, i, version, old), holds(self.new, j, version, new)) {
                    (Some(a), Some(b)) => {
                        out.lost |= a && !b;
                        out.gained |= b && !a;
                    }
                    _ => return Moved { lost: spelled(old) != spelled(new), gained: false },
                }
            }
        }
        out
    }
}

/// Returns true if two rows describe the same platform.
pub(super) fn same(a: &Platform, b: &Platform) -> bool {
    a.name.eq_ignore_ascii_case(&b.name) || named(a, &b.name) && named(b, &a.name)
}

fn named(row: &Platform, name: &str) -> bool {
    let same = |other: &str| other.replace('_', "-").eq_ignore_ascii_case(&name.replace('_', "-"));
    same(&row.name) || row.aliases.iter().any(|a| same(a))
}

/// Returns true if any of the alternatives holds; `None` for an unknown platform.
fn holds(rows: &[Platform], at: usize, version: (u8, u8), alternatives: &[Availability]) -> Option<bool> {
    if alternatives.is_empty() {
        return Some(true);
    }
    let age = |name: &str| rows.iter().position(|row| named(row, name));
    let mut any = false;
    for marks in alternatives {
        let mut all = true;
        for mark in &marks.0 {
            all &= match mark {
                Bound::From(p) => at >= age(&p.name)?,
                Bound::Before(p) => at < age(&p.name)?,
                Bound::Only(p) => at == age(&p.name)?,
                Bound::FromVersion(a, b) => version >= (*a, *b),
                Bound::BeforeVersion(a, b) => version < (*a, *b),
            };
        }
        any |= all;
    }
    Some(any)
}

/// Formats alternatives as pages write them.
pub(super) fn alternatives(all: &[Availability]) -> String {
    match all {
        [] => "all".to_owned(),
        _ => all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn spelled(all: &[Availability]) -> BTreeSet<String> {
    all.iter().map(|m| m.to_string().to_ascii_lowercase()).collect()
}
