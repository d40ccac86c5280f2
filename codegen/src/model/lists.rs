//! Bit fields and enumerations, and the availability of values.

use std::fmt;

use super::template::Template;
use super::{Cell, Column, Reference, SourceSpan};

/// Conditions in braces: from or before a platform or an object version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Availability(pub Vec<Bound>);

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|bound| bound.fmt(f))
    }
}

/// Single condition in braces. A platform is its position in [`super::Model::platforms`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// From the platform on.
    From(Reference<usize>),
    /// Before the platform.
    Before(Reference<usize>),
    /// On the platform only.
    Only(Reference<usize>),
    /// From the object version on.
    FromVersion(u8, u8),
    /// Before the object version.
    BeforeVersion(u8, u8),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From(p) => write!(f, "{{{p}+}}"),
            Self::Before(p) => write!(f, "{{-{p}}}"),
            Self::Only(p) => write!(f, "{{{p}}}"),
            Self::FromVersion(a, b) => write!(f, "{{{a}.{b}+}}"),
            Self::BeforeVersion(a, b) => write!(f, "{{-{a}.{b}}}"),
        }
    }
}

/// Number type of an object, by width and sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the specification's")]
pub enum Storage {
    Ub,
    B,
    Uw,
    W,
    Ud,
    D,
    Uq,
    Q,
}

impl Storage {
    /// All number types, by width.
    pub const ALL: [Self; 8] = [Self::Ub, Self::B, Self::Uw, Self::W, Self::Ud, Self::D, Self::Uq, Self::Q];

    /// Returns the storage of a type name, ignoring case.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "ub" => Self::Ub,
            "b" => Self::B,
            "uw" => Self::Uw,
            "w" => Self::W,
            "ud" => Self::Ud,
            "d" => Self::D,
            "uq" => Self::Uq,
            "q" => Self::Q,
            _ => return None,
        })
    }

    /// Returns the width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Ub | Self::B => 8,
            Self::Uw | Self::W => 16,
            Self::Ud | Self::D => 32,
            Self::Uq | Self::Q => 64,
        }
    }

    /// Returns the lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ub => "ub",
            Self::B => "b",
            Self::Uw => "uw",
            Self::W => "w",
            Self::Ud => "ud",
            Self::D => "d",
            Self::Uq => "uq",
            Self::Q => "q",
        }
    }
}

/// Index of a list in [`super::Model::lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListId(pub usize);

/// Bit field or enumeration.
#[derive(Clone, Debug)]
pub struct List {
    /// Name of the list: its heading, or `Instruction_Field` for a list on an instruction's page.
    pub name: String,
    /// Width in bits of the whole value.
    pub bits: u32,
    /// True for a list in the chapter of shared lists.
    pub shared: bool,
    /// Description of the list.
    pub doc: String,
    /// Content of the list.
    pub kind: ListKind,
    /// Columns with further facts about the values.
    pub columns: Vec<Column>,
    /// Text template, if the page defines one.
    pub text: Option<Template>,
    /// Place of the definition.
    pub at: SourceSpan,
}

/// List that a page spells out, although its type is a shared list.
#[derive(Clone, Debug)]
pub struct Spelled {
    /// Place of the field or the part with the list.
    pub at: SourceSpan,
    /// Content on the page: the shared list, or a subset of it.
    pub kind: ListKind,
}

/// Content of a list.
#[derive(Clone, Debug)]
pub enum ListKind {
    /// Named values in bits `lo` to `lo + width - 1`; all other bits are zero.
    Enumeration {
        /// Lowest bit.
        lo: u32,
        /// Number of bits.
        width: u32,
        /// Named values.
        values: Vec<Enumerator>,
    },
    /// Adjacent parts.
    Parts(Vec<BitField>),
}

/// Named value.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// Numeric value.
    pub value: u64,
    /// Name of the value, verbatim.
    pub name: String,
    /// Spelling in assembly text.
    pub text: String,
    /// Description of the value.
    pub doc: String,
    /// Availability of the value.
    pub marks: Availability,
    /// True for an explicitly reserved value.
    pub reserved: bool,
    /// Cells of the list's columns; empty for reserved values and for lists without columns.
    pub cells: Vec<Cell>,
    /// Place of the definition.
    pub at: SourceSpan,
}

/// Part of a bit field.
#[derive(Clone, Debug)]
pub struct BitField {
    /// Name of the part.
    pub name: String,
    /// Highest bit.
    pub hi: u32,
    /// Lowest bit.
    pub lo: u32,
    /// Kind of the part.
    pub kind: BitFieldKind,
    /// Spelling of a set flag in assembly text.
    pub text: String,
    /// Description of the part.
    pub doc: String,
    /// Availability of the part.
    pub marks: Availability,
    /// Place of the definition.
    pub at: SourceSpan,
}

/// Kind of a bit field's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitFieldKind {
    /// Always zero.
    Zero,
    /// A single-bit flag.
    Flag,
    /// A plain number.
    Number,
    /// A value of an enumeration.
    Enumeration(ListId),
    /// A data type code.
    DataType,
}
