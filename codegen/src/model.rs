//! What the pages say, as plain data. Every fact carries the place it was read from.

mod columns;
mod instruction;
mod lists;
mod lookup;
mod object;
mod reference;
mod rules;
pub mod semantics;
mod sources;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use visakit_diag::{Diagnostic, Lines};

use crate::anatomy::{Anatomy, PartId};

pub use columns::*;
pub use instruction::*;
pub use lists::*;
pub use object::*;
pub use reference::{Reference, names, targets};
pub use rules::*;
pub use sources::*;

/// A place in a page: index of the page in [`Model::pages`] and byte range of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceSpan {
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
    /// Where its lines begin, once a finding has asked.
    pub lines: OnceLock<Lines>,
}

impl Page {
    /// A page that a program has in it: its path and its text.
    pub fn built_in((path, text): &(&str, &str)) -> Self {
        let shown = format!("spec/{path}");
        Self { path: (*path).to_owned(), shown, text: (*text).to_owned(), ..Self::default() }
    }

    /// A finding at a byte range of the page.
    pub(crate) fn place(&self, finding: Diagnostic, start: usize, end: usize) -> Diagnostic {
        finding.at_place(&self.text, self.lines.get_or_init(|| Lines::new(&self.text)), start, end)
    }

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
    /// Lists that pages spell out although they are, or are part of, a shared list: they have the
    /// shared type.
    pub spelled: Vec<Spelled>,
    /// Structures of the chapters.
    pub structures: Vec<Structure>,
    /// The part of an operand's tag that says its class.
    pub class_part: Option<PartId>,
    /// Predefined general variables.
    pub predefined: Vec<Predefined>,
    /// Predefined surfaces.
    pub surfaces: Vec<Predefined>,
    /// Predefined samplers.
    pub samplers: Vec<Predefined>,
    /// What else the table of data types says of them.
    pub type_columns: Vec<Column>,
    /// What else the tables of platforms say of them.
    pub platform_columns: Vec<Column>,
    /// What else the table of predefined surfaces says of them.
    pub surface_columns: Vec<Column>,
    /// Numbers with names: limits of what can be declared, and the like.
    pub limits: Vec<Limit>,
    /// Attributes of kernels and variables.
    pub attributes: Vec<Attribute>,
    /// What the vendor's assembler makes of groups of instructions.
    pub rules: Vec<Rule>,
    /// What it asks of the fields of one instruction together.
    pub constraints: Vec<Constraint>,
    /// Names that the conditions of these rows have for expressions.
    pub definitions: Vec<Definition>,
    /// What these conditions may call.
    pub rule_builtins: Vec<semantics::Builtin>,
    /// The instructions, by opcode, sub-opcode and name.
    pub instructions: Vec<Instruction>,
    /// The built-ins of the Semantics sections; none where the specification has no `semantics.md`.
    pub builtins: Vec<semantics::Builtin>,
    /// The lines of the index of instructions.
    pub index: Vec<IndexLine>,
    /// The rows of the table of instructions by platform, which the vendor's documents have.
    pub support: Vec<SupportRow>,
    /// What facts are taken from.
    pub sources: Vec<Source>,
    /// What rows of tables say of their sources.
    pub provenance: Vec<Provenance>,
    /// All links of the pages.
    pub links: Vec<PageLink>,
    /// What links may name behind `#`: page and anchor.
    pub anchors: Vec<(u32, String)>,
    /// Where the things are that the grammar has names for; nothing where one of them is not there.
    pub anatomy: Option<Anatomy>,
    /// All files of the folder with their paths; none where single files were read.
    pub files: Option<BTreeSet<String>>,
}

/// A link of a page.
#[derive(Clone, Debug)]
pub struct PageLink {
    /// The destination as written.
    pub target: String,
    /// The link.
    pub at: SourceSpan,
}

/// A line of the index of instructions.
#[derive(Clone, Debug)]
pub struct IndexLine {
    /// The name in front of the dash.
    pub name: String,
    /// The file that it links to, without folder and ending.
    pub page: String,
    /// Where the instruction exists: any of these; everywhere when there are none.
    pub platforms: Vec<Availability>,
    /// The link.
    pub at: SourceSpan,
}

/// A row of the table of instructions by platform.
#[derive(Clone, Debug)]
pub struct SupportRow {
    /// The instruction.
    pub name: String,
    /// The platforms of the table's head, and whether they have it.
    pub platforms: Vec<(Reference<usize>, bool)>,
    /// The row.
    pub at: SourceSpan,
}
