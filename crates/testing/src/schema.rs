//! Values against a JSON Schema.

use serde_json::Value;

/// What a validator has to say against a value; nothing when it is as the schema says.
pub fn violations(schema: &Value, value: &Value) -> Option<String> {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.set_default_draft(boon::Draft::V2020_12);
    compiler.add_resource("schema.json", schema.clone()).unwrap();
    let index = compiler.compile("schema.json", &mut schemas).unwrap();
    schemas.validate(value, index).err().map(|e| format!("{e:#}").chars().take(4000).collect())
}
