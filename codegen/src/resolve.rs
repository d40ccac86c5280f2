//! Names become ids. What a page calls by its name is found here, once, behind the reading and again behind an overlay,
//! which puts other facts where names may lead; what is not there is a finding of the checks.

use crate::model::{Model, Reference, TypeId};

/// Resolves all references of a model.
pub(crate) fn names(model: &mut Model) {
    types(model);
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
