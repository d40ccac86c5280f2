//! Comparison of a page's words without facts: segment by segment, reported by sentence.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use similar::DiffOp;

use super::segments::{self, Segment};
use super::tokens::{Token, join};
use crate::diff::change::Class;
use crate::diff::context::{Cx, Located};
use crate::diff::matching::{Renames, operations};
use visakit_codegen::model::SourceSpan;

/// Compares the prose of two pages, or records an added or removed page.
pub(crate) fn page(cx: &mut Cx<'_>, old: Option<u32>, new: Option<u32>, renamed: &Renames) {
    let whole = |side: usize, page: u32| {
        let found = cx.model(side).pages.get(page as usize);
        let path = found.map_or("", |p| p.stem()).to_owned();
        let lines = found.map_or(0, |p| p.text.lines().count());
        (path, (format!("{lines} lines"), SourceSpan { page, start: 0, end: 0 }))
    };
    let (a, b) = match (old, new) {
        (Some(a), Some(b)) => (a, b),
        (Some(a), None) => {
            let (path, said) = whole(0, a);
            return cx.prose(Class::TextOnly, "page-removed", &path, Some(said), None);
        }
        (None, Some(b)) => {
            let (path, said) = whole(1, b);
            return cx.prose(Class::TextOnly, "page-added", &path, None, Some(said));
        }
        (None, None) => return,
    };
    let text = |side: usize, page: u32| cx.model(side).pages.get(page as usize).map(|p| p.text.as_str());
    if text(0, a) == text(1, b) {
        return;
    }
    let none = Renames::new();
    let left = segments::of_page(cx.old, a, renamed);
    let right = segments::of_page(cx.new, b, &none);
    let names: BTreeMap<&str, usize> = left.iter().enumerate().map(|(i, s)| (s.key.as_str(), i)).collect();
    let mut partner: Vec<Option<usize>> = right.iter().map(|s| names.get(s.key.as_str()).copied()).collect();
    renamed_sections(&left, &right, &mut partner);
    for (j, y) in right.iter().enumerate() {
        match partner[j] {
            Some(i) => segment(cx, (a, &left[i]), (b, y)),
            None => alone(cx, 1, b, y),
        }
    }
    for (_, x) in left.iter().enumerate().filter(|(i, _)| !partner.contains(&Some(*i))) {
        alone(cx, 0, a, x);
    }
}

/// Pairs sections whose titles changed but whose words are mostly equal.
fn renamed_sections(left: &[Segment], right: &[Segment], partner: &mut [Option<usize>]) {
    let section = |s: &Segment| s.key.starts_with("section:") && !s.tokens.is_empty();
    for (j, y) in right.iter().enumerate().filter(|(_, s)| section(s)) {
        if partner[j].is_some() {
            continue;
        }
        let free = |i: &usize| section(&left[*i]) && !partner.contains(&Some(*i));
        if let Some(i) = (0..left.len()).filter(free).find(|&i| common(&left[i].tokens, &y.tokens) > 0.6) {
            partner[j] = Some(i);
        }
    }
}

/// Returns the share of words that two texts have in common, in any order.
fn common(a: &[Token], b: &[Token]) -> f64 {
    let mut count: BTreeMap<&str, i64> = BTreeMap::new();
    a.iter().for_each(|t| *count.entry(&t.text).or_default() += 1);
    let mut same = 0;
    for token in b {
        if let Some(n) = count.get_mut(token.text.as_str()).filter(|n| **n > 0) {
            *n -= 1;
            same += 1;
        }
    }
    f64::from(2 * same) / (a.len() + b.len()).max(1) as f64
}

/// Records a segment that the other side lacks, unless it belongs to a fact with an entry.
fn alone(cx: &mut Cx<'_>, side: usize, page: u32, s: &Segment) {
    let index = s.key.strip_prefix("index:");
    let other = cx.model(1 - side);
    // A line of the index is added and removed with its instruction.
    let explained = index
        .is_some_and(|name| !other.instructions.iter().any(|i| crate::diff::places::page_name(other, i) == name));
    if s.fact || s.tokens.is_empty() || explained {
        return;
    }
    let said = Some((join(&s.tokens), place(page, &s.tokens, 0)));
    let (old, new) = if side == 0 { (said, None) } else { (None, said) };
    let kind = if index.is_some() { "index" } else { s.kind };
    cx.prose(Class::TextOnly, kind, &s.path, old, new);
}

fn place(page: u32, tokens: &[Token], at: usize) -> SourceSpan {
    let token = tokens.get(at).or(tokens.last());
    let start = token.map_or(0, |t| t.at);
    let end = token.map_or(0, |t| t.at + t.text.len());
    SourceSpan { page, start: u32::try_from(start).unwrap_or(u32::MAX), end: u32::try_from(end).unwrap_or(u32::MAX) }
}

/// Minimum share of common words for a comparison by sentence.
const REWRITTEN: f64 = 0.45;

fn segment(cx: &mut Cx<'_>, (a, x): (u32, &Segment), (b, y): (u32, &Segment)) {
    let words = |tokens: &'_ [Token]| tokens.iter().map(|t| t.text.clone()).collect::<Vec<_>>();
    let (p, q) = (words(&x.tokens), words(&y.tokens));
    let beside = x.mixed || y.mixed || p.is_empty() || q.is_empty();
    if p == q || beside && explained(cx, (a, x), (b, y)) {
        return;
    }
    let kind = if y.key.starts_with("index:") { "index" } else { y.kind };
    let said = |page: u32, tokens: &[Token], range: &Range<usize>, at: usize| -> Option<Located> {
        (!range.is_empty()).then(|| (join(&tokens[range.clone()]), place(page, tokens, at)))
    };
    if p.len().min(q.len()) < 3 || common(&x.tokens, &y.tokens) < REWRITTEN {
        let (o, n) = (0..x.tokens.len(), 0..y.tokens.len());
        let first = p.iter().zip(&q).take_while(|(s, t)| s == t).count();
        let (o, n) = (said(a, &x.tokens, &o, first), said(b, &y.tokens, &n, first));
        return cx.prose(Class::TextOnly, kind, &y.path, o, n);
    }
    for hunk in hunks(&x.tokens, &y.tokens, &p, &q) {
        let old = said(a, &x.tokens, &hunk.old, hunk.at.0);
        let new = said(b, &y.tokens, &hunk.new, hunk.at.1);
        cx.prose(Class::TextOnly, kind, &y.path, old, new);
    }
}

/// Returns true if a fact of the same line changed, which explains the changed words.
fn explained(cx: &Cx<'_>, (a, x): (u32, &Segment), (b, y): (u32, &Segment)) -> bool {
    [(0, a, x), (1, b, y)].into_iter().any(|(side, page, s)| {
        let lines: BTreeSet<u32> = s.tokens.iter().map(|t| cx.line(side, place_of(page, t))).collect();
        lines.iter().any(|line| cx.places.contains(&(side, page, *line)))
    })
}

fn place_of(page: u32, token: &Token) -> SourceSpan {
    let start = u32::try_from(token.at).unwrap_or(u32::MAX);
    SourceSpan { page, start, end: start }
}

/// Changed sentences, and the words at which the change begins.
struct Hunk {
    old: Range<usize>,
    new: Range<usize>,
    at: (usize, usize),
}

fn hunks(x: &[Token], y: &[Token], p: &[String], q: &[String]) -> Vec<Hunk> {
    let mut out: Vec<Hunk> = Vec::new();
    for op in operations(p, q) {
        let (mut old, mut new) = match op {
            DiffOp::Equal { .. } => continue,
            DiffOp::Delete { old_index, old_len, new_index } => {
                (old_index..old_index + old_len, new_index..new_index)
            }
            DiffOp::Insert { old_index, new_index, new_len } => {
                (old_index..old_index, new_index..new_index + new_len)
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                (old_index..old_index + old_len, new_index..new_index + new_len)
            }
        };
        // The boundaries of an added or removed sentence are often ambiguous: its neighbours begin
        // or end with the same words.
        if old.is_empty() {
            let by = slide(y, &new);
            (old, new) = (shift(&old, by), shift(&new, by));
        } else if new.is_empty() {
            let by = slide(x, &old);
            (old, new) = (shift(&old, by), shift(&new, by));
        }
        let at = (old.start.min(x.len()), new.start.min(y.len()));
        let pure = (old.is_empty() && whole(y, &new) && begins(x, old.start))
            || (new.is_empty() && whole(x, &old) && begins(y, new.start));
        if !pure {
            (old, new) = (sentence(x, &old), sentence(y, &new));
        }
        match out.last_mut() {
            // Extend the last hunk if the change is in the same or the next sentence on both sides.
            Some(last)
                if old.start < last.old.end
                    || new.start < last.new.end
                    || (old.start == last.old.end && new.start == last.new.end) =>
            {
                last.old.end = last.old.end.max(old.end);
                last.new.end = last.new.end.max(new.end);
            }
            _ => out.push(Hunk { old, new, at }),
        }
    }
    out
}

/// Returns the offset by which an insertion can be moved to cover whole sentences; 0 if impossible.
fn slide(tokens: &[Token], range: &Range<usize>) -> isize {
    let fits = |by: isize| whole(tokens, &shift(range, by));
    if fits(0) {
        return 0;
    }
    let same = |i: usize, j: usize| tokens.get(i).zip(tokens.get(j)).is_some_and(|(a, b)| a.text == b.text);
    let mut by = 0;
    while same((range.start as isize + by) as usize, (range.end as isize + by) as usize) {
        by += 1;
        if fits(by) {
            return by;
        }
    }
    by = 0;
    while range.start as isize + by > 0
        && same((range.start as isize + by - 1) as usize, (range.end as isize + by - 1) as usize)
    {
        by -= 1;
        if fits(by) {
            return by;
        }
    }
    0
}

fn shift(range: &Range<usize>, by: isize) -> Range<usize> {
    range.start.saturating_add_signed(by)..range.end.saturating_add_signed(by)
}

/// Returns true if a sentence begins at a position.
fn begins(tokens: &[Token], at: usize) -> bool {
    at == 0 || tokens.get(at - 1).is_none_or(|t| t.ends)
}

/// Returns true if a range covers whole sentences.
fn whole(tokens: &[Token], range: &Range<usize>) -> bool {
    begins(tokens, range.start) && range.end > range.start && begins(tokens, range.end)
}

/// Returns the sentences that overlap a range. For an empty range, returns the sentence around or
/// before it.
fn sentence(tokens: &[Token], range: &Range<usize>) -> Range<usize> {
    let mut start = range.start.min(tokens.len());
    let mut end = range.end.min(tokens.len());
    if range.is_empty() && start > 0 && (start == tokens.len() || begins(tokens, start)) {
        start -= 1;
    }
    while !begins(tokens, start) {
        start -= 1;
    }
    end = end.max(start + 1).min(tokens.len());
    while end < tokens.len() && !begins(tokens, end) {
        end += 1;
    }
    start..end
}
