//! Shapes of the reflection tables: what the pages say, as `static` data.

use std::fmt;

use super::super::isa::{DataType, OperandClass, Platform, Rule, list_data};
use super::condition::Op;
use super::visit::{Role, Table};

/// A page of the specification.
#[derive(Debug)]
pub struct Page {
    /// Full name of the instruction, such as `SVM_ATOMIC`.
    pub name: &'static str,
    /// First byte in objects.
    pub opcode: u8,
    /// Second byte, where the opcode is shared.
    pub sub_opcode: Option<u8>,
    /// What the page describes.
    pub kind: PageKind,
    /// Path below the specification's folder.
    pub path: &'static str,
    /// Line of the opcode.
    pub line: u32,
    /// First paragraph of the description.
    pub summary: &'static str,
    /// The semantics block.
    pub semantics: &'static str,
    /// The layouts.
    pub forms: &'static [Form],
    /// The text templates as written.
    pub text: &'static [&'static str],
    /// Types that the instruction works on, and where.
    pub types: &'static [(DataType, Platforms)],
    /// Legal combinations of types.
    pub type_maps: &'static [TypeMap],
    /// Whether the destination may be saturated.
    pub saturation: Saturation,
    /// Which modifiers sources may have.
    pub source_modifier: SourceModifier,
    /// What an access outside a buffer does.
    pub out_of_bound: &'static str,
    /// Where the instruction exists: in any of these ranges; everywhere when there are none.
    pub platforms: &'static [Platforms],
    /// What the vendor's assembler makes of it beyond the above: the rows of verification.md that
    /// name it.
    pub rules: &'static [Rule],
}

/// What a page describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// An instruction.
    Ordinary,
    /// A family that encodes nothing itself.
    Umbrella,
    /// Another spelling of the named instruction.
    Alias(&'static str),
    /// A known opcode with an unpublished layout.
    Reserved,
    /// An instruction whose behaviour no public text defines.
    Undefined,
}

/// When a destination may be saturated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saturation {
    /// Never.
    No,
    /// Always.
    Yes,
    /// When its type is a float.
    Floats,
}

/// Which source modifiers a page allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceModifier {
    /// None.
    None,
    /// Absolute value and negation.
    Arithmetic,
    /// Bitwise not.
    Logic,
}

/// A range of platforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platforms {
    /// The first one, or all from the oldest on.
    pub from: Option<Platform>,
    /// The first one that does not belong to it any more.
    pub before: Option<Platform>,
}

impl Platforms {
    /// Whether a platform belongs to the range.
    pub fn contains(self, platform: Platform) -> bool {
        let age = platform.age();
        self.from.is_none_or(|from| age >= from.age()) && self.before.is_none_or(|before| age < before.age())
    }
}

/// A legal combination of operand types.
#[derive(Debug)]
pub struct TypeMap {
    /// Types of the destination.
    pub dst: &'static [DataType],
    /// Types of the sources.
    pub src: &'static [DataType],
    /// Where it holds.
    pub platforms: Platforms,
}

/// A layout of an instruction.
#[derive(Debug)]
pub struct Form {
    /// Its name; empty where there is one form.
    pub name: &'static str,
    /// The field that selects it; empty where there is one form.
    pub selector: &'static str,
    /// The selector's enumerators for which it holds.
    pub values: &'static [&'static str],
    /// The fields in the order in which they are stored.
    pub fields: &'static [Field],
    /// The rules across them.
    pub constraints: &'static [FormConstraint],
}

/// A rule across the fields of an instruction: a row of verification.md.
#[derive(Debug)]
pub struct Constraint {
    /// Its name.
    pub name: &'static str,
    /// Code of the finding where it is broken.
    pub finding: &'static str,
    /// Whether the finding is a warning.
    pub warning: bool,
    /// Where it holds: in any of these ranges; everywhere when there are none.
    pub platforms: &'static [Platforms],
    /// Text of the finding.
    pub message: &'static str,
    /// Page and line.
    pub origin: &'static str,
}

/// A constraint on one form.
#[derive(Debug)]
pub struct FormConstraint {
    /// The row.
    pub row: &'static Constraint,
    /// Where it applies; always where it is empty.
    pub when: &'static [Op],
    /// What holds there.
    pub must: &'static [Op],
}

/// A field of an instruction.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub shape: FieldKind,
    /// Its type on the page.
    pub storage: &'static str,
    /// Its bits and names.
    pub list: Option<&'static List>,
    /// The table that an index refers to; none where another field says it, and for what is no
    /// index.
    pub table: Option<Table>,
    /// Legal operand classes; empty for any.
    pub classes: &'static [&'static str],
    /// Legal types; empty for any.
    pub types: &'static [DataType],
    /// Legal enumerators by part; the part is empty for a plain enumeration.
    pub only: &'static [(&'static str, &'static [(&'static str, Platforms)])],
    /// Legal range of a number.
    pub range: Option<(i64, i64)>,
    /// Whether zero is illegal.
    pub nonzero: bool,
    /// What happens to the variable that it names; none where it names nothing.
    pub role: Option<Role>,
    /// When it is stored; empty for always.
    pub presence: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// Line on the page.
    pub line: u32,
}

impl Field {
    /// Whether texts have it and objects do not store it.
    pub fn is_text_only(&self) -> bool {
        self.presence == "in texts only"
    }

    /// Whether it says how many channels an instruction has, and which.
    pub fn is_exec_size(&self) -> bool {
        self.list.is_some_and(|list| list.name == list_data::EXEC_SIZE.name)
    }

    /// Whether an operand of a class may stand in it.
    pub fn allows(&self, class: OperandClass) -> bool {
        self.classes.is_empty() || self.classes.contains(&class.name())
    }
}

/// What a field is.
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
    /// Always zero.
    Zero,
    /// Always the same as an earlier field.
    Copy,
}

/// A bit field or an enumeration.
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// Its name on the page.
    pub name: &'static str,
    /// Width in bits.
    pub bits: u32,
    /// Its parts; an enumeration has one without a name.
    pub parts: &'static [BitField],
    /// `page:line`.
    pub origin: &'static str,
}

/// Some bits of a list.
#[derive(Clone, Copy, Debug)]
pub struct BitField {
    /// Name; empty for an enumeration.
    pub name: &'static str,
    /// Lowest bit.
    pub lo: u32,
    /// Number of bits.
    pub width: u32,
    /// Whether the bits must be zero.
    pub zero: bool,
    /// Named values; empty for a plain number or a flag.
    pub values: &'static [Value],
    /// Headings of what is said of each value, in the order of [`Value::cells`].
    pub columns: &'static [&'static str],
    /// What they mean.
    pub doc: &'static str,
}

/// A named value.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The value.
    pub value: u64,
    /// Its name.
    pub name: &'static str,
    /// Its spelling in assembly.
    pub text: &'static str,
    /// The platforms that have it.
    pub platforms: Platforms,
    /// What the columns of its list say of it.
    pub cells: &'static [Cell],
    /// What it means.
    pub doc: &'static str,
}

impl BitField {
    /// What a column says of a value; none where there is no such column or value.
    pub fn cell(&self, value: u64, column: &str) -> Option<Cell> {
        let at = self.columns.iter().position(|c| *c == column)?;
        self.values.iter().find(|v| v.value == value)?.cells.get(at).copied()
    }
}

/// What a column says of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing: the value has nothing of the kind.
    None,
    /// A number.
    Number(i64),
    /// Several numbers.
    Numbers(&'static [i64]),
    /// Whether it is so.
    Flag(bool),
    /// Names, of what the heading says.
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

/// What a column says of a value, in the words of the page.
pub trait Said {
    /// The words.
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

/// A predefined variable or surface.
#[derive(Clone, Copy, Debug)]
pub struct Predefined {
    /// Its id.
    pub id: u32,
    /// Name in texts of today.
    pub name: &'static str,
    /// Name in objects of versions 3.x.
    pub old_name: &'static str,
    /// Its type.
    pub data_type: DataType,
    /// Number of elements with registers of 32 bytes, and of 64 bytes.
    pub elements: (u32, u32),
    /// Elements that may be written to: none, those of the list, or all where it is empty.
    pub written: Option<&'static [u32]>,
    /// What the further columns of the table say of it.
    pub cells: &'static [Cell],
}

impl Predefined {
    /// Bytes of the variable where a register has so many.
    pub const fn bytes(&self, register_bytes: u32) -> u32 {
        let elements = if register_bytes == 32 { self.elements.0 } else { self.elements.1 };
        elements * self.data_type.bits() / 8
    }
}

/// A known attribute of a kernel or a variable.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// What it may be put on.
    pub place: &'static str,
    /// Bytes of its value, as producers write it.
    pub bytes: &'static str,
    /// Kind of its value.
    pub value: &'static str,
    /// What it means.
    pub doc: &'static str,
}
