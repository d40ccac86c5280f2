//! The pages of instructions.

use serde::Serialize;

use super::chapters::{Bound, Condition, FieldKind, Typed, condition, marks, numbers, owned, shape};
use super::location::{Cx, Location};
#[cfg(test)]
use super::schema;
use super::semantics::{self, Semantics};
use visakit_codegen::model;
use visakit_codegen::template;

/// A page of an instruction.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Instruction {
    /// Full name: SVM_ATOMIC.
    pub name: String,
    /// The name of the family where there is a sub-opcode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// First byte.
    pub opcode: u8,
    /// Second byte, where the opcode is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_opcode: Option<u8>,
    /// The kind of page.
    #[serde(flatten)]
    pub kind: PageKind,
    /// A layout for each value of a selector, or for each range of object versions.
    pub forms: Vec<Form>,
    /// Templates of the assembly text, the preferred one first.
    pub text: Vec<Text>,
    /// Absent where the page has no Semantics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantics: Option<Semantics>,
    /// Types that it works on.
    pub types: Vec<MarkedName>,
    /// When `.sat` is legal: never, always, or with floats.
    pub saturation: Saturation,
    /// The modifiers that sources may have.
    pub source_modifier: SourceModifier,
    /// The effect of an access outside a buffer; may be empty.
    pub out_of_bound: String,
    /// Any of these groups of conditions; every platform where there are none.
    pub platforms: Vec<Vec<Bound>>,
    /// Legal combinations of types.
    pub type_maps: Vec<TypeMap>,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Remarks of the page; may be empty.
    pub notes: String,
    /// Where it stands.
    pub at: Location,
}

/// What a page describes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum PageKind {
    /// An instruction.
    Ordinary,
    /// A family that encodes nothing itself.
    Umbrella,
    /// Another spelling of an instruction.
    Alias { of: String, alias_when: String },
    /// A known opcode with an unpublished layout.
    Reserved,
    /// An instruction whose behaviour no public text defines.
    Undefined,
}

/// When `.sat` is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Saturation {
    /// Never.
    No,
    /// Always.
    Yes,
    /// Where the destination is a float.
    Floats,
}

/// The modifiers that sources may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SourceModifier {
    /// None.
    None,
    /// Negation and absolute value.
    Arithmetic,
    /// Complement.
    Logic,
}

/// A layout.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Form {
    /// Empty where there is only one form.
    pub name: String,
    /// The values of a selector for which the form holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
    /// Conditions that must all hold; none holds always.
    pub when: Vec<Bound>,
    /// In the order in which they are stored, without padding.
    pub fields: Vec<Field>,
    /// Where it stands.
    pub at: Location,
}

/// A field of a form.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Field {
    /// Its name.
    pub name: String,
    /// How it is stored: the first whose conditions hold; empty for operands.
    #[cfg_attr(test, schemars(with = "Vec<Typed<schema::Number>>"))]
    pub storage: Vec<Typed<&'static str>>,
    /// The kind of value in the field.
    pub shape: FieldKind,
    /// When the field is stored.
    pub presence: Presence,
    /// Legal operand classes.
    pub classes: Vec<String>,
    /// Legal types.
    pub types: Vec<String>,
    /// Legal values of a number, both ends included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Enumerators that are legal here; all of a part that is not named.
    pub only: Vec<AllowedValues>,
    /// Zero is illegal.
    pub nonzero: bool,
    /// `read`, `write`, `read, write` or `reference`, of what names a variable, a label or a
    /// string.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<schema::Access>"))]
    pub access: Option<&'static str>,
    /// The value that the text leaves out.
    pub default: Default,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Where it stands.
    pub at: Location,
}

/// When a field is stored.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum Presence {
    /// Always.
    Always,
    /// If an earlier field has one of these values.
    If { field: String, values: Vec<String> },
    /// As often as an earlier field says.
    Times { field: String },
    /// Never: texts have the field, and objects do not.
    Text,
}

/// The legal values of a number, both ends included.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Range {
    /// The lowest legal value.
    pub low: i64,
    /// The highest legal value.
    pub high: i64,
}

/// The enumerators that are legal on this page.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AllowedValues {
    /// The part; empty for a plain enumeration.
    pub part: String,
    /// The enumerators.
    pub values: Vec<MarkedName>,
}

/// A name that holds under conditions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MarkedName {
    /// Its name.
    pub name: String,
    /// Conditions that must all hold; none holds always.
    pub when: Vec<Bound>,
}

/// The value that the text leaves out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Default {
    /// The value.
    pub value: i64,
    /// It holds only then; otherwise the field is always shown.
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
}

/// A template of the assembly text.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Text {
    /// The form that it is for; any where it says none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// They must all hold.
    pub conditions: Vec<Condition>,
    /// The template as written.
    pub template: String,
    /// The template prints only in the text that keeps everything.
    pub full: bool,
    /// The template piece by piece.
    pub items: Vec<TemplateItem>,
    /// Where it stands.
    pub at: Location,
}

/// A piece of a template.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the fields say it")]
pub enum TemplateItem {
    /// Text as it stands.
    Text { text: String },
    /// Blanks.
    Space { count: usize },
    /// The predicate in parentheses, or nothing.
    Predicate,
    /// `.sat` or nothing.
    Saturation,
    /// A field, or a part of it.
    Field {
        field: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(with = "Option<schema::Format>"))]
        format: Option<&'static str>,
    },
    /// Printed when something in it is not the default.
    Optional { items: Vec<TemplateItem> },
    /// Always printed; where a digit stands in its place, it is not there.
    Shown { items: Vec<TemplateItem> },
}

/// A legal combination of types.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TypeMap {
    /// Conditions that must all hold; none holds always.
    pub when: Vec<Bound>,
    /// Legal types of the destination.
    pub dst: Vec<String>,
    /// Legal types of the sources.
    pub src: Vec<String>,
    /// Where it stands.
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
            model::Saturation::No => Saturation::No,
            model::Saturation::Yes => Saturation::Yes,
            model::Saturation::Floats => Saturation::Floats,
        },
        source_modifier: match i.source_modifier {
            model::SourceModifier::None => SourceModifier::None,
            model::SourceModifier::Arithmetic => SourceModifier::Arithmetic,
            model::SourceModifier::Logic => SourceModifier::Logic,
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
            model::Presence::If(stored) => {
                let Condition { field, values } = condition(stored);
                Presence::If { field, values }
            }
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
