//! Statements without declarations, and their variables with values.

use std::fmt;
use std::str::FromStr;

use visakit::isa::{DataType, DataTypeClass, DeclaredClass, GeneralId, Instruction, Platform, predefined};
use visakit::object::Routine;
use visakit::text::{Options, parse};
use visakit_diag::{Diagnostic, Severity};
use visakit_machine::float::FloatMode;
use visakit_machine::thread::Thread;

use crate::float::Format;
use crate::stage::Stage;

/// File name of the statements in findings.
pub(crate) const FILE: &str = "TEXT";

/// Number of elements of a variable: the maximum number of channels of an instruction.
const ELEMENTS: usize = 32;

/// Bytes of a variable for pictures.
const LONG: usize = 2048;

/// Classes of variables that a letter names in place of a type.
const CLASSES: [DeclaredClass; 3] =
    [DeclaredClass::PredicateClass, DeclaredClass::SamplerClass, DeclaredClass::SurfaceClass];

/// Variable with its values.
#[derive(Clone, Debug)]
pub struct Assignment {
    name: String,
    class: DeclaredClass,
    /// Type of the elements of a general variable.
    data_type: Option<DataType>,
    /// Bit patterns of the elements.
    values: Vec<u64>,
    /// Number of elements.
    elements: usize,
}

impl Assignment {
    /// Returns the variable with room for the largest operands of messages and matrices.
    pub(crate) fn long(&self) -> Self {
        let size = self.data_type.map_or(0, |ty| ty.bits() as usize / 8);
        Self { elements: LONG.checked_div(size).unwrap_or(ELEMENTS), ..self.clone() }
    }
}

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once('=').ok_or("write NAME=TYPE:VALUES, such as A=d:1,2")?;
        let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty();
        if !is_word || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(format!("`{name}` cannot be the name of a variable"));
        }
        let (ty, values) = rest.split_once(':').unwrap_or((rest, ""));
        let known = DataType::ALL.iter().copied().filter(|t| t.variable());
        let class = CLASSES.into_iter().find(|class| class.text().eq_ignore_ascii_case(ty));
        let data_type = match class {
            Some(_) => None,
            None => Some(known.clone().find(|t| t.name().eq_ignore_ascii_case(ty)).ok_or_else(|| {
                let names: Vec<&str> = known.map(DataType::name).collect();
                let [predicate, sampler, surface] = CLASSES.map(|class| class.text().to_lowercase());
                format!(
                    "`{ty}` is not a type of a variable; the types are {}, and {predicate}, {sampler} and {surface} \
                     for predicates, samplers and surfaces",
                    names.join(", ")
                )
            })?),
        };
        let values = values.split(',').filter(|v| !v.is_empty()).map(|value| bits(value.trim(), data_type));
        let values = values.collect::<Result<Vec<u64>, String>>()?;
        let class = class.unwrap_or(DeclaredClass::GeneralClass);
        let has_value = matches!(class, DeclaredClass::GeneralClass | DeclaredClass::PredicateClass);
        if !values.is_empty() && !has_value {
            return Err(format!("`{name}` is a sampler or a surface, which has no value; write {name}={ty}"));
        }
        Ok(Self { name: name.to_owned(), class, data_type, values, elements: ELEMENTS })
    }
}

/// Parses a signed number in decimal, hexadecimal or binary.
///
/// # Errors
/// Other texts, and numbers out of the type's range.
pub fn number<T: TryFrom<i128>>(text: &str) -> Result<T, String> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let magnitude = match digits.get(..2) {
        Some("0x" | "0X") => i128::from_str_radix(&digits[2..], 16),
        Some("0b" | "0B") => i128::from_str_radix(&digits[2..], 2),
        _ => digits.parse(),
    };
    let magnitude = magnitude.map_err(|_| format!("`{text}` is not a whole number"))?;
    let value = if negative { -magnitude } else { magnitude };
    T::try_from(value).map_err(|_| format!("`{text}` is out of range"))
}

/// Parses one element and returns its bit pattern.
fn bits(text: &str, data_type: Option<DataType>) -> Result<u64, String> {
    let width = data_type.map_or(32, DataType::bits);
    let is_pattern = text.starts_with("0x") || text.starts_with("0b");
    if let Some(format) = data_type.and_then(Format::of).filter(|_| !is_pattern) {
        let value: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
        return Ok(format.of_real(value, FloatMode::PLAIN));
    }
    let value: i128 = number(text)?;
    let signed = data_type.is_none_or(|t| t.class() != DataTypeClass::Unsigned);
    let low = if signed { -(1_i128 << (width - 1)) } else { 0 };
    match (low..1 << width).contains(&value) {
        true => Ok(value as u64 & (u64::MAX >> (64 - width))),
        false => Err(format!("`{text}` does not fit into {width} bits")),
    }
}

/// Parsed instructions with their source lines.
pub(crate) struct Text {
    pub(crate) routine: Routine,
    lines: Vec<String>,
}

impl Text {
    /// Parses instructions that refer to the variables of the assignments.
    ///
    /// # Errors
    /// The first error of the assembler.
    pub(crate) fn new(text: &str, variables: &[Assignment], platform: Platform) -> Result<Self, Box<Diagnostic>> {
        let lines: Vec<String> = text
            .split([';', '\n'])
            .scan(String::new(), |open, part| {
                // A region contains a semicolon, which does not end the statement.
                open.push_str(part);
                if open.matches('<').count() > open.matches('>').count() {
                    open.push(';');
                    return Some(None);
                }
                Some(Some(std::mem::take(open)))
            })
            .flatten()
            .map(|line| expanded(line.trim(), variables))
            .filter(|line| !line.is_empty())
            .collect();
        let mut source = ".version 4.1\n.kernel \"eval\"\n".to_owned();
        source.extend(variables.iter().map(ToString::to_string));
        let before = source.lines().count() as u32;
        lines.iter().for_each(|line| source += &format!("{line}\n"));
        let options = Options { file: FILE.to_owned(), platform: Some(platform) };
        let parsed = parse(&source, options).map_err(|mut errors| {
            let mut error = errors.swap_remove(0);
            // The generated declarations before the text are not counted as lines of the user.
            error.line = error.line.saturating_sub(before);
            let wants_variable = error.help.is_empty() && error.message.contains("variable");
            Box::new(if wants_variable { error.help("declare variables with --set NAME=TYPE") } else { error })
        })?;
        if parsed.routine.instructions.len() != lines.len() {
            let message = "the text must contain instructions only";
            return Err(Box::new(Diagnostic::new("eval-text", Severity::Error, FILE, message)));
        }
        Ok(Self { routine: parsed.routine, lines })
    }

    /// Returns the instructions with their texts.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = (&Instruction, &str)> {
        self.routine.instructions.iter().zip(self.lines.iter().map(String::as_str))
    }

    /// Assigns the values of the variables. Variables are in the order of their declarations.
    pub(crate) fn assign(&self, variables: &[Assignment], stage: &Stage<'_>, thread: &mut Thread) {
        let (mut generals, mut predicates) = (predefined::DECLARED, 0);
        for variable in variables {
            let Some(data_type) = variable.data_type else {
                if variable.class != DeclaredClass::PredicateClass {
                    continue;
                }
                predicates += 1;
                if let (Some(number), Some(bits)) = (stage.predicate(predicates), variable.values.first()) {
                    thread.predicates[number as usize] = *bits as u32;
                }
                continue;
            };
            let offset = stage.offset(GeneralId(generals));
            generals += 1;
            let (Some(offset), false) = (offset, variable.values.is_empty()) else { continue };
            let size = data_type.bits() as usize / 8;
            for (n, bits) in variable.values.iter().cycle().take(variable.elements).enumerate() {
                let at = offset + (n * size) as u32;
                thread.registers.bytes_mut(at)[..size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
    }
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.data_type {
            None => {
                let elements = if self.class == DeclaredClass::PredicateClass { ELEMENTS } else { 1 };
                writeln!(f, ".decl {} v_type={} num_elts={elements}", self.name, self.class.text())
            }
            Some(ty) => {
                writeln!(f, ".decl {} v_type=G type={} num_elts={} align=GRF", self.name, ty.name(), self.elements)
            }
        }
    }
}

/// Replaces the names of variables that stand alone by operands of full width. The first operand is
/// the destination.
fn expanded(line: &str, variables: &[Assignment]) -> String {
    // Operands follow the parentheses with the number of channels.
    let channels = line.find(" (M").or_else(|| line.find("(M"));
    let Some(behind) = channels.and_then(|at| Some(at + line[at..].find(')')? + 1)) else { return line.to_owned() };
    let words = line[behind..].split_whitespace().enumerate().map(|(n, word)| {
        let name = word.trim_start_matches("(-)").trim_start_matches("(abs)").trim_start_matches("(~)");
        let name = name.trim_start_matches("(-abs)");
        let is_alone = variables.iter().any(|v| v.name == name && v.data_type.is_some());
        match (is_alone, n) {
            (false, _) => word.to_owned(),
            (true, 0) => format!("{word}(0,0)<1>"),
            (true, _) => format!("{word}(0,0)<1;1,0>"),
        }
    });
    format!("{} {}", &line[..behind], words.collect::<Vec<_>>().join(" "))
}
