//! A legal instruction of each page and form, whose fields differ from each other as far as their values allow.

use visakit_codegen::model::{
    CellValue, Enumerator, Field, FieldKind, Form, IndexKind, Instruction, ListId, Presence,
};

use super::meaning::{BitsKind, bits, counted_by, exists_on, limits, named, on, ones, said, storage, usual};
use super::rules;
use super::sample::{Operand, Sample, Value};
use super::world::World;
use visakit::rt::Version;

/// How often repeated fields are repeated.
const REPEATED: usize = 2;

/// The newest platform that has an instruction.
pub(super) fn newest_platform(world: &World<'_>, page: &Instruction) -> Option<usize> {
    (0..world.model.platforms.len()).rev().find(|p| exists_on(world.model, page, Some(*p)))
}

/// A legal instruction; where no types make it legal, the first ones.
pub(super) fn base<'m>(world: &World<'m>, page: &'m Instruction, form: &'m Form, version: Version) -> Sample<'m> {
    let platform = newest_platform(world, page);
    let types: Vec<&str> =
        world.model.types.iter().map(|t| t.name.as_str()).filter(|t| rules::of_variables(world.model, t)).collect();
    let listed = |ty: &&str| page.types.is_empty() || page.types.iter().any(|(t, _)| t == ty);
    // Types that the page names come first: they are the ones that are legal most often.
    let mut order: Vec<&str> = types.iter().copied().filter(listed).collect();
    order.extend(types.iter().copied().filter(|t| !listed(t)));
    let mut first = None;
    for dst in &order {
        for src in &order {
            let sample = typed(world, page, form, version, dst, src, platform);
            let legal =
                rules::broken(world, &sample, platform).is_empty() && rules::broken(world, &sample, None).is_empty();
            if legal {
                return sample;
            }
            first.get_or_insert(sample);
        }
    }
    first.unwrap_or_else(|| typed(world, page, form, version, "UD", "UD", platform))
}

/// An instruction whose destination and sources have these types, where the fields name none of their own.
pub(super) fn typed<'m>(
    world: &World<'m>,
    page: &'m Instruction,
    form: &'m Form,
    version: Version,
    dst: &str,
    src: &str,
    platform: Option<usize>,
) -> Sample<'m> {
    let mut out = Sample { page, form, version, values: vec![Value::Bits(0); form.fields.len()] };
    for (position, field) in form.fields.iter().enumerate() {
        let ty = if is_dst(field) { dst } else { src };
        let one = value(world, form, field, position, ty, &out, platform);
        out.values[position] = match field.presence {
            Presence::Times(_) => Value::Many(vec![one; REPEATED]),
            _ => one,
        };
    }
    out
}

/// Whether a field is the destination that types and modifiers are about.
pub(super) fn is_dst(field: &Field) -> bool {
    field.name.eq_ignore_ascii_case("dst")
}

fn value(
    world: &World<'_>,
    form: &Form,
    field: &Field,
    position: usize,
    ty: &str,
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
        FieldKind::List(id) => {
            let selected = form.condition.as_ref().filter(|(name, _)| name.eq_ignore_ascii_case(&field.name));
            Value::Bits(list(world, field, id, selected.map(|(_, values)| values.as_slice()), platform))
        }
        FieldKind::Predicate => Value::Bits(1),
        FieldKind::Index(kind) => Value::Bits(world.first(kind)),
        FieldKind::IndexBy(by) => Value::Bits(world.first(super::sample::table_of(world.model, so_far, by))),
        FieldKind::Vector | FieldKind::Scalar => {
            let ty = own_type(world, field).unwrap_or(ty);
            let class = match field.classes.iter().any(|c| c == "general") || field.classes.is_empty() {
                true => "general",
                false => field.classes.first().map_or("general", String::as_str),
            };
            operand(world, class, ty, is_dst(field), position).map_or(Value::Bits(0), Value::Operand)
        }
        FieldKind::Raw => {
            let id = world.variable(own_type(world, field).unwrap_or(ty)).unwrap_or(world.first(IndexKind::General));
            Value::Operand(raw(world, id, position))
        }
        FieldKind::Zero | FieldKind::Copy(_) => Value::Bits(0),
    }
}

fn own_type<'f>(world: &World<'_>, field: &'f Field) -> Option<&'f str> {
    field.types.iter().map(String::as_str).find(|t| rules::of_variables(world.model, t))
}

/// A raw operand; its offset tells it from those of other positions.
pub(super) fn raw(world: &World<'_>, id: u64, position: usize) -> Operand {
    let out = world.operands.with(world.operands.of_raw(), "id", id);
    world.operands.with(out, "offset", 32 * position as u64)
}

/// An operand of a class and a type; its place tells it from those of other positions.
pub(super) fn operand(world: &World<'_>, class: &str, ty: &str, is_dst: bool, position: usize) -> Option<Operand> {
    let operands = &world.operands;
    let place = position as u64;
    let out = operands.of_class(class)?;
    let code = world.model.types.iter().find(|t| t.name.eq_ignore_ascii_case(ty)).map_or(0, |t| t.code);
    let region = |out| match is_dst {
        true => operands.region(out, "", "", "1"),
        false => operands.region(out, "8", "8", "1"),
    };
    Some(match class {
        "general" => {
            let out = operands.with(out, "id", world.variable(ty)?);
            region(operands.with(out, "row_offset", place))
        }
        "indirect" => {
            let out = operands.with(out, "id", world.first(IndexKind::Address) + 1);
            let out = operands.with(out, "addr_offset", place);
            let out = operands.with(out, "indirect_offset", 4 * place);
            region(operands.with(out, "bit_properties", code))
        }
        "address" => operands.with(operands.with(out, "id", 1), "offset", place),
        "predicate" => operands.with(out, "value", 1 + place % super::world::OTHERS),
        "immediate" => {
            let out = operands.with(operands.with(out, "type", code), "low", 17 * place + 1);
            operands.with(out, "high", 0)
        }
        "state" => {
            let id = world.first(world.state_table(&out));
            operands.with(operands.with(out, "id", id), "offset", place)
        }
        _ => out,
    })
}

/// A legal value of a list. Masks are those that obey no execution mask: a text may set that flag by itself.
fn list(world: &World<'_>, field: &Field, id: ListId, selected: Option<&[String]>, platform: Option<usize>) -> u64 {
    let model = world.model;
    let all = bits(model, id);
    let mut whole = 0;
    for b in &all {
        let legal = |value: u64| match b.what {
            BitsKind::Values(values) => named(values, value).is_some_and(|v| {
                let mut only = field.only.iter().filter(|(part, _)| part.eq_ignore_ascii_case(b.name));
                on(model, &v.marks, platform)
                    && only.all(|(_, names)| {
                        names.iter().any(|(n, marks)| n.eq_ignore_ascii_case(&v.name) && on(model, marks, platform))
                    })
                    && selected.is_none_or(|names| names.iter().any(|n| n.eq_ignore_ascii_case(&v.name)))
            }),
            _ => super::meaning::meant(model, b, value),
        };
        let preferred = match b.what {
            BitsKind::Values(values) => {
                let no_mask = |v: &&Enumerator| said(b.columns, v, "NoMask") == Some(&CellValue::Flag(true));
                values.iter().find(no_mask).map(|v| v.value)
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
