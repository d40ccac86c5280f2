//! Model of an instruction's page: forms, fields, types, texts.

use super::template::{Item, Template};
use super::{Availability, ListId, Reference, SourceSpan, Storage, StructureId, TypeId, semantics};

/// Id of an instruction: its position in [`super::Model::instructions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstructionId(pub usize);

/// Kind of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// An encoded instruction.
    Ordinary,
    /// A family, which has no encoding of its own.
    Umbrella,
    /// An alternative spelling of an instruction, with its condition.
    Alias {
        /// Instruction that is spelled differently.
        of: Reference<InstructionId>,
        /// Condition under which the spelling is used.
        when: String,
    },
    /// A known opcode with an unpublished layout.
    Reserved,
    /// An instruction whose behaviour no public document defines.
    Undefined,
}

/// Page of an instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Full name: `ADD`, `SVM_ATOMIC`.
    pub name: String,
    /// Name of the family, if the instruction has a sub-opcode.
    pub family: Option<String>,
    /// First byte of the instruction.
    pub opcode: u8,
    /// Second byte, where several instructions share the opcode.
    pub sub_opcode: Option<u8>,
    /// Kind of the page.
    pub kind: PageKind,
    /// Layouts: one, or one for each value of a selector.
    pub forms: Vec<Form>,
    /// Text templates.
    pub text: Vec<TextForm>,
    /// Semantics block as written.
    pub semantics: String,
    /// Semantics block as a tree; `None` if the page has no block or the specification has no
    /// notation for it.
    pub behaviour: Option<semantics::Block>,
    /// Prose of the description.
    pub doc: String,
    /// Notes as written.
    pub notes: String,
    /// Supported data types, each with its availability.
    pub types: Vec<(Reference<TypeId>, Availability)>,
    /// Place of the list of types.
    pub types_at: SourceSpan,
    /// Condition under which the destination may be saturated.
    pub saturation: Saturation,
    /// Modifiers that sources may have.
    pub source_modifier: SourceModifier,
    /// Effect of an access outside a buffer.
    pub out_of_bound: String,
    /// Alternatives of platforms that have the instruction; empty for all platforms.
    pub platforms: Vec<Availability>,
    /// Place of the list of platforms.
    pub platforms_at: SourceSpan,
    /// Legal combinations of types.
    pub type_maps: Vec<TypeMap>,
    /// Place of the opcode, the page's first fact.
    pub at: SourceSpan,
}

/// Condition under which a destination may be saturated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Saturation {
    /// Never.
    #[default]
    No,
    /// Always.
    Yes,
    /// If its type is a float.
    Floats,
}

/// Source modifiers that a page allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceModifier {
    /// None.
    #[default]
    None,
    /// Absolute value and negation.
    Arithmetic,
    /// Bitwise complement.
    Logic,
}

/// Legal combination of operand types.
#[derive(Clone, Debug)]
pub struct TypeMap {
    /// Platforms on which the combination is legal.
    pub marks: Availability,
    /// Types of the destination.
    pub dst: Vec<Reference<TypeId>>,
    /// Types of the sources.
    pub src: Vec<Reference<TypeId>>,
    /// Place of the definition.
    pub at: SourceSpan,
}

/// Layout of an instruction.
#[derive(Clone, Debug)]
pub struct Form {
    /// Name of the form; empty if there is only one.
    pub name: String,
    /// Values of the selector that select this form.
    pub condition: Option<Condition>,
    /// Place of the condition: its item, or the heading.
    pub condition_at: SourceSpan,
    /// Object versions that have the form.
    pub versions: Availability,
    /// Fields in storage order.
    pub fields: Vec<Field>,
    /// Templates of the page that apply to this form, with places of this form.
    pub texts: Vec<TextForm>,
    /// Place of the definition.
    pub at: SourceSpan,
}

impl Form {
    /// Returns the condition of the form, if its selector is this field.
    pub fn selector_at(&self, field: usize) -> Option<&Condition> {
        self.condition.as_ref().filter(|c| c.of.to.is_some_and(|place| place.field == field))
    }
}

/// Field of an instruction.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name of the field, verbatim.
    pub name: String,
    /// Storage by object version: the first entry whose marks hold. Operands have no storage.
    pub storage: Vec<(Availability, Storage)>,
    /// Kind of the field.
    pub shape: FieldKind,
    /// Description of the field.
    pub doc: String,
    /// Condition under which the field is stored.
    pub presence: Presence,
    /// Legal operand classes, as references to their structures.
    pub classes: Vec<Reference<StructureId>>,
    /// Legal types.
    pub types: Vec<Reference<TypeId>>,
    /// Legal range of a number.
    pub range: Option<(i64, i64)>,
    /// Legal enumerators of the field or its parts.
    pub only: Vec<Only>,
    /// Value that an optional text group omits.
    pub default: i64,
    /// Condition of the default; if it does not hold, the text always shows the field.
    pub default_if: Option<Condition>,
    /// True if zero is illegal.
    pub nonzero: bool,
    /// Use of the variable that the field names.
    pub access: Access,
    /// Places of the field's phrases, with the first words of each, in order.
    pub phrases: Vec<(&'static str, SourceSpan)>,
    /// Place of the description.
    pub at: SourceSpan,
}

/// Kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A plain number.
    Number,
    /// A list: one value or several parts.
    List(ListId),
    /// An index into a table.
    Index(IndexKind),
    /// A predicate with its combination and inversion.
    Predicate,
    /// An operand with a region, or one of its other classes.
    Vector,
    /// The first element of a vector operand.
    Scalar,
    /// Contiguous bytes of a general variable.
    Raw,
    /// An index into the table that the enumerator of the field at this position names.
    IndexBy(usize),
    /// A field that is always zero and has no member.
    Zero,
    /// A field that repeats the field at this position of the form and has no member.
    Copy(usize),
}

impl Field {
    /// Creates a field with defaults for everything but name, kind and place.
    pub(crate) fn new(name: &str, shape: FieldKind, at: SourceSpan) -> Self {
        Self {
            name: name.to_owned(),
            storage: vec![(Availability::default(), Storage::Ub)],
            shape,
            doc: String::new(),
            presence: Presence::Always,
            classes: Vec::new(),
            types: Vec::new(),
            range: None,
            only: Vec::new(),
            default: 0,
            default_if: None,
            nonzero: false,
            access: Access::usual(name, shape),
            phrases: Vec::new(),
            at,
        }
    }

    /// Returns the place of the `nth` phrase with these first words, or of the whole description.
    pub fn place(&self, phrase: &str, nth: usize) -> SourceSpan {
        self.phrases.iter().filter(|(p, _)| *p == phrase).nth(nth).map_or(self.at, |(_, at)| *at)
    }
}

/// Use of a variable that a field names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The instruction reads the variable.
    Read,
    /// The instruction writes the variable.
    Write,
    /// The instruction reads and writes the variable.
    ReadWrite,
    /// The instruction only refers to it, as to a label or a variable whose address is taken.
    Reference,
}

impl Access {
    /// All kinds of use, with the words of the pages.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Read, "read"),
        (Self::Write, "write"),
        (Self::ReadWrite, "read, write"),
        (Self::Reference, "reference"),
    ];

    /// Returns the words of the pages.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(access, _)| *access == self).map_or("", |(_, name)| name)
    }

    /// Returns the default use. Destinations are recognised by name. Labels and strings have no
    /// value to read, and a variable whose table another field selects is only referred to.
    pub fn usual(name: &str, shape: FieldKind) -> Self {
        let name = name.to_ascii_lowercase();
        match shape {
            FieldKind::Index(IndexKind::Label | IndexKind::String) | FieldKind::IndexBy(_) => Self::Reference,
            _ if name.starts_with("dst") || name.ends_with("dst") => Self::Write,
            _ => Self::Read,
        }
    }
}

impl FieldKind {
    /// Returns true if a field names a variable, a label or a string rather than being a value.
    pub fn is_operand(self) -> bool {
        matches!(self, Self::Vector | Self::Scalar | Self::Raw | Self::Predicate | Self::Index(_) | Self::IndexBy(_))
    }
}

/// Table that an index refers to. The runtime's counterpart is `rt::Table`, as the generator is
/// absent at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the specification's")]
pub enum IndexKind {
    General,
    Address,
    Predicate,
    Sampler,
    Surface,
    Label,
    String,
}

impl IndexKind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::General, Self::Address, Self::Predicate, Self::Sampler, Self::Surface, Self::Label, Self::String];

    /// Returns the kind with this name, ignoring case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    /// Returns the specification's word.
    pub fn name(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Address => "address",
            Self::Predicate => "predicate",
            Self::Sampler => "sampler",
            Self::Surface => "surface",
            Self::Label => "label",
            Self::String => "string",
        }
    }
}

/// Position of a field in a form or a member in a structure, with the position of a part in its
/// list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Position of the field or member.
    pub field: usize,
    /// Position of the part; `None` for the whole field.
    pub part: Option<usize>,
}

/// Condition `Field=value, …` or `Field.part=value, …`: the field or part has one of the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Field, or part of a field.
    pub of: Reference<Place>,
    /// Values: codes of enumerators and of data types, 0 and 1 of flags, or numbers.
    pub values: Vec<Reference<u64>>,
}

impl From<(String, Vec<String>)> for Condition {
    fn from((of, values): (String, Vec<String>)) -> Self {
        Self { of: of.into(), values: values.into_iter().map(Into::into).collect() }
    }
}

/// Enumerators that a page allows for a field.
#[derive(Clone, Debug)]
pub struct Only {
    /// Part of the field; `None` for the whole field.
    pub part: Option<Reference<usize>>,
    /// Allowed codes, each with its availability.
    pub values: Vec<(Reference<u64>, Availability)>,
}

impl Only {
    /// Returns true if the restriction applies to this part, or to the whole field for `None`.
    pub fn is_of(&self, part: Option<usize>) -> bool {
        self.part.as_ref().map_or(part.is_none(), |own| own.to.is_some() && own.to == part)
    }

    /// Returns the name of the part on the page; empty for the whole field.
    pub fn part_name(&self) -> &str {
        self.part.as_ref().map_or("", |part| &part.name)
    }
}

/// Condition under which a field is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Always.
    Always,
    /// If an earlier field has one of some values.
    If(Condition),
    /// As many times as the field at this position counts.
    Times(usize),
    /// Never: the field is text-only.
    Text,
}

impl TextForm {
    /// Returns the text-only operands that the template shows outside its optional groups. A
    /// template with such operands is for instructions that have one of them.
    pub fn text_only_operands<'a>(&'a self, form: &'a Form) -> impl Iterator<Item = &'a Field> {
        let shown = self.template.items.iter().filter_map(|item| match item {
            Item::Field { place: Some(place), .. } => form.fields.get(place.field),
            _ => None,
        });
        shown.filter(|f| f.presence == Presence::Text && f.shape.is_operand() && f.shape != FieldKind::Predicate)
    }
}

/// Text template with its conditions.
#[derive(Clone, Debug)]
pub struct TextForm {
    /// Form that the template is for; `None` for any form.
    pub form: Option<Reference<usize>>,
    /// Conditions of the template, with places of the first form that has their fields; see
    /// [`Form::texts`].
    pub conditions: Vec<Condition>,
    /// Place of the conditions.
    pub conditions_at: SourceSpan,
    /// Template.
    pub template: Template,
    /// Place of the template.
    pub at: SourceSpan,
}
