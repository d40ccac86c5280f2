//! Request `inspect`: the programs of a file, their texts, and what the verifier finds.

use serde::Deserialize;
use serde_json::{Value, json};
use visakit::isa::Platform;
use visakit::object::Object;
use visakit::text::{Options, Style, parse, print};
use visakit::verify::{Source, findings};
use visakit_diag::{Diagnostic, Severity};
use visakit_zebin::{Zebin, archive};

/// File of a page: a text, or bytes as hexadecimal digits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    #[serde(default = "name")]
    name: String,
    text: Option<String>,
    hex: Option<String>,
    platform: Option<String>,
}

/// Programs of a file and the findings about them.
#[derive(Default)]
struct Inspected {
    programs: Vec<Value>,
    findings: Vec<Diagnostic>,
}

/// Prints and verifies the programs of a file.
pub fn answer(request: &Request) -> Value {
    let platform = match request.platform.as_deref().filter(|name| !name.is_empty()) {
        None => None,
        Some(name) => match Platform::from_name(name) {
            None => return json!({ "error": format!("`{name}` is not a platform") }),
            found => found,
        },
    };
    let mut out = Inspected::default();
    let kind = match (&request.text, request.hex.as_deref().map(bytes)) {
        (Some(text), None) => out.text(&request.name, text, platform),
        (None, Some(Some(bytes))) => out.file(&request.name, &bytes, platform),
        (None, Some(None)) => return json!({ "error": "`hex` is no even number of hexadecimal digits" }),
        _ => return json!({ "error": "give either `text` or `hex`" }),
    };
    json!({ "findings": out.findings, "kind": kind, "programs": out.programs })
}

impl Inspected {
    /// Inspects a file and returns the word for its kind.
    fn file(&mut self, name: &str, bytes: &[u8], platform: Option<Platform>) -> &'static str {
        if bytes.starts_with(b"CISA") {
            self.object(name, bytes, platform);
            return "object";
        }
        if Zebin::is_elf(bytes) {
            self.zebin(name, bytes, platform);
            return "zebin";
        }
        if archive::is_archive(bytes) {
            for member in archive::members(bytes) {
                match member {
                    Ok((member, data)) if Zebin::is_elf(data) => {
                        self.zebin(&format!("{name}({member})"), data, platform);
                    }
                    Ok(_) => {}
                    Err(damage) => {
                        let found = Diagnostic::new("archive", Severity::Error, name, damage.what);
                        self.findings.push(found.at_offset(damage.offset));
                        break;
                    }
                }
            }
            return "archive";
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text(name, text, platform),
            Err(_) => {
                let found = Diagnostic::new("file-kind", Severity::Error, name, "this is a file of an unknown kind");
                self.findings.push(found.help("give a text, an object, a zebin or an archive of zebins"));
                "other"
            }
        }
    }

    fn text(&mut self, name: &str, text: &str, platform: Option<Platform>) -> &'static str {
        match parse(text, Options { file: name.to_owned(), platform }) {
            Err(found) => self.findings.extend(found),
            Ok(parsed) => {
                let source = Source::new(text);
                for (routine, lines) in parsed.routines() {
                    self.findings.extend(findings(name, routine, platform, Some((&source, lines))));
                }
                self.print(name, &parsed.into_object(), platform);
            }
        }
        "text"
    }

    fn object(&mut self, name: &str, bytes: &[u8], platform: Option<Platform>) {
        match Object::decode(bytes) {
            Err(error) => {
                let found = Diagnostic::new(error.code, Severity::Error, name, error.message);
                self.findings.push(found.at_offset(error.offset as u64).help(error.help));
            }
            Ok(object) => {
                let platform = platform.or(object.platform());
                for routine in object.routines() {
                    self.findings.extend(findings(name, routine, platform, None));
                }
                self.print(name, &object, platform);
            }
        }
    }

    fn zebin(&mut self, name: &str, bytes: &[u8], platform: Option<Platform>) {
        match Zebin::parse(name, bytes) {
            Err(found) => self.findings.push(*found),
            Ok(zebin) => {
                for (kernel, text) in zebin.named_texts() {
                    self.text(&format!("{name}({kernel})"), &text.text, platform);
                }
            }
        }
    }

    fn print(&mut self, file: &str, object: &Object, platform: Option<Platform>) {
        for routine in object.routines() {
            let text = print(object, routine, platform, Style::Vendor);
            let instructions = routine.instructions.len();
            self.programs
                .push(json!({ "file": file, "name": routine.name(), "instructions": instructions, "text": text }));
        }
    }
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
