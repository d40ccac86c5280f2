//! Lowering of structures and predefined variables.

use visakit_codegen::model::{FieldKind, IndexKind, Member, MemberType, Predefined, Structure};

use super::{Cell, Id, Kind, Lowering, is_signed, versions};

pub(super) fn lower(l: &mut Lowering<'_>) {
    let model = l.model;
    for (position, structure) in model.structures.iter().enumerate() {
        l.constant(&["structure", &structure.name], position as i64);
        one(l, structure);
    }
    for (all, table) in [
        (&model.predefined, IndexKind::General),
        (&model.surfaces, IndexKind::Surface),
        (&model.samplers, IndexKind::Sampler),
    ] {
        all.iter().for_each(|variable| predefined(l, variable, table));
    }
}

fn one(l: &mut Lowering<'_>, structure: &Structure) {
    let mut rows = Vec::new();
    for (position, member) in structure.members.iter().enumerate() {
        l.constant(&["member", &structure.name, &member.name], position as i64);
        rows.push(row(l, member));
    }
    let (members, count) = l.extend(Id::Members, rows);
    let class = structure.class.as_ref().and_then(|class| class.to).map_or(-1, u64::cast_signed);
    l.push(Id::Structures, [structure.name.as_str().into(), class.into(), members, count]);
}

fn row(l: &mut Lowering<'_>, member: &Member) -> [Cell; 7] {
    let kind = match member.storage.first().map(|(_, first)| first) {
        Some(MemberType::Structure(_)) => Kind::Structure,
        Some(MemberType::StringPool) => Kind::Strings,
        Some(MemberType::Info) => Kind::Info,
        Some(MemberType::Instructions) => Kind::Code,
        Some(MemberType::Number(_)) | None if member.data_type => Kind::DataType,
        Some(MemberType::Number(_)) | None => match member.shape {
            FieldKind::List(_) => Kind::List,
            FieldKind::Zero => Kind::Zero,
            _ => Kind::Number,
        },
    };
    let list = match member.shape {
        FieldKind::List(id) => Some(id.0),
        _ => None,
    };
    let storages = member.storage.iter().map(|(marks, stored)| {
        let (since, before) = versions(marks);
        let (bits, signed, structure) = match stored {
            MemberType::Number(storage) => (storage.bits(), is_signed(*storage), None),
            MemberType::Structure(structure) => (0, false, structure.to.map(|id| id.0)),
            MemberType::StringPool | MemberType::Info | MemberType::Instructions => (0, false, None),
        };
        [bits.into(), signed.into(), structure.into(), since, before]
    });
    let (storages, count) = l.extend(Id::Storages, storages);
    // A condition on a member tests all its bits.
    let condition = member.presence.as_ref().and_then(|condition| l.condition(condition, |_| (0, 64)));
    let counter = member.count.as_ref().and_then(|count| count.to);
    [member.name.as_str().into(), kind.into(), storages, count, list.into(), condition.into(), counter.into()]
}

fn predefined(l: &mut Lowering<'_>, variable: &Predefined, table: IndexKind) {
    let (name, ty) = (variable.name.as_str().into(), variable.ty.to.map(|id| id.0));
    l.push(Id::Predefined, [name, (table as usize).into(), variable.id.into(), ty.into()]);
}
