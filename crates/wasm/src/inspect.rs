//! Request `inspect`: information about a file, its programs as texts, and what the verifier finds.

use serde::Deserialize;
use serde_json::{Value, json};
use visakit::isa::Platform;
use visakit::text::{Style, print};
use visakit_diag::{Diagnostic, Diagnostics};

use crate::info;
use crate::kind::Kind;
use crate::module::{Module, modules, zebins};
use crate::source::{Source, json_of};

/// File to inspect.
#[derive(Deserialize)]
pub struct Request {
    #[serde(flatten)]
    source: Source,
}

/// Describes, prints and verifies the programs of a file.
pub fn answer(request: &Request) -> Value {
    let (kind, bytes, platform) = match request.source.read() {
        Ok(read) => read,
        Err(error) => return json!({ "error": error }),
    };
    let file = &request.source.name;
    let (mut findings, mut programs) = (Vec::new(), Vec::new());
    let facts = match facts(file, kind, &bytes, &mut findings) {
        Ok(facts) => facts,
        Err(found) => return json!({ "findings": json_of(&found), "kind": kind.word(), "programs": [] }),
    };
    match modules(file, kind, bytes) {
        Err(found) => findings.extend(found),
        Ok(all) => {
            for module in &all {
                match module.findings(platform) {
                    Ok(found) => findings.extend(found),
                    // Already reported with the facts.
                    Err(_) if !findings.is_empty() => {}
                    Err(found) => findings.extend(found),
                }
                programs.extend(texts(module, platform));
            }
        }
    }
    json!({ "findings": json_of(&findings), "kind": kind.word(), "info": facts, "programs": programs })
}

/// Returns the facts about a container or an object, as `visa info` prints them; `null` for a text.
fn facts(file: &str, kind: Kind, bytes: &[u8], findings: &mut Vec<Diagnostic>) -> Result<Value, Diagnostics> {
    let programs: Vec<info::Program> = match kind {
        Kind::Zebin | Kind::Archive => {
            let all = zebins(file, bytes)?;
            all.iter().map(|zebin| info::of_zebin(zebin, &[], findings)).collect()
        }
        Kind::Object => {
            let all = modules(file, kind, bytes.to_vec())?;
            let described = all.iter().map(|module| Ok(info::of_object(&module.file, &module.object(None)?)));
            described.collect::<Result<_, Diagnostics>>()?
        }
        Kind::Text | Kind::Spirv | Kind::Other(_) => return Ok(Value::Null),
    };
    Ok(json!({ "text": info::human(file, kind, &programs), "programs": programs }))
}

/// Returns the texts of a module's routines; nothing if it is damaged.
fn texts(module: &Module, platform: Option<Platform>) -> Vec<Value> {
    let Ok(object) = module.object(platform) else { return Vec::new() };
    let platform = platform.or(module.platform).or(object.platform());
    let text = |routine| print(&object, routine, platform, Style::Vendor);
    let described = object.routines().map(|routine| {
        let instructions = routine.instructions.len();
        json!({ "file": module.file, "name": routine.name(), "instructions": instructions, "text": text(routine) })
    });
    described.collect()
}
