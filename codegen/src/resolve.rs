//! Names become ids. What a page calls by its name is found here, once, behind the reading and again behind an overlay,
//! which puts other facts where names may lead; what is not there is a finding of the checks.

use crate::model::{Availability, Bound, ListKind, MemberType, Model, Platform, Reference, StructureId, TypeId};

/// Resolves all references of a model.
pub(crate) fn names(model: &mut Model) {
    types(model);
    platforms(model);
    structures(model);
}

/// Data types, by their names.
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

/// Platforms, by their names and aliases without regard to case.
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

/// All marks of a model.
fn each_marks(model: &mut Model, out: &mut dyn FnMut(&mut Availability)) {
    for i in &mut model.instructions {
        i.types.iter_mut().for_each(|(_, marks)| out(marks));
        i.platforms.iter_mut().chain(i.type_maps.iter_mut().map(|m| &mut m.marks)).for_each(&mut *out);
        for form in &mut i.forms {
            out(&mut form.versions);
            for field in &mut form.fields {
                field.storage.iter_mut().for_each(|(marks, _)| out(marks));
                field.only.iter_mut().flat_map(|(_, values)| values).for_each(|(_, marks)| out(marks));
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
    let rules = model.rules.iter_mut().map(|r| &mut r.platforms);
    let rules = rules.chain(model.constraints.iter_mut().map(|c| &mut c.platforms));
    rules.chain(model.index.iter_mut().map(|line| &mut line.platforms)).flatten().for_each(out);
}

/// Structures that members are, and the members that count others.
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
    }
}
