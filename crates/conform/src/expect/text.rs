//! Text of instructions, from the model's templates alone: the expected output of the printer and
//! the expected result of reading it back.

mod back;
mod operand;

use visakit_codegen::model::{
    Field, FieldKind, Form, IndexKind, ListId, Model, Place, Presence, SourceSpan, TextForm,
};
use visakit_codegen::template::{Item, Style};

use super::meaning::{Bits, BitsKind, bits, bits_at, counted_by, destination, named, usual, usual_of_list};
use super::sample::{Sample, Value, table_of};
use super::world::World;

pub(crate) use back::read_back;

/// Piece of text, and the fact that determines its spelling.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) path: String,
    pub(crate) at: SourceSpan,
}

/// Printed instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Printed {
    pub(crate) pieces: Vec<Piece>,
    /// Fields and parts that the text shows, with their formats.
    shown: Vec<(Place, Style)>,
    saturated: bool,
}

impl Printed {
    pub(crate) fn text(&self) -> String {
        self.pieces.iter().map(|p| p.text.as_str()).collect()
    }

    /// Returns the piece at a byte of the text.
    pub(crate) fn piece_at(&self, byte: usize) -> Option<&Piece> {
        let mut end = 0;
        self.pieces.iter().find(|p| {
            end += p.text.len();
            byte < end
        })
    }
}

/// Returns the templates of a form in page order, with those of full texts first.
pub(crate) fn templates<'m>(sample: &Sample<'m>) -> Vec<&'m TextForm> {
    let (full, usual): (Vec<_>, Vec<_>) = sample.form.texts.iter().partition(|t| t.template.full);
    full.into_iter().chain(usual).collect()
}

impl Printed {
    /// Returns true if the text shows every operand of the sample. An omitted operand may have any
    /// value.
    pub(crate) fn shows_operands(&self, sample: &Sample<'_>) -> bool {
        let operand = |f: &Field| matches!(f.shape, FieldKind::Vector | FieldKind::Scalar);
        sample
            .form
            .fields
            .iter()
            .enumerate()
            .filter(|(_, f)| operand(f) && f.presence == Presence::Always)
            .all(|(at, _)| self.shown.iter().any(|(shown, _)| shown.field == at))
    }
}

/// Returns true if the conditions of a template hold for an instruction.
pub(crate) fn applies(model: &Model, sample: &Sample<'_>, text: &TextForm) -> bool {
    text.conditions.iter().all(|condition| sample.has(model, condition))
}

/// Prints an instruction with a template.
pub(crate) fn print(world: &World<'_>, sample: &Sample<'_>, text: &TextForm) -> Printed {
    let mut out = Writer { world, sample, text, out: Printed::default() };
    out.items(&text.template.items);
    out.out
}

struct Writer<'a, 'm> {
    world: &'a World<'m>,
    sample: &'a Sample<'m>,
    text: &'a TextForm,
    out: Printed,
}

impl Writer<'_, '_> {
    fn push(&mut self, text: impl Into<String>, path: impl Into<String>, at: SourceSpan) {
        self.out.pieces.push(Piece { text: text.into(), path: path.into(), at });
    }

    fn literal(&mut self, text: &str) {
        self.push(text, format!("{}.Text", self.sample.page.name), self.text.at);
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Text(text) => self.literal(text),
                Item::Space(n) => self.literal(&" ".repeat(*n)),
                Item::Predicate => self.predicate(),
                Item::Saturation => {
                    let at = saturated(self.sample.form);
                    let operand = at.map(|at| &self.sample.values[at]);
                    if let Some(Value::Operand(operand)) = operand
                        && self.world.operands.modifier(operand) == self.world.anatomy.modifier.sat
                    {
                        self.literal(".sat");
                    }
                    self.out.saturated = true;
                }
                Item::Field { place, format, .. } => {
                    let Some(place) = *place else { continue };
                    self.out.shown.push((place, *format));
                    self.field(place, *format);
                }
                Item::Shown(inner) => self.items(inner),
                Item::Optional(inner) => {
                    if self.any_shown(inner) {
                        self.items(inner);
                    }
                }
            }
        }
    }

    fn predicate(&mut self) {
        let Some(at) = self.sample.form.fields.iter().position(|f| f.shape == FieldKind::Predicate) else { return };
        self.out.shown.push((Place { field: at, part: None }, Style::Plain));
        let value = self.sample.values[at].bits();
        if self.world.predicate_id(value) == 0 {
            return;
        }
        self.literal("(");
        self.predicate_value(value);
        self.literal(")");
        self.literal(" ");
    }

    /// Prints a predicate, such as `!P1.any`, with the template of its list.
    fn predicate_value(&mut self, value: u64) {
        let model = self.world.model;
        let id = self.world.anatomy.predicate.list;
        let list = model.list(id);
        let template = list.text.as_ref().map_or(&[][..], |t| &t.items);
        self.list_items(&bits(model, id), template, value, &list.name, list.at);
    }

    fn any_shown(&self, items: &[Item]) -> bool {
        items.iter().any(|item| match item {
            Item::Field { place, .. } => place.is_some_and(|place| self.changed(place)),
            Item::Optional(inner) => self.any_shown(inner),
            _ => false,
        })
    }

    /// Returns true if an optional group shows this field.
    fn changed(&self, place: Place) -> bool {
        let (model, at) = (self.world.model, place.field);
        let one = &self.sample.form.fields[at];
        if let Some(bits) = place.part.and_then(|_| bits_at(model, one, place.part)) {
            return bits.of(self.sample.values[at].bits()) != usual(model, &bits);
        }
        match one.presence {
            Presence::If { .. } => return self.sample.present(model, at),
            Presence::Times(_) => return !self.sample.elements(at).is_empty(),
            Presence::Text => return false,
            Presence::Always => {}
        }
        let known = one.default_if.as_ref().filter(|condition| condition.of.to.is_some());
        let elsewhere = known.is_some_and(|condition| !self.sample.has(model, condition));
        let value = &self.sample.values[at];
        elsewhere
            || match (one.shape, value) {
                (FieldKind::Zero | FieldKind::Copy(_), _) => false,
                (FieldKind::List(id), Value::Bits(b)) if one.default == 0 => *b != usual_of_list(model, id),
                (_, Value::Bits(b)) => *b as i64 != one.default,
                (_, Value::Operand(operand)) => !self.world.is_nothing(operand),
                (_, Value::Many(_)) => true,
            }
    }

    fn field(&mut self, place: Place, format: Style) {
        let (model, at) = (self.world.model, place.field);
        let sample = self.sample;
        let one = &sample.form.fields[at];
        let path = format!("{}.{}", sample.page.name, one.name);
        if let Some(bits) = place.part.and_then(|_| bits_at(model, one, place.part)) {
            let value = bits.of(sample.values[at].bits());
            self.bits(&bits, value, format, &path);
            return;
        }
        if let Some(counted) = counted_by(sample.form, at) {
            let count = sample.elements(counted).len();
            self.push(number(count as i64, format), path, one.at);
            return;
        }
        if !sample.present(model, at) {
            return;
        }
        for (n, value) in sample.elements(at).iter().enumerate() {
            if n > 0 {
                let labels = one.shape == FieldKind::Index(IndexKind::Label);
                self.push(if labels { ", " } else { " " }, format!("{path}.separator"), one.at);
            }
            match (one.shape, value) {
                (FieldKind::List(id), value) => self.list(id, value.bits(), format, &path),
                (FieldKind::Predicate, value) => self.predicate_value(value.bits()),
                (FieldKind::Index(kind), value) => self.index(kind, value.bits(), format, &path, one.at),
                (FieldKind::IndexBy(by), value) => {
                    self.index(table_of(model, sample, by), value.bits(), format, &path, one.at);
                }
                (_, Value::Operand(operand)) => self.operand(operand, format, &path, one.at),
                (_, value) => self.push(number(value.bits() as i64, format), &path, one.at),
            }
        }
    }

    fn list(&mut self, id: ListId, value: u64, format: Style, path: &str) {
        let model = self.world.model;
        let list = model.list(id);
        let all = bits(model, id);
        let path = if list.shared { list.name.as_str() } else { path };
        if let (Style::Plain, Some(template)) = (format, &list.text) {
            self.list_items(&all, &template.items, value, path, list.at);
            return;
        }
        let parts: Vec<&Bits<'_>> = all.iter().filter(|b| !matches!(b.what, BitsKind::Zero)).collect();
        match parts.as_slice() {
            [one] if one.name.is_empty() => self.bits(one, one.of(value), format, path),
            flags if format == Style::Plain && flags.iter().all(|b| matches!(b.what, BitsKind::Flag(_))) => {
                for flag in flags {
                    self.bits(flag, flag.of(value), format, path);
                }
            }
            _ => self.push(number(value as i64, format), path, list.at),
        }
    }

    fn list_items(&mut self, all: &[Bits<'_>], items: &[Item], value: u64, path: &str, at: SourceSpan) {
        for item in items {
            match item {
                Item::Text(text) => self.push(text, format!("{path}.Text"), at),
                Item::Space(n) => self.push(" ".repeat(*n), format!("{path}.Text"), at),
                Item::Field { place, format, .. } => {
                    if let Some(b) = part_of(all, *place) {
                        if b.part == Some(self.world.anatomy.predicate.id) {
                            self.index(IndexKind::Predicate, b.of(value), Style::Plain, path, at);
                        } else {
                            self.bits(b, b.of(value), *format, path);
                        }
                    }
                }
                Item::Shown(inner) => self.list_items(all, inner, value, path, at),
                Item::Optional(inner) => {
                    let shown = inner.iter().any(|i| match i {
                        Item::Field { place, .. } => {
                            part_of(all, *place).is_some_and(|b| b.of(value) != usual(self.world.model, b))
                        }
                        _ => false,
                    });
                    if shown {
                        self.list_items(all, inner, value, path, at);
                    }
                }
                Item::Predicate | Item::Saturation => {}
            }
        }
    }

    fn bits(&mut self, bits: &Bits<'_>, value: u64, format: Style, path: &str) {
        let path = value_path(path, bits, value);
        match bits.what {
            BitsKind::Flag(text) if value != 0 => self.push(text, path, bits.at),
            BitsKind::Flag(_) | BitsKind::Zero => {}
            BitsKind::Values(values) if format == Style::Plain => match named(values, value) {
                Some(v) => self.push(&v.text, path, v.at),
                None => self.push("?", path, bits.at),
            },
            BitsKind::DataType => self.data_type(value),
            _ => self.push(number(value as i64, format), path, bits.at),
        }
    }

    fn data_type(&mut self, code: u64) {
        match self.world.model.types.iter().find(|t| t.code == code) {
            Some(t) => self.push(t.name.to_ascii_lowercase(), format!("Data_type.{}", t.name), t.at),
            None => self.literal("?"),
        }
    }

    fn index(&mut self, kind: IndexKind, id: u64, format: Style, path: &str, at: SourceSpan) {
        let name = self.world.name(kind, id);
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit());
        let text = match format {
            Style::Quoted => format!("\"{name}\""),
            Style::Word if !word => format!("\"{name}\""),
            _ => name,
        };
        let (path, at) = match self.world.predefined(kind, id) {
            Some(entry) => (format!("predefined.{}", entry.name), entry.at),
            None => (format!("{path}.name"), at),
        };
        self.push(text, path, at);
    }
}

/// Returns the part that an item of a list's template shows.
fn part_of<'a, 'm>(all: &'a [Bits<'m>], place: Option<Place>) -> Option<&'a Bits<'m>> {
    let position = place?.field;
    all.iter().find(|b| b.position() == Some(position))
}

/// Returns the path of a value of some bits. Values of a shared list have the list's path at every
/// use.
pub(crate) fn value_path(path: &str, bits: &Bits<'_>, value: u64) -> String {
    let width = bits.width as usize;
    let owner = if bits.list.is_empty() { path } else { bits.list };
    if matches!(bits.what, BitsKind::Zero) {
        return format!("{owner}[{}]", bits.lo + value.trailing_zeros().min(63));
    }
    let part = if bits.nested || bits.name.is_empty() { String::new() } else { format!(".{}", bits.name) };
    match bits.width {
        0..=8 => format!("{owner}{part}.0b{value:0width$b}"),
        _ => format!("{owner}{part}.0x{value:x}"),
    }
}

/// Formats a number.
fn number(value: i64, format: Style) -> String {
    let (sign, size) = (if value < 0 { "-" } else { "" }, value.unsigned_abs());
    match format {
        Style::Hex => format!("{sign}0x{size:x}"),
        Style::UpperHex | Style::Bare => format!("{sign}0x{size:X}"),
        Style::Bare16 => format!("{sign}{size:x}"),
        Style::Bare16Padded => format!("{sign}{size:02x}"),
        Style::Signed => format!("{}0x{size:x}", if value < 0 { "-" } else { "+" }),
        Style::Plus => format!("{value:+}"),
        _ => value.to_string(),
    }
}

/// Returns the position of the operand to which `.sat` applies.
fn saturated(form: &Form) -> Option<usize> {
    destination(form).or_else(|| form.fields.iter().position(|f| f.shape == FieldKind::Vector))
}
