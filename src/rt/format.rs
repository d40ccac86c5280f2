//! Text formats of fields, and the names that texts use.

use std::borrow::Cow;

use super::super::isa::{DataType, GeneralId};
use super::Version;
use super::visit::Table;

/// Text format of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Default format of the type.
    Plain,
    /// Hexadecimal with prefix: `0x1f`.
    Hex,
    /// Upper-case hexadecimal with prefix: `0x1F`.
    UpperHex,
    /// Hexadecimal without prefix: `1f`.
    Bare16,
    /// Hexadecimal without prefix, at least two digits: `1f`.
    Bare16Padded,
    /// Operand without a zero offset and without a region.
    Bare,
    /// Signed hexadecimal: `+0x1f` or `-0x1f`.
    Signed,
    /// Signed decimal: `+31` or `-31`.
    Plus,
    /// String in double quotes.
    Quoted,
    /// Address of an operand.
    Address,
    /// String, in double quotes unless it is an identifier.
    Word,
    /// Raw operand without its offset.
    Name,
    /// General operand with its offset but without its region.
    Packed,
}

/// Names of a routine's variables, for printing.
pub trait Names {
    /// Returns the name of an entry, or `None` if the entry does not exist.
    fn name(&self, table: Table, id: u32) -> Option<Cow<'_, str>>;

    /// Returns the type of a general variable.
    fn data_type(&self, id: GeneralId) -> Option<DataType>;

    /// Returns the size of a register in bytes.
    fn register_bytes(&self) -> u32;

    /// Returns the version of the object or text.
    fn version(&self) -> Version;

    /// Returns true if templates with the mark `full:` are printed. They keep information that the
    /// vendor's text loses.
    fn full(&self) -> bool {
        false
    }

    /// Returns the text revision to print, as year times 100 plus month. Forms with a later mark
    /// are not printed; zero stands for the oldest printer.
    fn revision(&self) -> u32 {
        0
    }
}

/// Names of a routine's variables, for parsing.
pub trait Symbols: Names {
    /// Returns the id of a name. The first use of a label or a string creates its entry.
    fn find(&mut self, table: Table, name: &str) -> Option<u32>;

    /// Returns the value of `%sizeof`: the size in bytes of a declared variable, or of a register
    /// for the name `GRF`.
    fn size_of(&self, _name: &str) -> Option<u32> {
        None
    }

    /// Returns the value of `%DispatchSimd`: the number of channels that the text declares for its
    /// kernel.
    fn simd_size(&self) -> Option<u32> {
        None
    }

    /// Returns the declared name that is nearest to an undeclared name, if one is close.
    fn near(&self, _table: Table, _name: &str) -> Option<String> {
        None
    }
}
