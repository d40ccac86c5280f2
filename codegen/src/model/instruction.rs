//! What an instruction's page says: forms, fields, types, texts.

use super::{Availability, ListId, Reference, SourceSpan, Storage, StructureId, TypeId, semantics};
use crate::template::{Item, Template};

/// An instruction: its position in [`super::Model::instructions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstructionId(pub usize);

/// What a page describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// An instruction.
    Ordinary,
    /// A family that encodes nothing itself.
    Umbrella,
    /// Another spelling of an instruction, with what decides it.
    Alias {
        /// The instruction.
        of: Reference<InstructionId>,
        /// When it is used.
        when: String,
    },
    /// A known opcode with an unpublished layout.
    Reserved,
    /// An instruction whose behaviour no public text defines.
    Undefined,
}

/// A page of an instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The full name: `ADD`, `SVM_ATOMIC`.
    pub name: String,
    /// The name of the family where there is a sub-opcode.
    pub family: Option<String>,
    /// First byte.
    pub opcode: u8,
    /// Second byte, where the opcode is shared.
    pub sub_opcode: Option<u8>,
    /// What the page describes.
    pub kind: PageKind,
    /// The layouts: one, or one for each value of a selector.
    pub forms: Vec<Form>,
    /// The text templates.
    pub text: Vec<TextForm>,
    /// The semantics block as written.
    pub semantics: String,
    /// The semantics block as a tree; `None` where there is none, and where the specification has
    /// no notation.
    pub behaviour: Option<semantics::Block>,
    /// The description's prose.
    pub doc: String,
    /// The notes as written.
    pub notes: String,
    /// Types the instruction works on.
    pub types: Vec<(Reference<TypeId>, Availability)>,
    /// Where they are listed.
    pub types_at: SourceSpan,
    /// Whether the destination may be saturated.
    pub saturation: Saturation,
    /// Which modifiers sources may have.
    pub source_modifier: SourceModifier,
    /// What an access outside a buffer does.
    pub out_of_bound: String,
    /// Where the instruction exists: any of these; everywhere when there are none.
    pub platforms: Vec<Availability>,
    /// Where they are listed.
    pub platforms_at: SourceSpan,
    /// Legal combinations of types.
    pub type_maps: Vec<TypeMap>,
    /// The page's first fact: the opcode.
    pub at: SourceSpan,
}

/// When a destination may be saturated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Saturation {
    /// Never.
    #[default]
    No,
    /// Always.
    Yes,
    /// When its type is a float.
    Floats,
}

/// Which source modifiers a page allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceModifier {
    /// None.
    #[default]
    None,
    /// Absolute value and negation.
    Arithmetic,
    /// Bitwise not.
    Logic,
}

/// A legal combination of operand types.
#[derive(Clone, Debug)]
pub struct TypeMap {
    /// Where it holds.
    pub marks: Availability,
    /// Types of the destination.
    pub dst: Vec<Reference<TypeId>>,
    /// Types of the sources.
    pub src: Vec<Reference<TypeId>>,
    /// Where it is defined.
    pub at: SourceSpan,
}

/// A layout of an instruction.
#[derive(Clone, Debug)]
pub struct Form {
    /// The form's name; empty where there is only one.
    pub name: String,
    /// The values of the selector that have this form.
    pub condition: Option<Condition>,
    /// Where this condition stands: its item, or the heading.
    pub condition_at: SourceSpan,
    /// The object versions that have the form.
    pub versions: Availability,
    /// The fields in the order in which they are stored.
    pub fields: Vec<Field>,
    /// The page's templates that apply to it, in the terms of this form.
    pub texts: Vec<TextForm>,
    /// Where it is defined.
    pub at: SourceSpan,
}

impl Form {
    /// The condition under which there is this form, where that field decides.
    pub fn selector_at(&self, field: usize) -> Option<&Condition> {
        self.condition.as_ref().filter(|c| c.of.to.is_some_and(|place| place.field == field))
    }
}

/// A field of an instruction.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name, verbatim.
    pub name: String,
    /// Its storage by object version: the first whose marks hold. Operands have none.
    pub storage: Vec<(Availability, Storage)>,
    /// What it is.
    pub shape: FieldKind,
    /// What it means.
    pub doc: String,
    /// When it is stored at all.
    pub presence: Presence,
    /// Legal operand classes, as the structures that have them.
    pub classes: Vec<Reference<StructureId>>,
    /// Legal types.
    pub types: Vec<Reference<TypeId>>,
    /// Legal range of a number.
    pub range: Option<(i64, i64)>,
    /// Legal enumerators, of the field or of parts of it.
    pub only: Vec<Only>,
    /// What an optional text group leaves out.
    pub default: i64,
    /// The default holds only under this condition; otherwise the text always shows the field.
    pub default_if: Option<Condition>,
    /// Whether zero is illegal.
    pub nonzero: bool,
    /// What the instruction does with the variable that the field names.
    pub access: Access,
    /// Where its phrases stand, by the words with which they begin, in order.
    pub phrases: Vec<(&'static str, SourceSpan)>,
    /// Where it is described.
    pub at: SourceSpan,
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A plain number.
    Number,
    /// One value or several parts.
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
    /// An index into the table that an enumerator of the field at that position names.
    IndexBy(usize),
    /// Always zero, no member.
    Zero,
    /// Always the same as the field at that position of the form, no member.
    Copy(usize),
}

impl Field {
    /// A field of which nothing else is said.
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

    /// Where the field says something: its `nth` phrase with these first words, or all of its text.
    pub fn place(&self, phrase: &str, nth: usize) -> SourceSpan {
        self.phrases.iter().filter(|(p, _)| *p == phrase).nth(nth).map_or(self.at, |(_, at)| *at)
    }
}

/// What an instruction does with the variable that one of its fields names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Its value is used.
    Read,
    /// It gets a value.
    Write,
    /// Its value is used, and it gets another one.
    ReadWrite,
    /// It is only referred to, as a label is, or a variable whose address is taken.
    Reference,
}

impl Access {
    /// All of them with the words of the pages.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Read, "read"),
        (Self::Write, "write"),
        (Self::ReadWrite, "read, write"),
        (Self::Reference, "reference"),
    ];

    /// The words of the pages.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(access, _)| *access == self).map_or("", |(_, name)| name)
    }

    /// What holds where a page says nothing: destinations are called so, labels and strings have no
    /// value that could be used, and a variable that another field's class decides about is marked,
    /// not used.
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
    /// Whether a field names a variable, a label or a string rather than being a value.
    pub fn is_operand(self) -> bool {
        matches!(self, Self::Vector | Self::Scalar | Self::Raw | Self::Predicate | Self::Index(_) | Self::IndexBy(_))
    }
}

/// Which table an index refers to. The runtime has `rt::Table`, which is called like it: nothing of
/// the generator is there when the program runs.
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

    /// The kind of that name, without regard to case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    /// The specification's word.
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

/// A field of a form or a member of a structure, by its position, and the position of a part in its
/// list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The field or the member.
    pub field: usize,
    /// The part, where it is not the whole.
    pub part: Option<usize>,
}

/// `Field=value, …` or `Field.part=value, …`: what has to have one of some values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The field, or the part of one.
    pub of: Reference<Place>,
    /// The values: codes of enumerators and of data types, 0 and 1 of flags, or numbers.
    pub values: Vec<Reference<u64>>,
}

impl From<(String, Vec<String>)> for Condition {
    fn from((of, values): (String, Vec<String>)) -> Self {
        Self { of: of.into(), values: values.into_iter().map(Into::into).collect() }
    }
}

/// Enumerators that a page allows of a field.
#[derive(Clone, Debug)]
pub struct Only {
    /// The part of the field, where it is not the whole.
    pub part: Option<Reference<usize>>,
    /// The codes, and where they are allowed.
    pub values: Vec<(Reference<u64>, Availability)>,
}

impl Only {
    /// Whether it is about that part of the field, or about the whole.
    pub fn is_of(&self, part: Option<usize>) -> bool {
        self.part.as_ref().map_or(part.is_none(), |own| own.to.is_some() && own.to == part)
    }

    /// The part as the page writes it; nothing for the whole.
    pub fn part_name(&self) -> &str {
        self.part.as_ref().map_or("", |part| &part.name)
    }
}

/// When a field is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Always.
    Always,
    /// When an earlier field has one of some values.
    If(Condition),
    /// As often as an earlier field says.
    Times(usize),
    /// Never: texts have the field, and objects do not.
    Text,
}

impl TextForm {
    /// Returns the operands that only texts have and that the template shows outside of its groups.
    /// Where there are any, the template is for instructions that have one of them.
    pub fn text_only_operands<'a>(&'a self, form: &'a Form) -> impl Iterator<Item = &'a Field> {
        let shown = self.template.items.iter().filter_map(|item| match item {
            Item::Field { place: Some(place), .. } => form.fields.get(place.field),
            _ => None,
        });
        shown.filter(|f| f.presence == Presence::Text && f.shape.is_operand() && f.shape != FieldKind::Predicate)
    }
}

/// Text templates that hold under conditions.
#[derive(Clone, Debug)]
pub struct TextForm {
    /// The form that the template is for; any where it says none.
    pub form: Option<Reference<usize>>,
    /// Under what the template holds, in the terms of the first form that has what they are about;
    /// see [`Form::texts`].
    pub conditions: Vec<Condition>,
    /// Where these are listed.
    pub conditions_at: SourceSpan,
    /// The template.
    pub template: Template,
    /// Where it stands.
    pub at: SourceSpan,
}
