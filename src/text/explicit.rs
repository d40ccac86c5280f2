//! Explicit texts: they list the strings and labels of their routine in order, and values in their
//! width.
//!
//! The assembler builds these tables from the declarations and uses in a text. Producers of older
//! objects ordered them differently, so a text without the tables would give another object.

use std::fmt::Write as _;

use super::keys::{self, print_directive};
use super::unique::Unique;
use crate::isa::{AttributeInfo, Instruction, StringId, TextDirective, TextKey};
use crate::object::Routine;
use crate::rt::{Bytes, Context, Reader, Version, Wire, Writer, escape};

/// Formats a line that holds an instruction as bytes, with its text as a comment.
pub(super) fn code(instruction: &Instruction, version: Version, text: &str) -> String {
    let mut w = Writer::new();
    // An instruction that cannot be encoded is not read back either; the comparison detects it.
    let _ = instruction.encode(&mut w, Context { version });
    let digits: String = w.into_bytes().iter().map(|b| format!("{b:02x}")).collect();
    format!("    {} {digits} // {}\n", TextDirective::CodeLine.text(), text.replace('\n', " "))
}

/// Parses the digits of a `.code` line.
///
/// # Errors
/// The expected input.
pub(super) fn read_code(digits: &str, version: Version) -> Result<Instruction, String> {
    let pair = |i: usize| digits.get(i..i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(pair).collect();
    let bytes =
        bytes.filter(|b| !b.is_empty()).ok_or("the bytes of an instruction as two hexadecimal digits each")?;
    let mut r = Reader::new(&bytes, 0);
    match Instruction::decode(&mut r, Context { version }) {
        Ok(instruction) if r.remaining() == 0 => Ok(instruction),
        Ok(_) => Err(format!("one instruction: {} bytes are left after it", r.remaining())),
        Err(error) => Err(format!("the bytes of an instruction: {error}")),
    }
}

/// Prints the directives after the routine's own: all strings, then all labels.
pub(super) fn tables(out: &mut String, routine: &Routine, names: &Unique) {
    for string in &routine.strings {
        print_directive(out, TextDirective::StringLine, &escape(&string.to_text()));
        out.push('\n');
    }
    for (label, name) in routine.labels.iter().zip(&names.labels) {
        print_directive(out, TextDirective::LabelLine, name);
        keys::print(out, keys::all(TextDirective::LabelLine), |out, key| match key {
            TextKey::KeyKind => write!(out, "{}", label.kind.name()).is_ok(),
            TextKey::KeyString => write!(out, "{}", label.name_index.0).is_ok(),
            _ => false,
        });
        out.push('\n');
    }
}

/// Returns the number of a string if the name in the text does not identify the string of the pool.
pub(super) fn string_of(routine: &Routine, id: StringId, shown: &str) -> Option<u32> {
    (!is_first(routine, id, shown)).then_some(id.0)
}

/// Returns true if a string is the first in the pool with this text. A text without a string index
/// refers to the first.
fn is_first(routine: &Routine, id: StringId, shown: &str) -> bool {
    let first = routine.strings.iter().position(|s| s.as_slice() == shown.as_bytes());
    first == Some(id.0 as usize)
}

/// Formats `Name`, `Name=16:4` with the size in bytes after the colon, or `Name="text"`; `Name@12`
/// is the string index where several strings have the same text.
pub(super) fn attribute(routine: &Routine, name: &str, attribute: &AttributeInfo, is_text: bool) -> String {
    let number =
        if is_first(routine, attribute.name, name) { String::new() } else { format!("@{}", attribute.name.0) };
    let name = format!("{name}{number}");
    let bytes = attribute.value.as_slice();
    let mut padded = [0; 4];
    match padded.get_mut(..bytes.len()) {
        Some([]) => name,
        Some(low) if !is_text => {
            low.copy_from_slice(bytes);
            format!("{name}={}:{}", u32::from_le_bytes(padded), bytes.len())
        }
        _ => format!("{name}=\"{}\"", escape(&Bytes::to_text(&attribute.value))),
    }
}
