//! Complete model as plain data for other programs, in the format of `schema.json`.
//!
//! The types here define only that format, so that a change of the model cannot change it
//! unnoticed. Every change of these types changes the schema and [`VERSION`].

use serde::Serialize;

use visakit_codegen::model::Model;

mod chapters;
mod columns;
mod facts;
mod instructions;
mod list_ref;
mod location;
mod rules;
#[cfg(test)]
mod schema;
mod semantics;
mod sources;

use location::Cx;

pub use columns::{Column, ColumnKind, Limit, Said, SaidValue};
pub use facts::{
    Attribute, BitField, BitFieldKind, Bound, Condition, DataType, Enumerator, FieldKind, List, ListKind, Member,
    MemberType, Platform, Predefined, Structure, Typed, Variable,
};
pub use instructions::{
    AllowedValues, Default, Field, Form, Instruction, MarkedName, PageKind, Presence, Range, Saturation,
    SourceModifier, TemplateItem, Text, TypeMap,
};
pub use list_ref::ListRef;
pub use location::Location;
pub use rules::{Acceptance, Builtin, Check, Constraint, Definition, Group};
pub use semantics::{Expression, Semantics, Statement, StatementKind};
pub use sources::{Source, Sourced};

/// Version of the format. The first number changes when a reader of the old format may fail, the
/// second when something is added.
pub const VERSION: &str = "2.0";

/// JSON Schema of the format, draft 2020-12, derived from the types. `cargo bless` writes it.
pub const SCHEMA: &str = include_str!("schema.json");

/// Complete specification.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Specification {
    /// Version of the format: [`VERSION`].
    #[cfg_attr(test, schemars(with = "schema::FormVersion"))]
    pub schema: &'static str,
    /// Paths of the pages, sorted.
    pub pages: Vec<String>,
    /// The data types, in the order of their codes.
    pub types: Vec<DataType>,
    /// Additional columns of the table of data types.
    pub type_columns: Vec<Column>,
    /// The platforms, oldest first.
    pub platforms: Vec<Platform>,
    /// Additional columns of the tables of platforms.
    pub platform_columns: Vec<Column>,
    /// Bit fields and enumerations; [`ListRef`] refers to their positions.
    pub lists: Vec<List>,
    /// Structures of the chapters.
    pub structures: Vec<Structure>,
    /// Predefined general variables.
    pub variables: Vec<Variable>,
    /// Predefined surfaces.
    pub surfaces: Vec<Predefined>,
    /// Additional columns of the table of predefined surfaces.
    pub surface_columns: Vec<Column>,
    /// Predefined samplers.
    pub samplers: Vec<Predefined>,
    /// Named numbers.
    pub limits: Vec<Limit>,
    /// Attributes of kernels and variables.
    pub attributes: Vec<Attribute>,
    /// Groups of instructions.
    pub groups: Vec<Group>,
    /// Checks of the verifier.
    pub checks: Vec<Check>,
    /// Violations of checks that the vendor's assembler accepts.
    pub accepted: Vec<Acceptance>,
    /// Conditions of the vendor's assembler.
    pub constraints: Vec<Constraint>,
    /// Named expressions for the conditions of constraints.
    pub definitions: Vec<Definition>,
    /// Built-ins for the conditions of constraints.
    pub rule_builtins: Vec<Builtin>,
    /// Built-ins of the Semantics sections.
    pub builtins: Vec<Builtin>,
    /// The instructions, by opcode, sub-opcode and name.
    pub instructions: Vec<Instruction>,
    /// Sources of facts other than the documents.
    pub sources: Vec<Source>,
    /// Facts outside tables, with their sources.
    pub sourced: Vec<Sourced>,
}

/// Converts a model to the export format. Equal models yield equal values in the same order.
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
        groups: rules::groups(&cx),
        checks: rules::checks(&cx),
        accepted: rules::accepted(&cx),
        constraints: rules::constraints(&cx),
        definitions: rules::definitions(&cx),
        rule_builtins: rules::builtins(&cx, &model.rule_builtins),
        builtins: rules::builtins(&cx, &model.builtins),
        instructions: instructions::instructions(&cx),
        sources: sources::sources(&cx),
        sourced: sources::sourced(&cx),
    }
}
