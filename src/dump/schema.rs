//! JSON Schema of a dump, derived from its types: schemas of strings with a special format, and the
//! test that compares `schema.json`. Only tests compile this module, which keeps builds short.

use visakit_testing::schema::{self, pattern, words};
use visakit_testing::strings;

use super::{Dump, SCHEMA, VERSION};
use crate::isa;

strings! {
    /// Version of the format.
    FormVersion = pattern("Version of the format: the first number changes when a reader of the old format can fail.",
        &format!("^{}\\.[0-9]+$", VERSION.split('.').next().unwrap()));
    /// Version of an object.
    Version = pattern("Version of an object.", "^[0-9]+\\.[0-9]+$");
    /// Bytes as hexadecimal digits.
    Hexadecimal = pattern("Bytes as pairs of hexadecimal digits.", "^([0-9a-f]{2})*$");
    /// Bits of a constant.
    Bits = pattern("The bits of a constant.", "^0x[0-9a-f]{1,16}$");
    /// Table that the id of an input refers to.
    InputClass = words("Table that the number refers to.", isa::InputClass::ALL.iter().map(|class| class.name()));
    /// Class of a state variable.
    StateClass = words("Surface or sampler.", isa::StateClass::ALL.iter().map(|class| class.name()));
}

#[test]
fn the_schema_follows_from_the_types() {
    let head = serde_json::json!({
        "title": "vISA object",
        "description": "A vISA object as `visa dump` writes it.",
    });
    schema::is_current::<Dump>("src/dump/schema.json", SCHEMA, &head);
}
