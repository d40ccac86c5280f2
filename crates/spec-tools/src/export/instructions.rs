//! The pages of instructions.

use serde::Serialize;

use super::chapters::{condition, marks, numbers, owned, shape};
use super::facts::{Bound, Condition, FieldKind, Typed};
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
    /// Full name, such as `SVM_ATOMIC`.
    pub name: String,
    /// Name of the family, for instructions with a sub-opcode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Opcode: the first byte.
    pub opcode: u8,
    /// Sub-opcode: the second byte, if several instructions share the opcode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub_opcode: Option<u8>,
    /// The kind of page.
    #[serde(flatten)]
    pub kind: PageKind,
    /// Layouts, by the value of a selector or by object version.
    pub forms: Vec<Form>,
    /// Templates of the assembly text, the preferred one first.
    pub text: Vec<Text>,
    /// Semantics; absent if the page has no such section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantics: Option<Semantics>,
    /// Supported data types.
    pub types: Vec<MarkedName>,
    /// Legality of `.sat`: never, always, or with floats.
    pub saturation: Saturation,
    /// Legal modifiers of the sources.
    pub source_modifier: SourceModifier,
    /// The effect of an access outside a buffer; may be empty.
    pub out_of_bound: String,
    /// Groups of conditions, at least one of which must hold; empty for every platform.
    pub platforms: Vec<Vec<Bound>>,
    /// Legal combinations of types.
    pub type_maps: Vec<TypeMap>,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Remarks of the page; may be empty.
    pub notes: String,
    /// Place in the pages.
    pub at: Location,
}

/// Kind of a page.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names are self-explanatory")]
pub enum PageKind {
    /// An instruction.
    Ordinary,
    /// Family page, which has no encoding.
    Umbrella,
    /// Another spelling of an instruction.
    Alias { of: String, alias_when: String },
    /// A known opcode with an unpublished layout.
    Reserved,
    /// An instruction whose behaviour no public text defines.
    Undefined,
}

/// Legality of `.sat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Saturation {
    /// Never.
    No,
    /// Always.
    Yes,
    /// Legal if the destination is a float.
    Floats,
}

/// Legal modifiers of the sources.
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

/// Layout of an instruction.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Form {
    /// Name; empty for the only form.
    pub name: String,
    /// Selector values to which the form applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
    /// Conditions that must all hold; empty if unconditional.
    pub when: Vec<Bound>,
    /// Fields in storage order, without padding.
    pub fields: Vec<Field>,
    /// Place in the pages.
    pub at: Location,
}

/// A field of a form.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Field {
    /// Name.
    pub name: String,
    /// Types with their conditions; the first type whose conditions hold applies. Empty for
    /// operands.
    #[cfg_attr(test, schemars(with = "Vec<Typed<schema::Number>>"))]
    pub storage: Vec<Typed<&'static str>>,
    /// The kind of value in the field.
    pub shape: FieldKind,
    /// Condition under which the field is stored.
    pub presence: Presence,
    /// Legal operand classes.
    pub classes: Vec<String>,
    /// Legal types.
    pub types: Vec<String>,
    /// Legal values of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Legal enumerators by part; a part that is not listed is unrestricted.
    pub only: Vec<AllowedValues>,
    /// Zero is illegal.
    pub nonzero: bool,
    /// Access of a field that names a variable, a label or a string: `read`, `write`, `read, write`
    /// or `reference`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<schema::Access>"))]
    pub access: Option<&'static str>,
    /// Default value, which the text omits.
    pub default: Default,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

/// Condition under which a field is stored.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names are self-explanatory")]
pub enum Presence {
    /// Always.
    Always,
    /// Stored if an earlier field has one of these values.
    If { field: String, values: Vec<String> },
    /// Repeated; an earlier field holds the count.
    Times { field: String },
    /// Never stored: only texts have the field.
    Text,
}

/// Inclusive range of a number's legal values.
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

/// Name with conditions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MarkedName {
    /// Name.
    pub name: String,
    /// Conditions that must all hold; empty if unconditional.
    pub when: Vec<Bound>,
}

/// Default value, which the text omits.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Default {
    /// The value.
    pub value: i64,
    /// Condition for omitting the value; if it fails, the text shows the field.
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
}

/// A template of the assembly text.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Text {
    /// Form of the template; absent for any form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// Conditions that must all hold.
    pub conditions: Vec<Condition>,
    /// The template as written.
    pub template: String,
    /// The template is printed only in full text.
    pub full: bool,
    /// The template piece by piece.
    pub items: Vec<TemplateItem>,
    /// Place in the pages.
    pub at: Location,
}

/// A piece of a template.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names are self-explanatory")]
pub enum TemplateItem {
    /// Literal text.
    Text { text: String },
    /// Blanks.
    Space { count: usize },
    /// Predicate in parentheses, if present.
    Predicate,
    /// `.sat`, if present.
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
    /// Optional group, printed if any field in it differs from its default.
    Optional { items: Vec<TemplateItem> },
    /// Group that is always printed. The parser treats it as absent if a digit follows instead.
    Shown { items: Vec<TemplateItem> },
}

/// A legal combination of types.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TypeMap {
    /// Conditions that must all hold; empty if unconditional.
    pub when: Vec<Bound>,
    /// Legal types of the destination.
    pub dst: Vec<String>,
    /// Legal types of the sources.
    pub src: Vec<String>,
    /// Place in the pages.
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
