//! Rules across pages, and across the sections of a page.

use std::collections::{BTreeMap, BTreeSet};

mod availability;
mod columns;
mod fields;
mod index;
mod links;
mod rules;
mod sources;
mod texts;

use crate::anatomy::Anatomy;
use crate::model::{
    Condition, Form, Instruction, Model, PageKind, Place, Presence, Reference, SourceSpan, TypeId, names,
};
use crate::resolve;
use crate::suggest;
use visakit_diag::{Diagnostic, Severity};

/// Checks the whole model. Rules across pages apply only if several pages were read.
pub(crate) fn model(model: &Model, out: &mut Vec<Diagnostic>) {
    duplicate_opcodes(model, out);
    for instruction in &model.instructions {
        text(model, instruction, out);
        conditions(model, instruction, out);
        types(model, instruction, out);
        restrictions(model, instruction, out);
        fields::check(model, instruction, out);
        alias(model, instruction, out);
        availability::instruction(model, instruction, out);
    }
    rules::check(model, out);
    columns::check(model, out);
    availability::chapters(model, out);
    fields::structures(model, out);
    index::check(model, out);
    links::check(model, out);
    sources::check(model, out);
    texts::check(model, out);
}

/// Checks that a specification has everything that the emitted code and the runtime need; for a
/// folder that is to be built.
pub fn complete(model: &Model) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let mut need = |found: bool, what: &str, chapter: &str| {
        if !found {
            let message = format!("the specification has no {what}");
            out.push(
                Diagnostic::new("chapter-missing", Severity::Error, chapter, message)
                    .help("a specification must have the chapters listed in spec/README.md"),
            );
        }
    };
    need(!model.types.is_empty(), "table of data types", "2_datatypes.md");
    need(!model.platforms.is_empty(), "table of platforms", "platforms.md");
    need(!model.predefined.is_empty(), "table of predefined variables", "4_object_format.md");
    need(!model.surfaces.is_empty(), "table of predefined surfaces", "4_object_format.md");
    need(!model.constraints.is_empty(), "table of conditions", "verification.md");
    need(!model.limits.is_empty(), "table of limits", "verification.md");
    need(!model.checks.is_empty(), "table of checks", "verification.md");
    for list in ["Exec_mask", "Stride", "Label_kind", "Alignment"] {
        need(model.shared_list(list).is_some(), &format!("shared list {list}"), "lists.md");
    }
    let (inside, whole): (Vec<_>, Vec<_>) =
        Anatomy::find(model).err().into_iter().flatten().partition(|missing| missing.at.is_some());
    for missing in whole {
        need(false, &missing.what, "the chapters");
    }
    for missing in inside {
        let message = format!("the specification has no {}", missing.what);
        model.report(
            Severity::Error,
            "name-missing",
            missing.at.unwrap_or_default(),
            message,
            missing.help,
            &mut out,
        );
    }
    for form in model.instructions.iter().flat_map(|i| &i.forms) {
        let of_part = |c: &Condition| c.of.to.is_none_or(|place| place.part.is_some());
        if form.condition.as_ref().is_some_and(of_part) {
            model.report(
                Severity::Error,
                "condition-selector",
                form.at,
                "this form is not selected by a whole field, so no decoder can be generated",
                "select forms by a field with named values, or by the object version",
                &mut out,
            );
        }
    }
    out
}

fn duplicate_opcodes(model: &Model, out: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<(u8, Option<u8>), &Instruction> = BTreeMap::new();
    let mut names: BTreeMap<&str, &Instruction> = BTreeMap::new();
    for instruction in &model.instructions {
        if let Some(other) = names.insert(&instruction.name, instruction) {
            let (page, line) = model.origin(other.at);
            model.report(
                Severity::Error,
                "name-duplicate",
                instruction.at,
                format!("{} is already described at {page}:{line}", instruction.name),
                "write one page for each instruction",
                out,
            );
        }
        if matches!(instruction.kind, PageKind::Umbrella | PageKind::Alias { .. }) {
            continue;
        }
        if let Some(other) = seen.insert((instruction.opcode, instruction.sub_opcode), instruction) {
            // Report both pages, as either of the two may be wrong.
            for (one, other) in [(instruction, other), (other, instruction)] {
                let (page, line) = model.origin(other.at);
                model.report(
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

/// Checks that the page of an alias's target exists.
fn alias(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    let PageKind::Alias { of, when } = &instruction.kind else { return };
    let several = model.instructions.len() > 1;
    if (several && of.to.is_none()) || when.is_empty() {
        let message = format!("`Kind: alias of {of} when {when}` names no page, or has no condition");
        let help = "write `Kind: alias of NAME when …`";
        model.report(Severity::Error, "kind-unknown", instruction.at, message, help, out);
    }
}

/// Returns true if the values of a field, or of its part, have names.
fn is_named(model: &Model, form: &Form, place: Place) -> bool {
    model.names_list(form.fields[place.field].shape, place.part).is_some()
}

/// Checks that every placeholder of a template is a field, and that its part is a part of the
/// field's list.
fn text(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    let mut bad = Vec::new();
    let told = match &instruction.kind {
        PageKind::Alias { of: Reference { to: Some(id), .. }, .. } => &model.instructions[id.0],
        // The target of the alias has its own finding, or its page was not read.
        PageKind::Alias { .. } => return,
        _ => instruction,
    };
    for form in &instruction.text {
        for (name, part) in form.template.fields() {
            let whole = part.map_or(name.to_owned(), |part| format!("{name}.{part}"));
            if !told.forms.iter().any(|f| resolve::place(model, f, &whole).is_some()) {
                bad.push((model.word(form.at, name), name.to_owned()));
            }
        }
        for Condition { of: Reference { name, .. }, values } in &form.conditions {
            let found = |f| Some((f, resolve::place(model, f, name)?));
            let mut places: Vec<(&Form, Place)> = instruction.forms.iter().filter_map(found).collect();
            if places.is_empty() {
                bad.push((model.word(form.conditions_at, name), name.clone()));
                continue;
            }
            places.retain(|(f, place)| is_named(model, f, *place) || model.part_at(f, *place).is_some());
            let known = |v: &str| {
                let fits = |f: &Form, place, n| model.part_at(f, place).is_none_or(|p| n >> (p.hi - p.lo) <= 1);
                places
                    .iter()
                    .any(|(f, place)| resolve::value(model, f, *place, v).is_some_and(|n| fits(f, *place, n)))
            };
            for value in names(values).into_iter().filter(|v| !places.is_empty() && !known(v)) {
                model.report(
                    Severity::Warning,
                    "condition-value",
                    model.word(form.conditions_at, value),
                    format!("`{value}` is not a value of `{name}`"),
                    "use a name of the field's list, or a number that fits",
                    out,
                );
            }
        }
    }
    let fields = instruction.forms.iter().flat_map(|form| &form.fields);
    let known: BTreeSet<String> = fields.map(|field| field.name.to_ascii_lowercase()).collect();
    for (at, name) in bad {
        let help = suggest::help(&name, known.iter().map(String::as_str), || {
            "use the names of the Format; add `.part` for a part".to_owned()
        });
        model.report(
            Severity::Warning,
            "text-unknown-field",
            at,
            format!("`{name}` in this template is not a field of {}", instruction.name),
            &help,
            out,
        );
    }
}

/// Checks that the values of conditions exist and that no value selects two forms.
fn conditions(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    let mut taken: BTreeSet<u64> = BTreeSet::new();
    for form in &instruction.forms {
        let Some(Condition { of: Reference { name: field, to: selector }, values }) = &form.condition else {
            // A form without a selector belongs to some object versions.
            if instruction.forms.len() > 1 && form.versions.0.is_empty() {
                model.report(
                    Severity::Error,
                    "condition-missing",
                    form.at,
                    format!("{} has several forms, but this one has no condition", instruction.name),
                    "add `### CONDITION name` and `- Field=value, …` before the table",
                    out,
                );
            }
            continue;
        };
        // The vendor's pages also state conditions on an operand's type, which is no value of a
        // field.
        let of_operand = field.strip_prefix("field_operand_type(").and_then(|f| f.strip_suffix(')'));
        if of_operand.is_some_and(|f| form.fields.iter().any(|known| known.name.eq_ignore_ascii_case(f))) {
            continue;
        }
        if selector.is_none() {
            model.report(
                Severity::Error,
                "condition-selector",
                model.word(form.condition_at, field),
                format!("`{field}` is not an enumeration of this form"),
                "use a field with named values as the selector",
                out,
            );
            continue;
        }
        for value in values {
            let Reference { name: value, to } = value;
            if to.is_none() {
                model.report(
                    Severity::Error,
                    "condition-value",
                    model.word(form.condition_at, value),
                    format!("`{value}` is not a value of `{field}`"),
                    "use the names of the field's list",
                    out,
                );
            }
            if to.is_some_and(|code| !taken.insert(code)) {
                model.report(
                    Severity::Error,
                    "condition-overlap",
                    model.word(form.condition_at, value),
                    format!("`{value}` selects two forms"),
                    "assign every value to one form only",
                    out,
                );
            }
        }
    }
}

/// Checks that the types of operands, properties and type maps are data types, if the chapter of
/// types was read.
fn types(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    if model.types.is_empty() {
        return;
    }
    let mut named: Vec<(&Reference<TypeId>, SourceSpan)> = Vec::new();
    named.extend(instruction.types.iter().map(|(t, _)| (t, instruction.types_at)));
    for map in &instruction.type_maps {
        named.extend(map.dst.iter().chain(&map.src).map(|t| (t, map.at)));
    }
    for field in instruction.forms.iter().flat_map(|f| &f.fields) {
        let place = match field.phrases.iter().any(|(p, _)| *p == "Must have type") {
            true => field.place("Must have type", 0),
            false => field.place("Must have one of", 0),
        };
        named.extend(field.types.iter().map(|t| (t, place)));
    }
    named.dedup_by(|a, b| a.0.name == b.0.name && a.1 == b.1);
    for (Reference { name, to }, at) in named {
        if to.is_none() {
            model.report(
                Severity::Warning,
                "type-unknown",
                model.word(at, name),
                format!("`{name}` is not a data type"),
                "the data types are the rows of the table in 2_datatypes.md",
                out,
            );
        }
    }
}

/// Checks that `Only …` and `Present only if …` name existing parts and values.
fn restrictions(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    for form in &instruction.forms {
        for field in &form.fields {
            for (nth, only) in field.only.iter().enumerate() {
                let place = field.place("Only", nth);
                for (value, _) in only.values.iter().filter(|(value, _)| value.to.is_none()) {
                    model.report(
                        Severity::Error,
                        "only-value",
                        model.word(place, &value.name),
                        format!("`{value}` is not a possible value of `{}`", field.name),
                        "name enumerators of the field's list",
                        out,
                    );
                }
            }
            if let Presence::If(condition) = &field.presence
                && let Some(place) = condition.of.to.filter(|place| is_named(model, form, *place))
            {
                for value in condition.values.iter().filter(|value| value.to.is_none()) {
                    model.report(
                        Severity::Error,
                        "presence-value",
                        model.word(field.place("Present only", 0), &value.name),
                        format!("`{value}` is not a value of `{}`", form.fields[place.field].name),
                        "name enumerators of that field's list",
                        out,
                    );
                }
            }
        }
    }
}
