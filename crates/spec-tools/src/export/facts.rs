//! Facts of the chapters: types, platforms, lists, structures, predefined entries, attributes.

use serde::Serialize;

use super::columns::{Column, Said};
use super::list_ref::ListRef;
use super::location::Location;
#[cfg(test)]
use super::schema;

/// A data type.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DataType {
    /// Name in upper case, such as `UD`.
    pub name: String,
    /// Code in objects.
    pub code: u64,
    /// Size of an element in bits.
    #[cfg_attr(test, schemars(range(min = 1, max = 64)))]
    pub bits: u32,
    /// Cells of the additional columns, in their order.
    pub said: Vec<Said>,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// A platform.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Platform {
    /// Canonical name.
    pub name: String,
    /// Aliases of the name.
    pub aliases: Vec<String>,
    /// Codes in objects.
    pub gen_codes: Vec<u64>,
    /// Codes in zebin files.
    pub product_families: Vec<u64>,
    /// Size of a register in bytes.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub register_bytes: u32,
    /// Cells of the additional columns and tables, in their order.
    pub said: Vec<Said>,
    /// Place in the pages.
    pub at: Location,
}

/// Condition on platform or version. All conditions of a list must hold. Versions are written
/// `3.4`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// This platform and newer ones.
    FromPlatform(String),
    /// Platforms older than this one.
    BeforePlatform(String),
    /// This platform alone.
    OnlyPlatform(String),
    /// This object version and newer ones.
    FromVersion(#[cfg_attr(test, schemars(with = "schema::Version"))] String),
    /// Object versions older than this one.
    BeforeVersion(#[cfg_attr(test, schemars(with = "schema::Version"))] String),
}

/// A bit field or an enumeration.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct List {
    /// Heading of the list, or `Instruction_Field` for a list on a page.
    pub name: String,
    /// Width of the whole value.
    #[cfg_attr(test, schemars(range(min = 1, max = 64)))]
    pub bits: u32,
    /// The list stands in the chapter of shared lists.
    pub shared: bool,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Contents: an enumeration, or parts.
    #[serde(flatten)]
    pub kind: ListKind,
    /// Text template of the whole list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Place in the pages.
    pub at: Location,
}

/// Contents of a list.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names are self-explanatory")]
pub enum ListKind {
    /// A list of named values.
    Enumeration {
        /// Lowest bit of the values.
        #[cfg_attr(test, schemars(range(max = 63)))]
        lo: u32,
        /// Number of bits of the values; all others are zero.
        #[cfg_attr(test, schemars(range(max = 64)))]
        width: u32,
        /// Columns of the values besides code and name.
        columns: Vec<Column>,
        /// The values.
        values: Vec<Enumerator>,
    },
    /// Parts that occupy separate bits.
    Parts { parts: Vec<BitField> },
}

/// Named or reserved value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Enumerator {
    /// Numeric value.
    pub value: u64,
    /// Name.
    pub name: String,
    /// Spelling in assembly text.
    pub text: String,
    /// The value is reserved.
    pub reserved: bool,
    /// Conditions that must all hold; empty if unconditional.
    pub when: Vec<Bound>,
    /// Cells of the additional columns, in their order.
    pub said: Vec<Said>,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// Part of a bit field.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BitField {
    /// Name.
    pub name: String,
    /// Highest bit.
    #[cfg_attr(test, schemars(range(max = 63)))]
    pub hi: u32,
    /// Lowest bit.
    #[cfg_attr(test, schemars(range(max = 63)))]
    pub lo: u32,
    /// Meaning of the bits.
    #[serde(flatten)]
    pub kind: BitFieldKind,
    /// Spelling of a set flag in assembly text.
    pub text: String,
    /// Conditions that must all hold; empty if unconditional.
    pub when: Vec<Bound>,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// Meaning of the bits of a part.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names are self-explanatory")]
pub enum BitFieldKind {
    /// Always zero.
    Zero,
    /// Single bit.
    Flag,
    /// A plain number.
    Number,
    /// A value of a list.
    Enumeration { list: ListRef },
    /// Code of a data type.
    DataType,
}

/// Kind of the value in a field or member. References to other fields use the names of the Format
/// table.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names are self-explanatory")]
pub enum FieldKind {
    /// A plain number.
    Number,
    /// A value of a list, or several parts.
    List { list: ListRef },
    /// An index into a table.
    Index {
        #[cfg_attr(test, schemars(with = "schema::Table"))]
        table: &'static str,
    },
    /// An index into the table that an enumerator of another field names.
    IndexBy { field: String },
    /// Predicate with its combination mode and inversion.
    Predicate,
    /// Vector operand: a variable with a region, or another operand class.
    VecOperand,
    /// Scalar operand: the first element of a vector operand.
    Scalar,
    /// Contiguous bytes of a general variable.
    RawOperand,
    /// Always zero.
    Zero,
    /// Copy of another field.
    Copy { field: String },
}

/// Type with conditions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Typed{T}"))]
pub struct Typed<T> {
    /// Type.
    #[serde(rename = "type")]
    pub ty: T,
    /// Conditions that must all hold; empty if unconditional.
    pub when: Vec<Bound>,
}

/// Structure of the object format.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Structure {
    /// Name.
    pub name: String,
    /// Operand class with this layout, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operand_class: Option<String>,
    /// Members in storage order.
    pub members: Vec<Member>,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// A member of a structure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Member {
    /// Name.
    pub name: String,
    /// Types with their conditions; the first type whose conditions hold applies.
    pub storage: Vec<Typed<MemberType>>,
    /// Member that holds the number of elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<String>,
    /// The kind of value in the member.
    pub shape: FieldKind,
    /// The member holds the code of a data type.
    pub data_type: bool,
    /// Condition under which the member is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub present: Option<Condition>,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// The type of a member.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names are self-explanatory")]
pub enum MemberType {
    /// A plain number.
    Number {
        #[cfg_attr(test, schemars(with = "schema::Number"))]
        number: &'static str,
    },
    /// Another structure.
    Structure { structure: String },
    /// Zero-terminated strings.
    StringPool,
    /// Remainder of an operand, which depends on its class.
    OperandInfo,
    /// Instructions of the routine.
    Instructions,
}

/// A predefined surface or sampler.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Predefined {
    /// Number in objects.
    pub id: u64,
    /// Name.
    pub name: String,
    /// Name in texts below version 4.
    pub old_name: String,
    /// Cells of the additional columns, in their order.
    pub said: Vec<Said>,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// A predefined variable.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Variable {
    /// Number in objects.
    pub id: u64,
    /// Name.
    pub name: String,
    /// Name in texts below version 4.
    pub old_name: String,
    /// Data type of the variable's elements.
    #[serde(rename = "type")]
    pub ty: String,
    /// Number of elements with registers of 32 bytes.
    pub elements: u32,
    /// Number of elements with registers of 64 bytes.
    pub elements_wide: u32,
    /// Writable elements; an empty list means all. Absent if the variable is read-only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Vec<u32>>,
    /// Cells of the additional columns, in their order.
    pub said: Vec<Said>,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// An attribute.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attribute {
    /// Name.
    pub name: String,
    /// Kind of item that can have the attribute.
    pub place: String,
    /// Size of the value as the compiler writes it; empty without a value.
    pub bytes: String,
    /// Kind of the value.
    pub value: String,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// Condition: a field or a part of it has one of the listed values.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Condition {
    /// Field, or `Field.part`.
    pub field: String,
    /// Names of enumerators, or numbers.
    pub values: Vec<String>,
}
