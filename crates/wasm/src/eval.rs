//! Request `eval`: the results of statements by their pages and by the emulator's kernels.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use visakit::isa::Platform;
use visakit_codegen::model::{Model, Page};
use visakit_diag::{Diagnostic, Severity};
use visakit_oracle::eval::{Assignment, By, Evaluated, Setting, evaluate, pages};

/// Statements and the state before them, as for `visa eval`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    text: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default, deserialize_with = "executor")]
    by: By,
    platform: String,
    cr0: Option<u32>,
    #[serde(default = "all_channels")]
    active: u32,
}

/// Executes statements on the built-in pages. The answer equals the output of
/// `visa eval --format json`.
pub fn answer(request: &Request) -> Value {
    match executed(request) {
        Ok(all) => {
            let instructions: Vec<Value> = all.iter().map(|one| json_of(one, request.by)).collect();
            json!({ "findings": [], "instructions": instructions })
        }
        Err(found) => json!({ "findings": [*found] }),
    }
}

/// Returns the model of all built-in pages.
pub(crate) fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| read(|_| true))
}

/// Returns the results of an instruction as `visa eval --format json` prints them.
pub fn json_of(of: &Evaluated, by: By) -> Value {
    let rows = of.rows.iter().enumerate().map(|(channel, [before, page, kernel])| {
        let operands: Vec<Value> = of
            .operands
            .iter()
            .enumerate()
            .map(|(o, shown)| {
                let mut one = json!({ "name": shown.name, "type": shown.data_type, "before": before[o] });
                if shown.written && by != By::Kernel {
                    one["page"] = json!(page[o]);
                }
                if shown.written && by != By::Page {
                    one["kernel"] = json!(kernel[o]);
                }
                one
            })
            .collect();
        json!({ "channel": channel, "operands": operands })
    });
    let channels: Vec<Value> = rows.collect();
    let [page, kernel] = of.sent.each_ref().map(|sent| sent.as_ref().map(ToString::to_string));
    let sent = json!({ "page": page, "kernel": kernel });
    json!({ "text": of.text, "page": of.page, "differs": of.differs, "channels": channels, "sent": sent })
}

fn executed(request: &Request) -> Result<Vec<Evaluated>, Box<Diagnostic>> {
    let wrong = |message| Box::new(Diagnostic::new("eval-variables", Severity::Error, "TEXT", message));
    let variables = request.set.iter().map(|one| one.parse()).collect::<Result<Vec<Assignment>, String>>();
    let variables = variables.map_err(wrong)?;
    let platform = Platform::from_name(&request.platform)
        .ok_or_else(|| wrong(format!("`{}` is not a platform", request.platform)))?;
    let setting = Setting { platform, cr0: request.cr0, active: request.active };
    let run = |model: &Model| evaluate(model, &request.text, &variables, setting, request.by);
    // Reading all pages takes longer than everything else.
    let own = own_model(pages(&request.text, &variables, platform)?);
    run(&own).or_else(|_| run(model()))
}

/// Returns the model of the chapters and of some instructions. The last one is kept.
fn own_model(paths: Vec<&'static str>) -> Arc<Model> {
    static LAST: Mutex<Option<(Vec<&'static str>, Arc<Model>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, model)) = last.as_ref()
        && *known == paths
    {
        return Arc::clone(model);
    }
    let model = Arc::new(read(|path| !path.starts_with(INSTRUCTIONS) || paths.contains(&path)));
    *last = Some((paths, Arc::clone(&model)));
    model
}

/// Folder of the instructions' pages.
const INSTRUCTIONS: &str = "instructions/";

fn read(wanted: impl Fn(&str) -> bool) -> Model {
    let pages = visakit::sources::SPECIFICATION.iter().filter(|(path, _)| wanted(path)).map(Page::built_in);
    visakit_codegen::read_unchecked(pages.collect())
}

fn executor<'de, D: Deserializer<'de>>(from: D) -> Result<By, D::Error> {
    let name = String::deserialize(from)?;
    By::from_name(&name).ok_or_else(|| D::Error::custom(format!("`{name}` executes nothing")))
}

fn all_channels() -> u32 {
    u32::MAX
}
