//! Statements that the editors of pages begin with: each was executed when the site was written.

use serde_json::{Value, json};
use visakit::isa::{DataType, Platform};
use visakit_codegen::model::Model;
use visakit_oracle::eval::{Assignment, By, Setting, evaluate};

/// Values of a variable before the statement.
const VALUES: &str = "1,2,3,4";

/// Number of cards whose platforms are tried.
const CARDS: usize = 2;

/// Operands of the statements that are tried for a page whose examples cannot be executed.
const OPERANDS: [&str; 4] = ["D A", "D A B", "D A B C", "A"];

/// Returns a statement of an instruction that can be executed, with its variables and platform;
/// `null` if none is found. `examples` are tried first.
pub(crate) fn of(model: &Model, examples: &[String], words: &[String]) -> Value {
    let short = words.iter().flat_map(|word| OPERANDS.map(|operands| format!("{word} (M1, 8) {operands}")));
    let texts: Vec<String> = examples.iter().cloned().chain(short).collect();
    let types = || DataType::ALL.iter().filter(|one| one.variable());
    for text in &texts {
        let names = names(text);
        for (platform, ty) in types().flat_map(|ty| newest().map(move |platform| (platform, ty))) {
            let set: Vec<String> = names.iter().map(|name| variable(name, *ty)).collect();
            if is_executed(model, text, &set, platform) {
                return json!({ "text": text, "set": set.join("\n"), "platform": platform.name() });
            }
        }
    }
    Value::Null
}

/// Returns the platforms that are tried: those of the newest cards, and the last one.
fn newest() -> impl Iterator<Item = Platform> {
    Platform::preferred(false).take(CARDS).chain(Platform::ALL.last().copied())
}

fn variable(name: &str, ty: DataType) -> String {
    match name.starts_with('P') {
        true => format!("{name}=p:0b00110101"),
        false => format!("{name}={}:{VALUES}", ty.name().to_lowercase()),
    }
}

fn is_executed(model: &Model, text: &str, set: &[String], platform: Platform) -> bool {
    let variables = set.iter().map(|one| one.parse()).collect::<Result<Vec<Assignment>, String>>();
    let setting = Setting { platform, cr0: None, active: u32::MAX };
    let run = |variables: Vec<Assignment>| evaluate(model, text, &variables, setting, By::Both);
    variables.is_ok_and(|variables| run(variables).is_ok_and(|all| all.len() == 1))
}

/// Returns the names of the variables of a statement: a capital letter, and digits if any.
fn names(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let is_name = matches!(word.as_bytes(), [b'A'..=b'D'] | [b'V' | b'P', b'0'..=b'9', ..]);
        if is_name && !out.iter().any(|known| known == word) {
            out.push(word.to_owned());
        }
    }
    out
}
