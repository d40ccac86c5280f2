//! The whole model as plain data for other programs, in the form that `schema.json` describes.
//!
//! The types here are that form and nothing else: a change of the model does not change them unseen, and every change of
//! them is one of the schema and of [`VERSION`].

use serde::Serialize;

use visakit_codegen::model::{Model, SourceSpan};

mod chapters;
mod instructions;
mod semantics;

pub use chapters::{
    Attribute, BitField, BitFieldKind, Bound, Builtin, Class, DataType, Enumerator, FieldKind, List, ListKind,
    ListRef, Member, MemberType, Platform, Predefined, Rule, Structure, Typed,
};
pub use instructions::{
    AllowedValues, Condition, Default, Field, Form, Instruction, MarkedName, PageKind, Presence, Range, TemplateItem,
    Text, TypeMap,
};
pub use semantics::{Expression, Semantics, Statement, StatementKind};

/// The version of the form: the first number changes when a reader of the old form can go wrong, the second when
/// something is added.
pub const VERSION: &str = "1.2";

/// The JSON Schema of the form, draft 2020-12.
pub const SCHEMA: &str = include_str!("schema.json");

/// A whole specification.
#[derive(Clone, Debug, Serialize)]
pub struct Specification {
    /// [`VERSION`].
    pub schema: &'static str,
    /// Paths of the pages, sorted.
    pub pages: Vec<String>,
    /// The data types, in the order of their codes.
    pub types: Vec<DataType>,
    /// The platforms, oldest first.
    pub platforms: Vec<Platform>,
    /// Bit fields and enumerations; [`ListRef`] refers to their positions.
    pub lists: Vec<List>,
    /// Structures of the chapters.
    pub structures: Vec<Structure>,
    /// Predefined general variables.
    pub variables: Vec<Predefined>,
    /// Predefined surfaces.
    pub surfaces: Vec<Predefined>,
    /// Predefined samplers.
    pub samplers: Vec<Predefined>,
    /// Attributes of kernels and variables.
    pub attributes: Vec<Attribute>,
    /// What the vendor's assembler makes of groups of instructions.
    pub rules: Vec<Rule>,
    /// Built-ins of the Semantics sections.
    pub builtins: Vec<Builtin>,
    /// The instructions, by opcode, sub-opcode and name.
    pub instructions: Vec<Instruction>,
}

/// A place in a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// Path of the page in the specification's folder, with forward slashes.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// The model in the form for other programs. Equal models give equal values, in the same order.
pub fn export(model: &Model) -> Specification {
    let cx = Cx::new(model);
    Specification {
        schema: VERSION,
        pages: model.pages.iter().map(|p| p.path.clone()).collect(),
        types: chapters::types(&cx),
        platforms: chapters::platforms(&cx),
        lists: chapters::lists(&cx),
        structures: chapters::structures(&cx),
        variables: chapters::predefined(&cx, &model.predefined, true),
        surfaces: chapters::predefined(&cx, &model.surfaces, false),
        samplers: chapters::predefined(&cx, &model.samplers, false),
        attributes: chapters::attributes(&cx),
        rules: chapters::rules(&cx),
        builtins: chapters::builtins(&cx),
        instructions: instructions::instructions(&cx),
    }
}

/// The model, and where the lines of its pages begin.
struct Cx<'m> {
    model: &'m Model,
    lines: Vec<Vec<usize>>,
}

impl<'m> Cx<'m> {
    fn new(model: &'m Model) -> Self {
        let starts = |text: &str| {
            let behind = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
            std::iter::once(0).chain(behind).collect()
        };
        Self { model, lines: model.pages.iter().map(|p| starts(&p.text)).collect() }
    }

    fn place(&self, at: SourceSpan) -> Location {
        let (Some(page), Some(lines)) = (self.model.pages.get(at.page as usize), self.lines.get(at.page as usize))
        else {
            return Location { file: String::new(), line: 1, column: 1 };
        };
        let start = at.start as usize;
        let line = lines.partition_point(|l| *l <= start).max(1);
        let before = page.text.get(lines[line - 1]..start).unwrap_or("");
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Location { file: page.path.clone(), line: small(line), column: small(before.chars().count() + 1) }
    }
}
