//! Types of the reflection tables, which hold the facts of the pages as `static` data.

use std::fmt;

use super::super::isa::{DataType, InstructionGroup, OperandClass, PAGES, PageCheck, Platform, list_data};
use super::condition::Op;
use super::visit::{Role, Table};

/// Page of the specification.
#[derive(Debug)]
pub struct Page {
    /// Full name of the instruction, such as `SVM_ATOMIC`.
    pub name: &'static str,
    /// First byte of the instruction in objects.
    pub opcode: u8,
    /// Second byte, where several instructions share the opcode.
    pub sub_opcode: Option<u8>,
    /// Kind of the page.
    pub kind: PageKind,
    /// Path relative to the specification's folder.
    pub path: &'static str,
    /// Line number of the opcode on the page.
    pub line: u32,
    /// First paragraph of the page's description.
    pub summary: &'static str,
    /// Semantics block of the page.
    pub semantics: &'static str,
    /// Layouts of the instruction.
    pub forms: &'static [Form],
    /// Text templates as the page has them.
    pub text: &'static [&'static str],
    /// Supported data types, each with its platforms.
    pub types: &'static [(DataType, Platforms)],
    /// Legal combinations of types.
    pub type_maps: &'static [TypeMap],
    /// Condition under which the destination may be saturated.
    pub saturation: Saturation,
    /// Modifiers that sources may have.
    pub source_modifier: SourceModifier,
    /// Effect of an access outside a buffer.
    pub out_of_bound: &'static str,
    /// Ranges of platforms that have the instruction; empty for all platforms.
    pub platforms: &'static [Platforms],
    /// Violations of checks that the vendor's assembler accepts, in the order of verification.md.
    pub accepted: &'static [&'static Acceptance],
    /// Groups that contain the instruction, in the order of the pages.
    pub groups: &'static [InstructionGroup],
}

impl Page {
    /// Returns true if a group contains the instruction.
    pub fn is_in(&self, group: InstructionGroup) -> bool {
        self.groups.contains(&group)
    }

    /// Returns the pages of a group, by opcode.
    pub fn of_group(group: InstructionGroup) -> impl Iterator<Item = &'static Self> {
        PAGES.iter().copied().filter(move |page| page.is_in(group))
    }
}

/// Kind of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// An encoded instruction.
    Ordinary,
    /// A family, which has no encoding of its own.
    Umbrella,
    /// An alternative spelling of the named instruction.
    Alias(&'static str),
    /// A known opcode with an unpublished layout.
    Reserved,
    /// An instruction whose behaviour no public document defines.
    Undefined,
}

/// Condition under which a destination may be saturated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saturation {
    /// Never.
    No,
    /// Always.
    Yes,
    /// If its type is a float.
    Floats,
}

/// Source modifiers that a page allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceModifier {
    /// None.
    None,
    /// Absolute value and negation.
    Arithmetic,
    /// Bitwise complement.
    Logic,
}

/// Range of platforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platforms {
    /// First platform of the range; `None` for the oldest.
    pub from: Option<Platform>,
    /// First platform after the range; `None` for no end.
    pub before: Option<Platform>,
}

impl Platforms {
    /// Returns true if a platform belongs to the range.
    pub fn contains(self, platform: Platform) -> bool {
        let age = platform.age();
        self.from.is_none_or(|from| age >= from.age()) && self.before.is_none_or(|before| age < before.age())
    }
}

/// Legal combination of operand types.
#[derive(Debug)]
pub struct TypeMap {
    /// Types of the destination.
    pub dst: &'static [DataType],
    /// Types of the sources.
    pub src: &'static [DataType],
    /// Platforms on which the combination is legal.
    pub platforms: Platforms,
}

/// Layout of an instruction.
#[derive(Debug)]
pub struct Form {
    /// Name of the layout; empty if the instruction has only one.
    pub name: &'static str,
    /// Field that selects the layout; empty if the instruction has only one.
    pub selector: &'static str,
    /// Enumerators of the selector that select this layout.
    pub values: &'static [&'static str],
    /// Fields in storage order.
    pub fields: &'static [Field],
    /// Constraints across the fields.
    pub constraints: &'static [FormConstraint],
}

/// Operands that a row of verification.md concerns one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EachOperand {
    /// The first operand with a region that the instruction writes.
    Destination,
    /// Operands with a region that the instruction reads, unless their field names types.
    Source,
    /// Operands with a region.
    Operand,
}

/// Severity of a violation that the vendor's assembler accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A warning.
    Warning,
    /// No finding.
    Nothing,
}

/// Violation of a check that the vendor's assembler accepts: a row of verification.md.
#[derive(Debug)]
pub struct Acceptance {
    /// Name of the row.
    pub name: &'static str,
    /// Check of the violation.
    pub check: PageCheck,
    /// Ranges of platforms on which the row holds; empty for all platforms.
    pub platforms: &'static [Platforms],
    /// Operands that the row concerns; empty for all.
    pub each: &'static [EachOperand],
    /// Condition under which the row applies; empty for always.
    pub when: &'static [Op],
    /// Severity of the violation.
    pub verdict: Verdict,
    /// Page and line of the row.
    pub origin: &'static str,
}

/// Condition of the vendor's assembler: a row of verification.md.
#[derive(Debug)]
pub struct Constraint {
    /// Name of the constraint.
    pub name: &'static str,
    /// Code of the finding for a violation.
    pub finding: &'static str,
    /// True if the finding is a warning.
    pub warning: bool,
    /// Ranges of platforms on which the constraint holds; empty for all platforms.
    pub platforms: &'static [Platforms],
    /// Operands that the row concerns one by one; empty if it concerns the whole instruction.
    pub each: &'static [EachOperand],
    /// Message of the finding; `{it}` is the field of the operand, `{type}` its type.
    pub message: &'static str,
    /// Page and line of the row.
    pub origin: &'static str,
}

/// Constraint applied to one layout.
#[derive(Debug)]
pub struct FormConstraint {
    /// Row of verification.md.
    pub row: &'static Constraint,
    /// Condition under which the constraint applies; empty for always.
    pub when: &'static [Op],
    /// Condition that must hold.
    pub must: &'static [Op],
}

/// Field of an instruction.
#[derive(Debug)]
pub struct Field {
    /// Name of the field.
    pub name: &'static str,
    /// Kind of the field.
    pub shape: FieldKind,
    /// Type of the field on the page.
    pub storage: &'static str,
    /// Bit field or enumeration of the field, if any.
    pub list: Option<&'static List>,
    /// Table of an index; `None` if another field decides it, and for a field that is no index.
    pub table: Option<Table>,
    /// Legal operand classes; empty for any.
    pub classes: &'static [&'static str],
    /// Legal types; empty for any.
    pub types: &'static [DataType],
    /// Legal enumerators by part, each with its platforms; the part is empty for a plain
    /// enumeration.
    pub only: &'static [(&'static str, &'static [(&'static str, Platforms)])],
    /// Legal range of a number.
    pub range: Option<(i64, i64)>,
    /// True if zero is illegal.
    pub nonzero: bool,
    /// Use of the variable that the field names; `None` for a field that names none.
    pub role: Option<Role>,
    /// Condition under which the field is stored; empty for always.
    pub presence: &'static str,
    /// Description of the field.
    pub doc: &'static str,
    /// Line number on the page.
    pub line: u32,
}

impl Field {
    /// Returns true for a field that exists in texts only and is not stored in objects.
    pub fn is_text_only(&self) -> bool {
        self.presence == "in texts only"
    }

    /// Returns true for the execution size, which holds the number of channels and the mask.
    pub fn is_exec_size(&self) -> bool {
        self.list.is_some_and(|list| list.name == list_data::EXEC_SIZE.name)
    }

    /// Returns true if the field accepts operands of a class.
    pub fn allows(&self, class: OperandClass) -> bool {
        self.classes.is_empty() || self.classes.contains(&class.name())
    }
}

/// Kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A plain number.
    Number,
    /// A bit field or an enumeration.
    List,
    /// An index into a table.
    Index,
    /// A predicate.
    Predicate,
    /// An operand with a region.
    Vector,
    /// The first element of a vector operand.
    Scalar,
    /// Contiguous bytes of a general variable.
    Raw,
    /// A field that is always zero.
    Zero,
    /// A field that repeats an earlier field.
    Copy,
}

/// Bit field or enumeration.
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// Name of the list on the page.
    pub name: &'static str,
    /// Width in bits.
    pub bits: u32,
    /// Parts of the bit field; an enumeration has one part without a name.
    pub parts: &'static [BitField],
    /// Page and line of the list, as `page:line`.
    pub origin: &'static str,
}

/// Part of a bit field.
#[derive(Clone, Copy, Debug)]
pub struct BitField {
    /// Name of the part; empty for an enumeration.
    pub name: &'static str,
    /// Lowest bit.
    pub lo: u32,
    /// Number of bits.
    pub width: u32,
    /// True if the bits must be zero.
    pub zero: bool,
    /// Named values; empty for a plain number or a flag.
    pub values: &'static [Value],
    /// Headings of the columns with facts about the values, in the order of [`Value::cells`].
    pub columns: &'static [&'static str],
    /// Description of the part.
    pub doc: &'static str,
}

/// Named value.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// Numeric value.
    pub value: u64,
    /// Name of the value.
    pub name: &'static str,
    /// Spelling of the value in assembly text.
    pub text: &'static str,
    /// Platforms that have the value.
    pub platforms: Platforms,
    /// Cells of the list's columns for this value.
    pub cells: &'static [Cell],
    /// Description of the value.
    pub doc: &'static str,
}

impl BitField {
    /// Returns the cell of a column for a value, or `None` if either does not exist.
    pub fn cell(&self, value: u64, column: &str) -> Option<Cell> {
        let at = self.columns.iter().position(|c| *c == column)?;
        self.values.iter().find(|v| v.value == value)?.cells.get(at).copied()
    }
}

/// Cell of a column for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No entry.
    None,
    /// A number.
    Number(i64),
    /// Several numbers.
    Numbers(&'static [i64]),
    /// A truth value.
    Flag(bool),
    /// Names. The column's heading states their kind.
    Names(&'static [&'static str]),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::None => None::<u32>.said(),
            Self::Number(number) => number.said(),
            Self::Numbers(numbers) => numbers.said(),
            Self::Flag(flag) => flag.said(),
            Self::Names(names) => names.join(" "),
        })
    }
}

/// Text form of a cell, in the words of the page.
pub trait Said {
    /// Returns the text.
    fn said(&self) -> String;
}

impl Said for u32 {
    fn said(&self) -> String {
        self.to_string()
    }
}

impl Said for i64 {
    fn said(&self) -> String {
        self.to_string()
    }
}

impl Said for bool {
    fn said(&self) -> String {
        if *self { "yes" } else { "no" }.to_owned()
    }
}

impl<T: Said> Said for Option<T> {
    fn said(&self) -> String {
        self.as_ref().map_or_else(|| "-".to_owned(), Said::said)
    }
}

impl<T: Said> Said for &[T] {
    fn said(&self) -> String {
        match self {
            [] => "-".to_owned(),
            all => all.iter().map(Said::said).collect::<Vec<_>>().join(" "),
        }
    }
}

/// Predefined variable or surface.
#[derive(Clone, Copy, Debug)]
pub struct Predefined {
    /// Id of the variable.
    pub id: u32,
    /// Name in current texts.
    pub name: &'static str,
    /// Name in objects of versions 3.x.
    pub old_name: &'static str,
    /// Data type of an element.
    pub data_type: DataType,
    /// Number of elements with 32-byte registers, and with 64-byte registers.
    pub elements: (u32, u32),
    /// Writable elements: `None` for none, an empty list for all, otherwise those listed.
    pub written: Option<&'static [u32]>,
    /// Cells of the further columns of the table.
    pub cells: &'static [Cell],
}

impl Predefined {
    /// Returns the size of the variable in bytes for a register size of 32 or 64 bytes.
    pub const fn bytes(&self, register_bytes: u32) -> u32 {
        let elements = if register_bytes == 32 { self.elements.0 } else { self.elements.1 };
        elements * self.data_type.bits() / 8
    }
}

/// Known attribute of a kernel or a variable.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// Name of the attribute.
    pub name: &'static str,
    /// Entities that may have the attribute.
    pub place: &'static str,
    /// Sizes of the value in bytes, as producers write it.
    pub bytes: &'static str,
    /// Kind of the value.
    pub value: &'static str,
    /// Description of the attribute.
    pub doc: &'static str,
}
