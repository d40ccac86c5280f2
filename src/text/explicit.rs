//! Texts that say the tables of their routine: its strings and labels in their order, and values in their width.
//!
//! The assembler makes these tables from what a text declares and mentions. The producers of older objects made them
//! otherwise, so that a text without them gives another object.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::declare::is_reserved;
use super::file;
use super::parse::{Options, parse};
use super::print::{Style, print, print_with};
use crate::isa::{AttributeInfo, Instruction, Platform, StringId, predefined, predefined_surface};
use crate::object::{Object, Routine};
use crate::rt::{Bytes, Context, Reader, Version, Wire, Writer, escape};

/// Prints a routine so that reading the text gives the same routine again: as [`Style::Full`] where that is enough, and
/// otherwise as [`Style::Explicit`].
///
/// # Errors
/// The text that comes nearest, where a text cannot say what the routine has: strings that are no UTF-8, attributes of
/// labels and of variables of the file.
pub fn print_exact(object: &Object, routine: &Routine, platform: Option<Platform>) -> Result<String, String> {
    let options = || Options { file: String::new(), platform: platform.or(object.platform()) };
    let uses = file::uses(object, routine);
    let same = |text: &str| {
        parse(text, options()).is_ok_and(|p| {
            let of_file = p.variables == object.variables && p.uses.first() == Some(&uses);
            of_file && p.version == object.version && p.routine == *routine
        })
    };
    let full = print(object, routine, platform, Style::Full);
    if same(&full) {
        return Ok(full);
    }
    // What an instruction's own text does not say is said by its bytes.
    let mut as_bytes = HashSet::new();
    let explicit = print_with(object, routine, platform, Style::Explicit, &as_bytes);
    let Ok(parsed) = parse(&explicit, options()) else { return Err(explicit) };
    let pairs = parsed.routine.instructions.iter().zip(&routine.instructions);
    as_bytes.extend(pairs.enumerate().filter(|(_, (found, wanted))| found != wanted).map(|(number, _)| number));
    let explicit = print_with(object, routine, platform, Style::Explicit, &as_bytes);
    if same(&explicit) { Ok(explicit) } else { Err(explicit) }
}

/// A line that says an instruction by its bytes, with its text behind it as a comment.
pub(super) fn code(instruction: &Instruction, version: Version, text: &str) -> String {
    let mut w = Writer::new();
    // Bytes that cannot be written are not read back either: the comparison finds that.
    let _ = instruction.encode(&mut w, Context { version });
    let digits: String = w.into_bytes().iter().map(|b| format!("{b:02x}")).collect();
    format!("    .code {digits} // {}\n", text.replace('\n', " "))
}

/// Reads the digits of such a line.
///
/// # Errors
/// What was expected instead.
pub(super) fn read_code(digits: &str, version: Version) -> Result<Instruction, String> {
    let pair = |i: usize| digits.get(i..i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(pair).collect();
    let bytes = bytes.filter(|b| !b.is_empty()).ok_or("the bytes of an instruction, two hexadecimal digits each")?;
    let mut r = Reader::new(&bytes, 0);
    match Instruction::decode(&mut r, Context { version }) {
        Ok(instruction) if r.remaining() == 0 => Ok(instruction),
        Ok(_) => Err(format!("one instruction: {} bytes are left", r.remaining())),
        Err(error) => Err(format!("the bytes of an instruction: {error}")),
    }
}

/// Names of the entries of a routine's tables that are words and differ from all others.
#[derive(Clone, Debug, Default)]
pub(super) struct Unique {
    pub(super) general: Vec<String>,
    pub(super) addresses: Vec<String>,
    pub(super) predicates: Vec<String>,
    pub(super) labels: Vec<String>,
}

impl Unique {
    pub(super) fn new(routine: &Routine) -> Self {
        let mut taken: HashSet<String> = HashSet::new();
        for entry in predefined::ALL.iter().chain(predefined_surface::ALL) {
            taken.extend([entry.name.to_owned(), entry.old_name.to_owned(), format!("T{}", entry.id)]);
        }
        taken.extend((0..routine.samplers.len().max(32)).map(|i| format!("S{i}")));
        taken.extend((0..routine.surfaces.len()).map(|i| format!("T{}", i + predefined_surface::DECLARED as usize)));
        let name = |taken: &mut HashSet<String>, id: StringId, kind: &str, number: usize| {
            let own = routine.string(id).filter(|s| is_word(s) && !taken.contains(s));
            let mut name = own.unwrap_or_else(|| format!("{kind}{number}_"));
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            name
        };
        let mut out = Self::default();
        for (i, v) in routine.variables.iter().enumerate() {
            out.general.push(name(&mut taken, v.name_index, "V", i + predefined::DECLARED as usize));
        }
        for (i, a) in routine.addresses.iter().enumerate() {
            out.addresses.push(name(&mut taken, a.name_index, "A", i));
        }
        for (i, p) in routine.predicates.iter().enumerate() {
            out.predicates.push(name(&mut taken, p.name_index, "P", i + 1));
        }
        // Labels are no variables: they may be called alike.
        let mut labels = HashSet::new();
        for (i, l) in routine.labels.iter().enumerate() {
            out.labels.push(name(&mut labels, l.name_index, "L", i));
        }
        out
    }
}

/// Whether a text can be a name.
pub(super) fn is_word(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && !is_reserved(text) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The directives behind the routine's own: all strings, then all labels.
pub(super) fn tables(out: &mut String, routine: &Routine, names: &Unique) {
    for string in &routine.strings {
        let _ = writeln!(out, ".string \"{}\"", escape(&string.to_text()));
    }
    for (label, name) in routine.labels.iter().zip(&names.labels) {
        let _ = writeln!(out, ".label {name} kind={} string={}", label.kind.name(), label.name_index.0);
    }
}

/// ` string=12`, where the declared name is not that string of the pool.
pub(super) fn string_of(routine: &Routine, id: StringId, shown: &str) -> String {
    if is_first(routine, id, shown) { String::new() } else { format!(" string={}", id.0) }
}

/// Whether a string is the first one of the pool that reads like this: what a text means without a number.
fn is_first(routine: &Routine, id: StringId, shown: &str) -> bool {
    let first = routine.strings.iter().position(|s| s.as_slice() == shown.as_bytes());
    first == Some(id.0 as usize)
}

/// `Name`, `Name=16:4` with the bytes of the value behind the colon, or `Name="text"`; `Name@12` for the string with
/// that number where several read alike.
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
