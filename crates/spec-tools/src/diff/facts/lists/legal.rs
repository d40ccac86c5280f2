//! Comparison of the legal values of a list or of a list's part.

use std::collections::{BTreeMap, BTreeSet};

use super::{AllowedValues, Value, marks, norm};
use crate::diff::facts::values::spelled;
use crate::diff::{Class, Cx};
use visakit_codegen::model::{Availability, Enumerator};

pub(super) type Values<'a> = BTreeMap<u64, (&'a Enumerator, Availability)>;

pub(super) fn only_of<'a>(only: AllowedValues<'a>, part: &str) -> Option<&'a [(Value, Availability)]> {
    only.iter().find(|o| norm(o.part_name()) == norm(part)).map(|o| o.values.as_slice())
}

/// Returns the legal values on the page, with the marks of the page's restriction.
pub(super) fn effective<'a>(
    values: &'a [Enumerator],
    only: Option<&[(Value, Availability)]>,
) -> BTreeMap<u64, (&'a Enumerator, Availability)> {
    values
        .iter()
        .filter_map(|v| {
            let mut marks = v.marks.clone();
            if let Some(names) = only {
                let (_, more) = names.iter().find(|(allowed, _)| allowed.to == Some(v.value))?;
                marks.0.extend(more.0.iter().cloned());
            }
            Some((v.value, (v, marks)))
        })
        .collect()
}

pub(super) fn enumerators(cx: &mut Cx<'_>, path: &str, old: &Values<'_>, new: &Values<'_>, width: u32) {
    let live = |values: &'_ Values<'_>, value: u64| values.get(&value).filter(|(e, _)| !e.reserved).is_some();
    // Find a name of both sides on the other side.
    let place = |values: &'_ Values<'_>, name: &str| {
        values.iter().find(|(_, (e, _))| !e.reserved && e.name == name).map(|(v, _)| *v)
    };
    let styles = complete(old, width) == complete(new, width);
    let all: BTreeSet<u64> = old.keys().chain(new.keys()).copied().collect();
    let mut arrived = BTreeSet::new();
    for &value in &all {
        let here = format!("{path}.{}", spelled(value, width));
        match (live(old, value), live(new, value)) {
            (true, true) => {
                let ((a, x), (b, y)) = (&old[&value], &new[&value]);
                same_value(cx, &here, (a, x), (b, y), (old, new));
            }
            (true, false) => {
                let (a, _) = &old[&value];
                let said = Some((a.name.clone(), a.at));
                // The name moved to a value without a name.
                match place(new, &a.name).filter(|v| !live(old, *v)) {
                    Some(to) => {
                        arrived.insert(to);
                        let n = (format!("{} = {}", a.name, spelled(to, width)), new[&to].0.at);
                        let o = (format!("{} = {}", a.name, spelled(value, width)), a.at);
                        cx.differs(Class::WireBreaking, "enumerator", &here, o, n);
                    }
                    None => {
                        let hole = new.get(&value).map(|(e, _)| ("reserved".to_owned(), e.at));
                        cx.fact(Class::Narrowed, "enumerator-removed", &here, said, hole);
                    }
                }
            }
            _ => {}
        }
    }
    for &value in &all {
        let here = format!("{path}.{}", spelled(value, width));
        match (live(old, value), live(new, value)) {
            (false, true) if !arrived.contains(&value) => {
                let (b, _) = &new[&value];
                let hole = old.get(&value).map(|(e, _)| ("reserved".to_owned(), e.at));
                cx.fact(Class::Widened, "enumerator-added", &here, hole, Some((b.name.clone(), b.at)));
            }
            (false, false) if styles && old.contains_key(&value) != new.contains_key(&value) => {
                let said = |values: &Values<'_>| values.get(&value).map(|(e, _)| ("reserved".to_owned(), e.at));
                cx.fact(Class::TextOnly, "enumerator", &here, said(old), said(new));
            }
            _ => {}
        }
    }
}

/// Returns true if a list states most of its values, including reserved ones. An omitted value is
/// then a difference.
fn complete(values: &Values<'_>, width: u32) -> bool {
    width >= 16 || values.len() * 4 > (1usize << width) * 3
}

fn same_value(
    cx: &mut Cx<'_>,
    path: &str,
    (a, x): (&Enumerator, &Availability),
    (b, y): (&Enumerator, &Availability),
    (old, new): (&Values<'_>, &Values<'_>),
) {
    if a.name != b.name {
        let elsewhere = |values: &Values<'_>, name: &str, value: u64| {
            values.iter().any(|(v, (e, _))| *v != value && !e.reserved && e.name == name)
        };
        let number = |e: &Enumerator| -> String { e.name.chars().take_while(char::is_ascii_digit).collect() };
        // A numeric name is itself the meaning of the value.
        let counts = !number(a).is_empty() && !number(b).is_empty() && number(a) != number(b);
        let other = counts || elsewhere(new, &a.name, a.value) || elsewhere(old, &b.name, b.value);
        let (class, kind) = match other {
            true => (Class::WireBreaking, "enumerator"),
            false => (Class::TextOnly, "enumerator-renamed"),
        };
        cx.differs(class, kind, path, (a.name.clone(), a.at), (b.name.clone(), b.at));
    }
    if a.text != b.text && !(a.text == a.name && b.text == b.name) {
        cx.differs(Class::TextOnly, "text", path, (quoted(&a.text), a.at), (quoted(&b.text), b.at));
    }
    marks(cx, path, (&a.name, x, a.at), (&b.name, y, b.at));
}

pub(super) fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
