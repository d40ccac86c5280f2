//! What the instruction pages say.

use serde::Serialize;

use super::chapters::{Bound, Condition, FieldKind, Typed, condition, marks, numbers, owned, shape};
use super::location::{Cx, Location};
use super::semantics::{self, Semantics};
use visakit_codegen::model;
use visakit_codegen::template;

/// A page of an instruction.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Instruction {
    pub name: String,
    /// The name of the family where there is a sub-opcode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    pub opcode: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_opcode: Option<u8>,
    #[serde(flatten)]
    pub kind: PageKind,
    pub forms: Vec<Form>,
    pub text: Vec<Text>,
    /// Absent where the page has no Semantics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantics: Option<Semantics>,
    pub types: Vec<MarkedName>,
    pub saturation: &'static str,
    pub source_modifier: &'static str,
    pub out_of_bound: String,
    /// Any of these groups of conditions; every platform where there are none.
    pub platforms: Vec<Vec<Bound>>,
    pub type_maps: Vec<TypeMap>,
    pub doc: String,
    pub notes: String,
    pub at: Location,
}

/// What a page describes.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub enum PageKind {
    Ordinary,
    Umbrella,
    Alias { of: String, alias_when: String },
    Reserved,
    Undefined,
}

/// A layout.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Form {
    pub name: String,
    /// The values of a selector for which the form holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
    pub when: Vec<Bound>,
    pub fields: Vec<Field>,
    pub at: Location,
}

/// A field of a form.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Field {
    pub name: String,
    /// How it is stored: the first whose conditions hold; empty for operands.
    pub storage: Vec<Typed<&'static str>>,
    pub shape: FieldKind,
    pub presence: Presence,
    pub classes: Vec<String>,
    pub types: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    pub only: Vec<AllowedValues>,
    pub nonzero: bool,
    /// `read`, `write`, `read, write` or `reference`, of what names a variable, a label or a
    /// string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<&'static str>,
    pub default: Default,
    pub doc: String,
    pub at: Location,
}

/// When a field is stored.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub enum Presence {
    Always,
    If(Condition),
    Times { field: String },
    Text,
}

/// The legal values of a number, both ends included.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Range {
    pub low: i64,
    pub high: i64,
}

/// The enumerators that are legal on this page.
#[derive(Clone, Debug, Serialize)]
pub struct AllowedValues {
    /// The part; empty for a plain enumeration.
    pub part: String,
    /// The enumerators.
    pub values: Vec<MarkedName>,
}

/// A name that holds under conditions.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct MarkedName {
    pub name: String,
    pub when: Vec<Bound>,
}

/// What the text leaves out.
#[derive(Clone, Debug, Serialize)]
pub struct Default {
    /// The value.
    pub value: i64,
    /// It holds only then; otherwise the field is always shown.
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
}

/// A template of the assembly text.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Text {
    /// The form that it is for; any where it says none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    pub conditions: Vec<Condition>,
    /// The template as written.
    pub template: String,
    /// Whether it is printed only in the text that keeps everything.
    pub full: bool,
    /// The template piece by piece.
    pub items: Vec<TemplateItem>,
    pub at: Location,
}

/// A piece of a template.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub enum TemplateItem {
    Text {
        text: String,
    },
    Space {
        count: usize,
    },
    Predicate,
    Saturation,
    Field {
        field: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        format: Option<&'static str>,
    },
    Optional {
        items: Vec<TemplateItem>,
    },
    Shown {
        items: Vec<TemplateItem>,
    },
}

/// A legal combination of types.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct TypeMap {
    pub when: Vec<Bound>,
    pub dst: Vec<String>,
    pub src: Vec<String>,
    pub at: Location,
}

pub(super) fn instructions(cx: &Cx<'_>) -> Vec<Instruction> {
    cx.model.instructions.iter().map(|i| instruction(cx, i)).collect()
}

fn instruction(cx: &Cx<'_>, i: &model::Instruction) -> Instruction {
    Instruction {
        name: i.name.clone(),
        family: i.family.clone(),
        opcode: i.opcode,
        sub_opcode: i.sub_opcode,
        kind: match &i.kind {
            model::PageKind::Ordinary => PageKind::Ordinary,
            model::PageKind::Umbrella => PageKind::Umbrella,
            model::PageKind::Alias { of, when } => PageKind::Alias { of: of.name.clone(), alias_when: when.clone() },
            model::PageKind::Reserved => PageKind::Reserved,
            model::PageKind::Undefined => PageKind::Undefined,
        },
        forms: i.forms.iter().map(|f| form(cx, f)).collect(),
        text: i.text.iter().map(|t| text(cx, t)).collect(),
        semantics: semantics::semantics(cx, i),
        types: i.types.iter().map(|(ty, when)| marked(&ty.name, when)).collect(),
        saturation: match i.saturation {
            model::Saturation::No => "no",
            model::Saturation::Yes => "yes",
            model::Saturation::Floats => "floats",
        },
        source_modifier: match i.source_modifier {
            model::SourceModifier::None => "none",
            model::SourceModifier::Arithmetic => "arithmetic",
            model::SourceModifier::Logic => "logic",
        },
        out_of_bound: i.out_of_bound.clone(),
        platforms: i.platforms.iter().map(marks).collect(),
        type_maps: i.type_maps.iter().map(|m| type_map(cx, m)).collect(),
        doc: i.doc.clone(),
        notes: i.notes.clone(),
        at: cx.place(i.at),
    }
}

fn form(cx: &Cx<'_>, form: &model::Form) -> Form {
    Form {
        name: form.name.clone(),
        condition: form.condition.as_ref().map(condition),
        when: marks(&form.versions),
        fields: form.fields.iter().map(|f| field(cx, form, f)).collect(),
        at: cx.place(form.at),
    }
}

fn marked(name: &str, when: &model::Availability) -> MarkedName {
    MarkedName { name: name.to_owned(), when: marks(when) }
}

fn field(cx: &Cx<'_>, form: &model::Form, f: &model::Field) -> Field {
    let name = |of: usize| form.fields.get(of).map_or_else(String::new, |f| f.name.clone());
    let only = |only: &model::Only| AllowedValues {
        part: only.part_name().to_owned(),
        values: only.values.iter().map(|(value, when)| marked(&value.name, when)).collect(),
    };
    Field {
        name: f.name.clone(),
        storage: numbers(&f.storage),
        shape: shape(cx, f.shape, name),
        presence: match &f.presence {
            model::Presence::Always => Presence::Always,
            model::Presence::If(stored) => Presence::If(condition(stored)),
            model::Presence::Times(count) => Presence::Times { field: name(*count) },
            model::Presence::Text => Presence::Text,
        },
        classes: owned(&f.classes),
        types: owned(&f.types),
        range: f.range.map(|(low, high)| Range { low, high }),
        only: f.only.iter().map(only).collect(),
        nonzero: f.nonzero,
        access: f.shape.is_operand().then(|| f.access.name()),
        default: Default { value: f.default, condition: f.default_if.as_ref().map(condition) },
        doc: f.doc.clone(),
        at: cx.place(f.at),
    }
}

fn text(cx: &Cx<'_>, text: &model::TextForm) -> Text {
    Text {
        form: text.form.as_ref().map(|form| form.name.clone()),
        conditions: text.conditions.iter().map(condition).collect(),
        template: text.template.source.clone(),
        full: text.template.full,
        items: text.template.items.iter().map(item).collect(),
        at: cx.place(text.at),
    }
}

fn item(item: &template::Item) -> TemplateItem {
    match item {
        template::Item::Text(text) => TemplateItem::Text { text: text.clone() },
        template::Item::Space(count) => TemplateItem::Space { count: *count },
        template::Item::Predicate => TemplateItem::Predicate,
        template::Item::Saturation => TemplateItem::Saturation,
        template::Item::Field { field, part, format, .. } => {
            TemplateItem::Field { field: field.clone(), part: part.clone(), format: format.name() }
        }
        template::Item::Optional(items) => TemplateItem::Optional { items: items.iter().map(self::item).collect() },
        template::Item::Shown(items) => TemplateItem::Shown { items: items.iter().map(self::item).collect() },
    }
}

fn type_map(cx: &Cx<'_>, map: &model::TypeMap) -> TypeMap {
    TypeMap { when: marks(&map.marks), dst: owned(&map.dst), src: owned(&map.src), at: cx.place(map.at) }
}
