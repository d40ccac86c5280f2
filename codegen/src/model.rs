//! What the pages say, as plain data. Every fact carries the place it was read from.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use crate::semantics;
use crate::template::Template;

/// A place in a page: index of the page in [`Model::pages`] and byte range of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// Index of the page.
    pub page: u32,
    /// First byte.
    pub start: u32,
    /// One behind the last byte.
    pub end: u32,
}

/// A page as it was read.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Path relative to the specification's folder, with forward slashes.
    pub path: String,
    /// Path as diagnostics show it.
    pub shown: String,
    /// The text.
    pub text: String,
    /// Whether an overlay added it to a specification that has no such page.
    pub supplied: bool,
}

impl Page {
    /// The file's name without folder and ending.
    pub fn stem(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path).trim_end_matches(".md")
    }
}

/// The whole specification.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The pages, sorted by path.
    pub pages: Vec<Page>,
    /// The data types, in the order of their codes.
    pub types: Vec<DataType>,
    /// The platforms, oldest first.
    pub platforms: Vec<Platform>,
    /// Bit fields and enumerations, shared ones first.
    pub lists: Vec<List>,
    /// Lists that pages spell out although they are, or are part of, a shared list: they have the shared type.
    pub spelled: Vec<Spelled>,
    /// Structures of the chapters.
    pub structures: Vec<Structure>,
    /// Predefined general variables.
    pub predefined: Vec<Predefined>,
    /// Predefined surfaces.
    pub surfaces: Vec<Predefined>,
    /// Predefined samplers.
    pub samplers: Vec<Predefined>,
    /// Attributes of kernels and variables.
    pub attributes: Vec<Attribute>,
    /// What the vendor's assembler makes of groups of instructions.
    pub rules: Vec<Rule>,
    /// The instructions, by opcode, sub-opcode and name.
    pub instructions: Vec<Instruction>,
    /// The built-ins of the Semantics sections; none where the specification has no `semantics.md`.
    pub builtins: Vec<semantics::Builtin>,
    /// The lines of the index of instructions.
    pub index: Vec<IndexLine>,
    /// The rows of the table of instructions by platform, which the vendor's documents have.
    pub support: Vec<SupportRow>,
    /// All links of the pages.
    pub links: Vec<PageLink>,
    /// What links may name behind `#`: page and anchor.
    pub anchors: Vec<(u32, String)>,
    /// All files of the folder with their paths; none where single files were read.
    pub files: Option<BTreeSet<String>>,
}

/// A link of a page.
#[derive(Clone, Debug)]
pub struct PageLink {
    /// The destination as written.
    pub target: String,
    /// The link.
    pub at: At,
}

/// A line of the index of instructions.
#[derive(Clone, Debug)]
pub struct IndexLine {
    /// The name in front of the dash.
    pub name: String,
    /// The file that it links to, without folder and ending.
    pub page: String,
    /// Where the instruction exists: any of these; everywhere when there are none.
    pub platforms: Vec<Marks>,
    /// The link.
    pub at: At,
}

/// A row of the table of instructions by platform.
#[derive(Clone, Debug)]
pub struct SupportRow {
    /// The instruction.
    pub name: String,
    /// The platforms of the table's head, and whether they have it.
    pub platforms: Vec<(String, bool)>,
    /// The row.
    pub at: At,
}

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
    /// Where it is defined.
    pub at: At,
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
    /// Where it is defined.
    pub at: At,
}

/// Conditions in braces: from or before a platform or an object version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub Vec<Mark>);

impl fmt::Display for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|mark| match mark {
            Mark::From(p) => write!(f, "{{{p}+}}"),
            Mark::Before(p) => write!(f, "{{-{p}}}"),
            Mark::Only(p) => write!(f, "{{{p}}}"),
            Mark::FromVersion(a, b) => write!(f, "{{{a}.{b}+}}"),
            Mark::BeforeVersion(a, b) => write!(f, "{{-{a}.{b}}}"),
        })
    }
}

/// One condition in braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// From that platform on.
    From(String),
    /// Before that platform.
    Before(String),
    /// That platform only.
    Only(String),
    /// From that object version on.
    FromVersion(u8, u8),
    /// Before that object version.
    BeforeVersion(u8, u8),
}

/// Numbers of an object, by width and sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the specification's")]
pub enum Storage {
    Ub,
    B,
    Uw,
    W,
    Ud,
    D,
    Uq,
    Q,
}

impl Storage {
    /// The storage of a type name, without regard to case.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "ub" => Self::Ub,
            "b" => Self::B,
            "uw" => Self::Uw,
            "w" => Self::W,
            "ud" => Self::Ud,
            "d" => Self::D,
            "uq" => Self::Uq,
            "q" => Self::Q,
            _ => return None,
        })
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::Ub | Self::B => 8,
            Self::Uw | Self::W => 16,
            Self::Ud | Self::D => 32,
            Self::Uq | Self::Q => 64,
        }
    }

    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ub => "ub",
            Self::B => "b",
            Self::Uw => "uw",
            Self::W => "w",
            Self::Ud => "ud",
            Self::D => "d",
            Self::Uq => "uq",
            Self::Q => "q",
        }
    }
}

/// Index of a list in [`Model::lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListId(pub usize);

/// A bit field or an enumeration.
#[derive(Clone, Debug)]
pub struct List {
    /// Name of the list: its heading, or `Instruction_Field` for one that stands on a page.
    pub name: String,
    /// Width in bits of the whole value.
    pub bits: u32,
    /// Whether it stands in the chapter of shared lists.
    pub shared: bool,
    /// What it is.
    pub doc: String,
    /// Its content.
    pub kind: ListKind,
    /// How it prints where the page says so.
    pub text: Option<Template>,
    /// Where it is defined.
    pub at: At,
}

/// A list that a page spells out and whose type is a shared list.
#[derive(Clone, Debug)]
pub struct Spelled {
    /// The field or the part that has it.
    pub at: At,
    /// What the page says: the shared list, or a part of it.
    pub kind: ListKind,
}

/// What a list consists of.
#[derive(Clone, Debug)]
pub enum ListKind {
    /// Named values in bits `lo` to `lo + width - 1`; all other bits are zero.
    Enumeration {
        /// Lowest bit.
        lo: u32,
        /// Number of bits.
        width: u32,
        /// The values.
        values: Vec<Enumerator>,
    },
    /// Parts next to each other.
    Parts(Vec<Part>),
}

/// A named value.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// The value.
    pub value: u64,
    /// Its name, verbatim.
    pub name: String,
    /// How it stands in assembly text.
    pub text: String,
    /// What it means.
    pub doc: String,
    /// Where it holds.
    pub marks: Marks,
    /// A stated hole rather than a value.
    pub reserved: bool,
    /// Where it is defined.
    pub at: At,
}

/// Some bits of a bit field.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Highest bit.
    pub hi: u32,
    /// Lowest bit.
    pub lo: u32,
    /// What the bits are.
    pub kind: PartKind,
    /// How a set flag stands in assembly text.
    pub text: String,
    /// What they mean.
    pub doc: String,
    /// Where they hold.
    pub marks: Marks,
    /// Where they are defined.
    pub at: At,
}

/// What the bits of a part are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Always zero.
    Zero,
    /// One bit that is set or not.
    Flag,
    /// A plain number.
    Number,
    /// One of a list of values.
    Enumeration(ListId),
    /// A data type code.
    DataType,
}

/// What a page describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An instruction.
    Ordinary,
    /// A family that encodes nothing itself.
    Umbrella,
    /// Another spelling of an instruction, with what decides it.
    Alias {
        /// The instruction.
        of: String,
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
    pub kind: Kind,
    /// The layouts: one, or one for each value of a selector.
    pub forms: Vec<Form>,
    /// The text templates.
    pub text: Vec<TextForm>,
    /// The semantics block as written.
    pub semantics: String,
    /// The semantics block as a tree; `None` where there is none, and where the specification has no notation.
    pub behaviour: Option<semantics::Block>,
    /// The description's prose.
    pub doc: String,
    /// The notes as written.
    pub notes: String,
    /// Types the instruction works on.
    pub types: Vec<(String, Marks)>,
    /// Whether the destination may be saturated.
    pub saturation: Saturation,
    /// Which modifiers sources may have.
    pub source_modifier: SourceModifier,
    /// What an access outside a buffer does.
    pub out_of_bound: String,
    /// Where the instruction exists: any of these; everywhere when there are none.
    pub platforms: Vec<Marks>,
    /// Legal combinations of types.
    pub type_maps: Vec<TypeMap>,
    /// The page's first fact: the opcode.
    pub at: At,
}

/// When a destination may be saturated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
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
    pub marks: Marks,
    /// Types of the destination.
    pub dst: Vec<String>,
    /// Types of the sources.
    pub src: Vec<String>,
    /// Where it is defined.
    pub at: At,
}

/// A layout of an instruction.
#[derive(Clone, Debug)]
pub struct Form {
    /// The form's name; empty where there is only one.
    pub name: String,
    /// The selector field and its enumerators.
    pub condition: Option<(String, Vec<String>)>,
    /// The object versions that have the form.
    pub versions: Marks,
    /// The fields in the order in which they are stored.
    pub fields: Vec<Field>,
    /// Where it is defined.
    pub at: At,
}

/// A field of an instruction.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name, verbatim.
    pub name: String,
    /// Its storage by object version: the first whose marks hold. Operands have none.
    pub storage: Vec<(Marks, Storage)>,
    /// What it is.
    pub shape: Shape,
    /// What it means.
    pub doc: String,
    /// When it is stored at all.
    pub presence: Presence,
    /// Legal operand classes.
    pub classes: Vec<String>,
    /// Legal types.
    pub types: Vec<String>,
    /// Legal range of a number.
    pub range: Option<(i64, i64)>,
    /// Legal enumerators by part; the part is empty for a plain enumeration.
    pub only: Vec<(String, Vec<(String, Marks)>)>,
    /// What an optional text group leaves out.
    pub default: i64,
    /// The default holds only when that field has one of these values; otherwise the text always shows the field.
    pub default_if: Option<(String, Vec<String>)>,
    /// Whether zero is illegal.
    pub nonzero: bool,
    /// Where it is described.
    pub at: At,
}

/// What a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
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

/// Which table an index refers to.
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

/// When a field is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Always.
    Always,
    /// When an earlier field has one of these values.
    If {
        /// Position of the earlier field.
        field: usize,
        /// The part of it, or empty.
        part: String,
        /// Names of its enumerators, or numbers.
        values: Vec<String>,
    },
    /// As often as an earlier field says.
    Times(usize),
}

/// Text templates that hold under conditions.
#[derive(Clone, Debug)]
pub struct TextForm {
    /// The form that the template is for; any where it says none.
    pub form: Option<String>,
    /// Fields (or `Field.part`) with the enumerators for which the templates hold.
    pub conditions: Vec<(String, Vec<String>)>,
    /// The template.
    pub template: Template,
    /// Where it stands.
    pub at: At,
}

/// A structure of a chapter.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Its name, verbatim.
    pub name: String,
    /// The operand class whose layout it is.
    pub class: Option<String>,
    /// The members in the order in which they are stored.
    pub members: Vec<Member>,
    /// What it is.
    pub doc: String,
    /// Where it is defined.
    pub at: At,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name, verbatim.
    pub name: String,
    /// Its storage by object version.
    pub storage: Vec<(Marks, MemberType)>,
    /// Name of the member that counts it.
    pub count: Option<String>,
    /// What it is.
    pub shape: Shape,
    /// A data type code stands in its bits.
    pub data_type: bool,
    /// Stored only when the member named first has one of these values.
    pub presence: Option<(String, Vec<String>)>,
    /// What it means.
    pub doc: String,
    /// Where it is defined.
    pub at: At,
}

/// The type of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberType {
    /// A number.
    Number(Storage),
    /// Another structure.
    Structure(String),
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
    pub ty: String,
    /// Number of elements, with registers of 32 and of 64 bytes.
    pub elements: (u32, u32),
    /// Elements that may be written to: none, those of the list, or all where it is empty.
    pub written: Option<Vec<u32>>,
    /// What it is.
    pub doc: String,
    /// Where it is defined.
    pub at: At,
}

/// A row of verification.md: what the vendor's assembler makes of some instructions beyond what their pages say.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, words with dashes.
    pub name: String,
    /// The instructions that it holds for.
    pub instructions: Vec<String>,
    /// Where it holds: on any of these platforms; everywhere when there are none.
    pub platforms: Vec<Marks>,
    /// What it means.
    pub doc: String,
    /// The row.
    pub at: At,
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
    pub at: At,
}

impl Model {
    /// The list with this id.
    pub fn list(&self, id: ListId) -> &List {
        &self.lists[id.0]
    }

    /// The shared list of that name, without regard to case.
    pub fn shared_list(&self, name: &str) -> Option<ListId> {
        self.lists.iter().position(|l| l.shared && l.name.eq_ignore_ascii_case(name)).map(ListId)
    }

    /// Path and line of a place.
    pub fn origin(&self, at: At) -> (&str, u32) {
        match self.pages.get(at.page as usize) {
            Some(page) => {
                let head = &page.text.as_bytes()[..(at.start as usize).min(page.text.len())];
                let line = head.iter().filter(|&&b| b == b'\n').count() + 1;
                (&page.path, u32::try_from(line).unwrap_or(u32::MAX))
            }
            None => ("", 0),
        }
    }
}
