//! Printing and parsing of assembly text, field by field.

use std::fmt::Write as _;

use super::super::isa::{DataType, GeneralId};
use super::Version;
use super::cursor::{Cursor, TextError};
use super::near::{meant, nearest};
use super::visit::Table;

/// How a field prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// By its type.
    Plain,
    /// `0x1f`.
    Hex,
    /// `0x1F`.
    UpperHex,
    /// `1f`.
    Bare16,
    /// `1f`, two digits at least.
    Bare16Padded,
    /// An operand without a zero offset or region.
    Bare,
    /// `+0x1f` or `-0x1f`.
    Signed,
    /// `+31` or `-31`.
    Plus,
    /// A string in double quotes.
    Quoted,
    /// An operand as its address.
    Address,
    /// A string as it is where it is an identifier, otherwise in double quotes.
    Word,
    /// A raw operand without its offset.
    Name,
    /// A general operand with its offset and without its region.
    Packed,
}

/// Names of the variables of a routine, for printing.
pub trait Names {
    /// The name of an entry, or `None` when there is no such entry.
    fn name(&self, table: Table, id: u32) -> Option<String>;

    /// The type of a general variable.
    fn data_type(&self, id: GeneralId) -> Option<DataType>;

    /// Size of a register in bytes.
    fn register_bytes(&self) -> u32;

    /// Version of the object or text.
    fn version(&self) -> Version;

    /// Whether templates that are marked `full:` are printed: they keep what the vendor's text
    /// loses.
    fn full(&self) -> bool {
        false
    }

    /// The text revision, as year times 100 plus month: forms that are marked with a later one are
    /// not printed. Zero stands for the texts of the oldest printer.
    fn revision(&self) -> u32 {
        0
    }
}

/// Names of the variables of a routine, for parsing.
pub trait Symbols: Names {
    /// The entry of a name. Labels and strings are entered when they are met first.
    fn find(&mut self, table: Table, name: &str) -> Option<u32>;

    /// Size in bytes of a declared variable, or of a register by the name `GRF`: the value of
    /// `%sizeof`.
    fn size_of(&self, _name: &str) -> Option<u32> {
        None
    }

    /// The value of `%DispatchSimd`: the number of channels that the text says of its kernel.
    fn simd_size(&self) -> Option<u32> {
        None
    }

    /// The declared name that a name which no table has is most like, if one is near.
    fn near(&self, _table: Table, _name: &str) -> Option<String> {
        None
    }
}

/// A field in assembly text.
pub trait Text: Sized {
    /// Prints the value.
    fn print(&self, p: &mut Printer<'_>, format: Format);

    /// Reads a value.
    ///
    /// # Errors
    /// The text is something else; the error says what was expected and where.
    fn parse(c: &mut Cursor<'_>, format: Format) -> Result<Self, TextError>;

    /// Whether an optional group leaves the value out.
    fn is_default(&self) -> bool;
}

/// Collects text.
pub struct Printer<'a> {
    out: String,
    /// Names of the routine's variables.
    pub names: &'a dyn Names,
}

impl<'a> Printer<'a> {
    /// A printer that goes on behind `out`.
    pub fn new(out: String, names: &'a dyn Names) -> Self {
        Self { out, names }
    }

    /// What was printed.
    pub fn into_text(self) -> String {
        self.out
    }

    /// Length of what was printed, in bytes.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether nothing was printed.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Prints text as it is.
    pub fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Prints blanks.
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

    /// Prints the name of an entry; one that is not there prints as its table and number.
    pub fn index(&mut self, table: Table, id: u32, format: Format) {
        let name = self.names.name(table, id).unwrap_or_else(|| match table {
            Table::General => format!("V{id}"),
            Table::Address => format!("A{id}"),
            Table::Predicate => format!("P{id}"),
            Table::Sampler => format!("S{id}"),
            Table::Surface => format!("T{id}"),
            Table::Label => format!("L{id}"),
            Table::String => format!("N{id}"),
        });
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let odd = !name.chars().all(plain) || name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty();
        if format == Format::Quoted || (format == Format::Word && odd) {
            self.out.push('"');
            self.out.push_str(&escape(&name));
            self.out.push('"');
        } else {
            self.out.push_str(&name);
        }
    }
}

/// Escapes a string as C does, for double quotes around it.
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
        // As the vendor's assembler has them: small letters, or but for one type capitals. What
        // follows may touch it.
        let begins = |t: &&Self| {
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
