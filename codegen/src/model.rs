//! Model of the pages as plain data. Every fact has its place in the source.

pub mod anatomy;
mod columns;
mod instruction;
mod languages;
mod lists;
mod lookup;
mod object;
mod reference;
mod rules;
pub mod semantics;
mod sources;
pub mod template;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use visakit_diag::{Diagnostic, Lines};

use anatomy::{Anatomy, PartId};

pub use columns::*;
pub use instruction::*;
pub use lists::*;
pub use object::*;
pub use reference::{Reference, names, targets};
pub use rules::*;
pub use sources::*;

/// Place in a page: the index of the page in [`Model::pages`], and a byte range of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceSpan {
    /// Index of the page.
    pub page: u32,
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
}

/// Page as it was read.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Path relative to the specification's folder, with forward slashes.
    pub path: String,
    /// Path for diagnostics.
    pub shown: String,
    /// Text of the page.
    pub text: String,
    /// True if an overlay added the page to a specification without it.
    pub supplied: bool,
    /// Line starts, computed on first use.
    pub lines: OnceLock<Lines>,
}

impl Page {
    /// Creates a page that is embedded in a program, from its path and text.
    pub fn built_in((path, text): &(&str, &str)) -> Self {
        let shown = format!("spec/{path}");
        Self { path: (*path).to_owned(), shown, text: (*text).to_owned(), ..Self::default() }
    }

    /// Returns a finding with its place set to a byte range of the page.
    pub(crate) fn place(&self, finding: Diagnostic, start: usize, end: usize) -> Diagnostic {
        finding.at_place(&self.text, self.lines.get_or_init(|| Lines::new(&self.text)), start, end)
    }

    /// Returns the file's name without folder and extension.
    pub fn stem(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path).trim_end_matches(".md")
    }
}

/// Model of the whole specification.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Pages, sorted by path.
    pub pages: Vec<Page>,
    /// Data types, by code.
    pub types: Vec<DataType>,
    /// Platforms, oldest first.
    pub platforms: Vec<Platform>,
    /// Bit fields and enumerations, shared ones first.
    pub lists: Vec<List>,
    /// Lists that pages spell out in full although a shared list has the values; they have the
    /// shared type.
    pub spelled: Vec<Spelled>,
    /// Structures of the chapters.
    pub structures: Vec<Structure>,
    /// Part of an operand's tag that holds its class.
    pub class_part: Option<PartId>,
    /// Predefined general variables.
    pub predefined: Vec<Predefined>,
    /// Predefined surfaces.
    pub surfaces: Vec<Predefined>,
    /// Predefined samplers.
    pub samplers: Vec<Predefined>,
    /// Further columns of the table of data types.
    pub type_columns: Vec<Column>,
    /// Further columns of the tables of platforms.
    pub platform_columns: Vec<Column>,
    /// Further columns of the table of predefined surfaces.
    pub surface_columns: Vec<Column>,
    /// Named numbers, such as limits of declarations.
    pub limits: Vec<Limit>,
    /// Attributes of kernels and variables.
    pub attributes: Vec<Attribute>,
    /// Groups of instructions of verification.md.
    pub groups: Vec<Group>,
    /// Checks of the verifier.
    pub checks: Vec<Check>,
    /// Violations of checks that the vendor's assembler accepts.
    pub accepted: Vec<Acceptance>,
    /// Conditions of the vendor's assembler.
    pub constraints: Vec<Constraint>,
    /// Named expressions for the conditions of constraints.
    pub definitions: Vec<Definition>,
    /// Built-in functions for the conditions of constraints.
    pub rule_builtins: Vec<semantics::Builtin>,
    /// Instructions, by opcode, sub-opcode and name.
    pub instructions: Vec<Instruction>,
    /// Built-ins of the Semantics sections; empty if the specification has no `semantics.md`.
    pub builtins: Vec<semantics::Builtin>,
    /// Lines of the index of instructions.
    pub index: Vec<IndexLine>,
    /// Rows of the table of instructions by platform, which the vendor's documents have.
    pub support: Vec<SupportRow>,
    /// Sources of the facts.
    pub sources: Vec<Source>,
    /// Sources of table rows.
    pub provenance: Vec<Provenance>,
    /// All links of the pages.
    pub links: Vec<PageLink>,
    /// Anchors of the pages, as pairs of page and anchor.
    pub anchors: Vec<(u32, String)>,
    /// Named parts of the grammar; `None` if one of them is missing.
    pub anatomy: Option<Anatomy>,
    /// Paths of all files of the folder; `None` if single files were read.
    pub files: Option<BTreeSet<String>>,
}

/// Link of a page.
#[derive(Clone, Debug)]
pub struct PageLink {
    /// Destination as written.
    pub target: String,
    /// Place of the link.
    pub at: SourceSpan,
}

/// Line of the index of instructions.
#[derive(Clone, Debug)]
pub struct IndexLine {
    /// Name before the dash.
    pub name: String,
    /// Name of the linked file, without folder and extension.
    pub page: String,
    /// Alternatives of platforms that have the instruction; empty for all platforms.
    pub platforms: Vec<Availability>,
    /// Place of the link.
    pub at: SourceSpan,
}

/// Row of the table of instructions by platform.
#[derive(Clone, Debug)]
pub struct SupportRow {
    /// Name of the instruction.
    pub name: String,
    /// Platforms of the table's head, each with the table's entry.
    pub platforms: Vec<(Reference<usize>, bool)>,
    /// Place of the row.
    pub at: SourceSpan,
}
