//! Access to the implementation through its public API: bytes to instruction and fields, and back
//! to bytes and text.

use visakit::isa::{Instruction, Platform};
use visakit::object::Routine;
use visakit::rt::{Bits, Context, DecodeError, FieldRef, Printer, Reader, Version, Visitor, Wire, Writer};
use visakit::text::{RoutineNames, Style};
use visakit::verify;
use visakit_diag::Severity;

use crate::expect::rules::Broken;

/// Decodes one instruction. Returns it with its length in bytes.
pub(super) fn decode(bytes: &[u8], version: Version) -> Result<(Instruction, usize), DecodeError> {
    let mut reader = Reader::new(bytes, 0);
    let instruction = Instruction::decode(&mut reader, Context { version })?;
    Ok((instruction, reader.offset()))
}

/// Encodes an instruction; formats the error.
pub(super) fn encode(instruction: &Instruction, version: Version) -> Result<Vec<u8>, String> {
    let mut writer = Writer::new();
    instruction.encode(&mut writer, Context { version }).map_err(|e| e.to_string())?;
    Ok(writer.into_bytes())
}

/// Value of a field as the implementation returns it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Seen {
    /// Number, index or bits.
    Bits(u64),
    /// Bytes of an operand.
    Bytes(Vec<u8>),
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bits(bits) => write!(f, "0x{bits:x}"),
            Self::Bytes(bytes) => f.write_str(&hex(bytes)),
        }
    }
}

/// Formats bytes as hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}

/// Returns the fields of an instruction by position.
pub(super) fn fields(instruction: &Instruction, version: Version) -> Vec<(usize, Seen)> {
    let mut look = Look { version, out: Vec::new() };
    instruction.visit(&mut look);
    look.out
}

struct Look {
    version: Version,
    out: Vec<(usize, Seen)>,
}

impl Look {
    fn bytes(&self, value: &impl Wire) -> Seen {
        let mut writer = Writer::new();
        // A value that cannot be encoded has no bytes, so it differs from every field of a page.
        let written = value.encode(&mut writer, Context { version: self.version });
        Seen::Bytes(written.map_or(Vec::new(), |()| writer.into_bytes()))
    }
}

impl Visitor<'_> for Look {
    fn field(&mut self, position: usize, value: FieldRef<'_>) {
        let seen = match value {
            FieldRef::Number(number) => Seen::Bits(number as u64),
            FieldRef::Bits(bits) => Seen::Bits(bits),
            FieldRef::Index(_, index) => Seen::Bits(index.into()),
            FieldRef::Predicate(predicate) => Seen::Bits(predicate.to_bits().unwrap_or(u64::MAX)),
            FieldRef::Vector(operand) => self.bytes(operand),
            FieldRef::Raw(operand) => self.bytes(operand),
        };
        self.out.push((position, seen));
    }
}

/// Prints an instruction of a routine.
pub(super) fn print(instruction: &Instruction, routine: &Routine, version: Version) -> String {
    print_as(instruction, routine, version, Style::Full)
}

/// Prints an instruction of a routine in a style.
pub(super) fn print_as(instruction: &Instruction, routine: &Routine, version: Version, style: Style) -> String {
    let names = RoutineNames::new(routine, version, 32, style);
    let mut printer = Printer::new(String::new(), &names);
    instruction.print(&mut printer);
    printer.into_text()
}

/// Returns the findings of the validator.
pub(super) fn verdict(
    instruction: &Instruction,
    routine: &Routine,
    platform: Option<Platform>,
) -> std::collections::BTreeSet<Broken> {
    let found = verify::instruction(instruction, 0, routine, platform);
    found.into_iter().map(|v| Broken { code: v.code, warning: v.severity == Severity::Warning }).collect()
}
