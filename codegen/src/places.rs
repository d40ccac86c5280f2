//! Facts of a model by place, for corrections by an overlay and for comparison afterwards.
//!
//! A place is a small group of related facts: a table, a structure, or one aspect of an
//! instruction. Its facts are lines in the notation of [`crate::facts`]; their order on the pages
//! does not matter.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{self, field, marks, member, part};
use crate::model::{Availability, BitFieldKind, FieldKind, Form, Instruction, ListId, ListKind, Model, PageKind};

/// Returns the places of a model with their facts, without documentation.
pub fn places(model: &Model) -> BTreeMap<String, BTreeSet<String>> {
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut put = |place: &str, fact: String| {
        out.entry(place.to_owned()).or_default().insert(fact.trim_end().to_owned());
    };
    for t in &model.types {
        put("types", facts::data_type(model, t));
    }
    for (kind, table, columns) in [
        ("variables", &model.predefined, &Vec::new()),
        ("surfaces", &model.surfaces, &model.surface_columns),
        ("samplers", &model.samplers, &Vec::new()),
    ] {
        for p in table {
            put(kind, format!("{}{}", facts::predefined(p), facts::cells(columns, &p.cells)));
        }
    }
    for l in &model.limits {
        put("limits", facts::limit(l));
    }
    for a in &model.attributes {
        put("attributes", facts::attribute(a));
    }
    for s in &model.structures {
        let place = format!("structure {}", s.name);
        let members: Vec<&str> = s.members.iter().map(|m| m.name.as_str()).collect();
        let class = s.class.as_ref().map_or(String::new(), |c| format!(" class {c}"));
        put(&place, format!("members {}{class}", members.join(", ")));
        for m in &s.members {
            put(&place, unnamed(model, m.shape, member(model, m)));
            if let FieldKind::List(id) = m.shape {
                list(model, id, &m.name, &mut |fact| put(&place, fact));
            }
        }
    }
    for i in &model.instructions {
        instruction(model, i, &mut put);
    }
    out
}

fn instruction(model: &Model, i: &Instruction, put: &mut dyn FnMut(&str, String)) {
    let name = &i.name;
    let mut platforms: Vec<String> = i.platforms.iter().map(Availability::to_string).collect();
    platforms.sort();
    let platforms = if platforms.is_empty() { String::new() } else { format!(" {}", platforms.join(" or ")) };
    put(&format!("{name} opcode"), format!("{}{platforms}", facts::opcode(i)));
    let layout = format!("{name} layout");
    for form in &i.forms {
        put(&layout, form_line(form));
        let prefix = if form.name.is_empty() { String::new() } else { format!("{}.", form.name) };
        for f in &form.fields {
            let line = unnamed(model, f.shape, field(model, form, f));
            put(&layout, format!("{prefix}{line}"));
            if let FieldKind::List(id) = f.shape {
                list(model, id, &format!("{prefix}{}", f.name), &mut |fact| put(&layout, fact));
            }
        }
    }
    for (t, m) in &i.types {
        put(&format!("{name} types"), format!("{t}{}", marks(m)));
    }
    for map in &i.type_maps {
        put(&format!("{name} maps"), facts::type_map(map));
    }
    if matches!(i.kind, PageKind::Ordinary | PageKind::Undefined) {
        // The behaviour out of bounds is prose and not compared.
        let line = format!("saturation {:?} modifier {:?}", i.saturation, i.source_modifier);
        put(&format!("{name} properties"), line);
    }
    // The number matters, because the first of several templates is the one that is printed.
    for (n, text) in i.text.iter().enumerate() {
        let (form, when) = (facts::template_form(text), facts::template_conditions(text));
        put(&format!("{name} text"), format!("{}{form}{when}: {}", n + 1, text.template.source));
    }
}

fn form_line(form: &Form) -> String {
    let fields: Vec<&str> = form.fields.iter().map(|f| f.name.as_str()).collect();
    let name = if form.name.is_empty() { String::new() } else { format!(" {}", form.name) };
    format!("form{name}{}{}: {}", facts::condition(form), marks(&form.versions), fields.join(", "))
}

/// Returns a line without the generated name of an in-page list.
fn unnamed(model: &Model, shape: FieldKind, line: String) -> String {
    match shape {
        FieldKind::List(id) if !model.list(id).shared => {
            line.replacen(&format!("list {}", model.list(id).name), "list", 1)
        }
        _ => line,
    }
}

/// Lists the content of an in-page list. Shared lists are separate places.
fn list(model: &Model, id: ListId, owner: &str, put: &mut dyn FnMut(String)) {
    let list = model.list(id);
    if list.shared {
        return;
    }
    match &list.kind {
        ListKind::Enumeration { lo, width, values } => {
            for v in values.iter().filter(|v| !v.reserved) {
                let text = if v.text == v.name { String::new() } else { format!(" {:?}", v.text) };
                let top = lo + width - 1;
                let said = facts::cells(&list.columns, &v.cells);
                put(format!("{owner} [{top}..{lo}] {:#x} {}{text}{}{said}", v.value, v.name, marks(&v.marks)));
            }
        }
        ListKind::Parts(parts) => {
            // Bits that are always zero follow from the other parts.
            for p in parts.iter().filter(|p| p.kind != BitFieldKind::Zero) {
                let inner = match p.kind {
                    BitFieldKind::Enumeration(id) if !model.list(id).shared => Some(id),
                    _ => None,
                };
                let line = part(model, p);
                let line = match inner {
                    Some(id) => line.replacen(&format!("list {}", model.list(id).name), "list", 1),
                    None => line,
                };
                put(format!("{owner} {line}"));
                if let Some(id) = inner {
                    self::list(model, id, &format!("{owner}.{}", p.name), put);
                }
            }
        }
    }
}
