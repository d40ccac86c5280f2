//! JSON Schema of a dump, derived from its types: schemas of strings with a special format, and the
//! test that compares `schema.json`. Only tests compile this module, which keeps builds short.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use visakit_testing::schema;

use super::{Dump, SCHEMA, VERSION};
use crate::isa;

/// Declares types of strings, each with its schema.
macro_rules! strings {
    ($($(#[$doc:meta])* $name:ident = $schema:expr;)*) => { $(
        $(#[$doc])*
        pub(super) struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    )* };
}

strings! {
    /// Version of the format.
    FormVersion = pattern("Version of this form: the first number changes when a reader of the old form can go wrong.",
        &format!("^{}\\.[0-9]+$", VERSION.split('.').next().unwrap()));
    /// Version of an object.
    Version = pattern("A version of objects.", "^[0-9]+\\.[0-9]+$");
    /// Bytes as hexadecimal digits.
    Hexadecimal = pattern("Bytes as pairs of hexadecimal digits.", "^([0-9a-f]{2})*$");
    /// Bits of a constant.
    Bits = pattern("The bits of a constant.", "^0x[0-9a-f]{1,16}$");
    /// Table that the id of an input refers to.
    InputClass = words("The table that the number counts in.", isa::InputClass::ALL.iter().map(|class| class.name()));
    /// Class of a state variable.
    StateClass = words("Surface or sampler.", isa::StateClass::ALL.iter().map(|class| class.name()));
}

/// Returns the schema of strings that match a pattern.
fn pattern(description: &str, pattern: &str) -> Schema {
    json_schema!({ "description": description, "type": "string", "pattern": pattern })
}

/// Returns the schema of an enumeration of words.
fn words(description: &str, words: impl Iterator<Item = &'static str>) -> Schema {
    json_schema!({ "description": description, "enum": words.collect::<Vec<_>>() })
}

#[test]
fn the_schema_follows_from_the_types() {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let derived = generator.into_root_schema_for::<Dump>().to_value();
    let head = serde_json::json!({
        "title": "vISA object",
        "description": "A vISA object as `visa dump` writes it.",
    });
    schema::is_current("src/dump/schema.json", SCHEMA, derived, &head);
}
