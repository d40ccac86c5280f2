//! Formats of an instruction: drawings, and tables of fields.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use visakit_codegen::model;
use visakit_spec_tools::export::{AllowedValues, Condition, Field, FieldKind, Form, Instruction, Presence};

use super::Site;
use crate::prose::{self, escape, link};
use crate::{address, layout, marks};

/// Returns the formats of an instruction for the template.
pub(super) fn forms(site: &Site<'_>, read: &model::Instruction, one: &Instruction, root: &str) -> Vec<Value> {
    let mut taken = BTreeSet::new();
    let form = |(read, form): (&model::Form, &Form)| {
        let rows: Vec<Value> = read
            .fields
            .iter()
            .zip(&form.fields)
            .map(|(read, field)| {
                let id = format!("field-{}", address::slug(&field.name));
                let id = if taken.insert(id.clone()) { id } else { String::new() };
                row(site, read, field, &id, root)
            })
            .collect();
        let when = [form.condition.as_ref().map(said), Some(marks::words(&form.when))];
        let when: Vec<String> = when.into_iter().flatten().filter(|when| !when.is_empty()).collect();
        json!({
            "title": if form.name.is_empty() { String::new() } else { format!("Form {}", form.name) },
            "when": when.join(", "),
            "svg": layout::form(one, form, &site.names.all.lists).inline(),
            "fields": rows,
        })
    };
    read.forms.iter().zip(&one.forms).map(form).collect()
}

/// Describes a condition on a field in words.
pub(super) fn said(condition: &Condition) -> String {
    format!("{} is {}", condition.field, condition.values.join(" or "))
}

fn row(site: &Site<'_>, read: &model::Field, field: &Field, id: &str, root: &str) -> Value {
    let when: Vec<_> = field.storage.iter().map(|storage| storage.when.clone()).collect();
    let on = if when.is_empty() { String::new() } else { site.platforms().filter(&when) };
    let presence = match &field.presence {
        Presence::If { field, values } => format!(" Only if {field} is {}.", values.join(" or ")),
        Presence::Times { field } => format!(" Repeated {field} times."),
        Presence::Always | Presence::Text => String::new(),
    };
    json!({
        "id": id,
        "on": on,
        "name": field.name,
        "storage": layout::storage(field),
        "role": role(field),
        "values": values(site, field, root),
        "doc": doc(site, read, field, root) + &escape(&presence),
    })
}

/// Returns the role of a field in words.
fn role(field: &Field) -> &'static str {
    match (&field.shape, field.access) {
        (FieldKind::Predicate, _) => "predicate",
        (_, Some(access)) => access,
        (FieldKind::Zero, _) => "zero",
        _ => "",
    }
}

/// Returns the legal values of a field as HTML.
fn values(site: &Site<'_>, field: &Field, root: &str) -> String {
    let mut parts = Vec::new();
    match &field.shape {
        FieldKind::List { list } => parts.push(link(root, &address::list(&list.name), &list.name)),
        FieldKind::Index { table } => parts.push(format!("index of a {}", escape(table))),
        FieldKind::IndexBy { field } => parts.push(format!("index, by {}", escape(field))),
        FieldKind::Copy { field } => parts.push(format!("copy of {}", escape(field))),
        _ => {}
    }
    let classes = field.classes.iter().map(|class| {
        let mut structures = site.names.all.structures.iter();
        let found = structures.find(|one| one.operand_class.as_ref() == Some(class));
        found.map_or_else(|| escape(class), |one| link(root, &address::structure(&one.name), class))
    });
    parts.extend((!field.classes.is_empty()).then(|| classes.collect::<Vec<_>>().join(", ")));
    let types = field.types.iter().map(|ty| link(root, &address::data_type(ty), ty));
    parts.extend((!field.types.is_empty()).then(|| types.collect::<Vec<_>>().join(", ")));
    if let Some(range) = &field.range {
        parts.push(format!("{} to {}", range.low, range.high));
    }
    parts.extend(field.nonzero.then(|| "not 0".to_owned()));
    parts.extend(field.only.iter().map(only));
    parts.join("; ")
}

/// Returns the allowed values of a field or of a part of it as HTML.
fn only(only: &AllowedValues) -> String {
    let one = |value: &visakit_spec_tools::export::MarkedName| match marks::words(&value.when) {
        when if when.is_empty() => escape(&value.name),
        when => format!("{} ({})", escape(&value.name), escape(&when)),
    };
    let part = if only.part.is_empty() { String::new() } else { format!("{} ", escape(&only.part)) };
    format!("only {part}{}", only.values.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// Returns the description of a field as HTML: the first paragraph of its item on the page.
fn doc(site: &Site<'_>, read: &model::Field, field: &Field, root: &str) -> String {
    let page = site.names.model.pages.get(read.at.page as usize);
    let source = page.and_then(|page| page.text.get(read.at.start as usize..read.at.end as usize));
    let item = source.and_then(|text| text.split_once(":**")).map(|(_, rest)| rest);
    let first = item.map(|rest| rest.split("\n\n").next().unwrap_or_default());
    let first = first.map(|rest| rest.split("\n  -").next().unwrap_or_default().trim());
    match first.filter(|first| !first.is_empty()) {
        Some(first) => prose::inline(&site.names, &field.at.file, first, root),
        None => escape(&field.doc),
    }
}
