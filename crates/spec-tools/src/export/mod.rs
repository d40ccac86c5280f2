//! The whole model as plain data for other programs, in the form that `schema.json` describes.
//!
//! The types here are that form and nothing else: a change of the model does not change them
//! unseen, and every change of them is one of the schema and of [`VERSION`].

use serde::Serialize;

use visakit_codegen::model::Model;

mod chapters;
mod columns;
mod instructions;
mod list_ref;
mod location;
mod rules;
#[cfg(test)]
mod schema;
mod semantics;
mod sources;

use location::Cx;

pub use chapters::{
    Attribute, BitField, BitFieldKind, Bound, Condition, DataType, Enumerator, FieldKind, List, ListKind, Member,
    MemberType, Platform, Predefined, Structure, Typed, Variable,
};
pub use columns::{Column, ColumnKind, Limit, Said, SaidValue};
pub use instructions::{
    AllowedValues, Default, Field, Form, Instruction, MarkedName, PageKind, Presence, Range, Saturation,
    SourceModifier, TemplateItem, Text, TypeMap,
};
pub use list_ref::ListRef;
pub use location::Location;
pub use rules::{Builtin, Constraint, Definition, Rule};
pub use semantics::{Expression, Semantics, Statement, StatementKind};
pub use sources::{Source, Sourced};

/// The version of the form: the first number changes when a reader of the old form can go wrong,
/// the second when something is added.
pub const VERSION: &str = "1.4";

/// The JSON Schema of the form, draft 2020-12. It is derived from the types: `cargo bless` writes
/// it.
pub const SCHEMA: &str = include_str!("schema.json");

/// A whole specification.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Specification {
    /// [`VERSION`].
    #[cfg_attr(test, schemars(with = "schema::FormVersion"))]
    pub schema: &'static str,
    /// Paths of the pages, sorted.
    pub pages: Vec<String>,
    /// The data types, in the order of their codes.
    pub types: Vec<DataType>,
    /// What else is said of each data type.
    pub type_columns: Vec<Column>,
    /// The platforms, oldest first.
    pub platforms: Vec<Platform>,
    /// What else is said of each platform.
    pub platform_columns: Vec<Column>,
    /// Bit fields and enumerations; [`ListRef`] refers to their positions.
    pub lists: Vec<List>,
    /// Structures of the chapters.
    pub structures: Vec<Structure>,
    /// Predefined general variables.
    pub variables: Vec<Variable>,
    /// Predefined surfaces.
    pub surfaces: Vec<Predefined>,
    /// What else is said of each predefined surface.
    pub surface_columns: Vec<Column>,
    /// Predefined samplers.
    pub samplers: Vec<Predefined>,
    /// Numbers with names.
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
    pub rule_builtins: Vec<Builtin>,
    /// Built-ins of the Semantics sections.
    pub builtins: Vec<Builtin>,
    /// The instructions, by opcode, sub-opcode and name.
    pub instructions: Vec<Instruction>,
    /// What facts are taken from, beside the documents.
    pub sources: Vec<Source>,
    /// Facts that stand in no table, with their sources.
    pub sourced: Vec<Sourced>,
}

/// The model in the form for other programs. Equal models give equal values, in the same order.
pub fn export(model: &Model) -> Specification {
    let cx = Cx::new(model);
    Specification {
        schema: VERSION,
        pages: model.pages.iter().map(|p| p.path.clone()).collect(),
        types: chapters::types(&cx),
        type_columns: columns::columns(&cx, &model.type_columns),
        platforms: chapters::platforms(&cx),
        platform_columns: columns::columns(&cx, &model.platform_columns),
        lists: chapters::lists(&cx),
        structures: chapters::structures(&cx),
        variables: chapters::variables(&cx),
        surfaces: chapters::predefined(&cx, &model.surfaces),
        surface_columns: columns::columns(&cx, &model.surface_columns),
        samplers: chapters::predefined(&cx, &model.samplers),
        limits: columns::limits(&cx),
        attributes: chapters::attributes(&cx),
        rules: rules::rules(&cx),
        constraints: rules::constraints(&cx),
        definitions: rules::definitions(&cx),
        rule_builtins: rules::builtins(&cx, &model.rule_builtins),
        builtins: rules::builtins(&cx, &model.builtins),
        instructions: instructions::instructions(&cx),
        sources: sources::sources(&cx),
        sourced: sources::sourced(&cx),
    }
}
