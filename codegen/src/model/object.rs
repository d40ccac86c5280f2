//! Model of the chapters: data types, platforms, structures of objects, predefined variables,
//! attributes.

use super::{Availability, Cell, Condition, FieldKind, Reference, SourceSpan, Storage};

/// Id of a data type: its position in [`super::Model::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub usize);

/// Data type of chapter 2.
#[derive(Clone, Debug)]
pub struct DataType {
    /// Upper-case name, such as `UD`.
    pub name: String,
    /// Description of the type.
    pub doc: String,
    /// Code in objects.
    pub code: u64,
    /// Size in bits.
    pub bits: u32,
    /// Cells of the further columns.
    pub cells: Vec<Cell>,
    /// Place of the definition.
    pub at: SourceSpan,
}

/// Platform.
#[derive(Clone, Debug)]
pub struct Platform {
    /// Canonical name.
    pub name: String,
    /// Other accepted spellings; case is ignored.
    pub aliases: Vec<String>,
    /// `gen_platform` codes in objects.
    pub gen_codes: Vec<u64>,
    /// Product families in the notes of zebin files.
    pub families: Vec<u64>,
    /// Size of a register in bytes.
    pub register_bytes: u32,
    /// Cells of the further columns and tables.
    pub cells: Vec<Cell>,
    /// Place of the definition.
    pub at: SourceSpan,
}

/// Id of a structure: its position in [`super::Model::structures`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StructureId(pub usize);

/// Structure of a chapter.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Name of the structure, verbatim.
    pub name: String,
    /// Operand class of the layout, as a code in [`super::Model::class_part`].
    pub class: Option<Reference<u64>>,
    /// Place of the layout's beginning, with the class.
    pub head: SourceSpan,
    /// Members in storage order.
    pub members: Vec<Member>,
    /// Description of the structure.
    pub doc: String,
    /// Place of the definition.
    pub at: SourceSpan,
}

/// Member of a structure.
#[derive(Clone, Debug)]
pub struct Member {
    /// Name of the member, verbatim.
    pub name: String,
    /// Type by object version.
    pub storage: Vec<(Availability, MemberType)>,
    /// Position of the member that counts this one.
    pub count: Option<Reference<usize>>,
    /// Kind of the member.
    pub shape: FieldKind,
    /// True if the bits hold the code of a data type.
    pub data_type: bool,
    /// Condition on another member under which the member is stored.
    pub presence: Option<Condition>,
    /// Description of the member.
    pub doc: String,
    /// Place of the definition.
    pub at: SourceSpan,
}

/// Type of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberType {
    /// A number.
    Number(Storage),
    /// Another structure.
    Structure(Reference<StructureId>),
    /// Zero-terminated strings.
    StringPool,
    /// The remainder of an operand, which depends on its class.
    Info,
    /// The code of a routine.
    Instructions,
}

/// Predefined variable or surface.
#[derive(Clone, Debug)]
pub struct Predefined {
    /// Id of the variable.
    pub id: u64,
    /// Name in current texts.
    pub name: String,
    /// Name in objects of versions 3.x.
    pub old_name: String,
    /// Data type of an element.
    pub ty: Reference<TypeId>,
    /// Number of elements with 32-byte registers, and with 64-byte registers.
    pub elements: (u32, u32),
    /// Writable elements: `None` for none, an empty list for all, otherwise those listed.
    pub written: Option<Vec<u32>>,
    /// Cells of the further columns.
    pub cells: Vec<Cell>,
    /// Description of the variable.
    pub doc: String,
    /// Place of the definition.
    pub at: SourceSpan,
}

impl Predefined {
    /// Returns the number of elements for a register size of 32 or 64 bytes.
    pub fn elements_with(&self, register_bytes: u64) -> u32 {
        if register_bytes == 32 { self.elements.0 } else { self.elements.1 }
    }
}

/// Known attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Name of the attribute.
    pub name: String,
    /// Entities that may have the attribute.
    pub place: String,
    /// Sizes of the value in bytes, as the compiler writes it; empty for no value.
    pub bytes: String,
    /// Kind of the value.
    pub value: String,
    /// Description of the attribute.
    pub doc: String,
    /// Place of the definition.
    pub at: SourceSpan,
}
