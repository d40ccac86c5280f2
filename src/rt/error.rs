//! Errors of decoding and encoding.

use std::fmt;

/// Error of bits without a meaning.
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
    /// Returns the error for set bits that must be zero.
    #[cold]
    pub const fn reserved(place: &'static str, bits: u64) -> Self {
        Self { place, problem: BitProblem::Reserved(bits) }
    }

    /// Returns the error for a value without a name on any page.
    #[cold]
    pub const fn value(place: &'static str, value: u64) -> Self {
        Self { place, problem: BitProblem::Value(value) }
    }

    /// Returns the error for a byte that does not repeat another field.
    #[cold]
    pub const fn copy(place: &'static str, of: &'static str, value: u64) -> Self {
        Self { place, problem: BitProblem::Copy(of, value) }
    }

    /// Converts the error to one at a file offset.
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

/// Error of decoding, with its offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    offset: usize,
    problem: DecodeProblem,
    owner: &'static str,
    field: &'static str,
}

/// Kind of decoding error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeProblem {
    /// The bytes end too early.
    Truncated {
        /// Number of bytes needed.
        needed: u64,
        /// Number of bytes left.
        left: u64,
    },
    /// No page has this opcode.
    UnknownOpcode(u8),
    /// No page of the family has this sub-opcode.
    UnknownSubOpcode {
        /// Name of the family.
        family: &'static str,
        /// Opcode of the family.
        opcode: u8,
        /// Sub-opcode that was found.
        sub_opcode: u8,
    },
    /// The opcode is known, but its layout is not published.
    ReservedOpcode {
        /// Name of the instruction.
        name: &'static str,
        /// Page of the instruction.
        page: &'static str,
    },
    /// Bits without a meaning.
    Bits(BadBits),
    /// Another problem, as a sentence.
    Other(String),
}

impl DecodeError {
    /// Creates the error for a problem at a file offset.
    #[cold]
    pub fn new(offset: usize, problem: DecodeProblem) -> Self {
        Self(Box::new(Inner { offset, problem, owner: "", field: "" }))
    }

    /// Returns the error for an opcode that no page has.
    #[cold]
    pub fn unknown_opcode(offset: usize, opcode: u8) -> Self {
        Self::new(offset, DecodeProblem::UnknownOpcode(opcode))
    }

    /// Returns the error for a sub-opcode that no page of the family has.
    #[cold]
    pub fn unknown_sub_opcode(offset: usize, family: &'static str, opcode: u8, sub_opcode: u8) -> Self {
        Self::new(offset, DecodeProblem::UnknownSubOpcode { family, opcode, sub_opcode })
    }

    /// Returns the error for a known opcode without a published layout.
    #[cold]
    pub fn reserved_opcode(offset: usize, name: &'static str, page: &'static str) -> Self {
        Self::new(offset, DecodeProblem::ReservedOpcode { name, page })
    }

    /// Adds the names of an instruction or structure and its field. The outermost names win: they
    /// name the instruction, not the operand's layout.
    #[cold]
    pub(super) fn named(mut self, owner: &'static str, field: &'static str) -> Self {
        self.0.owner = owner;
        self.0.field = field;
        self
    }

    /// Returns the file offset of the error.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// Returns the kind of error.
    pub fn problem(&self) -> &DecodeProblem {
        &self.0.problem
    }

    /// Returns the instruction or structure and its field; empty where unknown.
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

/// Error of encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// Instruction or structure, and its field.
    pub place: String,
    /// Description of the problem.
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

/// Checks that a value fits into `bits` bits.
#[inline]
pub fn fit(value: u64, bits: u32, place: &'static str) -> Result<u64, BadBits> {
    if bits < 64 && value >> bits != 0 {
        return Err(BadBits { place, problem: BitProblem::Range(value, bits) });
    }
    Ok(value)
}

/// Converts a number to the type in which a version stores it.
#[inline]
pub fn narrow<T>(value: impl TryInto<T> + Copy + fmt::Display, place: &str) -> Result<T, EncodeError> {
    value.try_into().map_err(|_| EncodeError {
        place: place.to_owned(),
        problem: format!("{value} does not fit into {}", std::any::type_name::<T>()),
    })
}

/// Checks that an optional field is present exactly if its condition holds.
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

/// Checks that the selector of a form has one of the form's values.
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

/// Checks that a table is empty.
pub fn empty(len: usize, place: &str) -> Result<(), EncodeError> {
    if len == 0 {
        return Ok(());
    }
    Err(EncodeError { place: place.to_owned(), problem: "the table must be empty".into() })
}
