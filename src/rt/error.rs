//! What can be wrong with bytes that are read, and with values that are written.

use std::fmt;

use super::bytes::{Context, Reader, Wire};

/// Bits without a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadBits {
    place: &'static str,
    problem: BitProblem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum BitProblem {
    Reserved(u64),
    Value(u64),
    Copy(&'static str, u64),
    Range(u64, u32),
}

impl BadBits {
    /// Bits are set that must be zero.
    #[cold]
    pub const fn reserved(place: &'static str, bits: u64) -> Self {
        Self { place, problem: BitProblem::Reserved(bits) }
    }

    /// A value that no page names.
    #[cold]
    pub const fn value(place: &'static str, value: u64) -> Self {
        Self { place, problem: BitProblem::Value(value) }
    }

    /// A byte that should repeat another field.
    #[cold]
    pub const fn copy(place: &'static str, of: &'static str, value: u64) -> Self {
        Self { place, problem: BitProblem::Copy(of, value) }
    }

    /// The same as an error at an offset of a file.
    #[cold]
    pub fn at(self, offset: usize) -> DecodeError {
        DecodeError::new(offset, DecodeProblem::Bits(self))
    }
}

impl std::error::Error for BadBits {}

impl fmt::Display for BadBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place;
        match self.problem {
            BitProblem::Reserved(bits) => write!(f, "reserved bits of {place} are set (0x{bits:x})"),
            BitProblem::Value(value) => write!(f, "{value} (0x{value:x}) is not a value of {place}"),
            BitProblem::Copy(of, value) => write!(f, "{place} is 0x{value:x}, but must repeat {of}"),
            BitProblem::Range(value, bits) => write!(f, "{value} does not fit into the {bits} bits of {place}"),
        }
    }
}

/// Why bytes could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    offset: usize,
    problem: DecodeProblem,
    owner: &'static str,
    field: &'static str,
}

/// What is wrong with bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeProblem {
    /// The bytes end too early.
    Truncated {
        /// How many were needed.
        needed: u64,
        /// How many were left.
        left: u64,
    },
    /// No page has this opcode.
    UnknownOpcode(u8),
    /// No page of the family has this sub-opcode.
    UnknownSubOpcode {
        /// The family.
        family: &'static str,
        /// Its opcode.
        opcode: u8,
        /// The sub-opcode.
        sub_opcode: u8,
    },
    /// The opcode is known, its layout is not published.
    ReservedOpcode {
        /// The name.
        name: &'static str,
        /// Its page.
        page: &'static str,
    },
    /// Bits without a meaning.
    Bits(BadBits),
    /// Something else, said in words.
    Other(String),
}

impl DecodeError {
    /// A problem at an offset.
    #[cold]
    pub fn new(offset: usize, problem: DecodeProblem) -> Self {
        Self(Box::new(Inner { offset, problem, owner: "", field: "" }))
    }

    /// No page has this opcode.
    #[cold]
    pub fn unknown_opcode(offset: usize, opcode: u8) -> Self {
        Self::new(offset, DecodeProblem::UnknownOpcode(opcode))
    }

    /// No page of the family has this sub-opcode.
    #[cold]
    pub fn unknown_sub_opcode(offset: usize, family: &'static str, opcode: u8, sub_opcode: u8) -> Self {
        Self::new(offset, DecodeProblem::UnknownSubOpcode { family, opcode, sub_opcode })
    }

    /// The opcode is known, its layout is not published.
    #[cold]
    pub fn reserved_opcode(offset: usize, name: &'static str, page: &'static str) -> Self {
        Self::new(offset, DecodeProblem::ReservedOpcode { name, page })
    }

    /// Where in the file it is.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// What it is.
    pub fn problem(&self) -> &DecodeProblem {
        &self.0.problem
    }

    /// The instruction or structure and its field, empty where unknown.
    pub fn place(&self) -> (&'static str, &'static str) {
        (self.0.owner, self.0.field)
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (owner, field) = self.place();
        match &self.0.problem {
            DecodeProblem::Truncated { needed, left } => {
                write!(f, "the data ends too early: {needed} bytes needed, {left} left")?;
            }
            DecodeProblem::UnknownOpcode(opcode) => return write!(f, "no instruction has opcode 0x{opcode:02x}"),
            DecodeProblem::UnknownSubOpcode { family, opcode, sub_opcode } => {
                return write!(f, "{family} (0x{opcode:02x}) has no operation 0x{sub_opcode:02x}");
            }
            DecodeProblem::ReservedOpcode { name, page } => {
                return write!(f, "{name} is a reserved opcode; its layout is not published ({page})");
            }
            DecodeProblem::Bits(bits) => write!(f, "{bits}")?,
            DecodeProblem::Other(text) => write!(f, "{text}")?,
        }
        match (owner, field) {
            ("", _) => Ok(()),
            (owner, "") => write!(f, ", in {owner}"),
            (owner, field) => write!(f, ", in {owner}.{field}"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Why a value could not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// The instruction or structure and its field.
    pub place: String,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl std::error::Error for EncodeError {}

impl From<BadBits> for EncodeError {
    fn from(bits: BadBits) -> Self {
        Self { place: bits.place.to_owned(), problem: bits.to_string() }
    }
}

/// Reads a field as its type is stored and, when that fails, says which one it was.
#[inline]
pub fn field<T: Wire>(
    owner: &'static str,
    field: &'static str,
    r: &mut Reader<'_>,
    cx: Context,
) -> Result<T, DecodeError> {
    T::decode(r, cx).map_err(|e| named(e, owner, field))
}

/// The same for a field that is read in a way of its own.
#[inline]
pub fn place<'a, T>(
    owner: &'static str,
    field: &'static str,
    r: &mut Reader<'a>,
    read: impl FnOnce(&mut Reader<'a>) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    read(r).map_err(|e| named(e, owner, field))
}

#[cold]
fn named(mut error: DecodeError, owner: &'static str, field: &'static str) -> DecodeError {
    // The outermost name wins: it is the instruction, not the operand's layout.
    error.0.owner = owner;
    error.0.field = field;
    error
}

/// A value that must fit into a part of so many bits.
#[inline]
pub fn fit(value: u64, bits: u32, place: &'static str) -> Result<u64, BadBits> {
    if bits < 64 && value >> bits != 0 {
        return Err(BadBits { place, problem: BitProblem::Range(value, bits) });
    }
    Ok(value)
}

/// A number in the type that a version stores it in.
#[inline]
pub fn narrow<T>(value: impl TryInto<T> + Copy + fmt::Display, place: &str) -> Result<T, EncodeError> {
    value.try_into().map_err(|_| EncodeError {
        place: place.to_owned(),
        problem: format!("{value} does not fit into {}", std::any::type_name::<T>()),
    })
}

/// An optional field is there exactly when its condition holds.
#[inline]
pub fn present(expected: bool, found: bool, place: &str) -> Result<(), EncodeError> {
    match (expected, found) {
        (true, false) => Err(EncodeError { place: place.to_owned(), problem: "the field is missing".into() }),
        (false, true) => {
            Err(EncodeError { place: place.to_owned(), problem: "this form does not store the field".into() })
        }
        _ => Ok(()),
    }
}

/// A form's selector has one of the form's values.
#[inline]
pub fn selected(matches: bool, place: &str) -> Result<(), EncodeError> {
    if matches {
        return Ok(());
    }
    Err(EncodeError {
        place: place.to_owned(),
        problem: "the value belongs to another form of the instruction".into(),
    })
}

/// A table that must be empty.
pub fn empty(len: usize, place: &str) -> Result<(), EncodeError> {
    if len == 0 {
        return Ok(());
    }
    Err(EncodeError { place: place.to_owned(), problem: "the table must be empty".into() })
}
