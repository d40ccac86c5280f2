//! Name resolution. Each name is looked up once after reading, and again after an overlay changes
//! facts. The checks report unknown names.

use crate::anatomy::PartId;
use crate::model::{
    Availability, BitFieldKind, Bound, Condition, Field, FieldKind, Form, InstructionId, ListId, ListKind,
    MemberType, Model, PageKind, Place, Platform, Presence, Reference, Selected, Selection, Structure, StructureId,
    TextForm, TypeId, targets,
};
use crate::phrase::number;
use crate::template::{self, Item};

/// Resolves all references of a model.
pub(crate) fn names(model: &mut Model) {
    instructions(model);
    types(model);
    platforms(model);
    structures(model);
    classes(model);
    forms(model);
    let lists: Vec<_> = (0..model.lists.len()).map(ListId).collect();
    for id in lists {
        let Some(mut text) = model.lists[id.0].text.take() else { continue };
        place_items(&mut text.items, &|name| {
            Some(Place { field: part(model, FieldKind::List(id), name)?, part: None })
        });
        model.lists[id.0].text = Some(text);
    }
}

/// Resolves instructions by name.
fn instructions(model: &mut Model) {
    let known: Vec<String> = model.instructions.iter().map(|i| i.name.clone()).collect();
    let find = |r: &mut Reference<InstructionId>| r.to = known.iter().position(|n| *n == r.name).map(InstructionId);
    selections(model, &known);
    for instruction in &mut model.instructions {
        if let PageKind::Alias { of, .. } = &mut instruction.kind {
            find(of);
        }
    }
}

/// Resolves the instructions, groups and checks of verification.md by name.
fn selections(model: &mut Model, known: &[String]) {
    let groups: Vec<String> = model.groups.iter().map(|g| g.name.clone()).collect();
    let checks: Vec<String> = model.checks.iter().map(|c| c.name.clone()).collect();
    let find = |selection: &mut Selection, groups: &[String]| {
        for term in &mut selection.0 {
            let name = &term.name.name;
            let at = |all: &[String]| all.iter().position(|n| n == name);
            term.name.to = match name.as_str() {
                "all" => Some(Selected::All),
                "typed" => Some(Selected::Typed),
                "mapped" => Some(Selected::Mapped),
                _ => at(groups)
                    .map(Selected::Group)
                    .or_else(|| at(known).map(|at| Selected::Instruction(InstructionId(at)))),
            };
        }
    };
    for (at, group) in model.groups.iter_mut().enumerate() {
        // Only earlier groups, so that no group contains itself.
        find(&mut group.instructions, &groups[..at]);
    }
    model.accepted.iter_mut().for_each(|a| find(&mut a.instructions, &groups));
    model.constraints.iter_mut().for_each(|c| find(&mut c.instructions, &groups));
    for accepted in &mut model.accepted {
        accepted.check.to = checks.iter().position(|n| *n == accepted.check.name);
    }
}

/// Resolves data types by name.
fn types(model: &mut Model) {
    let types = &model.types;
    let find = |r: &mut Reference<TypeId>| r.to = types.iter().position(|t| t.name == r.name).map(TypeId);
    for instruction in &mut model.instructions {
        instruction.types.iter_mut().for_each(|(ty, _)| find(ty));
        instruction.type_maps.iter_mut().flat_map(|map| map.dst.iter_mut().chain(&mut map.src)).for_each(find);
        instruction.forms.iter_mut().flat_map(|f| &mut f.fields).flat_map(|f| &mut f.types).for_each(find);
    }
    model.predefined.iter_mut().for_each(|p| find(&mut p.ty));
}

/// Resolves platforms by name and alias, ignoring case.
fn platforms(model: &mut Model) {
    let known = std::mem::take(&mut model.platforms);
    let called = |p: &Platform, name: &str| {
        p.name.eq_ignore_ascii_case(name) || p.aliases.iter().any(|a| a.eq_ignore_ascii_case(name))
    };
    let find = |r: &mut Reference<usize>| r.to = known.iter().position(|p| called(p, &r.name));
    let mark = |bound: &mut Bound| match bound {
        Bound::From(p) | Bound::Before(p) | Bound::Only(p) => find(p),
        Bound::FromVersion(..) | Bound::BeforeVersion(..) => {}
    };
    each_marks(model, &mut |marks| marks.0.iter_mut().for_each(mark));
    model.support.iter_mut().flat_map(|row| &mut row.platforms).for_each(|(p, _)| find(p));
    model.platforms = known;
}

/// Visits all marks of a model.
fn each_marks(model: &mut Model, out: &mut dyn FnMut(&mut Availability)) {
    for i in &mut model.instructions {
        i.types.iter_mut().for_each(|(_, marks)| out(marks));
        i.platforms.iter_mut().chain(i.type_maps.iter_mut().map(|m| &mut m.marks)).for_each(&mut *out);
        for form in &mut i.forms {
            out(&mut form.versions);
            for field in &mut form.fields {
                field.storage.iter_mut().for_each(|(marks, _)| out(marks));
                field.only.iter_mut().flat_map(|o| &mut o.values).for_each(|(_, marks)| out(marks));
            }
        }
    }
    let kinds = model.lists.iter_mut().map(|l| &mut l.kind).chain(model.spelled.iter_mut().map(|s| &mut s.kind));
    for kind in kinds {
        match kind {
            ListKind::Enumeration { values, .. } => values.iter_mut().for_each(|v| out(&mut v.marks)),
            ListKind::Parts(parts) => parts.iter_mut().for_each(|p| out(&mut p.marks)),
        }
    }
    let members = model.structures.iter_mut().flat_map(|s| &mut s.members);
    members.flat_map(|m| &mut m.storage).for_each(|(marks, _)| out(marks));
    let rules = model.accepted.iter_mut().map(|a| &mut a.platforms);
    let rules = rules.chain(model.constraints.iter_mut().map(|c| &mut c.platforms));
    rules.chain(model.index.iter_mut().map(|line| &mut line.platforms)).flatten().for_each(out);
}

/// Resolves the structures of members, and the members that count others.
fn structures(model: &mut Model) {
    let known: Vec<String> = model.structures.iter().map(|s| s.name.clone()).collect();
    for structure in &mut model.structures {
        let members: Vec<String> = structure.members.iter().map(|m| m.name.clone()).collect();
        for member in &mut structure.members {
            for (_, ty) in &mut member.storage {
                if let MemberType::Structure(r) = ty {
                    r.to = known.iter().position(|name| *name == r.name).map(StructureId);
                }
            }
            if let Some(count) = &mut member.count {
                count.to = members.iter().position(|name| *name == count.name);
            }
        }
        let data: Vec<bool> = structure.members.iter().map(|m| m.data_type).collect();
        for condition in structure.members.iter_mut().filter_map(|m| m.presence.as_mut()) {
            let Condition { of, values } = condition;
            let at = members.iter().position(|name| *name == of.name);
            of.to = at.map(|field| Place { field, part: None });
            for value in values {
                value.to = match at.is_some_and(|at| data[at]) {
                    true => model.types.iter().find(|t| t.name.eq_ignore_ascii_case(&value.name)).map(|t| t.code),
                    false => number(&value.name),
                };
            }
        }
    }
}

/// Resolves operand classes: the part of the tag, the structures, and the fields that accept the
/// classes.
fn classes(model: &mut Model) {
    let classed: Vec<(StructureId, String)> = (0..)
        .map(StructureId)
        .zip(&model.structures)
        .filter_map(|(id, s)| Some((id, s.class.as_ref()?.name.clone())))
        .collect();
    model.class_part = class_part(model, &classed);
    let list = model.class_part.and_then(|id| model.names_list(FieldKind::List(id.list), Some(id.position)));
    let codes: Vec<_> =
        classed.iter().map(|(id, name)| (*id, list.and_then(|list| code(model, list, name)))).collect();
    for (id, code) in codes {
        model.structures[id.0].class.iter_mut().for_each(|class| class.to = code);
    }
    for r in model
        .instructions
        .iter_mut()
        .flat_map(|i| &mut i.forms)
        .flat_map(|f| &mut f.fields)
        .flat_map(|f| &mut f.classes)
    {
        r.to = classed.iter().find(|(_, name)| name.eq_ignore_ascii_case(&r.name)).map(|(id, _)| *id);
    }
}

/// Returns the part of a tag whose values are the operand classes of the structures.
fn class_part(model: &Model, classed: &[(StructureId, String)]) -> Option<PartId> {
    let is_union = |s: &&Structure| s.members.iter().any(|m| m.storage.iter().any(|(_, t)| *t == MemberType::Info));
    let tagged = model.structures.iter().find(is_union)?;
    let tag = tagged.members.iter().find_map(|m| if let FieldKind::List(id) = m.shape { Some(id) } else { None })?;
    let ListKind::Parts(parts) = &model.list(tag).kind else { return None };
    let has_all = |position: &usize| {
        let list = model.names_list(FieldKind::List(tag), Some(*position));
        list.is_some_and(|list| classed.iter().all(|(_, name)| code(model, list, name).is_some()))
    };
    (0..parts.len()).find(has_all).map(|position| PartId { list: tag, position })
}

/// Resolves the names in forms, and the templates for each form.
fn forms(model: &mut Model) {
    let mut instructions = std::mem::take(&mut model.instructions);
    for instruction in &mut instructions {
        let names: Vec<String> = instruction.forms.iter().map(|f| f.name.clone()).collect();
        for form in instruction.text.iter_mut().filter_map(|t| t.form.as_mut()) {
            form.to = names.iter().position(|name| name.eq_ignore_ascii_case(&form.name));
        }
        for (number, form) in instruction.forms.iter_mut().enumerate() {
            let own = form.clone();
            if let Some(selector) = &mut form.condition {
                condition(model, &own, selector);
                selector.of.to = self::selector(model, &own, &selector.of.name);
                values(model, &own, selector);
            }
            for field in &mut form.fields {
                if let Presence::If(stored) = &mut field.presence {
                    condition(model, &own, stored);
                }
                field.default_if.iter_mut().for_each(|default| condition(model, &own, default));
                for only in &mut field.only {
                    if let Some(r) = &mut only.part {
                        r.to = part(model, field.shape, &r.name);
                    }
                    let of = only.part.as_ref().map_or(Some(None), |r| r.to.map(Some));
                    let list = of.and_then(|part| model.names_list(field.shape, part));
                    only.values.iter_mut().for_each(|(r, _)| r.to = list.and_then(|id| code(model, id, &r.name)));
                }
            }
            form.texts = instruction.text.iter().filter_map(|text| in_form(model, form, number, text)).collect();
        }
        for asked in instruction.text.iter_mut().flat_map(|text| &mut text.conditions) {
            let has = |form: &&Form| place(model, form, &asked.of.name).is_some();
            if let Some(form) = instruction.forms.iter().find(has) {
                condition(model, form, asked);
            }
        }
    }
    model.instructions = instructions;
}

/// Returns a template with places of a form, if it can apply to the form.
fn in_form(model: &Model, form: &Form, number: usize, text: &TextForm) -> Option<TextForm> {
    let mut out = text.clone();
    if text.form.as_ref().is_some_and(|r| r.to != Some(number)) {
        return None;
    }
    place_items(&mut out.template.items, &|name| place(model, form, name));
    out.conditions.iter_mut().for_each(|c| condition(model, form, c));
    // The selector of the form decides conditions on the same field.
    let overlaps = |c: &Condition| match &form.condition {
        Some(selector) if selector.of.to == c.of.to => {
            targets(&c.values).any(|v| targets(&selector.values).any(|s| s == v))
        }
        _ => c.of.to.is_some(),
    };
    (template::places(&out.template.items).len() == text.template.fields().len()
        && out.conditions.iter().all(overlaps))
    .then_some(out)
}

/// Resolves the fields that items name.
fn place_items(items: &mut [Item], find: &dyn Fn(&str) -> Option<Place>) {
    for item in items {
        match item {
            Item::Field { field, part, place, .. } => {
                *place = match part {
                    Some(part) => find(&format!("{field}.{part}")),
                    None => find(field),
                }
            }
            Item::Optional(items) | Item::Shown(items) => place_items(items, find),
            Item::Text(_) | Item::Space(_) | Item::Predicate | Item::Saturation => {}
        }
    }
}

fn condition(model: &Model, form: &Form, condition: &mut Condition) {
    condition.of.to = place(model, form, &condition.of.name);
    values(model, form, condition);
}

fn values(model: &Model, form: &Form, condition: &mut Condition) {
    let of = condition.of.to;
    condition.values.iter_mut().for_each(|r| r.to = of.and_then(|place| value(model, form, place, &r.name)));
}

/// Resolves `Field` to a field of a form, or `Field.part` to its part; `p` is the predicate.
pub(crate) fn place(model: &Model, form: &Form, name: &str) -> Option<Place> {
    let (name, part) = name.split_once('.').map_or((name, None), |(field, part)| (field, Some(part)));
    let is = |f: &Field| {
        f.name.eq_ignore_ascii_case(name) || (name.eq_ignore_ascii_case("p") && f.shape == FieldKind::Predicate)
    };
    let field = form.fields.iter().position(is)?;
    let Some(part) = part else { return Some(Place { field, part: None }) };
    Some(Place { field, part: Some(self::part(model, form.fields[field].shape, part)?) })
}

/// Returns the part with this name.
fn part(model: &Model, shape: FieldKind, name: &str) -> Option<usize> {
    let FieldKind::List(id) = shape else { return None };
    let ListKind::Parts(parts) = &model.list(id).kind else { return None };
    parts.iter().position(|p| p.name.eq_ignore_ascii_case(name))
}

/// Resolves the selector of a form: a field or a part with named values.
fn selector(model: &Model, form: &Form, name: &str) -> Option<Place> {
    let named = |place: &Place| model.names_list(form.fields[place.field].shape, place.part).is_some();
    if let Some(found) = place(model, form, name).filter(named) {
        return Some(found);
    }
    // The vendor's pages name a part that has no name in its list: the only part with values.
    let Place { field, .. } = place(model, form, name.split_once('.')?.0)?;
    let FieldKind::List(id) = form.fields[field].shape else { return None };
    let ListKind::Parts(parts) = &model.list(id).kind else { return None };
    let mut all = (0..parts.len()).map(|part| Place { field, part: Some(part) }).filter(named);
    all.next().filter(|_| all.next().is_none())
}

/// Resolves a name or a number to a value at a place.
pub(crate) fn value(model: &Model, form: &Form, place: Place, name: &str) -> Option<u64> {
    let shape = form.fields[place.field].shape;
    if let Some(id) = model.names_list(shape, place.part) {
        return code(model, id, name);
    }
    let flag = model.part_at(form, place).is_some_and(|p| p.kind == BitFieldKind::Flag);
    match name.to_ascii_lowercase().as_str() {
        "false" if flag => Some(0),
        "true" if flag => Some(1),
        _ => number(name),
    }
}

/// Returns the value with this name in a list.
fn code(model: &Model, id: ListId, name: &str) -> Option<u64> {
    model.values(id).iter().find(|v| v.name.eq_ignore_ascii_case(name)).map(|v| v.value)
}
