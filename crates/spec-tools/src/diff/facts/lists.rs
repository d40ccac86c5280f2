//! Comparison of bit fields and enumerations: parts by name and bits, enumerators by value and
//! name.

mod legal;
mod part;

use std::collections::{BTreeMap, BTreeSet};

use super::values::spelled;
use crate::diff::change::Class;
use crate::diff::context::Cx;
use crate::diff::matching::{Same, norm};
use crate::diff::{places, platforms};
use legal::only_of;
use part::{View, bits, full, part_path, unnamed, views};
use visakit_codegen::model::{
    Availability, BitFieldKind, Field, FieldKind, List, ListId, ListKind, Model, Only, Reference, SourceSpan,
};

/// Value by its name on a page.
type Value = Reference<u64>;

/// Legal values of a list on a page that restricts them: by part, names with their marks.
pub(crate) type AllowedValues<'a> = &'a [Only];

/// Compares the shared lists. Each is compared once, independent of the number of its users.
pub(crate) fn shared(cx: &mut Cx<'_>) {
    let of = |model: &Model| -> Vec<ListId> {
        // Parts of shared lists are shared too, but only lists with headings have names of their
        // own.
        (0..model.lists.len()).map(ListId).filter(|&id| model.list(id).shared && !nested(model, id)).collect()
    };
    let (old, new) = (of(cx.old), of(cx.new));
    if old.is_empty() || new.is_empty() {
        return;
    }
    let mut partner: BTreeMap<ListId, ListId> = BTreeMap::new();
    let rounds: [&dyn Fn(ListId, ListId) -> bool; 2] =
        [&|a, b| norm(&cx.old.list(a).name) == norm(&cx.new.list(b).name), &|a, b| {
            same_content(cx.old, cx.old.list(a), cx.new, cx.new.list(b))
        }];
    for same in rounds {
        for &b in &new {
            if partner.values().any(|x| *x == b) {
                continue;
            }
            if let Some(&a) = old.iter().find(|a| !partner.contains_key(a) && same(**a, b)) {
                partner.insert(a, b);
            }
        }
    }
    cx.lists = partner.clone();
    for &b in &new {
        let b_list = cx.new.list(b);
        let Some((&a, _)) = partner.iter().find(|(_, x)| **x == b) else {
            cx.fact(Class::TextOnly, "list-added", &b_list.name, None, Some((summary(b_list), b_list.at)));
            continue;
        };
        let a_list = cx.old.list(a);
        let first = cx.out.len();
        if a_list.name != b_list.name {
            let (o, n) = ((a_list.name.clone(), a_list.at), (b_list.name.clone(), b_list.at));
            cx.differs(Class::TextOnly, "list-renamed", &b_list.name, o, n);
        }
        contents(cx, &b_list.name, (a_list, &[]), (b_list, &[]));
        let print = |m: &Model, l: &List| l.text.as_ref().map(|t| (t.source.trim().to_owned(), places::text(m, l)));
        let (o, n) = (print(cx.old, a_list), print(cx.new, b_list));
        if o.as_ref().map(|s| &s.0) != n.as_ref().map(|s| &s.0) {
            cx.fact(Class::TextOnly, "text", &format!("{}.Text", b_list.name), o, n);
        }
        let touches = users(cx.new, b);
        for change in &mut cx.out[first..] {
            change.touches.clone_from(&touches);
        }
    }
    for &a in old.iter().filter(|a| !partner.contains_key(a)) {
        let list = cx.old.list(a);
        cx.fact(Class::TextOnly, "list-removed", &list.name, Some((summary(list), list.at)), None);
    }
}

/// Returns true if a shared list is the in-page list of a part of another list.
fn nested(model: &Model, id: ListId) -> bool {
    let name = &model.list(id).name;
    model.lists.iter().any(|l| {
        matches!(&l.kind, ListKind::Parts(parts) if parts.iter().any(|p| p.kind == BitFieldKind::Enumeration(id)
            && *name == format!("{}_{}", l.name, p.name)))
    })
}

fn same_content(old_model: &Model, old: &List, new_model: &Model, new: &List) -> bool {
    let names = |model: &Model, list: &List| -> Vec<(u32, u32, Vec<_>)> {
        views(model, list)
            .iter()
            .map(|v| (v.hi, v.lo, v.values.iter().map(|e| (e.value, e.name.clone())).collect()))
            .collect()
    };
    old.bits == new.bits && names(old_model, old) == names(new_model, new)
}

fn summary(list: &List) -> String {
    match &list.kind {
        ListKind::Enumeration { values, .. } => format!("{} bits, {} values", list.bits, values.len()),
        ListKind::Parts(parts) => format!("{} bits, {} parts", list.bits, parts.len()),
    }
}

/// Returns the instructions that use a list, directly or as part of another list.
fn users(model: &Model, id: ListId) -> Vec<String> {
    let mut lists = BTreeSet::from([id]);
    loop {
        let more: Vec<ListId> = (0..model.lists.len())
            .map(ListId)
            .filter(|l| !lists.contains(l))
            .filter(|l| match &model.list(*l).kind {
                ListKind::Parts(parts) => {
                    parts.iter().any(|p| matches!(p.kind, BitFieldKind::Enumeration(x) if lists.contains(&x)))
                }
                ListKind::Enumeration { .. } => false,
            })
            .collect();
        if more.is_empty() {
            break;
        }
        lists.extend(more);
    }
    let has = |f: &Field| matches!(f.shape, FieldKind::List(x) if lists.contains(&x));
    model
        .instructions
        .iter()
        .filter(|i| i.forms.iter().any(|f| f.fields.iter().any(has)))
        .map(|i| i.name.clone())
        .collect()
}

/// Compares the lists of a field of both sides; `path` is the field. A pair of shared lists is
/// skipped because it is compared separately.
pub(crate) fn of_field(
    cx: &mut Cx<'_>,
    path: &str,
    old: (ListId, AllowedValues<'_>),
    new: (ListId, AllowedValues<'_>),
    at: (SourceSpan, SourceSpan),
) {
    let written = (spelled_out(cx.old, at.0), spelled_out(cx.new, at.1));
    if written.0.is_none() && written.1.is_none() && cx.lists.get(&old.0) == Some(&new.0) {
        restrictions(cx, path, old, new, at);
    } else {
        let old = (written.0.unwrap_or_else(|| cx.old.list(old.0).clone()), old.1);
        let new = (written.1.unwrap_or_else(|| cx.new.list(new.0).clone()), new.1);
        contents(cx, path, (&old.0, old.1), (&new.0, new.1));
    }
}

/// Returns the list as a field or part spells it out on its page, if its type is a shared list.
fn spelled_out(model: &Model, at: SourceSpan) -> Option<List> {
    let kind = model.spelled.iter().find(|s| s.at == at)?.kind.clone();
    let bits = match &kind {
        ListKind::Enumeration { lo, width, .. } => lo + width,
        ListKind::Parts(parts) => parts.iter().map(|p| p.hi + 1).max().unwrap_or(0),
    };
    let bits = bits.next_multiple_of(8);
    Some(List {
        name: String::new(),
        bits,
        shared: false,
        doc: String::new(),
        kind,
        columns: Vec::new(),
        text: None,
        at,
    })
}

/// Compares the restrictions that a page puts on a list that both sides share.
fn restrictions(
    cx: &mut Cx<'_>,
    path: &str,
    old: (ListId, AllowedValues<'_>),
    new: (ListId, AllowedValues<'_>),
    (old_at, new_at): (SourceSpan, SourceSpan),
) {
    let names = |only: AllowedValues<'_>| -> BTreeMap<String, BTreeSet<String>> {
        let one = |(value, m): &(Value, Availability)| format!("{}{m}", value.name.to_ascii_lowercase());
        only.iter().map(|o| (norm(o.part_name()), o.values.iter().map(one).collect())).collect()
    };
    // Changes of the values behind equal names belong to the list.
    if names(old.1) == names(new.1) {
        return;
    }
    let parts: BTreeSet<String> = old.1.iter().chain(new.1).map(|o| norm(o.part_name())).collect();
    let widths: BTreeMap<String, u32> = views(cx.new, cx.new.list(new.0))
        .iter()
        .map(|v| (v.name.map(norm).unwrap_or_default(), v.hi - v.lo + 1))
        .collect();
    for part in parts {
        let a = allowed(cx.old, cx.old.list(old.0), &part, old.1);
        let b = allowed(cx.new, cx.new.list(new.0), &part, new.1);
        let width = widths.get(&part).copied().unwrap_or(8);
        let dot = if part.is_empty() { String::new() } else { format!(".{part}") };
        let values: BTreeSet<u64> = a.keys().chain(b.keys()).copied().collect();
        for value in values {
            let path = format!("{path}{dot}.{}", spelled(value, width));
            match (a.get(&value), b.get(&value)) {
                (Some((name, _)), None) => {
                    // A value that the list lost for all pages has its own entry.
                    if allowed(cx.new, cx.new.list(new.0), &part, &[]).contains_key(&value) {
                        cx.fact(Class::Narrowed, "enumerator-removed", &path, Some((name.clone(), old_at)), None);
                    }
                }
                (None, Some((name, _))) => {
                    if allowed(cx.old, cx.old.list(old.0), &part, &[]).contains_key(&value) {
                        cx.fact(Class::Widened, "enumerator-added", &path, None, Some((name.clone(), new_at)));
                    }
                }
                (Some((n, x)), Some((m, y))) => marks(cx, &path, (n, x, old_at), (m, y, new_at)),
                (None, None) => {}
            }
        }
    }
}

type Allowed = BTreeMap<u64, (String, Availability)>;

/// Returns the values of a part that a page allows.
fn allowed(model: &Model, list: &List, part: &str, only: AllowedValues<'_>) -> Allowed {
    let values = super::values::enumerators(model, list, part);
    let only = only_of(only, part);
    values
        .iter()
        .filter(|v| !v.reserved)
        .filter_map(|v| match only {
            None => Some((v.value, (v.name.clone(), Availability::default()))),
            Some(names) => {
                let (_, marks) = names.iter().find(|(allowed, _)| allowed.to == Some(v.value))?;
                Some((v.value, (v.name.clone(), marks.clone())))
            }
        })
        .collect()
}

fn marks(
    cx: &mut Cx<'_>,
    path: &str,
    old: (&str, &Availability, SourceSpan),
    new: (&str, &Availability, SourceSpan),
) {
    let moved = cx.platforms.compare(std::slice::from_ref(old.1), std::slice::from_ref(new.1));
    let said = |(name, marks, at): (&str, &Availability, SourceSpan)| (format!("{name} {}", marks).trim().into(), at);
    for class in classes(moved) {
        cx.differs(class, "platform", path, said(old), said(new));
    }
}

/// Returns the classes of a set's losses and gains.
pub(crate) fn classes(moved: platforms::Moved) -> impl Iterator<Item = Class> {
    let lost = moved.lost.then_some(Class::Narrowed);
    lost.into_iter().chain(moved.gained.then_some(Class::Widened))
}

/// Compares two lists part by part.
fn contents(cx: &mut Cx<'_>, path: &str, old: (&List, AllowedValues<'_>), new: (&List, AllowedValues<'_>)) {
    let (old_model, new_model) = (cx.old, cx.new);
    let (old_list, new_list) = (old.0, new.0);
    let (a, b) = (views(old_model, old_list), views(new_model, new_list));
    let mut partner: Vec<Option<usize>> = vec![None; b.len()];
    let key = |v: &View<'_>| v.name.map(norm);
    let rounds: [Same<'_, View<'_>>; 4] = [
        &|x, y| key(x) == key(y) && (x.name.is_some() || (a.len() == 1 && b.len() == 1)),
        &|x, y| x.lo == y.lo && x.hi == y.hi,
        &|x, y| (x.name.is_none() || y.name.is_none()) && a.len() == 1 && b.len() == 1 && x.lo == y.lo,
        // Parts without names are paired by their bits, or by their values if the bits changed.
        &|x, y| {
            unnamed(x) && unnamed(y) && x.values.is_empty() == y.values.is_empty() && (x.lo == y.lo || x.hi == y.hi)
        },
    ];
    for same in rounds {
        for (j, y) in b.iter().enumerate() {
            if partner[j].is_none()
                && let Some(i) = (0..a.len()).find(|i| !partner.contains(&Some(*i)) && same(&a[*i], y))
            {
                partner[j] = Some(i);
            }
        }
    }
    // If one side uses a shared list and the other spells it out, different part names are not a
    // difference.
    let styles = old_list.shared == new_list.shared;
    for (j, y) in b.iter().enumerate() {
        match partner[j] {
            Some(i) => part::compare(cx, path, (&a[i], old.1), (y, new.1), styles),
            None => {
                let class = split(y, &a).unwrap_or(Class::Widened);
                cx.fact(class, "part-added", &part_path(path, y), None, Some((bits(y), y.at)));
            }
        }
    }
    for (_, x) in a.iter().enumerate().filter(|(i, _)| !partner.contains(&Some(*i))) {
        let class = split(x, &b).unwrap_or(Class::Narrowed);
        cx.fact(class, "part-removed", &part_path(path, x), Some((bits(x), x.at)), None);
    }
}

/// Returns the class of a part whose bits the other side divides differently; `None` if the other
/// side does not use them. If both sides allow every pattern, only the names differ.
fn split(view: &View<'_>, others: &[View<'_>]) -> Option<Class> {
    let mut over = others.iter().filter(|o| o.lo <= view.hi && view.lo <= o.hi).peekable();
    over.peek()?;
    let (mut covered, mut all) = (0, full(view));
    for other in over {
        covered += other.hi.min(view.hi) + 1 - other.lo.max(view.lo);
        all &= full(other);
    }
    Some(if all && covered > view.hi - view.lo { Class::TextOnly } else { Class::WireBreaking })
}
