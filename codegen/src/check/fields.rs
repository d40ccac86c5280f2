//! What pages say of single fields and members holds together: classes, ranges, types, structures.

use crate::model::{Instruction, MemberType, Model, SourceSpan, Storage};
use visakit_diag::{Diagnostic, Severity};

pub(super) fn check(model: &Model, instruction: &Instruction, out: &mut Vec<Diagnostic>) {
    let classes: Vec<String> =
        model.structures.iter().filter_map(|s| s.class.as_ref()).map(|c| c.to_ascii_lowercase()).collect();
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
        for class in field.classes.iter().filter(|c| !classes.is_empty() && !classes.contains(c)) {
            let message = format!("`{class}` is no class of operands");
            let at = model.word(field.place("Operand class:", 0), class);
            warn("class-unknown", at, message, format!("the classes are {}", classes.join(", ")));
        }
        if let Some((name, values)) = &field.default_if {
            let at = field.place("Default", 0);
            let (owner, part) = name.split_once('.').map_or((name.as_str(), None), |(f, p)| (f, Some(p)));
            if model.field_position(form, owner, part).is_none() {
                warn("field-unknown", model.word(at, name), format!("there is no field `{name}`"), FIELD.to_owned());
            }
            let known = model.enumerators(form, owner, part);
            let has = |v: &String| known.is_none_or(|k| k.iter().any(|e| e.name.eq_ignore_ascii_case(v)));
            for value in values.iter().filter(|v| !has(v)) {
                let message = format!("`{value}` is no value of `{name}`");
                warn("presence-value", model.word(at, value), message, "name enumerators of its list".to_owned());
            }
        }
        let bits = field.storage.iter().map(|(_, s)| *s).min_by_key(|s| s.bits());
        if let (Some((low, high)), Some(storage)) = (field.range, bits)
            && !(holds(storage, low) && holds(storage, high))
        {
            let message = format!("[{low}-{high}] does not fit into `{}`", storage.name());
            let help = "give the field a wider type, or the range smaller ends".to_owned();
            warn("range-width", field.place("Valid values are", 0), message, help);
        }
    }
    let supported = |t: &String| instruction.types.iter().any(|(known, _)| known == t);
    for map in instruction.type_maps.iter().filter(|_| !instruction.types.is_empty()) {
        let mut missing: Vec<&str> = Vec::new();
        for ty in map.src.iter().chain(&map.dst).filter(|t| !supported(t)) {
            if !missing.contains(&ty.as_str()) {
                missing.push(ty);
            }
        }
        if !missing.is_empty() {
            model.report(
                Severity::Warning,
                "type-contradiction",
                model.word(map.at, missing[0]),
                format!("the map has types that the Properties do not support: {}", missing.join(", ")),
                "add them to Supported Types, or take them out of the map",
                out,
            );
        }
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

/// Members of structures have types that exist.
pub(super) fn structures(model: &Model, out: &mut Vec<Diagnostic>) {
    for structure in &model.structures {
        for member in &structure.members {
            for (_, ty) in &member.storage {
                let MemberType::Structure(name) = ty else { continue };
                if !model.structures.iter().any(|s| s.name == *name) {
                    model.report(
                        Severity::Error,
                        "type-unknown",
                        member.at,
                        format!("`{name}` is no type and no structure"),
                        "use ub, b, uw, w, ud, d, uq, q, or the name of a structure of the chapters",
                        out,
                    );
                }
            }
        }
    }
}
