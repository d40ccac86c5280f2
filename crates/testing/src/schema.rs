//! Validation of JSON values against a schema.

use serde_json::Value;

/// Returns the validator's complaints about a value; `None` if the value is valid.
pub fn violations(schema: &Value, value: &Value) -> Option<String> {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.set_default_draft(boon::Draft::V2020_12);
    compiler.add_resource("schema.json", schema.clone()).unwrap();
    let index = compiler.compile("schema.json", &mut schemas).unwrap();
    schemas.validate(value, index).err().map(|e| format!("{e:#}").chars().take(4000).collect())
}
