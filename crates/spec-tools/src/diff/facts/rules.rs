//! Comparison of the rows of verification.md. A row that requires something forbids the rest: a
//! stronger requirement narrows, a weaker one widens. A row that only warns does neither.

use std::collections::BTreeSet;

use super::lists;
use crate::diff::change::Class;
use crate::diff::context::Cx;
use crate::diff::platforms;
use visakit_codegen::model::semantics::{BinaryOperator, Expression, ExpressionKind};
use visakit_codegen::model::{Availability, Constraint, Definition, Reference, Rule, SourceSpan, names};

pub(crate) fn compare(cx: &mut Cx<'_>) {
    let (old, new) = (cx.old, cx.new);
    kinds(cx, &old.rules, &new.rules);
    constraints(cx, &old.constraints, &new.constraints);
    definitions(cx, &old.definitions, &new.definitions);
}

/// Compares the groups of rules in code. Their effect does not follow from their names, so each
/// counts as a restriction.
fn kinds(cx: &mut Cx<'_>, old: &[Rule], new: &[Rule]) {
    if one_side(cx, old.first().map(|r| (r.at, old.len())), new.first().map(|r| (r.at, new.len()))) {
        return;
    }
    for y in new {
        let Some(x) = old.iter().find(|x| x.name == y.name) else {
            cx.fact(Class::Narrowed, "rule-added", &y.name, None, Some((names(&y.instructions).join(", "), y.at)));
            continue;
        };
        let (a, b) = (sorted(&x.instructions), sorted(&y.instructions));
        for one in a.symmetric_difference(&b) {
            let said = |set: &BTreeSet<&str>, at| set.contains(one).then(|| ((*one).to_owned(), at));
            let class = if a.contains(one) { Class::Widened } else { Class::Narrowed };
            cx.fact(class, "rule", &format!("{}.{one}", y.name), said(&a, x.at), said(&b, y.at));
        }
        where_it_holds(cx, &y.name, (&x.platforms, x.at), (&y.platforms, y.at), opposite);
    }
    for x in old.iter().filter(|x| !new.iter().any(|y| y.name == x.name)) {
        cx.fact(Class::Widened, "rule-removed", &x.name, Some((names(&x.instructions).join(", "), x.at)), None);
    }
}

fn constraints(cx: &mut Cx<'_>, old: &[Constraint], new: &[Constraint]) {
    if one_side(cx, old.first().map(|c| (c.at, old.len())), new.first().map(|c| (c.at, new.len()))) {
        return;
    }
    let mut partner: Vec<Option<usize>> = new.iter().map(|y| old.iter().position(|x| x.name == y.name)).collect();
    for (j, y) in new.iter().enumerate().filter(|(_, y)| !old.iter().any(|x| x.name == y.name)) {
        partner[j] = old.iter().position(|x| same(x, y)).filter(|i| !partner.contains(&Some(*i)));
    }
    for (y, i) in new.iter().zip(&partner) {
        match i {
            Some(i) => constraint(cx, &old[*i], y),
            None => cx.fact(of(y, Class::Narrowed), "rule-added", &y.name, None, Some((said(y), y.at))),
        }
    }
    for (_, x) in old.iter().enumerate().filter(|(i, _)| !partner.contains(&Some(*i))) {
        cx.fact(of(x, Class::Widened), "rule-removed", &x.name, Some((said(x), x.at)), None);
    }
}

fn constraint(cx: &mut Cx<'_>, x: &Constraint, y: &Constraint) {
    let name = &y.name;
    if x.name != y.name {
        cx.differs(Class::TextOnly, "rule-renamed", name, (x.name.clone(), x.at), (y.name.clone(), y.at));
    }
    let finding = |c: &Constraint| (format!("{}{}", c.finding, if c.warning { ", warning" } else { "" }), c.at);
    if finding(x).0 != finding(y).0 {
        let class = match (x.warning, y.warning) {
            (true, false) => Class::Narrowed,
            (false, true) => Class::Widened,
            _ => Class::TextOnly,
        };
        cx.differs(class, "rule", &format!("{name}.Finding"), finding(x), finding(y));
    }
    let (a, b) = (sorted(&x.instructions), sorted(&y.instructions));
    for one in b.difference(&a) {
        let said = Some(((*one).to_owned(), y.at));
        cx.fact(of(y, Class::Narrowed), "rule", &format!("{name}.{one}"), None, said);
    }
    for one in a.difference(&b) {
        let said = Some(((*one).to_owned(), x.at));
        cx.fact(of(x, Class::Widened), "rule", &format!("{name}.{one}"), said, None);
    }
    where_it_holds(cx, name, (&x.platforms, x.at), (&y.platforms, y.at), |class| of(y, opposite(class)));
    let when = |c: &Constraint| c.when.as_ref().map_or("always".to_owned(), Expression::to_string);
    let (less, more) = parts(x.when.as_ref(), y.when.as_ref());
    for class in directions(more, less) {
        cx.differs(of(y, class), "rule", &format!("{name}.When"), (when(x), x.at), (when(y), y.at));
    }
    let (less, more) = parts(Some(&x.must), Some(&y.must));
    for class in directions(less, more) {
        let (a, b) = ((x.must.to_string(), x.at), (y.must.to_string(), y.at));
        cx.differs(of(y, class), "rule", &format!("{name}.Must"), a, b);
    }
}

/// Compares definitions. A changed definition changes every row that uses it.
fn definitions(cx: &mut Cx<'_>, old: &[Definition], new: &[Definition]) {
    for y in new {
        let Some(x) = old.iter().find(|x| x.name == y.name) else { continue };
        let (a, b) = (x.value.to_string(), y.value.to_string());
        for class in directions(a != b, a != b) {
            cx.differs(class, "rule", &y.name, (a.clone(), x.at), (b.clone(), y.at));
        }
    }
}

/// Returns the classes of a change that allows more, forbids more, or both.
fn directions(allows: bool, forbids: bool) -> impl Iterator<Item = Class> {
    [forbids.then_some(Class::Narrowed), allows.then_some(Class::Widened)].into_iter().flatten()
}

/// Compares a side with rows to a side without any. The latter states nothing about the rows.
fn one_side(cx: &mut Cx<'_>, old: Option<(SourceSpan, usize)>, new: Option<(SourceSpan, usize)>) -> bool {
    let said = |(at, count): (SourceSpan, usize)| (format!("{count} entries"), at);
    match (old, new) {
        (Some(x), None) => cx.fact(Class::Widened, "rule-removed", "rule table", Some(said(x)), None),
        (None, Some(y)) => cx.fact(Class::Narrowed, "rule-added", "rule table", None, Some(said(y))),
        (None, None) => {}
        (Some(_), Some(_)) => return false,
    }
    true
}

fn where_it_holds(
    cx: &mut Cx<'_>,
    name: &str,
    (old, from): (&[Availability], SourceSpan),
    (new, to): (&[Availability], SourceSpan),
    class: impl Fn(Class) -> Class,
) {
    let moved = cx.platforms.compare(old, new);
    for one in lists::classes(moved) {
        let (a, b) = ((platforms::alternatives(old), from), (platforms::alternatives(new), to));
        cx.differs(class(one), "rule", &format!("{name}.Platforms"), a, b);
    }
}

/// Returns the class for a row's condition: a condition that widens makes the row forbid more.
fn opposite(class: Class) -> Class {
    match class {
        Class::Widened => Class::Narrowed,
        Class::Narrowed => Class::Widened,
        class => class,
    }
}

fn sorted<T>(instructions: &[Reference<T>]) -> BTreeSet<&str> {
    names(instructions).into_iter().collect()
}

/// Returns the class of a change of a row; a row that only warns forbids nothing.
fn of(row: &Constraint, class: Class) -> Class {
    if row.warning { Class::TextOnly } else { class }
}

fn same(x: &Constraint, y: &Constraint) -> bool {
    x.instructions == y.instructions && x.platforms == y.platforms && said(x) == said(y)
}

fn said(c: &Constraint) -> String {
    let when = c.when.as_ref().map_or(String::new(), |when| format!("where {when}: "));
    format!("{when}{}", c.must)
}

/// Returns two flags: conjuncts were removed from the condition, and conjuncts were added.
fn parts(old: Option<&Expression>, new: Option<&Expression>) -> (bool, bool) {
    fn split(e: &Expression, out: &mut BTreeSet<String>) {
        match &e.kind {
            ExpressionKind::Binary { operator: BinaryOperator::AndThen, left, right } => {
                split(left, out);
                split(right, out);
            }
            _ => {
                out.insert(e.to_string());
            }
        }
    }
    let all = |e: Option<&Expression>| {
        let mut out = BTreeSet::new();
        e.into_iter().for_each(|e| split(e, &mut out));
        out
    };
    let (a, b) = (all(old), all(new));
    (a.difference(&b).next().is_some(), b.difference(&a).next().is_some())
}
