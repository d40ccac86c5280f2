//! Operands of a given class, type and position, from the variables in scope.

use arbitrary::{Result, Unstructured};
use visakit::builder::immediate;
use visakit::isa::{
    AddrOpnd, AddressWidth, DataType, DataTypeClass, GenOpnd, GeneralId, IndirectOpnd, IndirectOpndBitProperties,
    Modifier, Operand, OperandClass, PredicateId, RawOperand, Region, SamplerId, Stride, SurfaceId, VecOperand,
    predefined,
};
use visakit::rt::Table;
use visakit::rt::reflect::{Field, FieldKind, Page, Saturation, SourceModifier};

use crate::scope::Scope;

/// Boundary values, drawn in addition to random numbers.
const EDGES: [u64; 12] =
    [0, 1, 2, 0x7f, 0xff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0x3f80_0000, 0x7fc0_0000, u64::MAX];

/// Field that an operand is drawn for.
pub(crate) struct Place<'a> {
    pub(crate) page: &'static Page,
    pub(crate) field: &'a Field,
    pub(crate) is_dst: bool,
    pub(crate) channels: u32,
}

/// Draws a vector operand of a class that the field accepts.
pub(crate) fn vector(
    u: &mut Unstructured<'_>,
    scope: &mut Scope,
    place: &Place<'_>,
    ty: DataType,
) -> Result<VecOperand> {
    // A field without classes accepts variables and constants.
    let usual = [OperandClass::General, OperandClass::Immediate];
    let taken = |class: &&OperandClass| match place.field.classes {
        [] => usual.contains(class),
        classes => classes.contains(&class.name()),
    };
    let classes: Vec<OperandClass> = OperandClass::ALL.iter().filter(taken).copied().collect();
    let plain = classes.contains(&OperandClass::General) && u.ratio(1, 2)?;
    let class = if plain { OperandClass::General } else { *u.choose(&classes)? };
    // Texts cannot express constants and indirect operands of some types.
    let class = if ty.operand() || !classes.contains(&OperandClass::General) { class } else { OperandClass::General };
    // Packed numbers exist only in constants, truth values only in predicates, and some types only
    // in texts.
    let held = match ty {
        DataType::Bool => DataType::Ud,
        ty => ty.element().or(ty.object_type()).unwrap_or(ty),
    };
    let operand = match class {
        OperandClass::General => Operand::General(general(u, scope, place, held)?),
        OperandClass::Indirect => Operand::Indirect(IndirectOpnd {
            id: *u.choose(&scope.addresses)?,
            addr_offset: if u.ratio(1, 4)? { u.int_in_range(0..=15)? } else { 0 },
            indirect_offset: if u.ratio(1, 4)? { u.int_in_range(-512..=511)? } else { 0 },
            bit_properties: IndirectOpndBitProperties { type_: held, ..Default::default() },
            region: region(u, place, true)?,
        }),
        OperandClass::Address => Operand::Address(AddrOpnd {
            id: *u.choose(&scope.addresses)?,
            offset: if u.ratio(1, 4)? { u.int_in_range(0..=15)? } else { 0 },
            width: *u.choose(AddressWidth::ALL)?,
        }),
        OperandClass::Predicate => return Ok(PredicateId(scope.entry(u, Table::Predicate)?).operand()),
        // A number in a message may have no type in the text.
        OperandClass::Immediate
            if place.page.types.is_empty() && place.page.type_maps.is_empty() && place.field.types.is_empty() =>
        {
            return constant(u, DataType::Ud);
        }
        OperandClass::Immediate => return constant(u, ty),
        OperandClass::State => {
            return Ok(match u.arbitrary()? {
                true => SurfaceId(scope.entry(u, Table::Surface)?).element(0),
                false => SamplerId(scope.entry(u, Table::Sampler)?).element(0),
            });
        }
    };
    let operand = VecOperand::from(operand);
    Ok(if u.ratio(1, 4)? { operand.modifier(modifier(u, place)?) } else { operand })
}

/// Draws a constant of a type, or of a packed type with these elements.
fn constant(u: &mut Unstructured<'_>, ty: DataType) -> Result<VecOperand> {
    let packs = |t: &&DataType| t.element() == Some(ty);
    let packed = DataType::ALL.iter().find(packs).filter(|t| t.packed().is_some());
    let ty = match packed {
        Some(packed) if u.ratio(1, 4)? => *packed,
        _ => ty,
    };
    let bits = if u.ratio(1, 2)? { *u.choose(&EDGES)? } else { u.arbitrary()? };
    // The unused bits of a small signed number hold its sign.
    let unused = 64 - if ty.packed().is_some() { 64 } else { ty.bits().min(64) };
    let bits = match ty.class() {
        DataTypeClass::Signed => ((bits << unused) as i64 >> unused) as u64,
        _ => bits << unused >> unused,
    };
    Ok(immediate(ty, bits))
}

fn modifier(u: &mut Unstructured<'_>, place: &Place<'_>) -> Result<Modifier> {
    let legal: &[Modifier] = match (place.is_dst, place.page.source_modifier) {
        (true, _) if place.page.saturation == Saturation::No => &[],
        (true, _) => &[Modifier::Sat],
        (false, SourceModifier::None) => &[],
        (false, SourceModifier::Arithmetic) => &[Modifier::Abs, Modifier::Negate, Modifier::NegateAbs],
        (false, SourceModifier::Logic) => &[Modifier::Not],
    };
    if legal.is_empty() { Ok(Modifier::None) } else { u.choose(legal).copied() }
}

/// Draws a general variable large enough for the region, or a predefined variable.
fn general(u: &mut Unstructured<'_>, scope: &mut Scope, place: &Place<'_>, ty: DataType) -> Result<GenOpnd> {
    let region = region(u, place, false)?;
    if u.ratio(1, 16)? {
        let same: Vec<_> = predefined::ALL.iter().filter(|p| p.data_type == ty && !p.name.is_empty()).collect();
        if !same.is_empty() {
            return Ok(GenOpnd { id: GeneralId(u.choose(&same)?.id), row_offset: 0, col_offset: 0, region });
        }
    }
    let element = (ty.bits() / 8).max(1);
    let needed = extent(&region, place) * element;
    let id = scope.variable(u, ty, needed)?;
    let room = scope.bytes(id).unwrap_or(0).saturating_sub(needed) / element;
    let (mut row, mut column) = (0, 0);
    if u.ratio(1, 2)? {
        let first = u.int_in_range(0..=room)?;
        let in_register = scope.platform.register_bytes() / element;
        (row, column) = (first / in_register, first % in_register);
    }
    Ok(GenOpnd { id, row_offset: row as u8, col_offset: column as u8, region })
}

/// Draws a usual or an arbitrary region. The vertical stride may be omitted only if each row has
/// its own address.
fn region(u: &mut Unstructured<'_>, place: &Place<'_>, has_addresses: bool) -> Result<Region> {
    let of = |vertical_stride, width, horizontal_stride| Region { vertical_stride, width, horizontal_stride };
    let numbers: Vec<Stride> = Stride::ALL.iter().copied().filter(|s| s.elements().is_some()).collect();
    if place.is_dst {
        let stride = if u.ratio(3, 4)? { Stride::N1 } else { *u.choose(&numbers)? };
        return Ok(of(Stride::Null, Stride::Null, stride));
    }
    Ok(match u.int_in_range(0..=5)? {
        0 | 1 => of(Stride::N0, Stride::N1, Stride::N0),
        2 | 3 => of(Stride::N1, Stride::N1, Stride::N0),
        4 => of(Stride::N8, Stride::N8, Stride::N1),
        _ => {
            let vertical = *u.choose(if has_addresses { Stride::ALL } else { &numbers })?;
            of(vertical, *u.choose(&numbers)?, *u.choose(&numbers)?)
        }
    })
}

/// Returns the number of elements that a region spans.
fn extent(region: &Region, place: &Place<'_>) -> u32 {
    if place.field.shape == FieldKind::Scalar {
        return 1;
    }
    let horizontal = region.horizontal_stride.elements().unwrap_or(0);
    let (Some(width), Some(vertical)) = (region.width.elements(), region.vertical_stride.elements()) else {
        return (place.channels - 1) * horizontal + 1;
    };
    let width = width.clamp(1, place.channels);
    (place.channels / width - 1) * vertical + (width - 1) * horizontal + 1
}

/// Returns true if an operand lies within its variable.
pub(crate) fn is_inside(scope: &Scope, operand: &VecOperand, place: &Place<'_>) -> bool {
    let Operand::General(general) = &operand.operand else { return true };
    let Some(ty) = scope.routine.data_type(general.id) else { return false };
    let element = (ty.bits() / 8).max(1);
    let start =
        u32::from(general.row_offset) * scope.platform.register_bytes() + u32::from(general.col_offset) * element;
    general.id == predefined::NULL
        || scope.bytes(general.id).is_some_and(|bytes| start + extent(&general.region, place) * element <= bytes)
}

/// Draws a variable of whole registers for a message, or the null variable.
pub(crate) fn raw(u: &mut Unstructured<'_>, scope: &mut Scope, field: &Field, ty: DataType) -> Result<RawOperand> {
    if u.ratio(1, 6)? {
        return Ok(predefined::NULL.raw(0));
    }
    registers(u, scope, field, ty)
}

/// Draws a variable of whole registers for a message.
pub(crate) fn registers(
    u: &mut Unstructured<'_>,
    scope: &mut Scope,
    field: &Field,
    ty: DataType,
) -> Result<RawOperand> {
    let ty = if field.types.is_empty() { ty } else { *u.choose(field.types)? };
    let register = scope.platform.register_bytes();
    let id = scope.variable(u, ty, 16 * register)?;
    let offset = if u.ratio(1, 8)? { u.int_in_range(0..=3)? * register } else { 0 };
    Ok(id.raw(offset as u16))
}
