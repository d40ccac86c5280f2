//! What the chapters say: data types, platforms, structures of objects, predefined variables,
//! attributes.

use super::{Availability, Cell, Condition, FieldKind, InstructionId, Reference, SourceSpan, Storage};

/// A data type: its position in [`super::Model::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub usize);

/// A data type of chapter 2.
#[derive(Clone, Debug)]
pub struct DataType {
    /// Upper-case name, `UD`.
    pub name: String,
    /// What it is.
    pub doc: String,
    /// Code in objects.
    pub code: u64,
    /// Size in bits.
    pub bits: u32,
    /// What further columns say of it.
    pub cells: Vec<Cell>,
    /// Where it is defined.
    pub at: SourceSpan,
}

/// A platform.
#[derive(Clone, Debug)]
pub struct Platform {
    /// Its one spelling.
    pub name: String,
    /// Other spellings that are understood, without regard to case.
    pub aliases: Vec<String>,
    /// `gen_platform` codes in objects.
    pub gen_codes: Vec<u64>,
    /// Product families in the notes of zebin files.
    pub families: Vec<u64>,
    /// Size of a register.
    pub register_bytes: u32,
    /// What further columns and tables say of it.
    pub cells: Vec<Cell>,
    /// Where it is defined.
    pub at: SourceSpan,
}

/// A structure: its position in [`super::Model::structures`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StructureId(pub usize);

/// A structure of a chapter.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Its name, verbatim.
    pub name: String,
    /// The operand class whose layout it is: its code in [`super::Model::class_part`].
    pub class: Option<Reference<u64>>,
    /// Where its layout begins, with the class.
    pub head: SourceSpan,
    /// The members in the order in which they are stored.
    pub members: Vec<Member>,
    /// What it is.
    pub doc: String,
    /// Where it is defined.
    pub at: SourceSpan,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name, verbatim.
    pub name: String,
    /// Its storage by object version.
    pub storage: Vec<(Availability, MemberType)>,
    /// The member that counts it, by its position in the structure.
    pub count: Option<Reference<usize>>,
    /// What it is.
    pub shape: FieldKind,
    /// A data type code stands in its bits.
    pub data_type: bool,
    /// Stored only when another member has one of some values.
    pub presence: Option<Condition>,
    /// What it means.
    pub doc: String,
    /// Where it is defined.
    pub at: SourceSpan,
}

/// The type of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberType {
    /// A number.
    Number(Storage),
    /// Another structure.
    Structure(Reference<StructureId>),
    /// Zero-terminated strings.
    StringPool,
    /// The rest of an operand, by its class.
    Info,
    /// The code.
    Instructions,
}

/// A predefined variable or surface.
#[derive(Clone, Debug)]
pub struct Predefined {
    /// Its id.
    pub id: u64,
    /// Name in texts of today.
    pub name: String,
    /// Name in objects of versions 3.x.
    pub old_name: String,
    /// Its type.
    pub ty: Reference<TypeId>,
    /// Number of elements, with registers of 32 and of 64 bytes.
    pub elements: (u32, u32),
    /// Elements that may be written to: none, those of the list, or all where it is empty.
    pub written: Option<Vec<u32>>,
    /// What further columns say of it.
    pub cells: Vec<Cell>,
    /// What it is.
    pub doc: String,
    /// Where it is defined.
    pub at: SourceSpan,
}

impl Predefined {
    /// Number of elements where a register has so many bytes.
    pub fn elements_with(&self, register_bytes: u64) -> u32 {
        if register_bytes == 32 { self.elements.0 } else { self.elements.1 }
    }
}

/// A row of verification.md: what the vendor's assembler makes of some instructions beyond what
/// their pages say.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, words with dashes.
    pub name: String,
    /// The instructions that it holds for.
    pub instructions: Vec<Reference<InstructionId>>,
    /// Where it holds: on any of these platforms; everywhere when there are none.
    pub platforms: Vec<Availability>,
    /// What it means.
    pub doc: String,
    /// The row.
    pub at: SourceSpan,
}

/// A known attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// What it may be put on.
    pub place: String,
    /// Size of its value as the compiler writes it; empty for none.
    pub bytes: String,
    /// Kind of its value.
    pub value: String,
    /// What it means.
    pub doc: String,
    /// Where it is defined.
    pub at: SourceSpan,
}
