//! Bit fields and enumerations, and the conditions on which values hold.

use std::fmt;

use super::{Cell, Column, Reference, SourceSpan};
use crate::template::Template;

/// Conditions in braces: from or before a platform or an object version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Availability(pub Vec<Bound>);

impl fmt::Display for Availability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|bound| bound.fmt(f))
    }
}

/// One condition in braces. A platform is its position in [`super::Model::platforms`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// From that platform on.
    From(Reference<usize>),
    /// Before that platform.
    Before(Reference<usize>),
    /// That platform only.
    Only(Reference<usize>),
    /// From that object version on.
    FromVersion(u8, u8),
    /// Before that object version.
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

/// Numbers of an object, by width and sign.
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
    /// All of them, by width.
    pub const ALL: [Self; 8] = [Self::Ub, Self::B, Self::Uw, Self::W, Self::Ud, Self::D, Self::Uq, Self::Q];

    /// The storage of a type name, without regard to case.
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

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Ub | Self::B => 8,
            Self::Uw | Self::W => 16,
            Self::Ud | Self::D => 32,
            Self::Uq | Self::Q => 64,
        }
    }

    /// Lower-case name.
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

/// A bit field or an enumeration.
#[derive(Clone, Debug)]
pub struct List {
    /// Name of the list: its heading, or `Instruction_Field` for one that stands on a page.
    pub name: String,
    /// Width in bits of the whole value.
    pub bits: u32,
    /// Whether it stands in the chapter of shared lists.
    pub shared: bool,
    /// What it is.
    pub doc: String,
    /// Its content.
    pub kind: ListKind,
    /// What else is said of each of its values.
    pub columns: Vec<Column>,
    /// How it prints where the page says so.
    pub text: Option<Template>,
    /// Where it is defined.
    pub at: SourceSpan,
}

/// A list that a page spells out and whose type is a shared list.
#[derive(Clone, Debug)]
pub struct Spelled {
    /// The field or the part that has it.
    pub at: SourceSpan,
    /// What the page says: the shared list, or a part of it.
    pub kind: ListKind,
}

/// What a list consists of.
#[derive(Clone, Debug)]
pub enum ListKind {
    /// Named values in bits `lo` to `lo + width - 1`; all other bits are zero.
    Enumeration {
        /// Lowest bit.
        lo: u32,
        /// Number of bits.
        width: u32,
        /// The values.
        values: Vec<Enumerator>,
    },
    /// Parts next to each other.
    Parts(Vec<BitField>),
}

/// A named value.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// The value.
    pub value: u64,
    /// Its name, verbatim.
    pub name: String,
    /// How it stands in assembly text.
    pub text: String,
    /// What it means.
    pub doc: String,
    /// Where it holds.
    pub marks: Availability,
    /// A stated hole rather than a value.
    pub reserved: bool,
    /// What the columns of its list say of it; nothing for holes and for lists without columns.
    pub cells: Vec<Cell>,
    /// Where it is defined.
    pub at: SourceSpan,
}

/// Some bits of a bit field.
#[derive(Clone, Debug)]
pub struct BitField {
    /// Its name.
    pub name: String,
    /// Highest bit.
    pub hi: u32,
    /// Lowest bit.
    pub lo: u32,
    /// What the bits are.
    pub kind: BitFieldKind,
    /// How a set flag stands in assembly text.
    pub text: String,
    /// What they mean.
    pub doc: String,
    /// Where they hold.
    pub marks: Availability,
    /// Where they are defined.
    pub at: SourceSpan,
}

/// What the bits of a part are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitFieldKind {
    /// Always zero.
    Zero,
    /// One bit that is set or not.
    Flag,
    /// A plain number.
    Number,
    /// One of a list of values.
    Enumeration(ListId),
    /// A data type code.
    DataType,
}
