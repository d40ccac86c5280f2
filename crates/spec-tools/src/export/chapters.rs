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
    /// Upper-case name: UD.
    pub name: String,
    /// Code in objects.
    pub code: u64,
    /// Size of an element.
    #[cfg_attr(test, schemars(range(min = 1, max = 64)))]
    pub bits: u32,
    /// The cells of the further columns, in their order.
    pub said: Vec<Said>,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Where it stands.
    pub at: Location,
}

/// A platform.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Platform {
    /// Its one spelling.
    pub name: String,
    /// Other spellings of its name.
    pub aliases: Vec<String>,
    /// Codes in objects.
    pub gen_codes: Vec<u64>,
    /// Codes in zebin files.
    pub product_families: Vec<u64>,
    /// Bytes of a register.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub register_bytes: u32,
    /// The cells of the further columns and tables, in their order.
    pub said: Vec<Said>,
    /// Where it stands.
    pub at: Location,
}

/// A condition; several in a row must all hold. Versions are written `3.4`.
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
    /// Its heading, or Instruction_Field.
    pub name: String,
    /// Width of the whole value.
    #[cfg_attr(test, schemars(range(min = 1, max = 64)))]
    pub bits: u32,
    /// The list stands in the chapter of shared lists.
    pub shared: bool,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// An enumeration or parts.
    #[serde(flatten)]
    pub kind: ListKind,
    /// The template by which the whole list prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Where it stands.
    pub at: Location,
}

/// What a list consists of.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum ListKind {
    /// A list of named values.
    Enumeration {
        /// Lowest bit of the values.
        #[cfg_attr(test, schemars(range(max = 63)))]
        lo: u32,
        /// Number of bits of the values; all others are zero.
        #[cfg_attr(test, schemars(range(max = 64)))]
        width: u32,
        /// Columns of the values beside code and name.
        columns: Vec<Column>,
        /// The values.
        values: Vec<Enumerator>,
    },
    /// Several parts, each with bits of its own.
    Parts { parts: Vec<BitField> },
}

/// A named value, or a stated hole.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Enumerator {
    /// The value, as its bits.
    pub value: u64,
    /// Its name.
    pub name: String,
    /// How it stands in assembly text.
    pub text: String,
    /// A stated hole rather than a value.
    pub reserved: bool,
    /// Conditions that must all hold; none holds always.
    pub when: Vec<Bound>,
    /// The cells of the further columns, in their order.
    pub said: Vec<Said>,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Where it stands.
    pub at: Location,
}

/// Some bits of a bit field.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BitField {
    /// Its name.
    pub name: String,
    /// Highest bit.
    #[cfg_attr(test, schemars(range(max = 63)))]
    pub hi: u32,
    /// Lowest bit.
    #[cfg_attr(test, schemars(range(max = 63)))]
    pub lo: u32,
    /// The meaning of its bits.
    #[serde(flatten)]
    pub kind: BitFieldKind,
    /// How a set flag stands in assembly text.
    pub text: String,
    /// Conditions that must all hold; none holds always.
    pub when: Vec<Bound>,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Where it stands.
    pub at: Location,
}

/// What the bits of a part are.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum BitFieldKind {
    /// Always zero.
    Zero,
    /// A bit that is set or not.
    Flag,
    /// A plain number.
    Number,
    /// A value of a list.
    Enumeration { list: ListRef },
    /// Code of a data type.
    DataType,
}

/// What a field or member is. Other fields are named as in the Format.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the fields say it")]
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
    /// A predicate with its combination and inversion.
    Predicate,
    /// An operand with a region, or one of its other classes.
    VecOperand,
    /// The first element of such an operand.
    Scalar,
    /// Contiguous bytes of a general variable.
    RawOperand,
    /// Always zero.
    Zero,
    /// Always the same as another field.
    Copy { field: String },
}

/// A type that holds under conditions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Typed{T}"))]
pub struct Typed<T> {
    /// The type.
    #[serde(rename = "type")]
    pub ty: T,
    /// Conditions that must all hold; none holds always.
    pub when: Vec<Bound>,
}

/// A structure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Structure {
    /// Its name.
    pub name: String,
    /// The operand class whose layout it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operand_class: Option<String>,
    /// In the order in which they are stored.
    pub members: Vec<Member>,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Where it stands.
    pub at: Location,
}

/// A member of a structure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The first whose conditions hold.
    pub storage: Vec<Typed<MemberType>>,
    /// The member that counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<String>,
    /// The kind of value in the member.
    pub shape: FieldKind,
    /// The member holds the code of a data type.
    pub data_type: bool,
    /// When it is there at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub present: Option<Condition>,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Where it stands.
    pub at: Location,
}

/// The type of a member.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the fields say it")]
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
    /// The rest of an operand, by its class.
    OperandInfo,
    /// The code.
    Instructions,
}

/// A predefined surface or sampler.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Predefined {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Name below version 4.
    pub old_name: String,
    /// The cells of the further columns, in their order.
    pub said: Vec<Said>,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Where it stands.
    pub at: Location,
}

/// A predefined variable.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Variable {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Name below version 4.
    pub old_name: String,
    /// Data type of its elements.
    #[serde(rename = "type")]
    pub ty: String,
    /// Number of elements with registers of 32 bytes.
    pub elements: u32,
    /// Number of elements with registers of 64 bytes.
    pub elements_wide: u32,
    /// Elements that may be written to, all where there are none; absent where none may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Vec<u32>>,
    /// The cells of the further columns, in their order.
    pub said: Vec<Said>,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Where it stands.
    pub at: Location,
}

/// An attribute.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// The item that it may be put on.
    pub place: String,
    /// Size of its value as the compiler writes it; empty for none.
    pub bytes: String,
    /// Kind of its value.
    pub value: String,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Where it stands.
    pub at: Location,
}

/// A field, possibly with a part (`Field.part`), has one of these values.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Condition {
    /// A field, or `Field.part`.
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

/// A shape; `name` gives the name of the field at a position.
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

/// References as pages write them.
pub(super) fn owned<T>(references: &[model::Reference<T>]) -> Vec<String> {
    references.iter().map(|r| r.name.clone()).collect()
}
