//! Expected result of reading a printed text back.

use visakit_codegen::model::{FieldKind, Place, Presence, TextForm};

use super::{Printed, saturated};
use crate::expect::meaning::{bits_at, usual_of_list};
use crate::expect::sample::{Sample, Value};
use crate::expect::world::World;

/// Returns the instruction that a text stands for. Fields that the text omits have their defaults.
pub(crate) fn read_back<'m>(
    world: &World<'m>,
    sample: &Sample<'m>,
    text: &TextForm,
    printed: &Printed,
) -> Sample<'m> {
    let model = world.model;
    let mut out = sample.clone();
    for (at, one) in sample.form.fields.iter().enumerate() {
        out.values[at] = match (one.shape, &one.presence) {
            (_, Presence::Times(_)) => Value::Many(Vec::new()),
            (FieldKind::List(id), _) if one.default == 0 => Value::Bits(usual_of_list(model, id)),
            (FieldKind::Vector | FieldKind::Scalar, _) if one.default_if.is_some() => world.zero(),
            (FieldKind::Vector | FieldKind::Scalar, _) => world.null(),
            (FieldKind::Raw, _) => Value::Operand(world.operands.of_raw()),
            _ => Value::Bits(one.default as u64),
        };
    }
    for condition in &text.conditions {
        let ([value], Some(place)) = (condition.values.as_slice(), condition.of.to) else { continue };
        let Some(bits) = bits_at(model, &sample.form.fields[place.field], place.part) else { continue };
        let whole = out.values[place.field].bits();
        out.values[place.field] = Value::Bits(bits.set(whole, value.to.unwrap_or(0)));
    }
    let saturated = printed.saturated.then(|| saturated(sample.form)).flatten();
    for (Place { field: at, part }, format) in &printed.shown {
        let one = &sample.form.fields[*at];
        if let Some(bits) = part.and_then(|_| bits_at(model, one, *part)) {
            let whole = out.values[*at].bits();
            out.values[*at] = Value::Bits(bits.set(whole, bits.of(sample.values[*at].bits())));
            continue;
        }
        let read = |value: &Value| match value {
            Value::Operand(operand) => Value::Operand(world.read_operand(operand, *format, saturated == Some(*at))),
            other => other.clone(),
        };
        out.values[*at] = match &sample.values[*at] {
            Value::Many(all) => Value::Many(all.iter().map(read).collect()),
            one => read(one),
        };
    }
    out
}
