//! Checks of single fields and members: classes, ranges, types, structures.

use crate::model::{
    BitField, BitFieldKind, Condition, Enumerator, Field, FieldKind, IndexKind, Instruction, ListId, ListKind,
    MemberType, Model, Reference, SourceSpan, Storage, Structure, TypeId,
};
use crate::suggest;
use visakit_diag::{Diagnostic, Severity};

pub(super) fn check(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    let mut classes: Vec<String> = operand_classes(model).iter().map(|v| v.name.to_ascii_lowercase()).collect();
    if classes.is_empty() {
        // Documents without a list of the classes name them with the structures.
        classes = model.structures.iter().filter_map(|s| Some(s.class.as_ref()?.name.to_ascii_lowercase())).collect();
    }
    let mut seen: Vec<SourceSpan> = Vec::new();
    for (form, field) in instruction.forms.iter().flat_map(|form| form.fields.iter().map(move |f| (form, f))) {
        // Fields that several forms share are checked once.
        if seen.contains(&field.at) {
            continue;
        }
        seen.push(field.at);
        let mut warn = |code, at, message: String, help: String| {
            model.report(Severity::Warning, code, at, message, help, out);
        };
        for class in field.classes.iter().map(|c| &c.name).filter(|c| !classes.is_empty() && !classes.contains(c)) {
            let message = format!("`{class}` is not an operand class");
            let at = model.word(field.place("Operand class:", 0), class);
            warn("class-unknown", at, message, format!("the classes are {}", classes.join(", ")));
        }
        if let Some(Condition { of: Reference { name, to: place }, values }) = &field.default_if {
            let at = field.place("Default", 0);
            if place.is_none() {
                warn("field-unknown", model.word(at, name), format!("there is no field `{name}`"), FIELD.to_owned());
            }
            let named = place.is_some_and(|place| super::is_named(model, form, place));
            for value in values.iter().filter(|v| named && v.to.is_none()) {
                let message = format!("`{value}` is not a value of `{name}`");
                warn(
                    "presence-value",
                    model.word(at, &value.name),
                    message,
                    "name enumerators of its list".to_owned(),
                );
            }
        }
        let bits = field.storage.iter().map(|(_, s)| *s).min_by_key(|s| s.bits());
        if let (Some((low, high)), Some(storage)) = (field.range, bits)
            && !(holds(storage, low) && holds(storage, high))
        {
            let message = format!("[{low}-{high}] does not fit into `{}`", storage.name());
            let help = "give the field a wider type, or narrow the range".to_owned();
            warn("range-width", field.place("Valid values are", 0), message, help);
        }
    }
    for form in &instruction.forms {
        for field in &form.fields {
            if let FieldKind::IndexBy(by) = field.shape {
                tables(model, &form.fields[by], out);
            }
        }
    }
    let supported = |t: &Reference<TypeId>| instruction.types.iter().any(|(known, _)| known.name == t.name);
    for map in instruction.type_maps.iter().filter(|_| !instruction.types.is_empty()) {
        let mut missing: Vec<&str> = Vec::new();
        for ty in map.src.iter().chain(&map.dst).filter(|t| !supported(t)) {
            if !missing.contains(&ty.name.as_str()) {
                missing.push(&ty.name);
            }
        }
        if !missing.is_empty() {
            model.report(
                Severity::Warning,
                "type-contradiction",
                model.word(map.at, missing[0]),
                format!("the map has types that the Properties do not support: {}", missing.join(", ")),
                "add them to Supported Types, or remove them from the map",
                out,
            );
        }
    }
}

/// Checks that the values which select the table of another field are names of tables.
fn tables(model: &Model, selector: &Field, out: &mut Vec<Diagnostic>) {
    let FieldKind::List(id) = selector.shape else { return };
    let parts = match &model.list(id).kind {
        ListKind::Enumeration { .. } => vec![id],
        ListKind::Parts(parts) => {
            let enumeration = |p: &BitField| if let BitFieldKind::Enumeration(id) = p.kind { Some(id) } else { None };
            parts.iter().filter_map(enumeration).collect()
        }
    };
    let values = |id: ListId| match &model.list(id).kind {
        ListKind::Enumeration { values, .. } => values.as_slice(),
        ListKind::Parts(_) => &[],
    };
    let is_table = |value: &&Enumerator| IndexKind::from_name(&value.name).is_some();
    // The part that names tables; the last part if no value names a table any more.
    let named = parts.iter().find(|&&id| values(id).iter().any(|v| is_table(&v)));
    let Some(&id) = named.or(parts.last()) else { return };
    for value in values(id).iter().filter(|v| !v.reserved && !is_table(v)) {
        let message =
            format!("`{}` cannot select the table for an index of {}: it is not a table", value.name, selector.name);
        let help = format!("the tables are {}", IndexKind::ALL.map(IndexKind::name).join(", "));
        model.report(Severity::Error, "index-table", model.word(value.at, &value.name), message, help, out);
    }
}

const FIELD: &str = "name a field of the Format, with `.part` for a part";

fn holds(storage: Storage, value: i64) -> bool {
    let bits = storage.bits();
    let signed = matches!(storage, Storage::B | Storage::W | Storage::D | Storage::Q);
    match signed {
        true => bits == 64 || (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&value),
        false => value >= 0 && (bits == 64 || value < 1i64 << bits),
    }
}

/// Returns the operand classes that the tag of an operand can have.
fn operand_classes(model: &Model) -> Vec<&Enumerator> {
    let classed = |v: &Enumerator| {
        let of = |s: &&Structure| s.class.as_ref().is_some_and(|class| v.name.eq_ignore_ascii_case(&class.name));
        model.structures.iter().filter(of).count()
    };
    let is_union = |s: &&Structure| s.members.iter().any(|m| m.storage.iter().any(|(_, t)| *t == MemberType::Info));
    let tags = model.structures.iter().filter(is_union).flat_map(|s| &s.members).filter_map(|m| match m.shape {
        FieldKind::List(id) => Some(&model.list(id).kind),
        _ => None,
    });
    let parts = tags.flat_map(|tag| if let ListKind::Parts(parts) = tag { parts.as_slice() } else { &[] });
    let lists = parts.filter_map(|part| match part.kind {
        BitFieldKind::Enumeration(id) => match &model.list(id).kind {
            ListKind::Enumeration { values, .. } => Some(values),
            ListKind::Parts(_) => None,
        },
        _ => None,
    });
    // Of the lists in the tag, take the one with the most operand classes.
    let known = lists.max_by_key(|values| values.iter().filter(|v| classed(v) > 0).count());
    known.into_iter().flatten().filter(|v| !v.reserved).collect()
}

/// Checks that each operand class in a tag belongs to exactly one structure.
fn classes(model: &Model, out: &mut Vec<Diagnostic>) {
    let classed: Vec<(&Structure, &str)> =
        model.structures.iter().filter_map(|s| Some((s, s.class.as_ref()?.name.as_str()))).collect();
    let of = |v: &Enumerator| classed.iter().filter(|(_, c)| v.name.eq_ignore_ascii_case(c)).count();
    let known = operand_classes(model);
    let names = || known.iter().map(|v| v.name.as_str());
    for (structure, class) in &classed {
        if !names().any(|name| name.eq_ignore_ascii_case(class)) {
            let otherwise = || format!("the classes are {}", names().collect::<Vec<_>>().join(", "));
            let message = format!("`{class}` is not an operand class");
            let (at, help) = (model.word(structure.head, class), suggest::help(class, names(), otherwise));
            model.report(Severity::Error, "class-unknown", at, message, help, out);
        }
    }
    for value in known.iter().filter(|v| !classed.is_empty() && of(v) != 1) {
        let message = format!("{} structures have the operand class `{}`", of(value), value.name);
        let help = "mark only the structure that follows such a tag with `//operand_class = …`";
        model.report(Severity::Error, "class-structure", value.at, message, help, out);
    }
}

/// Checks that members of structures have existing types, and that operands have structures.
pub(super) fn structures(model: &Model, out: &mut Vec<Diagnostic>) {
    classes(model, out);
    for structure in &model.structures {
        for member in &structure.members {
            for (_, ty) in &member.storage {
                let MemberType::Structure(Reference { name, to }) = ty else { continue };
                if to.is_none() {
                    model.report(
                        Severity::Error,
                        "type-unknown",
                        member.at,
                        format!("`{name}` is neither a type nor a structure"),
                        "use ub, b, uw, w, ud, d, uq, q, or the name of a structure of the chapters",
                        out,
                    );
                }
            }
        }
    }
}
