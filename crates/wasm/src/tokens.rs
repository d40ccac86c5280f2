//! Request `tokens`: the tokens of a text, for colours.

use serde::Deserialize;
use serde_json::{Value, json};
use visakit::text::{TokenKind, tokens};

/// Text to split.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    text: String,
}

/// Splits a text. The answer has the length of each token in UTF-16 code units, as scripts count,
/// followed by the name of its colour.
pub fn answer(request: &Request) -> Value {
    let mut all: Vec<Value> = Vec::new();
    for token in tokens(&request.text) {
        let length = request.text[token.range].encode_utf16().count();
        all.push(length.into());
        all.push(colour(token.kind).into());
    }
    json!({ "tokens": all })
}

fn colour(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Comment => "comment",
        TokenKind::String => "string",
        TokenKind::Directive => "directive",
        TokenKind::Mnemonic => "mnemonic",
        TokenKind::Modifier | TokenKind::Region => "modifier",
        TokenKind::Number => "number",
        TokenKind::Type => "type",
        TokenKind::Label => "label",
        TokenKind::Unknown => "unknown",
        TokenKind::Blank | TokenKind::Variable | TokenKind::Punctuation => "",
    }
}
