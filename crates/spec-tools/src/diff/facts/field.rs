//! Comparison of a field's facts: storage, presence and legal values.

use std::collections::BTreeSet;

use super::lists;
use super::values::meant;
use crate::diff::change::Class;
use crate::diff::context::Cx;
use crate::diff::matching::{Renames, norm};
use crate::diff::platforms;
use visakit_codegen::model::{Availability, Field, FieldKind, Form, Model, Presence, Storage, names};

/// Describes a field in one or two words.
pub(crate) fn summary(field: &Field) -> String {
    format!("{}({})", field.name, storage(field))
}

/// Returns the type of a field as the page writes it.
pub(crate) fn storage(field: &Field) -> String {
    match field.shape {
        FieldKind::Vector => "vec_operand".to_owned(),
        FieldKind::Scalar => "scalar".to_owned(),
        FieldKind::Raw => "raw_operand".to_owned(),
        _ => storages(&field.storage),
    }
}

fn storages(all: &[(Availability, Storage)]) -> String {
    all.iter().map(|(m, s)| format!("{}{}", m, s.name())).collect::<Vec<_>>().join(" ")
}

pub(crate) fn compare(
    cx: &mut Cx<'_>,
    path: &str,
    (old_form, x): (&Form, &Field),
    (new_form, y): (&Form, &Field),
    renamed: &Renames,
) {
    let mut differs = |class, kind, o: String, n: String| cx.differs(class, kind, path, (o, x.at), (n, y.at));
    let (o, n) = (storage(x), storage(y));
    let operand = |f: &Field| matches!(f.shape, FieldKind::Vector | FieldKind::Scalar | FieldKind::Raw);
    if o != n {
        let bits = |f: &Field| f.storage.iter().map(|(_, s)| s.bits()).collect::<Vec<_>>();
        let kind = if !operand(x) && !operand(y) && bits(x) != bits(y) { "width" } else { "type" };
        differs(Class::WireBreaking, kind, o, n);
    }
    let rename = |name: &str| renamed.get(&norm(name)).cloned().unwrap_or_else(|| norm(name));
    let (o, n) = (when(old_form, x), when(new_form, y));
    let (o_key, n_key) = (when_key(old_form, x, &rename), when_key(new_form, y, &|n| norm(n)));
    if o_key != n_key {
        cx.differs(Class::WireBreaking, "presence", path, (o, x.at), (n, y.at));
    }
    if !(operand(x) && operand(y)) && operand(x) == operand(y) {
        shape(cx, path, (old_form, x), (new_form, y), &rename);
    }
    set(cx, path, "operand-class", (x, names(&x.classes)), (y, names(&y.classes)));
    set(cx, path, "type", (x, names(&x.types)), (y, names(&y.types)));
    range(cx, path, x, y);
    if x.shape.is_operand() && y.shape.is_operand() && x.access != y.access {
        let (o, n) = (x.access.name().to_owned(), y.access.name().to_owned());
        cx.differs(Class::TextOnly, "access", path, (o, x.at), (n, y.at));
    }
    if x.nonzero != y.nonzero {
        let text = |f: &Field| if f.nonzero { "not zero" } else { "any, zero too" }.to_owned();
        let class = if y.nonzero { Class::Narrowed } else { Class::Widened };
        cx.differs(class, "range", path, (text(x), x.at), (text(y), y.at));
    }
    let default = |f: &Field, name: &dyn Fn(&str) -> String| {
        let condition = f.default_if.as_ref().map(|c| {
            let values: Vec<_> = meant(&c.values).into_iter().collect();
            format!(" if {}={}", name(&c.of.name), values.join(", "))
        });
        format!("{}{}", f.default, condition.unwrap_or_default())
    };
    let (o, n) = (default(x, &rename), default(y, &|n| norm(n)));
    if o != n {
        let shown = |f: &Field| match &f.default_if {
            Some(c) => format!("{} if {}={}", f.default, c.of, names(&c.values).join(", ")),
            None => f.default.to_string(),
        };
        cx.differs(Class::TextOnly, "default", path, (shown(x), x.at), (shown(y), y.at));
    }
}

/// Describes the condition under which a field is stored.
fn when(form: &Form, f: &Field) -> String {
    let name = |at: usize| form.fields.get(at).map_or("", |f| f.name.as_str());
    match &f.presence {
        Presence::Always => "always".to_owned(),
        Presence::If(c) => format!("only if {}={}", c.of, names(&c.values).join(", ")),
        Presence::Times(field) => format!("{} times", name(*field)),
        Presence::Text => "in texts only".to_owned(),
    }
}

/// Returns a key for the condition under which a field is stored; equal conditions have equal keys.
fn when_key(form: &Form, f: &Field, rename: &dyn Fn(&str) -> String) -> String {
    let name = |at: usize| form.fields.get(at).map_or("", |f| f.name.as_str());
    match &f.presence {
        Presence::Always => String::new(),
        Presence::If(c) => {
            let (field, part) = c.of.name.split_once('.').unwrap_or((&c.of.name, ""));
            format!("{}.{}={:?}", rename(field), norm(part), meant(&c.values))
        }
        Presence::Times(field) => format!("times {}", rename(name(*field))),
        Presence::Text => "text".to_owned(),
    }
}

/// Compares the kind of a field.
fn shape(
    cx: &mut Cx<'_>,
    path: &str,
    (old_form, x): (&Form, &Field),
    (new_form, y): (&Form, &Field),
    rename: &dyn Fn(&str) -> String,
) {
    if let (FieldKind::List(a), FieldKind::List(b)) = (x.shape, y.shape) {
        return lists::of_field(cx, path, (a, &x.only), (b, &y.only), (x.at, y.at));
    }
    let text = |model: &Model, form: &Form, f: &Field, name: &dyn Fn(&str) -> String| {
        let of = |at: usize| form.fields.get(at).map_or(String::new(), |f| name(&f.name));
        match f.shape {
            FieldKind::Number => "any number".to_owned(),
            FieldKind::List(id) => format!("list {}", model.list(id).name),
            FieldKind::Index(kind) => format!("index of a {}", kind.name()),
            FieldKind::Predicate => "predicate".to_owned(),
            FieldKind::IndexBy(at) => format!("index by {}", of(at)),
            FieldKind::Zero => "zero".to_owned(),
            FieldKind::Copy(at) => format!("copy of {}", of(at)),
            FieldKind::Vector | FieldKind::Scalar | FieldKind::Raw => "operand".to_owned(),
        }
    };
    if text(cx.old, old_form, x, rename) == text(cx.new, new_form, y, &|n| norm(n)) {
        return;
    }
    let class = match (x.shape, y.shape) {
        (FieldKind::Number, _) | (_, FieldKind::Zero) => Class::Narrowed,
        (_, FieldKind::Number) | (FieldKind::Zero, _) => Class::Widened,
        _ => Class::WireBreaking,
    };
    let (o, n) = (text(cx.old, old_form, x, &str::to_owned), text(cx.new, new_form, y, &str::to_owned));
    cx.differs(class, "values", path, (o, x.at), (n, y.at));
}

/// Compares two sets. An empty set allows everything, so a change from or to empty is one entry;
/// other changes have an entry per element.
fn set(cx: &mut Cx<'_>, path: &str, kind: &'static str, (x, a): (&Field, Vec<&str>), (y, b): (&Field, Vec<&str>)) {
    let lower = |v: &[&str]| v.iter().map(|s| s.to_ascii_lowercase()).collect::<BTreeSet<_>>();
    let (p, q) = (lower(&a), lower(&b));
    if p == q {
        return;
    }
    let all = |v: &[&str]| if v.is_empty() { "any".to_owned() } else { v.join(", ") };
    if p.is_empty() || q.is_empty() {
        let class = if p.is_empty() { Class::Narrowed } else { Class::Widened };
        return cx.differs(class, kind, path, (all(&a), x.at), (all(&b), y.at));
    }
    for element in p.symmetric_difference(&q) {
        let class = if q.contains(element) { Class::Widened } else { Class::Narrowed };
        let name = a.iter().chain(&b).find(|s| s.eq_ignore_ascii_case(element)).map_or(element.as_str(), |s| s);
        cx.differs(class, kind, &format!("{path}.{name}"), (all(&a), x.at), (all(&b), y.at));
    }
}

fn range(cx: &mut Cx<'_>, path: &str, x: &Field, y: &Field) {
    if x.range == y.range {
        return;
    }
    let text = |f: &Field| f.range.map_or("any".to_owned(), |(low, high)| format!("[{low}-{high}]"));
    let moved = match (x.range, y.range) {
        (Some((a, b)), Some((c, d))) => platforms::Moved { lost: c > a || d < b, gained: c < a || d > b },
        (None, _) => platforms::Moved { lost: true, gained: false },
        (_, None) => platforms::Moved { lost: false, gained: true },
    };
    for class in lists::classes(moved) {
        cx.differs(class, "range", path, (text(x), x.at), (text(y), y.at));
    }
}
