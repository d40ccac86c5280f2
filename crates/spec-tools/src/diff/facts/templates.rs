//! Comparison of text templates: printed and accepted texts, by condition.

use std::collections::{BTreeMap, BTreeSet};

use super::values::meant;
use crate::diff::change::Class;
use crate::diff::context::{Cx, Located};
use crate::diff::matching::{Renames, align, norm};
use visakit_codegen::model::{Instruction, TextForm, names};
use visakit_codegen::template::{Item, Template};

pub(crate) fn compare(
    cx: &mut Cx<'_>,
    old: &Instruction,
    new: &Instruction,
    renamed: &Renames,
    forms: &[(usize, usize)],
) {
    let path = format!("{}.Text", new.name);
    let rename = |name: &str| renamed.get(&norm(name)).cloned().unwrap_or_else(|| norm(name));
    // Use the new side's form positions and field names.
    let old_form = |name: &str| {
        let i = old.forms.iter().position(|f| f.name == name);
        forms.iter().find(|(x, _)| Some(*x) == i).map_or_else(|| name.to_owned(), |(_, j)| j.to_string())
    };
    let new_form =
        |name: &str| new.forms.iter().position(|f| f.name == name).map_or_else(|| name.to_owned(), |j| j.to_string());
    let a = groups(old, &rename, &old_form);
    let b = groups(new, &|n| norm(n), &new_form);
    let mut gone: Vec<(String, &TextForm)> = Vec::new();
    let mut come: Vec<(String, &TextForm)> = Vec::new();
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    for key in keys {
        let empty = Vec::new();
        let (x, y) = (a.get(key).unwrap_or(&empty), b.get(key).unwrap_or(&empty));
        group(cx, &path, x, y, &mut gone, &mut come);
    }
    // The same template now has another condition.
    gone.retain(|(text, x)| {
        let Some(at) = come.iter().position(|(other, _)| other == text) else { return true };
        let (_, y) = come.remove(at);
        cx.differs(Class::TextOnly, "condition", &path, when(x), when(y));
        false
    });
    for (_, x) in gone {
        cx.fact(Class::Narrowed, "text", &path, Some(said(x)), None);
    }
    for (_, y) in come {
        cx.fact(Class::Widened, "text", &path, None, Some(said(y)));
    }
}

fn said(form: &TextForm) -> Located {
    (form.template.source.trim().to_owned(), form.at)
}

fn when(form: &TextForm) -> Located {
    let conditions: Vec<_> =
        form.conditions.iter().map(|c| format!("{}={}", c.of, names(&c.values).join(", "))).collect();
    let name = form.form.as_ref().map(|form| form.name.clone()).unwrap_or_default();
    let conditions = if conditions.is_empty() { name } else { conditions.join(" and ") };
    (
        format!("{}: {}", if conditions.is_empty() { "always" } else { &conditions }, form.template.source.trim()),
        form.at,
    )
}

type Groups<'a> = BTreeMap<String, Vec<(String, &'a TextForm)>>;

/// Groups the templates by condition. Each has a key that is equal for equal templates.
fn groups<'a>(i: &'a Instruction, rename: &dyn Fn(&str) -> String, form_name: &dyn Fn(&str) -> String) -> Groups<'a> {
    let mut out = Groups::new();
    for text in &i.text {
        let mut conditions: Vec<String> = text
            .conditions
            .iter()
            .map(|c| {
                let (field, part) = c.of.name.split_once('.').unwrap_or((&c.of.name, ""));
                format!("{}.{}={:?}", rename(field), norm(part), meant(&c.values))
            })
            .collect();
        conditions.sort();
        // The form name matters only without an equivalent condition.
        if let Some(form) = text.form.as_ref().filter(|_| conditions.is_empty()) {
            conditions.push(form_name(&form.name));
        }
        out.entry(conditions.join(" ")).or_default().push((normal(&text.template, rename), text));
    }
    out
}

/// Compares the templates of one condition. The first is printed; all are accepted.
fn group<'a>(
    cx: &mut Cx<'_>,
    path: &str,
    old: &[(String, &'a TextForm)],
    new: &[(String, &'a TextForm)],
    gone: &mut Vec<(String, &'a TextForm)>,
    come: &mut Vec<(String, &'a TextForm)>,
) {
    let texts = |all: &[(String, &TextForm)]| all.iter().map(|(t, _)| t.clone()).collect::<Vec<_>>();
    let (a, b) = (texts(old), texts(new));
    let left: Vec<usize> = (0..a.len()).filter(|&i| !b.contains(&a[i])).collect();
    let right: Vec<usize> = (0..b.len()).filter(|&j| !a.contains(&b[j])).collect();
    // Pair the remaining templates of both sides in order.
    for (&i, &j) in left.iter().zip(&right) {
        cx.differs(Class::TextOnly, "text", path, said(old[i].1), said(new[j].1));
    }
    gone.extend(left.iter().skip(right.len()).map(|&i| old[i].clone()));
    come.extend(right.iter().skip(left.len()).map(|&j| new[j].clone()));
    if left.is_empty() && right.is_empty() && align(&a, &b).len() < a.len().max(b.len()) {
        let (x, y) = (&old[0], &new[0]);
        if a.first() != b.first() {
            cx.differs(Class::TextOnly, "text", path, said(x.1), said(y.1));
        }
    }
}

/// Returns a key of a template that is independent of field spellings and of the mnemonic's case.
fn normal(template: &Template, rename: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    items(&template.items, rename, &mut out);
    let out = out.trim();
    // The mnemonic is printed in lower case, independent of its spelling here.
    let start = out.find(|c: char| c.is_ascii_alphanumeric()).unwrap_or(0);
    let end = out[start..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(out.len(), |n| start + n);
    match template.items.first() {
        Some(Item::Field { .. }) => out.to_owned(),
        _ => format!("{}{}{}", &out[..start], out[start..end].to_ascii_lowercase(), &out[end..]),
    }
}

fn items(all: &[Item], rename: &dyn Fn(&str) -> String, out: &mut String) {
    for item in all {
        match item {
            Item::Text(text) => out.push_str(text),
            Item::Space(n) => out.extend(std::iter::repeat_n(' ', *n)),
            // Use control characters here so that the mnemonic is the first word.
            Item::Predicate => out.push('\u{1}'),
            Item::Saturation => out.push('\u{2}'),
            Item::Field { field, part, format, .. } => {
                let part = part.as_deref().map(norm).unwrap_or_default();
                out.push_str(&format!("<{}.{part}:{format:?}>", rename(field)));
            }
            Item::Optional(inner) | Item::Shown(inner) => {
                out.push_str(if matches!(item, Item::Shown(_)) { "[!" } else { "[" });
                items(inner, rename, out);
                out.push(']');
            }
        }
    }
}
