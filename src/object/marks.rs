//! Marks: strings at the end of a routine's pool that hold data without a place in the vendor's
//! object layout.
//!
//! Nothing refers to the marks, so other readers ignore them. Spec page: `4_object_format.md`,
//! "Text revisions".

#[cfg(feature = "text")]
use std::collections::HashSet;

use super::{Routine, error::ObjectError};
use crate::isa::{DataType, Instruction, VarInfo, limits};
use crate::rt::{Bytes, Context, EncodeError, Reader, Version, Wire, Writer};

/// Prefix of the string with the text revision, such as `.text 2026-04`. It is the last string of
/// the pool.
const REVISION: &str = ".text ";
/// Prefix of a string with an instruction that has text-only fields: the instruction's number and
/// bytes.
const INSTRUCTION: &str = ".extra ";
/// Prefix of a string with a text-only type of a variable: the variable's number and the type.
const TYPE: &str = ".type ";
/// Prefix of a string with the name of a function that a kernel's text declares.
const FUNCTION: &str = ".funcdecl ";
/// Prefix of a string with the number of a variable that the text declares as an alias of `%null`.
/// Objects store no alias for it.
const NULL_ALIAS: &str = ".null ";

/// Name of every kernel in the texts of the packaged compiler of 2022. Its assembler drops the
/// declarations of functions from kernels of this name.
#[cfg(feature = "text")]
pub(crate) const UNNAMED: &str = "kernel";

/// Layout with the text-only fields.
const TEXT_ONLY: Context = Context { version: Version::new(limits::OBJECT_MAJOR as u8, u8::MAX) };

/// Returns the marks of a routine, last one first.
fn marks(routine: &Routine) -> impl Iterator<Item = String> {
    let all = [REVISION, INSTRUCTION, TYPE, FUNCTION, NULL_ALIAS];
    let is_mark = move |text: &String| all.iter().any(|mark| text.starts_with(mark));
    routine.strings.iter().rev().map(Bytes::to_text).take_while(is_mark)
}

/// Returns the mark of a text revision; `revision` is year times 100 plus month.
#[cfg(feature = "text")]
pub(crate) fn of_revision(revision: u32) -> String {
    format!("{REVISION}{:04}-{:02}", revision / 100, revision % 100)
}

/// Returns the text revision of a routine, zero for the oldest.
#[cfg(feature = "text")]
pub(crate) fn revision(routine: &Routine) -> u32 {
    let read = |text: String| {
        let (year, month) = text.strip_prefix(REVISION)?.split_once('-')?;
        let digits = |text: &str, len| text.len() == len && text.bytes().all(|b| b.is_ascii_digit());
        let is_date = digits(year, 4) && digits(month, 2);
        is_date.then(|| Some(year.parse::<u32>().ok()? * 100 + month.parse::<u32>().ok()?))?
    };
    marks(routine).next().and_then(read).unwrap_or(0)
}

/// Returns the mark of a declared function.
#[cfg(feature = "text")]
pub(crate) fn of_function(name: &str) -> String {
    format!("{FUNCTION}{name}")
}

/// Returns the names of the functions that a routine's text declares, in order of declaration.
#[cfg(feature = "text")]
pub(crate) fn functions(routine: &Routine) -> Vec<String> {
    let mut out: Vec<_> = marks(routine).filter_map(|mark| Some(mark.strip_prefix(FUNCTION)?.to_owned())).collect();
    out.reverse();
    out
}

/// Returns the mark of a variable that is an alias of `%null`.
#[cfg(feature = "text")]
pub(crate) fn of_null_alias(number: usize) -> String {
    format!("{NULL_ALIAS}{number}")
}

/// Returns the numbers of the variables that the text of a routine declares as aliases of `%null`.
#[cfg(feature = "text")]
pub(crate) fn null_aliases(routine: &Routine) -> HashSet<usize> {
    marks(routine).filter_map(|mark| mark.strip_prefix(NULL_ALIAS)?.parse().ok()).collect()
}

/// Returns the marks of the variables with text-only types.
pub(crate) fn of_types(variables: &[VarInfo]) -> Vec<String> {
    let types = variables.iter().map(|variable| variable.bit_properties.type_).enumerate();
    types.filter(|(_, ty)| ty.object_type().is_some()).map(|(number, ty)| of_type(number, ty)).collect()
}

fn of_type(number: usize, ty: DataType) -> String {
    format!("{TYPE}{number} {}", ty.name())
}

/// Returns the variables as objects store them, with a stored type in place of each text-only type.
pub(super) fn stored_variables(variables: &[VarInfo]) -> Vec<VarInfo> {
    let mut out = variables.to_vec();
    for properties in out.iter_mut().map(|variable| &mut variable.bit_properties) {
        properties.type_ = properties.type_.object_type().unwrap_or(properties.type_);
    }
    out
}

/// Sets the text-only types that the marks of a routine record.
///
/// # Errors
/// A damaged mark: its variable does not exist, or its type does not match the stored type.
pub(super) fn apply_types(routine: &mut Routine) -> Result<(), ObjectError> {
    let kept: Vec<String> = marks(routine).filter(|mark| mark.starts_with(TYPE)).collect();
    for mark in kept {
        let (number, name) = mark.strip_prefix(TYPE).and_then(|rest| rest.split_once(' ')).unwrap_or_default();
        let variable = number.parse().ok().and_then(|number: usize| routine.variables.get_mut(number));
        let ty = DataType::ALL.iter().find(|ty| ty.name() == name);
        match (variable, ty) {
            (Some(variable), Some(ty)) if ty.object_type() == Some(variable.bit_properties.type_) => {
                variable.bit_properties.type_ = *ty;
            }
            _ => return Err(damaged(&mark, "variable")),
        }
    }
    Ok(())
}

fn damaged(mark: &str, what: &str) -> ObjectError {
    ObjectError {
        offset: 0,
        message: format!("the string `{mark}` does not fit any {what}"),
        help: "the string pool of the routine is damaged".to_owned(),
        code: "object-malformed",
    }
}

/// Returns the marks of the instructions with text-only fields.
///
/// # Errors
/// Such an instruction cannot be encoded.
#[cfg(feature = "text")]
pub(crate) fn of_instructions(instructions: &[Instruction]) -> Result<Vec<String>, EncodeError> {
    let said = instructions.iter().enumerate().filter(|(_, i)| i.says_text_only());
    said.map(|(number, instruction)| of_instruction(number, instruction)).collect()
}

fn of_instruction(number: usize, instruction: &Instruction) -> Result<String, EncodeError> {
    let mut w = Writer::new();
    instruction.encode(&mut w, TEXT_ONLY)?;
    let bytes: String = w.into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{INSTRUCTION}{number} {bytes}"))
}

/// Checks that marks record all text-only fields and types of a routine, which objects do not
/// store.
///
/// # Errors
/// A text-only field or type without a mark.
pub(super) fn check(routine: &Routine) -> Result<(), EncodeError> {
    let types = of_types(&routine.variables);
    if !types.is_empty() {
        let kept: Vec<String> = marks(routine).collect();
        if let Some(missing) = types.iter().find(|mark| !kept.contains(mark)) {
            return Err(EncodeError {
                place: format!("variable {}", missing.trim_start_matches(TYPE)),
                problem: "a type that exists only in texts".to_owned(),
            });
        }
    }
    if routine.instructions.iter().any(Instruction::says_text_only) {
        let kept: Vec<String> = marks(routine).collect();
        for (number, instruction) in routine.instructions.iter().enumerate().filter(|(_, i)| i.says_text_only()) {
            if !kept.contains(&of_instruction(number, instruction)?) {
                return Err(EncodeError {
                    place: format!("instruction {number}, {}", instruction.page().name),
                    problem: "an operand or a modifier that exists only in texts".to_owned(),
                });
            }
        }
    }
    Ok(())
}

/// Sets the text-only fields that the marks of a routine record. Returns the numbers of the changed
/// instructions.
///
/// # Errors
/// A damaged mark: its instruction does not exist or has other operands.
pub(super) fn apply(routine: &mut Routine) -> Result<Vec<usize>, ObjectError> {
    let kept: Vec<String> = marks(routine).filter(|mark| mark.starts_with(INSTRUCTION)).collect();
    let mut out = Vec::with_capacity(kept.len());
    for mark in kept {
        let damaged = || damaged(&mark, "instruction");
        let (number, bytes) = parse(&mark).ok_or_else(damaged)?;
        let plain = routine.instructions.get_mut(number).ok_or_else(damaged)?;
        let mut r = Reader::new(&bytes, 0);
        let found = Instruction::decode(&mut r, TEXT_ONLY).map_err(|_| damaged())?;
        if r.remaining() > 0 || stored(&found).is_none_or(|stored| Some(stored) != self::stored(plain)) {
            return Err(damaged());
        }
        *plain = found;
        out.push(number);
    }
    Ok(out)
}

fn parse(mark: &str) -> Option<(usize, Vec<u8>)> {
    let (number, digits) = mark.strip_prefix(INSTRUCTION)?.split_once(' ')?;
    let pair = |at: usize| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(pair).collect();
    Some((number.parse().ok()?, bytes?))
}

/// Returns the bytes of an instruction in the newest object layout.
fn stored(instruction: &Instruction) -> Option<Vec<u8>> {
    let version = Version::new(limits::OBJECT_MAJOR as u8, limits::OBJECT_MINOR as u8);
    let mut w = Writer::new();
    instruction.encode(&mut w, Context { version }).ok()?;
    Some(w.into_bytes())
}
