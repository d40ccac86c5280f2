//! JSON Schema of the export, derived from its types: enumerated strings, and the test that
//! compares `schema.json`. The module is compiled for tests only, to keep builds fast.

use visakit_codegen::model::semantics::{BinaryOperator as Binary, BuiltinKind as Kind, UnaryOperator as Unary};
use visakit_codegen::model::{self, IndexKind, Storage};
use visakit_codegen::template;
use visakit_testing::schema::{self, pattern, words};
use visakit_testing::strings;

use super::{SCHEMA, Specification, VERSION};

strings! {
    /// A version of the export.
    FormVersion = pattern("Version of the export format.", &format!("^{}\\.[0-9]+$", VERSION.split('.').next().unwrap()));
    /// A version of objects.
    Version = pattern("Version of an object.", "^[0-9]+\\.[0-9]+$");
    /// A table of a routine.
    Table = words("A table of a routine.", IndexKind::ALL.map(IndexKind::name));
    /// A number by width and sign.
    Number = words("A number by width and sign.", Storage::ALL.map(Storage::name));
    /// The use of a variable.
    Access = words("The use of the variable that a field names.", model::Access::ALL.map(|(_, name)| name));
    /// A format of numbers in a template.
    Format = words("A format of numbers in a template.", template::Style::NAMES.map(|(_, name)| name));
    /// A kind of built-in.
    BuiltinKind = words("A kind of built-in.", Kind::ALL.map(|(_, name)| name));
    /// A kind of source.
    SourceKind = words("A kind of source.", model::SourceKind::ALL.map(model::SourceKind::name));
    /// Unary operator.
    UnaryOperator = words("Unary operator.", Unary::ALL.map(|(_, sign)| sign));
    /// Binary operator.
    BinaryOperator = words("Binary operator.", Binary::ALL.map(|(_, sign, _)| sign));
}

#[test]
fn the_schema_follows_from_the_types() {
    let head = serde_json::json!({
        "$id": "https://github.com/visakit/visakit/spec-export-1.json",
        "title": "visakit specification export",
        "description": "The output of `visa spec export`: every fact of a vISA specification with its place. The \
            member `schema` is the version of the export format: readers of 1.x understand every later 1.y.",
    });
    schema::is_current::<Specification>("crates/spec-tools/src/export/schema.json", SCHEMA, &head);
}
