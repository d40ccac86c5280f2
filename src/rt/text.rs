//! Printing and parsing of the fields of assembly text.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::super::isa::DataType;
use super::cursor::{Cursor, TextError};
use super::format::{Format, Names};
use super::near::{meant, nearest};
use super::visit::Table;

/// Field of assembly text.
pub trait Text: Sized {
    /// Prints the value.
    fn print(&self, p: &mut Printer<'_>, format: Format);

    /// Parses a value.
    ///
    /// # Errors
    /// The text is no such value; the error has the expected input and the place.
    fn parse(c: &mut Cursor<'_>, format: Format) -> Result<Self, TextError>;

    /// Returns true if an optional group omits the value.
    fn is_default(&self) -> bool;
}

/// Printer that collects text.
pub struct Printer<'a> {
    out: String,
    /// Names of the routine's variables.
    pub names: &'a dyn Names,
}

impl<'a> Printer<'a> {
    /// Creates a printer that appends to `out`.
    pub fn new(out: String, names: &'a dyn Names) -> Self {
        Self { out, names }
    }

    /// Returns the printed text.
    pub fn into_text(self) -> String {
        self.out
    }

    /// Returns the length of the printed text in bytes.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Returns true if nothing was printed.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Prints text verbatim.
    pub fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Prints `n` blanks.
    pub fn spaces(&mut self, n: usize) {
        self.out.extend(std::iter::repeat_n(' ', n));
    }

    /// Prints a number.
    pub fn number(&mut self, value: i64, format: Format) {
        let (sign, magnitude) = (if value < 0 { "-" } else { "" }, value.unsigned_abs());
        let _ = match format {
            Format::Hex => write!(self.out, "{sign}0x{magnitude:x}"),
            Format::UpperHex | Format::Bare => write!(self.out, "{sign}0x{magnitude:X}"),
            Format::Bare16 => write!(self.out, "{sign}{magnitude:x}"),
            Format::Bare16Padded => write!(self.out, "{sign}{magnitude:02x}"),
            Format::Signed => write!(self.out, "{}0x{magnitude:x}", if value < 0 { "-" } else { "+" }),
            Format::Plus => write!(self.out, "{value:+}"),
            _ => write!(self.out, "{value}"),
        };
    }

    /// Prints the name of an entry. A missing entry prints as its table's letter and its number.
    pub fn index(&mut self, table: Table, id: u32, format: Format) {
        let name = self.names.name(table, id).unwrap_or_else(|| {
            let letter = match table {
                Table::General => 'V',
                Table::Address => 'A',
                Table::Predicate => 'P',
                Table::Sampler => 'S',
                Table::Surface => 'T',
                Table::Label => 'L',
                Table::String => 'N',
            };
            Cow::Owned(format!("{letter}{id}"))
        });
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_word =
            || name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty();
        if format == Format::Quoted || format == Format::Word && !is_word() {
            self.out.push('"');
            self.out.push_str(&escape(&name));
            self.out.push('"');
        } else {
            self.out.push_str(&name);
        }
    }
}

/// Escapes a string as in C, for use in double quotes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                let _ = write!(out, "\\{:03o}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

impl Text for DataType {
    fn print(&self, p: &mut Printer<'_>, _: Format) {
        p.text(self.name());
    }

    fn parse(c: &mut Cursor<'_>, _: Format) -> Result<Self, TextError> {
        let rest = c.rest();
        // The vendor's assembler accepts type names in lower case and, except for one type, in
        // capitals. The next token may follow without a blank.
        let first = rest.bytes().next().unwrap_or_default();
        let begins = |t: &&Self| {
            if !t.name().bytes().next().is_some_and(|own| own.eq_ignore_ascii_case(&first)) {
                return false;
            }
            let spelled = rest.get(..t.name().len()).unwrap_or("");
            let capitals = |text: &str| text.bytes().all(|b| b.is_ascii_uppercase());
            spelled.eq_ignore_ascii_case(t.name())
                && match **t {
                    Self::Uv => spelled == t.name(),
                    Self::Bool if spelled[1..] == t.name()[1..] => true,
                    _ => spelled == t.name() || capitals(spelled),
                }
        };
        match Self::ALL.iter().filter(begins).max_by_key(|t| t.name().len()) {
            Some(found) => {
                c.restore(c.save() + found.name().len());
                Ok(*found)
            }
            None => Err(c.failed(|| {
                let word = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())];
                let names: Vec<_> = Self::ALL.iter().map(|t| t.name()).collect();
                format!("type: one of {}{}", names.join(", "), meant(nearest(word, names.iter().copied())))
            })),
        }
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
