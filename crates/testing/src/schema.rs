//! Validation of JSON values against a schema, and schemas derived from types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, json_schema};
use serde::Serialize as _;
use serde_json::{Map, Value, json};

/// Returns the validator's complaints about a value; `None` if the value is valid.
pub fn violations(schema: &Value, value: &Value) -> Option<String> {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.set_default_draft(boon::Draft::V2020_12);
    compiler.add_resource("schema.json", schema.clone()).unwrap();
    let index = compiler.compile("schema.json", &mut schemas).unwrap();
    schemas.validate(value, index).err().map(|e| format!("{e:#}").chars().take(4000).collect())
}

/// Declares types of strings, each with its schema.
#[macro_export]
macro_rules! strings {
    ($($(#[$doc:meta])* $name:ident = $schema:expr;)*) => { $(
        $(#[$doc])*
        pub(super) struct $name;

        impl ::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                $schema
            }
        }
    )* };
}

/// Returns the schema of strings that match a pattern.
pub fn pattern(description: &str, pattern: &str) -> Schema {
    json_schema!({ "description": description, "type": "string", "pattern": pattern })
}

/// Returns the schema of strings that are one of some words.
pub fn words(description: &str, words: impl IntoIterator<Item = &'static str>) -> Schema {
    json_schema!({ "description": description, "enum": words.into_iter().collect::<Vec<_>>() })
}

/// Compares the schema file at `path` in the repository with the schema derived from `T`; with
/// `BLESS`, writes the file. The members of `head` come before the derived members.
///
/// # Panics
/// The file differs, and `BLESS` is not set.
pub fn is_current<T: JsonSchema>(path: &str, committed: &str, head: &Value) {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let derived = generator.into_root_schema_for::<T>().to_value();
    let Value::Object(mut derived) = derived else { panic!("{path}: a schema is an object") };
    let mut whole = Map::new();
    whole.extend(derived.remove_entry("$schema"));
    whole.extend(head.as_object().expect("members").clone());
    derived.retain(|name, _| !whole.contains_key(name));
    whole.extend(derived);
    let mut whole = Value::Object(whole);
    close(&mut whole, false);
    let text = written(&whole);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(crate::root().join(path), text).expect("a file");
        return;
    }
    assert!(text == committed, "{path} is not what the types say; `cargo bless` writes it");
}

/// Formats a value as JSON with an indentation of one blank.
fn written(value: &Value) -> String {
    let mut bytes = Vec::new();
    let form = serde_json::ser::PrettyFormatter::with_indent(b" ");
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, form)).expect("JSON");
    String::from_utf8(bytes).expect("JSON is UTF-8") + "\n"
}

/// Makes a derived schema strict: objects have no other members, optional members are never null,
/// and numbers have the bounds of their types.
fn close(schema: &mut Value, is_part: bool) {
    let Value::Object(members) = schema else { return };
    bounds(members);
    if let Some(Value::String(text)) = members.get_mut("description") {
        *text = text.replace("\n\n", "\0").replace('\n', " ").replace('\0', "\n\n");
    }
    if let Some(Value::Array(required)) = members.get("required").cloned()
        && let Some(Value::Object(properties)) = members.get_mut("properties")
    {
        let absent = properties.iter_mut().filter(|(name, _)| !required.contains(&json!(name)));
        absent.for_each(|(_, property)| never_null(property));
    }
    // The alternatives of flattened members belong to this object, which forbids other members.
    let is_object = members.contains_key("properties");
    let has_parts = ["oneOf", "anyOf", "allOf"].iter().any(|key| members.contains_key(*key));
    if is_object && !is_part {
        let key = if has_parts { "unevaluatedProperties" } else { "additionalProperties" };
        members.insert(key.to_owned(), false.into());
    }
    for (key, member) in members.iter_mut() {
        match (key.as_str(), member) {
            ("oneOf" | "anyOf" | "allOf", Value::Array(parts)) => {
                parts.iter_mut().for_each(|part| close(part, is_object || is_part));
            }
            ("prefixItems", Value::Array(items)) => items.iter_mut().for_each(|item| close(item, false)),
            ("items", item) => close(item, false),
            ("properties" | "$defs", Value::Object(all)) => all.values_mut().for_each(|one| close(one, false)),
            _ => {}
        }
    }
}

/// Replaces the formats of integers, which validators ignore, by bounds. 64-bit numbers get no
/// upper bound, because readers may parse them as floats.
fn bounds(members: &mut Map<String, Value>) {
    let (low, high) = match members.get("format").and_then(Value::as_str) {
        Some("uint8") => (json!(0), json!(u8::MAX)),
        Some("uint16") => (json!(0), json!(u16::MAX)),
        Some("uint32") => (json!(0), json!(u32::MAX)),
        Some("uint64" | "uint") => (json!(0), Value::Null),
        Some("int16") => (json!(i16::MIN), json!(i16::MAX)),
        Some("int32") => (json!(i32::MIN), json!(i32::MAX)),
        Some("int64" | "int") => (Value::Null, Value::Null),
        _ => return,
    };
    members.remove("format");
    for (name, bound) in [("minimum", low), ("maximum", high)] {
        if !bound.is_null() {
            members.entry(name).or_insert(bound);
        }
    }
}

/// Removes null from the types of a member.
fn never_null(property: &mut Value) {
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|ty| ty != "null");
        if let [only] = types.as_slice() {
            property["type"] = only.clone();
        }
    }
    if let Some(Value::Array(any)) = property.get_mut("anyOf") {
        any.retain(|one| one["type"] != "null");
        if let [Value::Object(only)] = any.as_slice() {
            let only = only.clone();
            let members = property.as_object_mut().expect("an object");
            members.remove("anyOf");
            members.extend(only);
        }
    }
}
