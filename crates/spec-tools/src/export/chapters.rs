//! The chapters: types, platforms, lists, structures, predefined entries, attributes,
//! built-ins.

use serde::Serialize;

use super::columns::{Column, Said, columns, said};
use super::list_ref::{ListRef, list_ref};
use super::location::{Cx, Location};
#[cfg(test)]
use super::schema;
use visakit_codegen::model::{self, Storage};

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

pub(super) fn types(cx: &Cx<'_>) -> Vec<DataType> {
    let one = |t: &model::DataType| DataType {
        name: t.name.clone(),
        code: t.code,
        bits: t.bits,
        said: said(&cx.model.type_columns, &t.cells),
        doc: t.doc.clone(),
        at: cx.place(t.at),
    };
    cx.model.types.iter().map(one).collect()
}

pub(super) fn platforms(cx: &Cx<'_>) -> Vec<Platform> {
    let one = |p: &model::Platform| Platform {
        name: p.name.clone(),
        aliases: p.aliases.clone(),
        gen_codes: p.gen_codes.clone(),
        product_families: p.families.clone(),
        register_bytes: p.register_bytes,
        said: said(&cx.model.platform_columns, &p.cells),
        at: cx.place(p.at),
    };
    cx.model.platforms.iter().map(one).collect()
}

pub(super) fn marks(marks: &model::Availability) -> Vec<Bound> {
    let one = |mark: &model::Bound| match mark {
        model::Bound::From(name) => Bound::FromPlatform(name.name.clone()),
        model::Bound::Before(name) => Bound::BeforePlatform(name.name.clone()),
        model::Bound::Only(name) => Bound::OnlyPlatform(name.name.clone()),
        model::Bound::FromVersion(major, minor) => Bound::FromVersion(format!("{major}.{minor}")),
        model::Bound::BeforeVersion(major, minor) => Bound::BeforeVersion(format!("{major}.{minor}")),
    };
    marks.0.iter().map(one).collect()
}

pub(super) fn lists(cx: &Cx<'_>) -> Vec<List> {
    let one = |list: &model::List| List {
        name: list.name.clone(),
        bits: list.bits,
        shared: list.shared,
        doc: list.doc.clone(),
        kind: match &list.kind {
            model::ListKind::Enumeration { lo, width, values } => ListKind::Enumeration {
                lo: *lo,
                width: *width,
                columns: columns(cx, &list.columns),
                values: values.iter().map(|v| enumerator(cx, list, v)).collect(),
            },
            model::ListKind::Parts(parts) => ListKind::Parts { parts: parts.iter().map(|p| part(cx, p)).collect() },
        },
        template: list.text.as_ref().map(|t| t.source.clone()),
        at: cx.place(list.at),
    };
    cx.model.lists.iter().map(one).collect()
}

fn enumerator(cx: &Cx<'_>, list: &model::List, v: &model::Enumerator) -> Enumerator {
    Enumerator {
        value: v.value,
        name: v.name.clone(),
        text: v.text.clone(),
        reserved: v.reserved,
        when: marks(&v.marks),
        said: if v.reserved { Vec::new() } else { said(&list.columns, &v.cells) },
        doc: v.doc.clone(),
        at: cx.place(v.at),
    }
}

fn part(cx: &Cx<'_>, p: &model::BitField) -> BitField {
    BitField {
        name: p.name.clone(),
        hi: p.hi,
        lo: p.lo,
        kind: match p.kind {
            model::BitFieldKind::Zero => BitFieldKind::Zero,
            model::BitFieldKind::Flag => BitFieldKind::Flag,
            model::BitFieldKind::Number => BitFieldKind::Number,
            model::BitFieldKind::Enumeration(id) => BitFieldKind::Enumeration { list: list_ref(cx, id) },
            model::BitFieldKind::DataType => BitFieldKind::DataType,
        },
        text: p.text.clone(),
        when: marks(&p.marks),
        doc: p.doc.clone(),
        at: cx.place(p.at),
    }
}

/// Converts the kind of a field; `name` returns the name of the field at a position.
pub(super) fn shape(cx: &Cx<'_>, shape: model::FieldKind, name: impl Fn(usize) -> String) -> FieldKind {
    match shape {
        model::FieldKind::Number => FieldKind::Number,
        model::FieldKind::List(id) => FieldKind::List { list: list_ref(cx, id) },
        model::FieldKind::Index(kind) => FieldKind::Index { table: kind.name() },
        model::FieldKind::IndexBy(of) => FieldKind::IndexBy { field: name(of) },
        model::FieldKind::Predicate => FieldKind::Predicate,
        model::FieldKind::Vector => FieldKind::VecOperand,
        model::FieldKind::Scalar => FieldKind::Scalar,
        model::FieldKind::Raw => FieldKind::RawOperand,
        model::FieldKind::Zero => FieldKind::Zero,
        model::FieldKind::Copy(of) => FieldKind::Copy { field: name(of) },
    }
}

pub(super) fn numbers(storage: &[(model::Availability, Storage)]) -> Vec<Typed<&'static str>> {
    storage.iter().map(|(m, s)| Typed { ty: s.name(), when: marks(m) }).collect()
}

pub(super) fn structures(cx: &Cx<'_>) -> Vec<Structure> {
    let one = |s: &model::Structure| Structure {
        name: s.name.clone(),
        operand_class: s.class.as_ref().map(|class| class.name.clone()),
        members: s.members.iter().map(|m| member(cx, s, m)).collect(),
        doc: s.doc.clone(),
        at: cx.place(s.at),
    };
    cx.model.structures.iter().map(one).collect()
}

fn member(cx: &Cx<'_>, structure: &model::Structure, m: &model::Member) -> Member {
    let ty = |ty: &model::MemberType| match ty {
        model::MemberType::Number(storage) => MemberType::Number { number: storage.name() },
        model::MemberType::Structure(name) => MemberType::Structure { structure: name.name.clone() },
        model::MemberType::StringPool => MemberType::StringPool,
        model::MemberType::Info => MemberType::OperandInfo,
        model::MemberType::Instructions => MemberType::Instructions,
    };
    let name = |of: usize| structure.members.get(of).map_or_else(String::new, |m| m.name.clone());
    Member {
        name: m.name.clone(),
        storage: m.storage.iter().map(|(k, t)| Typed { ty: ty(t), when: marks(k) }).collect(),
        count: m.count.as_ref().map(|count| count.name.clone()),
        shape: shape(cx, m.shape, name),
        data_type: m.data_type,
        present: m.presence.as_ref().map(condition),
        doc: m.doc.clone(),
        at: cx.place(m.at),
    }
}

pub(super) fn predefined(cx: &Cx<'_>, table: &[model::Predefined]) -> Vec<Predefined> {
    let one = |p: &model::Predefined| Predefined {
        id: p.id,
        name: p.name.clone(),
        old_name: p.old_name.clone(),
        said: said(&cx.model.surface_columns, &p.cells),
        doc: p.doc.clone(),
        at: cx.place(p.at),
    };
    table.iter().map(one).collect()
}

pub(super) fn variables(cx: &Cx<'_>) -> Vec<Variable> {
    let one = |p: &model::Predefined| Variable {
        id: p.id,
        name: p.name.clone(),
        old_name: p.old_name.clone(),
        ty: p.ty.name.clone(),
        elements: p.elements.0,
        elements_wide: p.elements.1,
        written: p.written.clone(),
        said: said(&cx.model.surface_columns, &p.cells),
        doc: p.doc.clone(),
        at: cx.place(p.at),
    };
    cx.model.predefined.iter().map(one).collect()
}

pub(super) fn attributes(cx: &Cx<'_>) -> Vec<Attribute> {
    let one = |a: &model::Attribute| Attribute {
        name: a.name.clone(),
        place: a.place.clone(),
        bytes: a.bytes.clone(),
        value: a.value.clone(),
        doc: a.doc.clone(),
        at: cx.place(a.at),
    };
    cx.model.attributes.iter().map(one).collect()
}

pub(super) fn condition(condition: &model::Condition) -> Condition {
    Condition { field: condition.of.name.clone(), values: owned(&condition.values) }
}

/// Returns the names of references as pages write them.
pub(super) fn owned<T>(references: &[model::Reference<T>]) -> Vec<String> {
    references.iter().map(|r| r.name.clone()).collect()
}
