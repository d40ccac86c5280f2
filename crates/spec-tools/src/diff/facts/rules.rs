//! Comparison of the rows of verification.md. A row that requires something forbids the rest: a
//! stronger requirement narrows, a weaker one widens. A row that only warns does neither.

use std::collections::BTreeSet;

use super::lists;
use crate::diff::change::Class;
use crate::diff::context::Cx;
use crate::diff::platforms;
use visakit_codegen::model::semantics::{BinaryOperator, Expression, ExpressionKind};
use visakit_codegen::model::{
    Acceptance, Availability, Check, Constraint, Definition, EachOperand, Group, Instruction, Model, Selection,
    SourceSpan,
};

pub(crate) fn compare(cx: &mut Cx<'_>) {
    let (old, new) = (cx.old, cx.new);
    if old.constraints.is_empty() == new.constraints.is_empty() {
        groups(cx, &old.groups, &new.groups);
        checks(cx, &old.checks, &new.checks);
        accepted(cx, &old.accepted, &new.accepted);
    }
    constraints(cx, &old.constraints, &new.constraints);
    definitions(cx, &old.definitions, &new.definitions);
}

/// Compares the groups. The effect of a member depends on the rows that name its group, so each
/// change counts as both.
fn groups(cx: &mut Cx<'_>, old: &[Group], new: &[Group]) {
    for y in new {
        let Some(x) = old.iter().find(|x| x.name == y.name) else { continue };
        let (a, b) = (sorted(&x.instructions), sorted(&y.instructions));
        for one in a.symmetric_difference(&b) {
            let side = |set: &BTreeSet<String>, at| set.contains(one).then(|| (one.clone(), at));
            for class in directions(true, true) {
                cx.fact(class, "rule", &format!("{}.{one}", y.name), side(&a, x.at), side(&b, y.at));
            }
        }
    }
}

/// Compares the checks by name, and the codes of their findings.
fn checks(cx: &mut Cx<'_>, old: &[Check], new: &[Check]) {
    for y in new {
        match old.iter().find(|x| x.name == y.name) {
            None => cx.fact(Class::Narrowed, "rule-added", &y.name, None, Some((y.finding.clone(), y.at))),
            Some(x) => {
                let (a, b) = ((x.finding.clone(), x.at), (y.finding.clone(), y.at));
                changed(cx, Class::TextOnly, &format!("{}.Finding", y.name), a, b);
            }
        }
    }
    for x in old.iter().filter(|x| !new.iter().any(|y| y.name == x.name)) {
        cx.fact(Class::Widened, "rule-removed", &x.name, Some((x.finding.clone(), x.at)), None);
    }
}

/// Compares the violations that the assembler accepts: more of them widen.
fn accepted(cx: &mut Cx<'_>, old: &[Acceptance], new: &[Acceptance]) {
    let said = |a: &Acceptance| {
        let when = a.when.as_ref().map_or(String::new(), |when| format!(" where {when}"));
        (format!("{} as {}{when}", a.check, a.verdict.name()), a.at)
    };
    for y in new {
        let Some(x) = old.iter().find(|x| x.name == y.name) else {
            cx.fact(Class::Widened, "rule-added", &y.name, None, Some(said(y)));
            continue;
        };
        let name = &y.name;
        members(cx, name, (&x.instructions, x.at), (&y.instructions, y.at), opposite);
        where_it_holds(cx, name, (&x.platforms, x.at), (&y.platforms, y.at), |class| class);
        let when = |a: &Acceptance| a.when.as_ref().map_or("always".to_owned(), Expression::to_string);
        let (less, more) = parts(x.when.as_ref(), y.when.as_ref());
        for class in directions(less, more) {
            cx.differs(class, "rule", &format!("{name}.When"), (when(x), x.at), (when(y), y.at));
        }
        let (a, b) = ((x.verdict.name().to_owned(), x.at), (y.verdict.name().to_owned(), y.at));
        changed(cx, Class::TextOnly, &format!("{name}.As"), a, b);
        for class in directions(true, true) {
            let (a, b) = ((x.check.to_string(), x.at), (y.check.to_string(), y.at));
            changed(cx, class, &format!("{name}.Check"), a, b);
            changed(cx, class, &format!("{name}.Each"), (every(&x.each), x.at), (every(&y.each), y.at));
        }
    }
    for x in old.iter().filter(|x| !new.iter().any(|y| y.name == x.name)) {
        cx.fact(Class::Narrowed, "rule-removed", &x.name, Some(said(x)), None);
    }
}

/// Compares the instructions of a row; `class` converts the class of a row that requires something.
fn members(
    cx: &mut Cx<'_>,
    name: &str,
    (old, from): (&Selection, SourceSpan),
    (new, to): (&Selection, SourceSpan),
    class: impl Fn(Class) -> Class,
) {
    let (a, b) = (sorted(old), sorted(new));
    for one in b.difference(&a) {
        let covers_less = one.starts_with('-');
        let direction = class(if covers_less { Class::Widened } else { Class::Narrowed });
        cx.fact(direction, "rule", &format!("{name}.{one}"), None, Some((one.clone(), to)));
    }
    for one in a.difference(&b) {
        let covered_less = one.starts_with('-');
        let direction = class(if covered_less { Class::Narrowed } else { Class::Widened });
        cx.fact(direction, "rule", &format!("{name}.{one}"), Some((one.clone(), from)), None);
    }
}

/// Reports a cell that differs.
fn changed(cx: &mut Cx<'_>, class: Class, path: &str, old: (String, SourceSpan), new: (String, SourceSpan)) {
    if old.0 != new.0 {
        cx.differs(class, "rule", path, old, new);
    }
}

/// Formats a cell under `Each`.
fn every(each: &[EachOperand]) -> String {
    match each {
        [] => "instruction".to_owned(),
        _ => each.iter().map(|each| each.name()).collect::<Vec<_>>().join(", "),
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
    members(cx, name, (&x.instructions, x.at), (&y.instructions, y.at), |class| of(y, class));
    for class in directions(true, true) {
        let (a, b) = ((every(&x.each), x.at), (every(&y.each), y.at));
        changed(cx, of(y, class), &format!("{name}.Each"), a, b);
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
        let first = cx.out.len();
        for class in directions(a != b, a != b) {
            cx.differs(class, "rule", &y.name, (a.clone(), x.at), (b.clone(), y.at));
        }
        if cx.out.len() > first {
            let touches = users(cx.new, &y.name);
            cx.out[first..].iter_mut().for_each(|change| change.touches.clone_from(&touches));
        }
    }
}

/// Returns the instructions whose rows use a definition, directly or in another definition.
fn users(model: &Model, definition: &str) -> Vec<String> {
    // A definition uses only those above it.
    fn uses(known: &[Definition], e: &Expression, definition: &str) -> bool {
        let is_use = |name: &str| {
            let at = known.iter().position(|d| d.name == name);
            name == definition || at.is_some_and(|at| uses(&known[..at], &known[at].value, definition))
        };
        matches!(&e.kind, ExpressionKind::Name { name, .. } if is_use(name))
            || e.parts().into_iter().any(|part| uses(known, part, definition))
    }
    let has = |e: &Expression| uses(&model.definitions, e, definition);
    let conditions = |row: &Constraint| row.when.iter().chain([&row.must]).any(has);
    let rows: Vec<&Constraint> = model.constraints.iter().filter(|row| conditions(row)).collect();
    let covered = |i: &&Instruction| rows.iter().any(|row| model.covers(&row.instructions, i));
    model.instructions.iter().filter(covered).map(|i| i.name.clone()).collect()
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

fn sorted(instructions: &Selection) -> BTreeSet<String> {
    instructions.0.iter().map(ToString::to_string).collect()
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
