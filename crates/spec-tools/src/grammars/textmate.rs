//! TextMate grammar, as JSON.

use serde_json::{Value, json};

use super::words::Words;

/// Writes the grammar.
pub(super) fn write(words: &Words) -> Vec<(&'static str, String)> {
    let grammar = json!({
        "$comment": crate::HEADER,
        "name": "vISA assembly",
        "scopeName": "source.visaasm",
        "fileTypes": ["visaasm"],
        "patterns": [
            { "include": "#comment" },
            { "include": "#directive" },
            { "include": "#label-line" },
            { "include": "#instruction" },
            { "include": "#operand" },
        ],
        "repository": {
            "comment": { "patterns": [
                { "name": "comment.line.double-slash.visaasm", "match": "//.*$" },
                { "name": "comment.block.visaasm", "begin": "/\\*", "end": "\\*/" },
            ] },
            "directive": directive(words),
            "label-line": {
                "match": r"^\s*\{?\s*([A-Za-z_$@?][\w$@?-]*)\s*(:)\s*(?=$|//|/\*|\})",
                "captures": { "1": { "name": "entity.name.label.visaasm" } },
            },
            "instruction": instruction(words),
            "operand": operand(words),
        },
    });
    // The value is plain data with string keys, so serialisation cannot fail.
    let text = serde_json::to_string_pretty(&grammar).unwrap_or_default() + "\n";
    vec![("visaasm.tmLanguage.json", text)]
}

fn directive(words: &Words) -> Value {
    let openings = words.openings.iter().map(|opening| format!(r"{}\w+", escaped(opening)));
    let all: Vec<String> = words.directives.iter().map(|word| escaped(word)).chain(openings).collect();
    json!({
        "begin": format!(r"^\s*({})(?!\w)", all.join("|")),
        "end": "$",
        "beginCaptures": { "1": { "name": "keyword.control.directive.visaasm" } },
        "patterns": [
            { "include": "#comment" },
            {
                "match": format!(r"\b({})\s*(=)", alternatives(&words.keys)),
                "captures": {
                    "1": { "name": "variable.parameter.key.visaasm" },
                    "2": { "name": "keyword.operator.assignment.visaasm" },
                },
            },
            {
                "match": format!(r"(?<==)\s*({})\b", alternatives(&words.types)),
                "captures": { "1": { "name": "storage.type.visaasm" } },
            },
            { "include": "#operand" },
        ],
    })
}

fn instruction(words: &Words) -> Value {
    json!({
        "match": format!(
            r"^\s*\{{?\s*(\([^)]*\))?\s*({})(?![\w+])((?:\.[\w-]+)*)",
            alternatives(&words.mnemonics),
        ),
        "captures": {
            "1": { "patterns": [{ "include": "#operand" }] },
            "2": { "name": "keyword.mnemonic.visaasm" },
            "3": { "name": "storage.modifier.visaasm" },
        },
    })
}

fn operand(words: &Words) -> Value {
    json!({ "patterns": [
        {
            "name": "string.quoted.double.visaasm",
            "begin": "\"",
            "end": "\"|$",
            "patterns": [{ "name": "constant.character.escape.visaasm", "match": r"\\." }],
        },
        {
            "match": format!(r"(:)({})\b", alternatives(&words.types)),
            "captures": { "2": { "name": "storage.type.visaasm" } },
        },
        { "match": r"(:)([a-z]\w*(?:\.\w+)*)", "captures": { "2": { "name": "storage.type.visaasm" } } },
        { "name": "variable.language.predefined.visaasm", "match": r"%\w+" },
        { "name": "meta.region.visaasm keyword.operator.region.visaasm", "match": r"<[\w;,* ]+>" },
        { "name": "constant.numeric.visaasm", "match": r"(?<![\w.])[-+]?(?:0[xX][0-9A-Fa-f]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\b" },
        { "name": "storage.modifier.visaasm", "match": format!(r"\.({})\b", alternatives(&words.dotted)) },
        { "name": "storage.modifier.visaasm", "match": format!(r"\b({})\b", alternatives(&words.plain)) },
        { "name": "variable.other.visaasm", "match": r"\b[A-Za-z_]\w*\b" },
    ] })
}

/// Returns a pattern that matches each of the words.
fn alternatives(words: &[String]) -> String {
    words.iter().map(|word| escaped(word)).collect::<Vec<_>>().join("|")
}

fn escaped(word: &str) -> String {
    word.replace('.', r"\.").replace('+', r"\+")
}
