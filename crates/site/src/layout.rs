//! Drawings of layouts: the fields of an instruction in storage order, and the bits of a field.

use visakit_codegen::model::Storage;
use visakit_spec_tools::export::{
    BitField, BitFieldKind, Field, FieldKind, Form, Instruction, List, ListKind, Presence,
};

use crate::drawing::{Anchor, Drawing, Size, Svg, length};
use crate::marks;

/// Width of a drawing; the next box starts a new line.
const WIDTH: f64 = 720.0;

/// Height of a box with two lines.
const BOX: f64 = 40.0;

/// Height of a row of bits.
const BITS: f64 = 26.0;

/// Draws the bytes of an instruction in one of its forms, and the bits of its bit fields.
pub(crate) fn form(instruction: &Instruction, form: &Form, lists: &[List]) -> Svg {
    let mut drawing = Drawing::default();
    let mut at = (0.0, 14.0);
    let mut offset = Some(1);
    let code = format!("0x{:02x}", instruction.opcode);
    place(&mut drawing, &mut at, ["opcode", &code, "0"], 1);
    for field in form.fields.iter().filter(|field| !matches!(field.presence, Presence::Text)) {
        let size = bytes(field);
        let shown = offset.map_or_else(String::new, |offset: u64| offset.to_string());
        place(&mut drawing, &mut at, [&field.name, &storage(field), &shown], colour(field));
        offset = offset.zip(size).map(|(offset, size)| offset + size);
    }
    let fields = form.fields.iter().filter_map(|field| match &field.shape {
        FieldKind::List { list } => Some((field, lists.get(list.index)?)),
        _ => None,
    });
    for (field, list) in fields.filter(|(_, list)| matches!(list.kind, ListKind::Parts { .. })) {
        let y = drawing.height() + 26.0;
        drawing.text(0.0, y, Anchor::Start, Size::Heading, &format!("Bits of {}", field.name));
        bits(&mut drawing, list, y + 20.0);
    }
    let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
    let name = if form.name.is_empty() { String::new() } else { format!(", form {}", form.name) };
    drawing.finish(&format!("Layout of {}{name}: opcode, {}", instruction.name, names.join(", ")))
}

/// Draws the bits of a list.
pub(crate) fn list(list: &List) -> Svg {
    let mut drawing = Drawing::default();
    bits(&mut drawing, list, 16.0);
    let names: Vec<String> = match &list.kind {
        ListKind::Parts { parts } => {
            parts.iter().map(|part| format!("{} {}", range(part.hi, part.lo), part.name)).collect()
        }
        ListKind::Enumeration { lo, width, .. } => vec![range(lo + width.max(&1) - 1, *lo)],
    };
    drawing.finish(&format!("Bits of {}: {}", list.name, names.join(", ")))
}

/// Draws a box with a name, a type and an offset, and moves the position.
fn place(drawing: &mut Drawing, at: &mut (f64, f64), [name, kind, offset]: [&str; 3], colour: usize) {
    let width = (length(name).max(length(kind) * 0.85) + 14.0).max(44.0);
    if at.0 > 0.0 && at.0 + width > WIDTH {
        *at = (0.0, at.1 + BOX + 22.0);
    }
    let (x, y) = *at;
    drawing.rect(x, y, width, BOX, &format!("c{colour}"));
    drawing.text(x + width / 2.0, y + 17.0, Anchor::Middle, Size::Normal, name);
    drawing.text(x + width / 2.0, y + 32.0, Anchor::Middle, Size::Small, kind);
    drawing.text(x + 2.0, y - 4.0, Anchor::Start, Size::Tiny, offset);
    at.0 += width;
}

/// Returns the colour of a field: opcodes, operands, and other fields differ.
fn colour(field: &Field) -> usize {
    match field.shape {
        FieldKind::VecOperand | FieldKind::Scalar | FieldKind::RawOperand => 0,
        FieldKind::Predicate => 2,
        FieldKind::Index { .. } | FieldKind::IndexBy { .. } => 3,
        FieldKind::List { .. } => 4,
        FieldKind::Number | FieldKind::Zero | FieldKind::Copy { .. } => 5,
    }
}

/// Returns the size of a field, if it is the same in all versions and present.
fn bytes(field: &Field) -> Option<u64> {
    if !matches!(field.presence, Presence::Always) {
        return None;
    }
    let [storage] = field.storage.as_slice() else { return None };
    Storage::from_name(storage.ty).map(|storage| u64::from(storage.bits() / 8))
}

/// Returns the storage of a field in words.
pub(crate) fn storage(field: &Field) -> String {
    let kind = match field.shape {
        FieldKind::VecOperand => "vec_operand".to_owned(),
        FieldKind::Scalar => "scalar".to_owned(),
        FieldKind::RawOperand => "raw_operand".to_owned(),
        _ => {
            let one = |ty: &visakit_spec_tools::export::Typed<&'static str>| match marks::words(&ty.when) {
                when if when.is_empty() => ty.ty.to_owned(),
                when => format!("{} {when}", ty.ty),
            };
            field.storage.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    };
    match &field.presence {
        Presence::Always => kind,
        Presence::If { .. } => format!("{kind}?"),
        Presence::Times { .. } => format!("{kind} ×n"),
        Presence::Text => "text only".to_owned(),
    }
}

/// Returns the words for a range of bits.
pub(crate) fn range(hi: u32, lo: u32) -> String {
    if hi == lo { format!("[{lo}]") } else { format!("[{hi}..{lo}]") }
}

/// Draws the bits of a list from the highest to the lowest. Names that do not fit into their bits
/// stand below, at the end of a line.
fn bits(drawing: &mut Drawing, list: &List, y: f64) {
    let whole = BitField {
        name: String::new(),
        hi: 0,
        lo: 0,
        kind: BitFieldKind::Zero,
        text: String::new(),
        when: Vec::new(),
        doc: String::new(),
        at: list.at.clone(),
    };
    let parts: Vec<BitField> = match &list.kind {
        ListKind::Parts { parts } => parts.clone(),
        ListKind::Enumeration { lo, width, .. } if *width > 0 => {
            vec![BitField {
                name: "value".to_owned(),
                hi: lo + width - 1,
                lo: *lo,
                kind: BitFieldKind::Number,
                ..whole
            }]
        }
        ListKind::Enumeration { .. } => Vec::new(),
    };
    let bits = list.bits.max(parts.iter().map(|part| part.hi + 1).max().unwrap_or(1));
    let bit = (WIDTH / f64::from(bits)).floor().clamp(11.0, 44.0);
    let left = |hi: u32| f64::from(bits - 1 - hi) * bit;
    drawing.rect(0.0, y, bit * f64::from(bits), BITS, "none");
    let mut below = Vec::new();
    let mut sorted = parts;
    sorted.sort_by_key(|part| part.hi);
    for part in &sorted {
        let (x, width) = (left(part.hi), f64::from(part.hi - part.lo + 1) * bit);
        let (class, name) = match &part.kind {
            BitFieldKind::Zero => ("none", "0"),
            BitFieldKind::Flag => ("c1", part.name.as_str()),
            BitFieldKind::Number | BitFieldKind::DataType => ("c5", part.name.as_str()),
            BitFieldKind::Enumeration { .. } => ("c4", part.name.as_str()),
        };
        drawing.rect(x, y, width, BITS, class);
        drawing.text(x + 2.0, y - 4.0, Anchor::Start, Size::Tiny, &part.hi.to_string());
        if part.lo != part.hi && width > 26.0 {
            drawing.text(x + width - 2.0, y - 4.0, Anchor::End, Size::Tiny, &part.lo.to_string());
        }
        match length(name) + 4.0 <= width {
            true => drawing.text(x + width / 2.0, y + 17.0, Anchor::Middle, Size::Normal, name),
            false => below.push((x + width / 2.0, name)),
        }
    }
    // The lowest bits come first, so lines of higher bits pass to the left of the names.
    for (n, (x, name)) in below.iter().enumerate() {
        let base = y + BITS + 14.0 + n as f64 * 15.0;
        drawing.line((*x, y + BITS), (*x, base - 4.0));
        drawing.line((*x, base - 4.0), (*x + 6.0, base - 4.0));
        drawing.text(x + 9.0, base, Anchor::Start, Size::Small, name);
    }
}
