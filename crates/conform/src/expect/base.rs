//! Base instructions: a legal instruction for each page and form, whose fields have distinct values
//! where possible.

use visakit_codegen::model::{
    CellValue, Condition, Enumerator, Field, FieldKind, Form, IndexKind, Instruction, ListId, Presence, Reference,
    TypeId, targets,
};

use super::condition::Subject;
use super::meaning::{
    BitsKind, bits, bits_of, counted_by, exists_on, is_written, limits, named, on, ones, storage, usual,
};
use super::rules;
use super::sample::{Kind, Operand, Sample, Value};
use super::world::World;
use visakit::rt::Version;

/// Number of elements in repeated fields.
const REPEATED: usize = 2;

/// Width of the regions of sources.
const WIDTH: i64 = 8;

/// Returns the newest platform that has an instruction.
pub(crate) fn newest_platform(world: &World<'_>, page: &Instruction) -> Option<usize> {
    (0..world.model.platforms.len()).rev().find(|p| exists_on(page, Some(*p)))
}

/// Returns a legal instruction. If no combination of types is legal, uses the first types.
pub(crate) fn base<'m>(world: &World<'m>, page: &'m Instruction, form: &'m Form, version: Version) -> Sample<'m> {
    base_on(world, page, form, version, newest_platform(world, page))
}

/// Returns an instruction as [`base`] does, but for a platform.
pub(crate) fn base_on<'m>(
    world: &World<'m>,
    page: &'m Instruction,
    form: &'m Form,
    version: Version,
    platform: Option<usize>,
) -> Sample<'m> {
    let types = &world.types;
    let listed = |ty: &TypeId| page.types.is_empty() || page.types.iter().any(|(t, _)| t.to == Some(*ty));
    // Try the types that the page names first, because they are usually legal.
    let mut order: Vec<TypeId> = types.iter().copied().filter(listed).collect();
    order.extend(types.iter().copied().filter(|t| !listed(t)));
    let mut first = None;
    for &dst in &order {
        for &src in &order {
            let sample = typed(world, page, form, version, dst, src, platform);
            let legal =
                rules::broken(world, &sample, platform).is_empty() && rules::broken(world, &sample, None).is_empty();
            if legal {
                return sample;
            }
            first.get_or_insert(sample);
        }
    }
    let dword = world.anatomy.types.dword;
    first.unwrap_or_else(|| typed(world, page, form, version, dword, dword, platform))
}

/// Returns an instruction whose destination and sources have these types, unless a field names its
/// own types.
pub(crate) fn typed<'m>(
    world: &World<'m>,
    page: &'m Instruction,
    form: &'m Form,
    version: Version,
    dst: TypeId,
    src: TypeId,
    platform: Option<usize>,
) -> Sample<'m> {
    let mut out = Sample { page, form, version, values: vec![Value::Bits(0); form.fields.len()] };
    for (position, field) in form.fields.iter().enumerate() {
        let ty = if is_written(field) { dst } else { src };
        let one = value(world, form, field, position, ty, &out, platform);
        out.values[position] = match field.presence {
            Presence::Times(_) => Value::Many(vec![one; REPEATED]),
            Presence::Text if matches!(one, Value::Bits(_)) => Value::Bits(0),
            _ => one,
        };
    }
    // A row must not have more elements than the instruction has channels.
    if Subject::new(world, &out, platform).channels() < WIDTH as u64 {
        let sources = form.fields.iter().zip(&mut out.values).filter(|(field, _)| !is_written(field));
        for (_, value) in sources {
            if let Value::Operand(one) = value {
                *one = world.operands.region(one.clone(), Some(0), Some(1), Some(0));
            }
        }
    }
    out
}

fn value(
    world: &World<'_>,
    form: &Form,
    field: &Field,
    position: usize,
    ty: TypeId,
    so_far: &Sample<'_>,
    platform: Option<usize>,
) -> Value {
    match field.shape {
        FieldKind::Number if counted_by(form, position).is_some() => Value::Bits(0),
        FieldKind::Number => {
            let (low, high) = limits(storage(&field.storage, so_far.version));
            let (low, high) = field.range.map_or((low, high), |(a, b)| (low.max(a.into()), high.min(b.into())));
            let wanted = (position as i128 * 3 + 1).clamp(low, high.max(low));
            Value::Bits(wanted as i64 as u64)
        }
        FieldKind::List(id) => Value::Bits(list(world, field, id, form.selector_at(position), platform)),
        FieldKind::Predicate => Value::Bits(1),
        FieldKind::Index(kind) => Value::Bits(world.first(kind)),
        FieldKind::IndexBy(by) => Value::Bits(world.first(super::sample::table_of(world.model, so_far, by))),
        FieldKind::Vector | FieldKind::Scalar => {
            let ty = own_type(world, field).unwrap_or(ty);
            let first =
                || world.operands.classes.iter().find(|c| field.classes.first().and_then(|r| r.to) == Some(c.id));
            let kind = match field.classes.is_empty() || world.operands.lists(field, Kind::General) {
                true => Kind::General,
                false => first().map_or(Kind::General, |c| c.kind),
            };
            operand(world, kind, ty, is_written(field), position).map_or(Value::Bits(0), Value::Operand)
        }
        FieldKind::Raw => {
            let id = world.variable(own_type(world, field).unwrap_or(ty)).unwrap_or(world.first(IndexKind::General));
            Value::Operand(raw(world, id, position))
        }
        FieldKind::Zero | FieldKind::Copy(_) => Value::Bits(0),
    }
}

fn own_type(world: &World<'_>, field: &Field) -> Option<TypeId> {
    targets(&field.types).find(|t| world.variable(*t).is_some())
}

/// Returns a raw operand whose offset depends on its position.
pub(crate) fn raw(world: &World<'_>, id: u64, position: usize) -> Operand {
    let out = world.operands.with(world.operands.of_raw(), world.anatomy.raw.id, id);
    // The offset is at a register on all platforms.
    world.operands.with(out, world.anatomy.raw.offset, 64 * position as u64)
}

/// Returns an operand of a kind and a type whose position in its variable depends on its field.
pub(crate) fn operand(world: &World<'_>, kind: Kind, ty: TypeId, is_dst: bool, position: usize) -> Option<Operand> {
    let (operands, a) = (&world.operands, world.anatomy);
    let place = position as u64;
    let out = operands.of_kind(kind)?;
    let code = world.ty(ty).code;
    let region = |out| match is_dst {
        true => operands.region(out, None, None, Some(1)),
        false => operands.region(out, Some(WIDTH), Some(WIDTH), Some(1)),
    };
    let with = |out, members: &[(_, u64)]| members.iter().fold(out, |out, (id, v)| operands.with(out, *id, *v));
    Some(match kind {
        Kind::General => region(with(out, &[(a.general.id, world.variable(ty)?), (a.general.row_offset, place)])),
        Kind::Indirect => {
            let properties = bits_of(world.model, a.properties.indirect_type).map_or(code, |b| b.set(0, code));
            region(with(
                out,
                &[
                    (a.indirect.id, world.first(IndexKind::Address) + 1),
                    (a.indirect.addr_offset, place),
                    (a.indirect.indirect_offset, 4 * place),
                    (a.indirect.properties, properties),
                ],
            ))
        }
        Kind::Address => with(out, &[(a.address.id, 1), (a.address.offset, place)]),
        Kind::Predicate => with(out, &[(a.predicate_operand.value, 1 + place % super::world::OTHERS)]),
        Kind::Immediate => {
            with(out, &[(a.immediate.ty, code), (a.immediate.low, 17 * place + 1), (a.immediate.high, 0)])
        }
        Kind::State => {
            let id = world.first(world.state_table(&out));
            with(out, &[(a.state.id, id), (a.state.offset, place)])
        }
        Kind::Raw | Kind::Other => out,
    })
}

/// Returns a legal value of a list. Masks ignore the execution mask, because text can set that flag
/// on its own.
fn list(world: &World<'_>, field: &Field, id: ListId, selected: Option<&Condition>, platform: Option<usize>) -> u64 {
    let model = world.model;
    let all = bits(model, id);
    let mut whole = 0;
    for b in &all {
        let legal = |value: u64| match b.what {
            BitsKind::Values(values) => named(values, value).is_some_and(|v| {
                let mut only = field.only.iter().filter(|only| only.is_of(b.position()));
                let allows = |(r, marks): &(Reference<u64>, _)| r.to == Some(value) && on(marks, platform);
                on(&v.marks, platform)
                    && only.all(|only| only.values.iter().any(allows))
                    && selected.is_none_or(|c| targets(&c.values).any(|selects| selects == value))
            }),
            _ => super::meaning::meant(model, b, value),
        };
        let preferred = match b.what {
            BitsKind::Values(values) => {
                let sizes = &world.anatomy.exec_size;
                let no_mask = |v: &&Enumerator| b.cell(v, sizes.no_mask) == Some(&CellValue::Flag(true));
                // The regions of sources have rows of this many elements.
                let fits = |v: &&Enumerator| b.cell(v, sizes.channels) == Some(&CellValue::Number(WIDTH));
                values.iter().find(no_mask).or_else(|| values.iter().find(fits)).map(|v| v.value)
            }
            _ => None,
        };
        let found = preferred.into_iter().chain(0..=ones(b.width.min(16))).find(|v| legal(*v));
        whole = b.set(whole, found.unwrap_or_else(|| usual(model, b)));
    }
    if field.nonzero && whole == 0 {
        let candidates = all.iter().flat_map(|b| (1..=ones(b.width.min(8))).map(move |v| (b, v)));
        for (b, value) in candidates {
            if super::meaning::meant(model, b, value) {
                return b.set(whole, value);
            }
        }
    }
    whole
}
