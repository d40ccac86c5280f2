//! Comparison of layouts. Forms are paired by the values of their selector, fields by name and then
//! by position.

use std::collections::BTreeSet;

use super::field;
use super::values::meant;
use crate::diff::change::Class;
use crate::diff::context::{Cx, Located};
use crate::diff::matching::{Renames, align, norm};
use crate::diff::places::{self, cell};
use visakit_codegen::model::{Field, Form, Instruction, Model, Presence, SourceSpan, names};

/// Pairs of an instruction's forms and fields.
#[derive(Default)]
pub(crate) struct Paired {
    pub(crate) renamed: Renames,
    /// Pairs of old and new forms.
    pub(crate) forms: Vec<(usize, usize)>,
}

pub(crate) fn compare(cx: &mut Cx<'_>, old: &Instruction, new: &Instruction) -> Paired {
    let mut paired = Paired::default();
    let (a, b) = (holds(old), holds(new));
    let mut partner: Vec<Option<usize>> = vec![None; new.forms.len()];
    // Pair the forms with the most common values first. A form without a condition holds for every
    // value.
    let mut candidates: Vec<(usize, usize, usize)> = Vec::new();
    for (i, x) in old.forms.iter().enumerate() {
        for (j, y) in new.forms.iter().enumerate() {
            let common = match (&a[i], &b[j]) {
                (Some(p), Some(q)) => p.intersection(q).count() * 100,
                (None, None) if versions(x) == versions(y) => 100,
                _ => 1,
            };
            let names = |f: &Form| f.fields.iter().map(|f| norm(&f.name)).collect::<Vec<_>>();
            let alike = align(&names(x), &names(y)).len();
            let same_name = usize::from(!x.name.is_empty() && x.name == y.name);
            // Forms without common values are paired by name.
            if common > 0 || same_name > 0 {
                candidates.push((common * 10 + alike * 2 + same_name, i, j));
            }
        }
    }
    candidates.sort_by(|x, y| (y.0, x.1, x.2).cmp(&(x.0, y.1, y.2)));
    for (_, i, j) in candidates {
        if partner[j].is_none() && !partner.contains(&Some(i)) {
            partner[j] = Some(i);
        }
    }
    for (j, y) in new.forms.iter().enumerate() {
        match partner[j] {
            Some(i) => {
                paired.forms.push((i, j));
                fields(cx, &new.name, &old.forms[i], y, &mut paired.renamed);
            }
            None => {
                let class = if taken(&b[j], &a) { Class::WireBreaking } else { Class::Widened };
                cx.fact(class, "form-added", &new.name, None, Some(said(y)));
            }
        }
    }
    for (i, x) in old.forms.iter().enumerate().filter(|(i, _)| !partner.contains(&Some(*i))) {
        let class = if taken(&a[i], &b) { Class::WireBreaking } else { Class::Narrowed };
        cx.fact(class, "form-removed", &new.name, Some(said(x)), None);
    }
    for &(i, j) in &paired.forms {
        condition(cx, &new.name, (&old.forms[i], &new.forms[j]), (&a[i], &b[j]), (&a, &b));
    }
    paired
}

/// Values of the selector for which each form holds; `None` for a form without a condition.
type Holds = Option<BTreeSet<String>>;

fn holds(instruction: &Instruction) -> Vec<Holds> {
    instruction.forms.iter().map(|form| Some(meant(&form.condition.as_ref()?.values))).collect()
}

/// Returns true if a form of the other side decodes any of the values.
fn taken(values: &Holds, others: &[Holds]) -> bool {
    others.iter().any(|other| match (values, other) {
        (Some(a), Some(b)) => a.intersection(b).next().is_some(),
        _ => true,
    })
}

fn versions(form: &Form) -> String {
    form.versions.to_string()
}

fn said(form: &Form) -> Located {
    let fields: Vec<_> = form.fields.iter().map(|f| f.name.as_str()).collect();
    (format!("{}: {}", when(form), fields.join(" ")), form.at)
}

fn when(form: &Form) -> String {
    match &form.condition {
        Some(c) => format!("{}={}", c.of, names(&c.values).join(", ")),
        None if form.versions.0.is_empty() => "always".to_owned(),
        None => versions(form),
    }
}

fn condition(
    cx: &mut Cx<'_>,
    name: &str,
    (x, y): (&Form, &Form),
    (a, b): (&Holds, &Holds),
    (all_old, all_new): (&[Holds], &[Holds]),
) {
    let (p_old, p_new) = (places::condition(cx.old, x), places::condition(cx.new, y));
    if versions(x) != versions(y) {
        cx.differs(Class::WireBreaking, "condition", name, (when(x), p_old), (when(y), p_new));
    }
    let selector = |f: &Form| f.condition.as_ref().map(|c| norm(&c.of.name));
    match (a, b) {
        (Some(p), Some(q)) if selector(x) == selector(y) => {
            let everywhere = |all: &[Holds], v: &str| all.iter().any(|h| h.as_ref().is_none_or(|h| h.contains(v)));
            for v in p.union(q) {
                let path = format!("{name}.{}.{v}", x.condition.as_ref().map_or("", |c| &c.of.name));
                let (o, n) = ((when(x), p_old), (when(y), p_new));
                match (p.contains(v), q.contains(v)) {
                    // A value that moved to another form is recorded once, at its new form.
                    (true, false) if everywhere(all_new, v) => {}
                    (true, false) => cx.differs(Class::Narrowed, "condition", &path, o, n),
                    (false, true) if everywhere(all_old, v) => {
                        cx.differs(Class::WireBreaking, "condition", &path, o, n);
                    }
                    (false, true) => cx.differs(Class::Widened, "condition", &path, o, n),
                    _ => {}
                }
            }
        }
        (None, None) => {}
        _ => cx.differs(Class::WireBreaking, "condition", name, (when(x), p_old), (when(y), p_new)),
    }
}

fn fields(cx: &mut Cx<'_>, name: &str, old: &Form, new: &Form, renames: &mut Renames) {
    let keys = |form: &Form| form.fields.iter().map(|f| norm(&f.name)).collect::<Vec<_>>();
    let (a, b) = (keys(old), keys(new));
    let mut partner: Vec<Option<usize>> = vec![None; b.len()];
    let in_order = align(&a, &b);
    for &(i, j) in &in_order {
        partner[j] = Some(i);
    }
    for (j, key) in b.iter().enumerate().filter(|(j, _)| !in_order.iter().any(|p| p.1 == *j)) {
        let Some(i) = a.iter().position(|k| k == key).filter(|i| !partner.contains(&Some(*i))) else { continue };
        partner[j] = Some(i);
        let (o, n) = (position(cx.old, old, i), position(cx.new, new, j));
        cx.differs(Class::WireBreaking, "order", &format!("{name}.{}", new.fields[j].name), o, n);
    }
    renamed(old, new, &in_order, &mut partner);
    let translated: Renames = partner
        .iter()
        .enumerate()
        .filter_map(|(j, i)| Some((a[(*i)?].clone(), b[j].clone())))
        .filter(|(x, y)| x != y)
        .collect();
    renames.extend(translated.clone());
    for (j, y) in new.fields.iter().enumerate() {
        let path = format!("{name}.{}", y.name);
        let Some(i) = partner[j] else {
            cx.fact(Class::WireBreaking, "field-added", &path, None, Some((field::summary(y), y.at)));
            continue;
        };
        let x = &old.fields[i];
        if x.name != y.name {
            cx.differs(Class::TextOnly, "field-renamed", &path, (x.name.clone(), x.at), (y.name.clone(), y.at));
        }
        field::compare(cx, &path, (old, x), (new, y), &translated);
        optional(cx, &path, (old, x), (new, y));
    }
    for (_, x) in old.fields.iter().enumerate().filter(|(i, _)| !partner.contains(&Some(*i))) {
        let path = format!("{name}.{}", x.name);
        cx.fact(Class::WireBreaking, "field-removed", &path, Some((field::summary(x), x.at)), None);
    }
}

/// Returns the position of a field in the Format table.
fn position(model: &Model, form: &Form, at: usize) -> Located {
    let field = &form.fields[at];
    let behind = at.checked_sub(1).map_or("the opcode".to_owned(), |p| form.fields[p].name.clone());
    let place = cell(model, form, &field.name).map_or(form.at, |(at, _)| at);
    (format!("field {}, after {behind}", at + 1), place)
}

/// Pairs fields of different names that have the same neighbours and the same storage.
fn renamed(old: &Form, new: &Form, in_order: &[(usize, usize)], partner: &mut [Option<usize>]) {
    let mut edges = vec![(0, 0)];
    edges.extend(in_order.iter().map(|&(i, j)| (i + 1, j + 1)));
    let ends: Vec<(usize, usize)> = in_order.iter().copied().chain([(old.fields.len(), new.fields.len())]).collect();
    for (&(i0, j0), &(i1, j1)) in edges.iter().zip(&ends) {
        let free = |i: usize, partner: &[Option<usize>]| !partner.contains(&Some(i));
        let left: Vec<usize> = (i0..i1).filter(|&i| free(i, partner)).collect();
        let right: Vec<usize> = (j0..j1).filter(|&j| partner[j].is_none()).collect();
        // If other fields were added or removed, only a shortened or extended name is a renaming.
        if left.len() != right.len() {
            for &i in &left {
                let same = |x: &str, y: &str| x.starts_with(y) || y.starts_with(x);
                let a = norm(&old.fields[i].name);
                let found = right.iter().find(|&&j| {
                    partner[j].is_none()
                        && same(&a, &norm(&new.fields[j].name))
                        && stored(&old.fields[i]) == stored(&new.fields[j])
                });
                if let Some(&j) = found {
                    partner[j] = Some(i);
                }
            }
            continue;
        }
        let kinds = |fields: &[Field], of: &[usize]| of.iter().map(|&i| stored(&fields[i])).collect::<Vec<_>>();
        for (i, j) in align(&kinds(&old.fields, &left), &kinds(&new.fields, &right)) {
            partner[right[j]] = Some(left[i]);
        }
    }
}

/// Describes the storage of a field, without its name and rules.
fn stored(field: &Field) -> String {
    format!("{} {}", field::storage(field), matches!(field.presence, Presence::Times(_)))
}

/// Compares the mark of optional fields in the Format table, unless a condition is more precise.
fn optional(cx: &mut Cx<'_>, path: &str, (old, x): (&Form, &Field), (new, y): (&Form, &Field)) {
    if x.presence != Presence::Always || y.presence != Presence::Always {
        return;
    }
    let (Some((o, a)), Some((n, b))) = (cell(cx.old, old, &x.name), cell(cx.new, new, &y.name)) else { return };
    if a != b {
        let text = |star: bool| if star { "not in every form" } else { "in every form" }.to_owned();
        let (o, n): (SourceSpan, SourceSpan) = (o, n);
        cx.differs(Class::WireBreaking, "presence", path, (text(a), o), (text(b), n));
    }
}
