//! The chapters: their facts, from the model.

use super::columns::{columns, said};
use super::facts::{
    Attribute, BitField, BitFieldKind, Bound, Condition, DataType, Enumerator, FieldKind, List, ListKind, Member,
    MemberType, Platform, Predefined, Structure, Typed, Variable,
};
use super::list_ref::list_ref;
use super::location::Cx;
use visakit_codegen::model::{self, Storage};

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
