//! Rules across pages and across the sections of one page.

use std::collections::BTreeMap;

mod fields;
mod index;
mod links;

use crate::model::{At, Availability, Bound, FieldKind, Form, Instruction, Kind, Model, Presence};
use visakit_diag::{Diagnostic, Severity};

/// Checks the whole model. Rules that need several pages hold only where there are several.
pub(crate) fn model(model: &Model, out: &mut Vec<Diagnostic>) {
    duplicate_opcodes(model, out);
    for instruction in &model.instructions {
        text(model, instruction, out);
        conditions(model, instruction, out);
        types(model, instruction, out);
        restrictions(model, instruction, out);
        fields::check(model, instruction, out);
        for marks in &instruction.platforms {
            platforms(model, marks, instruction.at, out);
        }
        for (_, marks) in &instruction.types {
            platforms(model, marks, instruction.at, out);
        }
        for map in &instruction.type_maps {
            platforms(model, &map.marks, map.at, out);
        }
    }
    rules(model, out);
    fields::structures(model, out);
    index::check(model, out);
    links::check(model, out);
}

/// The rows of verification.md name instructions that there are. A page that an overlay supplies may know more of them.
fn rules(model: &Model, out: &mut Vec<Diagnostic>) {
    for rule in &model.rules {
        for marks in &rule.platforms {
            platforms(model, marks, rule.at, out);
        }
        let supplied = model.pages.get(rule.at.page as usize).is_none_or(|p| p.supplied);
        let known = |name: &str| model.instructions.iter().any(|i| i.name == name);
        for name in rule.instructions.iter().filter(|name| !supplied && model.files.is_some() && !known(name)) {
            let message = format!("rule `{}` names {name}, which has no page", rule.name);
            report(
                model,
                Severity::Warning,
                "rule-dead",
                rule.at,
                message,
                "add the page, or take the name out",
                out,
            );
        }
    }
}

/// What the emitted code and its runtime cannot do without, for a folder that is to be built.
pub fn complete(model: &Model) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let mut need = |found: bool, what: &str, chapter: &str| {
        if !found {
            let message = format!("the specification has no {what}");
            out.push(
                Diagnostic::new("chapter-missing", Severity::Error, chapter, message)
                    .help("a specification that is built has the chapters of spec/README.md"),
            );
        }
    };
    need(!model.types.is_empty(), "table of data types", "2_datatypes.md");
    need(!model.platforms.is_empty(), "table of platforms", "platforms.md");
    need(!model.predefined.is_empty(), "table of predefined variables", "4_object_format.md");
    need(!model.surfaces.is_empty(), "table of predefined surfaces", "4_object_format.md");
    need(!model.rules.is_empty(), "table of what an assembler checks", "verification.md");
    for list in ["Exec_size", "Exec_mask", "Predicate", "Modifier", "Region", "Stride", "Label_kind", "Alignment"] {
        need(model.shared_list(list).is_some(), &format!("shared list {list}"), "lists.md");
    }
    for name in ["vec_operand", "raw_operand", "common_isa_header", "kernel_data", "function_data"] {
        need(model.structures.iter().any(|s| s.name == name), &format!("structure {name}"), "chapters 4 and 5");
    }
    for form in model.instructions.iter().flat_map(|i| &i.forms) {
        let of_part = |(field, _): &(String, Vec<String>)| enumerators(model, form, field, None).is_none();
        if form.condition.as_ref().is_some_and(of_part) {
            report(
                model,
                Severity::Error,
                "condition-selector",
                form.at,
                "this form is selected by something else than a whole field: no decoder can be made of it",
                "select forms by a field with named values, or by the object version",
                &mut out,
            );
        }
    }
    out
}

/// Reports a finding at a place of the model.
pub(crate) fn report(
    model: &Model,
    severity: Severity,
    code: &'static str,
    at: At,
    message: impl Into<String>,
    help: impl Into<String>,
    out: &mut Vec<Diagnostic>,
) {
    let Some(page) = model.pages.get(at.page as usize) else { return };
    out.push(
        Diagnostic::new(code, severity, page.shown.as_str(), message)
            .at_text(&page.text, at.start as usize, at.end as usize)
            .help(help),
    );
}

fn duplicate_opcodes(model: &Model, out: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<(u8, Option<u8>), &Instruction> = BTreeMap::new();
    let mut names: BTreeMap<&str, &Instruction> = BTreeMap::new();
    for instruction in &model.instructions {
        if let Some(other) = names.insert(&instruction.name, instruction) {
            let (page, line) = model.origin(other.at);
            report(
                model,
                Severity::Error,
                "name-duplicate",
                instruction.at,
                format!("{} is already described at {page}:{line}", instruction.name),
                "every instruction has one page",
                out,
            );
        }
        if matches!(instruction.kind, Kind::Umbrella | Kind::Alias { .. }) {
            continue;
        }
        if let Some(other) = seen.insert((instruction.opcode, instruction.sub_opcode), instruction) {
            // Nothing tells which of the two is wrong.
            for (one, other) in [(instruction, other), (other, instruction)] {
                let (page, line) = model.origin(other.at);
                report(
                    model,
                    Severity::Error,
                    "opcode-duplicate",
                    one.at,
                    format!("{} has the opcode of {} ({page}:{line})", one.name, other.name),
                    format!("change one of the two, or mark one `Kind: alias of {} when …`", other.name),
                    out,
                );
            }
        }
    }
}

/// Every placeholder of a template is a field, and its part a part of that field's list.
fn text(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    let mut bad = Vec::new();
    for form in &instruction.text {
        for (name, part) in form.template.fields() {
            let found = instruction.forms.iter().any(|f| resolve(model, f, name, part).is_some());
            if !found {
                bad.push((form.at, name.to_owned()));
            }
        }
        for (name, _) in &form.conditions {
            let (field, part) = name.split_once('.').map_or((name.as_str(), None), |(f, p)| (f, Some(p)));
            if !instruction.forms.iter().any(|f| resolve(model, f, field, part).is_some()) {
                bad.push((form.at, name.clone()));
            }
        }
    }
    for (at, name) in bad {
        report(
            model,
            Severity::Warning,
            "text-unknown-field",
            at,
            format!("`{name}` in this template is no field of {}", instruction.name),
            "use the names of the Format, with `.part` for a part",
            out,
        );
    }
}

/// The position of a field and whether the part exists.
pub(crate) fn resolve(model: &Model, form: &Form, name: &str, part: Option<&str>) -> Option<usize> {
    let position = form.fields.iter().position(|f| {
        f.name.eq_ignore_ascii_case(name) || (name.eq_ignore_ascii_case("p") && f.shape == FieldKind::Predicate)
    })?;
    match part {
        None => Some(position),
        Some(part) => match form.fields[position].shape {
            FieldKind::List(id) => match &model.list(id).kind {
                crate::model::ListKind::Parts(parts) => {
                    parts.iter().any(|p| p.name.eq_ignore_ascii_case(part)).then_some(position)
                }
                crate::model::ListKind::Enumeration { .. } => None,
            },
            _ => None,
        },
    }
}

/// Names of the enumerators of a field or part.
pub(crate) fn enumerators<'a>(
    model: &'a Model,
    form: &Form,
    name: &str,
    part: Option<&str>,
) -> Option<&'a [crate::model::Enumerator]> {
    use crate::model::{BitFieldKind, ListKind};
    let position = resolve(model, form, name, part)?;
    let FieldKind::List(id) = form.fields[position].shape else { return None };
    match (&model.list(id).kind, part) {
        (ListKind::Enumeration { values, .. }, _) => Some(values),
        (ListKind::Parts(parts), Some(part)) => {
            let part = parts.iter().find(|p| p.name.eq_ignore_ascii_case(part))?;
            match part.kind {
                BitFieldKind::Enumeration(id) => match &model.list(id).kind {
                    ListKind::Enumeration { values, .. } => Some(values),
                    ListKind::Parts(_) => None,
                },
                _ => None,
            }
        }
        (ListKind::Parts(_), None) => None,
    }
}

/// Names of the enumerators of a selector: a field, or the part of one that has names.
fn selected<'a>(model: &'a Model, form: &Form, selector: &str) -> Option<&'a [crate::model::Enumerator]> {
    let Some((field, part)) = selector.split_once('.') else { return enumerators(model, form, selector, None) };
    enumerators(model, form, field, Some(part)).or_else(|| {
        // The vendor names a part that its list leaves without a name: the only one with values.
        let position = resolve(model, form, field, None)?;
        let FieldKind::List(id) = form.fields[position].shape else { return None };
        let crate::model::ListKind::Parts(parts) = &model.list(id).kind else { return None };
        let mut named = parts.iter().filter(|p| matches!(p.kind, crate::model::BitFieldKind::Enumeration(_)));
        let only = named.next().filter(|_| named.next().is_none())?;
        enumerators(model, form, field, Some(&only.name))
    })
}

/// Values of conditions exist, and no value selects two forms.
fn conditions(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    for form in &instruction.forms {
        let Some((field, values)) = &form.condition else {
            // A form without a selector is one of some object versions.
            if instruction.forms.len() > 1 && form.versions.0.is_empty() {
                report(
                    model,
                    Severity::Error,
                    "condition-missing",
                    form.at,
                    format!("{} has several forms, and this one does not say when it holds", instruction.name),
                    "add `### CONDITION name` and `- Field=value, …` in front of the table",
                    out,
                );
            }
            continue;
        };
        // What the vendor's pages say of an operand's type is no value of a field.
        let of_operand = field.strip_prefix("field_operand_type(").and_then(|f| f.strip_suffix(')'));
        if of_operand.is_some_and(|f| form.fields.iter().any(|known| known.name.eq_ignore_ascii_case(f))) {
            continue;
        }
        let known = selected(model, form, field);
        if known.is_none() {
            report(
                model,
                Severity::Error,
                "condition-selector",
                form.at,
                format!("`{field}` is no enumeration of this form"),
                "the selector is a field with named values",
                out,
            );
            continue;
        }
        for value in values {
            if !known.unwrap_or(&[]).iter().any(|e| e.name.eq_ignore_ascii_case(value)) {
                report(
                    model,
                    Severity::Error,
                    "condition-value",
                    form.at,
                    format!("`{value}` is no value of `{field}`"),
                    "use the names of the field's list",
                    out,
                );
            }
            if taken.insert(value.to_ascii_lowercase(), &form.name).is_some() {
                report(
                    model,
                    Severity::Error,
                    "condition-overlap",
                    form.at,
                    format!("`{value}` selects two forms"),
                    "every value belongs to one form",
                    out,
                );
            }
        }
    }
}

/// Types of operands, properties and type maps are data types, where the chapter of types was read.
fn types(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    if model.types.is_empty() {
        return;
    }
    let known = |name: &str| model.types.iter().any(|t| t.name == name);
    let mut named: Vec<(&str, At)> = Vec::new();
    named.extend(instruction.types.iter().map(|(t, _)| (t.as_str(), instruction.at)));
    for map in &instruction.type_maps {
        named.extend(map.dst.iter().chain(&map.src).map(|t| (t.as_str(), map.at)));
    }
    for field in instruction.forms.iter().flat_map(|f| &f.fields) {
        named.extend(field.types.iter().map(|t| (t.as_str(), field.at)));
    }
    named.dedup();
    for (name, at) in named {
        if !known(name) {
            report(
                model,
                Severity::Warning,
                "type-unknown",
                at,
                format!("`{name}` is no data type"),
                "the data types are the rows of the table in 2_datatypes.md",
                out,
            );
        }
    }
}

/// `Only …` and `Present only if …` name parts and values that exist.
fn restrictions(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    for form in &instruction.forms {
        for field in &form.fields {
            for (part, values) in &field.only {
                let part = (!part.is_empty()).then_some(part.as_str());
                let known = enumerators(model, form, &field.name, part).unwrap_or(&[]);
                for (value, _) in values {
                    if !known.iter().any(|e| e.name.eq_ignore_ascii_case(value)) {
                        report(
                            model,
                            Severity::Error,
                            "only-value",
                            field.at,
                            format!("`{value}` is no value that `{}` can have", field.name),
                            "name enumerators of the field's list",
                            out,
                        );
                    }
                }
            }
            if let Presence::If { field: position, part, values } = &field.presence {
                let part = (!part.is_empty()).then_some(part.as_str());
                let selector = &form.fields[*position];
                if let Some(known) = enumerators(model, form, &selector.name, part) {
                    for value in values {
                        if !known.iter().any(|e| e.name.eq_ignore_ascii_case(value)) {
                            report(
                                model,
                                Severity::Error,
                                "presence-value",
                                field.at,
                                format!("`{value}` is no value of `{}`", selector.name),
                                "name enumerators of that field's list",
                                out,
                            );
                        }
                    }
                }
            }
        }
    }
}

fn platforms(model: &Model, marks: &Availability, at: At, out: &mut Vec<Diagnostic>) {
    if model.platforms.is_empty() {
        return;
    }
    for mark in &marks.0 {
        if let Bound::From(name) | Bound::Before(name) | Bound::Only(name) = mark
            && platform(model, name).is_none()
        {
            report(
                model,
                Severity::Warning,
                "platform-unknown",
                at,
                format!("`{name}` is no platform"),
                "use a name or alias of platforms.md",
                out,
            );
        }
    }
}

/// Position of a platform by name or alias, without regard to case.
pub(crate) fn platform(model: &Model, name: &str) -> Option<usize> {
    model
        .platforms
        .iter()
        .position(|p| p.name.eq_ignore_ascii_case(name) || p.aliases.iter().any(|a| a.eq_ignore_ascii_case(name)))
}
