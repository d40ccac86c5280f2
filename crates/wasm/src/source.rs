//! File of a page: a text, or bytes as hexadecimal digits.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use visakit::isa::Platform;
use visakit_diag::Diagnostic;

use crate::kind::Kind;

/// File of a request.
#[derive(Deserialize)]
pub(crate) struct Source {
    #[serde(default = "name")]
    pub(crate) name: String,
    text: Option<String>,
    hex: Option<String>,
    platform: Option<String>,
}

impl Source {
    /// Returns the kind of the file, its bytes, and the named platform.
    ///
    /// # Errors
    /// Neither a text nor bytes, or an unknown platform.
    pub(crate) fn read(&self) -> Result<(Kind, Vec<u8>, Option<Platform>), String> {
        let platform = match self.platform.as_deref().filter(|name| !name.is_empty()) {
            None => None,
            Some(name) => Some(Platform::from_name(name).ok_or_else(|| format!("`{name}` is not a platform"))?),
        };
        let bytes = match (&self.text, &self.hex) {
            // The text of an editor is a text, whatever it begins with.
            (Some(text), None) => return Ok((Kind::Text, text.clone().into_bytes(), platform)),
            (None, Some(hex)) => bytes(hex).ok_or("`hex` is no even number of hexadecimal digits")?,
            _ => return Err("give either `text` or `hex`".to_owned()),
        };
        Ok((Kind::of(Path::new(&self.name), &bytes), bytes, platform))
    }
}

/// Returns findings as JSON, with the number of marked characters.
pub(crate) fn json_of(findings: &[Diagnostic]) -> Vec<Value> {
    let finding = |one: &Diagnostic| {
        // A finding is plain data, so serialisation cannot fail.
        let mut value = serde_json::to_value(one).unwrap_or_default();
        value["width"] = one.width.into();
        value
    };
    findings.iter().map(finding).collect()
}

/// Returns the bytes of hexadecimal digits.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?)).collect()
}

fn name() -> String {
    "text".to_owned()
}
