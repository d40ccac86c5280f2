//! Lowering of lists, data types and templates.

use visakit_codegen::model::{
    BitField, BitFieldKind, CellValue, Column, ColumnKind, Enumerator, IndexKind, List, ListId, ListKind, Model,
    NamesOf, Place,
};
use visakit_codegen::template::{Item, Style};

use super::{Cell, Id, Kind, Lowering, named};

named! {
    /// Kind of a flattened item of a template.
    Piece {
        Text "text",
        Space "space",
        Predicate "predicate",
        Saturation "saturation",
        Field "field",
        Optional "optional",
    }
}

named! {
    /// Way to print a bit field.
    PartsStyle { Number "number", Flags "flags", Template "template" }
}

named! {
    /// Kind of a column's cell: a flag and a number have a value, the others a range of rows.
    CellKind { None "none", Number "number", Flag "flag", Numbers "numbers", Words "words" }
}

pub(super) fn lower(l: &mut Lowering<'_>) {
    CellKind::ALL.iter().for_each(|(kind, name)| l.constant(&["cell", name], *kind as i64));
    Piece::ALL.iter().for_each(|(piece, name)| l.constant(&["item", name], *piece as i64));
    PartsStyle::ALL.iter().for_each(|(style, name)| l.constant(&["style", name], *style as i64));
    l.constant(&["format", "plain"], Style::Plain as i64);
    for (style, name) in Style::NAMES {
        // Two formats differ in case only.
        let name = if style == Style::UpperHex { "upper_hex" } else { name };
        l.constant(&["format", name], style as i64);
    }
    for kind in IndexKind::ALL {
        l.constant(&["table", kind.name()], kind as i64);
    }
    let model = l.model;
    for ty in &model.types {
        let stored = model.object_type(ty).is_none();
        let name = ty.name.to_ascii_lowercase();
        l.push(Id::Types, [name.as_str().into(), ty.code.into(), ty.bits.into(), stored.into()]);
    }
    for (position, list) in model.lists.iter().enumerate() {
        if list.shared {
            l.constant(&["list", &list.name], position as i64);
        }
        match &list.kind {
            ListKind::Enumeration { .. } => enumeration(l, ListId(position), list),
            ListKind::Parts(parts) => bit_field(l, ListId(position), list, parts),
        }
    }
}

fn enumeration(l: &mut Lowering<'_>, id: ListId, list: &List) {
    let ListKind::Enumeration { lo, width, values } = &list.kind else { return };
    let newer = list.newer_spellings();
    let mut rows = Vec::new();
    for (position, value) in values.iter().filter(|v| !v.reserved).enumerate() {
        if list.shared {
            l.constant(&["value", &list.name, &value.name], value.value.cast_signed());
        }
        let own = newer.iter().filter(|(of, ..)| *of == position);
        let (first, count) = l.extend(Id::Newer, own.map(|(_, since, text)| [(*since).into(), (*text).into()]));
        let (name, text) = (value.name.as_str(), value.text.as_str());
        let cells = cells(l, list, value);
        rows.push([name.into(), text.into(), value.value.into(), first, count, cells]);
    }
    let (columns, column_count) = l.extend(Id::Columns, list.columns.iter().map(|c| [c.name.as_str().into()]));
    let (values, value_count) = l.extend(Id::Values, rows);
    let (name, default, zero) = (list.name.as_str(), default_bits(l, id), || Cell::from(0u32));
    let (bits, lo, width) = (list.bits.into(), (*lo).into(), (*width).into());
    let row = [name.into(), bits, true.into(), lo, width, values, value_count, zero(), zero()];
    let rest = [zero(), zero(), zero(), default.into(), columns, column_count];
    l.push(Id::Lists, row.into_iter().chain(rest).collect::<Vec<_>>());
}

/// Appends the cells of a value, in the order of the list's columns; returns the position of the
/// first.
fn cells(l: &mut Lowering<'_>, list: &List, value: &Enumerator) -> Cell {
    let mut rows = Vec::new();
    for (column, cell) in list.columns.iter().zip(&value.cells) {
        let none = || (Cell::from(0u32), Cell::from(0u32));
        let (kind, value, (first, count)) = match &cell.value {
            CellValue::None => (CellKind::None, 0, none()),
            CellValue::Number(number) => (CellKind::Number, *number, none()),
            CellValue::Flag(flag) => (CellKind::Flag, i64::from(*flag), none()),
            CellValue::Numbers(all) => (CellKind::Numbers, 0, l.numbers(all.iter().copied())),
            CellValue::Names(names) => {
                let model = l.model;
                let words = names.iter().map(|name| [name.as_str().into(), code_of(model, column, name).into()]);
                (CellKind::Words, 0, l.extend(Id::Words, words))
            }
        };
        rows.push([(kind as usize).into(), value.into(), first, count]);
    }
    l.extend(Id::Cells, rows).0
}

/// Returns the code of a name in a column, or -1 for a column with its own names.
fn code_of(model: &Model, column: &Column, name: &str) -> i64 {
    let code = match column.kind {
        ColumnKind::Names { of: NamesOf::List(id), .. } => {
            model.values(id).iter().find(|value| value.name == name).map(|value| value.value)
        }
        ColumnKind::Names { of: NamesOf::DataTypes, .. } => {
            model.types.iter().find(|ty| ty.name.eq_ignore_ascii_case(name)).map(|ty| ty.code)
        }
        _ => None,
    };
    code.map_or(-1, u64::cast_signed)
}

fn bit_field(l: &mut Lowering<'_>, id: ListId, list: &List, all: &[BitField]) {
    let mut rows = Vec::new();
    for (position, part) in all.iter().enumerate() {
        if list.shared && part.kind != BitFieldKind::Zero {
            l.constant(&["part", &list.name, &part.name], position as i64);
        }
        rows.push(part_row(l, part));
    }
    let (parts, part_count) = l.extend(Id::Parts, rows);
    let is_predicate = l.model.anatomy.as_ref().is_some_and(|a| a.predicate.list == id);
    let used = || all.iter().filter(|p| p.kind != BitFieldKind::Zero);
    // Predicates need names of variables and are printed by the runtime.
    let (style, template) = match &list.text {
        Some(template) if !is_predicate => (PartsStyle::Template, &template.items[..]),
        _ if used().next().is_some() && used().all(|p| p.kind == BitFieldKind::Flag) => (PartsStyle::Flags, &[][..]),
        _ => (PartsStyle::Number, &[][..]),
    };
    let (items, item_count) = l.extend(Id::Items, flat(template, &|place| (None, Some(place.field)), None, None));
    let (name, default, zero) = (list.name.as_str(), default_bits(l, id), || Cell::from(0u32));
    let row = [name.into(), list.bits.into(), false.into(), zero(), list.bits.into(), zero(), zero()];
    let rest = [parts, part_count, (style as usize).into(), items, item_count, default.into(), zero(), zero()];
    l.push(Id::Lists, row.into_iter().chain(rest).collect::<Vec<_>>());
}

fn part_row(l: &Lowering<'_>, part: &BitField) -> [Cell; 7] {
    let (kind, list) = match part.kind {
        BitFieldKind::Zero => (Kind::Zero, None),
        BitFieldKind::Flag => (Kind::Flag, None),
        BitFieldKind::Number => (Kind::Number, None),
        BitFieldKind::DataType => (Kind::DataType, None),
        BitFieldKind::Enumeration(id) => (Kind::List, Some(id.0)),
    };
    let (name, text) = (part.name.as_str().into(), part.text.as_str().into());
    let width = part.hi - part.lo + 1;
    [name, text, kind.into(), part.lo.into(), width.into(), list.into(), part_default(l, part).into()]
}

/// Returns the default of a part: that of its list, the first data type, or zero.
fn part_default(l: &Lowering<'_>, part: &BitField) -> u64 {
    match part.kind {
        BitFieldKind::Enumeration(id) => default_bits(l, id),
        BitFieldKind::DataType => l.model.types.first().map_or(0, |t| t.code),
        BitFieldKind::Zero | BitFieldKind::Flag | BitFieldKind::Number => 0,
    }
}

/// Returns the bits of a list's default: code 0, or the first named value.
fn default_bits(l: &Lowering<'_>, id: ListId) -> u64 {
    match &l.model.list(id).kind {
        ListKind::Enumeration { lo, values, .. } => {
            let mut named = values.iter().filter(|v| !v.reserved).map(|v| v.value);
            named.clone().find(|code| *code == 0).or(named.next()).unwrap_or(0) << lo
        }
        ListKind::Parts(parts) => parts.iter().fold(0, |bits, part| bits | part_default(l, part) << part.lo),
    }
}

/// Flattens the items of a template; an optional group precedes its items and has their number.
/// `place` returns field and part of a place. Predicate and saturation are those of the given
/// fields.
pub(super) fn flat(
    items: &[Item],
    place: &dyn Fn(Place) -> (Option<usize>, Option<usize>),
    predicate: Option<usize>,
    destination: Option<usize>,
) -> Vec<[Cell; 6]> {
    let mut out: Vec<[Cell; 6]> = Vec::new();
    let row = |piece: Piece, text: &str, at: (Option<usize>, Option<usize>), format: Style, count: usize| {
        [(piece as usize).into(), text.into(), at.0.into(), at.1.into(), (format as usize).into(), count.into()]
    };
    let plain = |piece, text: &str, field, count| row(piece, text, (field, None), Style::Plain, count);
    for item in items {
        match item {
            Item::Text(text) => out.push(plain(Piece::Text, text, None, 0)),
            Item::Space(count) => out.push(plain(Piece::Space, "", None, *count)),
            Item::Predicate if predicate.is_some() => out.push(plain(Piece::Predicate, "", predicate, 0)),
            Item::Saturation if destination.is_some() => out.push(plain(Piece::Saturation, ".sat", destination, 0)),
            Item::Field { place: Some(at), format, .. } => out.push(row(Piece::Field, "", place(*at), *format, 0)),
            Item::Predicate | Item::Saturation | Item::Field { .. } => {}
            Item::Shown(inner) => out.extend(flat(inner, place, predicate, destination)),
            Item::Optional(inner) => {
                let inner = flat(inner, place, predicate, destination);
                out.push(plain(Piece::Optional, "", None, inner.len()));
                out.extend(inner);
            }
        }
    }
    out
}
