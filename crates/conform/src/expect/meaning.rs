//! Meaning of a model's facts, from the model alone: versions, platforms, bits and conditions. The
//! generated code has its own implementation; this module is the independent second one.

use visakit_codegen::anatomy::{ColumnId, PartId};
use visakit_codegen::model::{
    Access, Availability, BitField, BitFieldKind, Bound, CellValue, Enumerator, Field, FieldKind, Form, Instruction,
    ListId, ListKind, Model, PageKind, Presence, SourceSpan, Storage,
};

use visakit::rt::Version;

/// Returns true if the marks of object versions include a version.
pub(crate) fn holds(marks: &Availability, version: Version) -> bool {
    marks.0.iter().all(|mark| match *mark {
        Bound::FromVersion(major, minor) => version >= Version::new(major, minor),
        Bound::BeforeVersion(major, minor) => version < Version::new(major, minor),
        Bound::From(_) | Bound::Before(_) | Bound::Only(_) => true,
    })
}

/// Returns true if the marks of platforms include a platform. Without a platform, and for names
/// that are not platforms, returns true.
pub(crate) fn on(marks: &Availability, one: Option<usize>) -> bool {
    let Some(one) = one else { return true };
    marks.0.iter().all(|mark| match mark {
        Bound::From(from) => from.to.is_none_or(|from| one >= from),
        Bound::Before(before) => before.to.is_none_or(|before| one < before),
        Bound::Only(only) => only.to.is_none_or(|only| one == only),
        Bound::FromVersion(..) | Bound::BeforeVersion(..) => true,
    })
}

/// Returns true if an instruction exists on a platform.
pub(crate) fn exists_on(instruction: &Instruction, one: Option<usize>) -> bool {
    instruction.platforms.is_empty() || instruction.platforms.iter().any(|marks| on(marks, one))
}

/// Returns true if a page has its own encoding.
pub(crate) fn encodes(instruction: &Instruction) -> bool {
    matches!(instruction.kind, PageKind::Ordinary | PageKind::Undefined) && !instruction.forms.is_empty()
}

/// Returns the storage of a number in a version: the first type whose marks hold.
pub(crate) fn storage(types: &[(Availability, Storage)], version: Version) -> Storage {
    types.iter().find(|(marks, _)| holds(marks, version)).or(types.last()).map_or(Storage::Ub, |(_, s)| *s)
}

/// Returns a value with the low `width` bits set.
pub(crate) fn ones(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Returns the smallest and the largest number of a storage.
pub(crate) fn limits(storage: Storage) -> (i128, i128) {
    let bits = storage.bits();
    match storage {
        Storage::B | Storage::W | Storage::D | Storage::Q => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        _ => (0, (1i128 << bits) - 1),
    }
}

/// Appends a number in its storage, in little-endian order.
pub(crate) fn put(out: &mut Vec<u8>, storage: Storage, value: u64) {
    out.extend_from_slice(&value.to_le_bytes()[..storage.bits() as usize / 8]);
}

/// Bits of a list, with nested lists resolved.
#[derive(Clone, Debug)]
pub(crate) struct Bits<'m> {
    /// Name of the part; empty if the list is one enumeration.
    pub(crate) name: &'m str,
    /// Lowest bit.
    pub(crate) lo: u32,
    /// Number of bits.
    pub(crate) width: u32,
    /// Kind of the bits.
    pub(crate) what: BitsKind<'m>,
    /// Part with these bits, if the page describes it.
    pub(crate) part: Option<PartId>,
    /// List of the values of these bits.
    pub(crate) values: Option<ListId>,
    /// Name of the shared list of the bits' values; empty if the values are listed with the field.
    pub(crate) list: &'m str,
    /// True if the shared list is independent: its values are the same at every reference.
    pub(crate) nested: bool,
    /// Place of the definition of these bits.
    pub(crate) at: SourceSpan,
}

/// Kind of some bits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BitsKind<'m> {
    /// Always zero.
    Zero,
    /// Flag with its spelling.
    Flag(&'m str),
    /// Plain number.
    Number,
    /// Enumerators, including the holes that the page states.
    Values(&'m [Enumerator]),
    /// Code of a data type.
    DataType,
}

impl<'m> Bits<'m> {
    /// Returns the position of the part in its list.
    pub(crate) fn position(&self) -> Option<usize> {
        self.part.map(|part| part.position)
    }

    /// Returns the cell of a column for these bits of a whole value.
    pub(crate) fn said(&self, whole: u64, column: ColumnId) -> Option<&'m CellValue> {
        let BitsKind::Values(values) = self.what else { return None };
        self.cell(named(values, self.of(whole))?, column)
    }

    /// Returns the cell of a column for one of the list's values.
    pub(crate) fn cell(&self, value: &'m Enumerator, column: ColumnId) -> Option<&'m CellValue> {
        let of_list = self.values == Some(column.list);
        value.cells.get(column.position).map(|cell| &cell.value).filter(|_| of_list)
    }

    /// Extracts the value of these bits from a whole value.
    pub(crate) fn of(&self, whole: u64) -> u64 {
        whole >> self.lo & ones(self.width)
    }

    /// Returns a whole value with these bits replaced.
    pub(crate) fn set(&self, whole: u64, value: u64) -> u64 {
        whole & !(ones(self.width) << self.lo) | (value & ones(self.width)) << self.lo
    }
}

/// Returns all bits of a list in ascending order; bits that the page does not describe are zeros.
pub(crate) fn bits(model: &Model, id: ListId) -> Vec<Bits<'_>> {
    let list = model.list(id);
    let mut out: Vec<Bits<'_>> = Vec::new();
    match &list.kind {
        ListKind::Enumeration { lo, width, values } => {
            out.push(Bits {
                name: "",
                lo: *lo,
                width: *width,
                what: BitsKind::Values(values),
                part: None,
                values: Some(id),
                list: shared(model, id),
                nested: false,
                at: list.at,
            });
        }
        ListKind::Parts(parts) => {
            out.extend(parts.iter().enumerate().map(|part| bits_of_part(model, id, part)));
        }
    }
    out.sort_by_key(|b| b.lo);
    for (lo, width) in holes(&out, list.bits) {
        out.push(Bits {
            name: "",
            lo,
            width,
            what: BitsKind::Zero,
            part: None,
            values: None,
            list: shared(model, id),
            nested: false,
            at: list.at,
        });
    }
    out
}

/// Returns the name of a list if it is shared, otherwise an empty text.
fn shared(model: &Model, id: ListId) -> &str {
    if model.list(id).shared { &model.list(id).name } else { "" }
}

/// Returns the bits of the part at a position of a list.
fn bits_of_part<'m>(model: &'m Model, id: ListId, (position, part): (usize, &'m BitField)) -> Bits<'m> {
    let (what, list, nested) = match part.kind {
        BitFieldKind::Zero => (BitsKind::Zero, shared(model, id), false),
        BitFieldKind::Flag => (BitsKind::Flag(&part.text), shared(model, id), false),
        BitFieldKind::Number => (BitsKind::Number, shared(model, id), false),
        BitFieldKind::DataType => (BitsKind::DataType, "Data_type", true),
        BitFieldKind::Enumeration(nested) => match &model.list(nested).kind {
            // A list that belongs to its part is named after page and part.
            ListKind::Enumeration { values, .. }
                if model.list(nested).shared
                    && model.list(nested).name != format!("{}_{}", model.list(id).name, part.name) =>
            {
                (BitsKind::Values(values), shared(model, nested), true)
            }
            ListKind::Enumeration { values, .. } => (BitsKind::Values(values), shared(model, id), false),
            ListKind::Parts(_) => (BitsKind::Number, shared(model, id), false),
        },
    };
    let width = part.hi.saturating_sub(part.lo) + 1;
    let values = match part.kind {
        BitFieldKind::Enumeration(nested) => Some(nested),
        _ => None,
    };
    Bits {
        name: &part.name,
        lo: part.lo,
        width,
        what,
        part: Some(PartId { list: id, position }),
        values,
        list,
        nested,
        at: part.at,
    }
}

/// Returns the first bits and widths of the holes between sorted bits, up to `bits`.
fn holes(all: &[Bits<'_>], bits: u32) -> Vec<(u32, u32)> {
    let mut at = 0;
    let mut holes = Vec::new();
    for b in all {
        if b.lo > at {
            holes.push((at, b.lo - at));
        }
        at = at.max(b.lo + b.width);
    }
    if bits > at {
        holes.push((at, bits - at));
    }
    holes
}

/// Returns the bits of a part.
pub(crate) fn bits_of(model: &Model, part: PartId) -> Option<Bits<'_>> {
    model.part(part)?;
    bits(model, part.list).into_iter().find(|b| b.part == Some(part))
}

/// Returns the enumerator of a value, if it has a name.
pub(crate) fn named(values: &[Enumerator], value: u64) -> Option<&Enumerator> {
    values.iter().find(|v| !v.reserved && v.value == value)
}

/// Returns true if a value of some bits has a meaning.
pub(crate) fn meant(model: &Model, bits: &Bits<'_>, value: u64) -> bool {
    match bits.what {
        BitsKind::Zero => value == 0,
        BitsKind::Flag(_) | BitsKind::Number => true,
        BitsKind::Values(values) => named(values, value).is_some(),
        BitsKind::DataType => model.types.iter().any(|t| t.code == value && model.object_type(t).is_none()),
    }
}

/// Returns the default value of bits: zero if it has a meaning, otherwise the first named value.
pub(crate) fn usual(model: &Model, bits: &Bits<'_>) -> u64 {
    if meant(model, bits, 0) {
        return 0;
    }
    match bits.what {
        BitsKind::Values(values) => values.iter().find(|v| !v.reserved).map_or(0, |v| v.value),
        BitsKind::DataType => model.types.first().map_or(0, |t| t.code),
        _ => 0,
    }
}

/// Returns the default value of a whole list.
pub(crate) fn usual_of_list(model: &Model, id: ListId) -> u64 {
    bits(model, id).iter().fold(0, |whole, b| b.set(whole, usual(model, b)))
}

/// Returns the position of a field by the implementation's name for it; `p` is the predicate.
pub(crate) fn field(form: &Form, name: &str) -> Option<usize> {
    form.fields.iter().position(|f| {
        f.name.eq_ignore_ascii_case(name) || (name.eq_ignore_ascii_case("p") && f.shape == FieldKind::Predicate)
    })
}

/// Returns the bits of a field's part; without a part, all bits with a meaning.
pub(crate) fn bits_at<'m>(model: &'m Model, field: &Field, part: Option<usize>) -> Option<Bits<'m>> {
    let FieldKind::List(id) = field.shape else { return None };
    bits(model, id).into_iter().find(|b| b.position() == part && !matches!(b.what, BitsKind::Zero))
}

/// Returns true if a field is only the count of another field.
pub(crate) fn counted_by(form: &Form, position: usize) -> Option<usize> {
    form.fields.iter().position(|f| f.presence == Presence::Times(position))
}

/// Returns true if an instruction writes the variable that a field names.
pub(crate) fn is_written(field: &Field) -> bool {
    matches!(field.access, Access::Write | Access::ReadWrite)
}

/// Returns the position of the destination to which modifiers and types apply: the first written
/// operand with a region.
pub(crate) fn destination(form: &Form) -> Option<usize> {
    form.fields.iter().position(|f| matches!(f.shape, FieldKind::Vector | FieldKind::Scalar) && is_written(f))
}
