//! Editors of pages: their first text, or the reason why an instruction does not run.

use serde_json::{Value, json};
use visakit::isa::{DataType, Platform};
use visakit_codegen::model::Model;
use visakit_oracle::eval::{Assignment, By, Setting, evaluate, is_legal};
use visakit_spec_tools::export::{Instruction, PageKind, Specification};

use crate::address;
use crate::blocks::{self, Block, BlockKind};
use crate::prose::{escape, link};

/// Values before the statement: of the destination, of the second and third source, and of others.
const VALUES: [(&str, &str); 4] = [("D", "0"), ("B", "5,3,2,7"), ("C", "10"), ("", "1,2,3,4")];

/// Operands of the statements that are tried for a page without its own example.
const OPERANDS: [&str; 5] = ["D A", "D A B", "D A B C", "A", ""];

/// Global size of kernels whose example has none.
const GLOBAL: &str = "16";

/// Example of the playground.
const PLAYGROUND: &str = include_str!("playground.md");

/// Editor of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Editor {
    /// Statements, variables and a platform; each was executed when the site was written.
    Statement(Value),
    /// Kernel with its arguments, global size and platform.
    Kernel(Value),
    /// No editor; the reason as HTML.
    Absent(String),
}

/// Returns the editor of an instruction: its page's example, or else a statement that can be
/// executed. `examples` are statements of the instruction, `words` its mnemonics.
pub fn editor(model: &Model, all: &Specification, place: usize, examples: &[String], words: &[String]) -> Editor {
    let one = &all.instructions[place];
    match blocks::of(model, model.instructions[place].at.page as usize) {
        Some(block) if block.kind == BlockKind::Run => Editor::Kernel(kernel(&block)),
        Some(block) => {
            let set = block.arguments.join("\n");
            Editor::Statement(
                json!({ "text": block.text, "set": set, "platform": block.platform, "note": block.note }),
            )
        }
        None if is_ordinary(one) => {
            statement(model, examples, words).unwrap_or_else(|| Editor::Absent(reason(all, one)))
        }
        None => Editor::Absent(reason(all, one)),
    }
}

/// Returns the values of the playground's editor.
pub(crate) fn playground() -> Value {
    blocks::blocks(PLAYGROUND).first().map_or(Value::Null, kernel)
}

/// Returns the values of a kernel's editor.
fn kernel(block: &Block) -> Value {
    let Block { note, platform, global, arguments, text, .. } = block;
    let global = if global.is_empty() { GLOBAL } else { global };
    json!({ "text": text, "args": arguments.join("\n"), "global": global, "platform": platform, "note": note })
}

/// Returns true for an instruction that a text defines.
fn is_ordinary(one: &Instruction) -> bool {
    matches!(one.kind, PageKind::Ordinary)
}

/// Returns the reason why an instruction has no editor. Links lead from a page of an instruction.
fn reason(all: &Specification, one: &Instruction) -> String {
    let name = escape(&one.name);
    let page = |name: &str| link("../", &address::instruction(name), name);
    match &one.kind {
        PageKind::Undefined => format!("{name} does not run: no public text defines what it does."),
        PageKind::Reserved => format!("{name} does not run: its layout is not published."),
        PageKind::Alias { of, .. } => {
            format!("{name} is another spelling of {of}; its page has an example.", of = page(of))
        }
        PageKind::Umbrella => {
            let members = all.instructions.iter().filter(|other| other.family.as_ref() == Some(&one.name));
            let members: Vec<String> =
                members.filter(|other| is_ordinary(other)).map(|other| page(&other.name)).collect();
            match members.is_empty() {
                true => format!("{name} does not run: no public text defines what its instructions do."),
                false => format!("{name} is a family; these pages have examples: {}.", members.join(", ")),
            }
        }
        PageKind::Ordinary => format!("{name} has no example that runs."),
    }
}

/// Returns the editor with a statement that can be executed. `examples` are tried last.
fn statement(model: &Model, examples: &[String], words: &[String]) -> Option<Editor> {
    let short = words.iter().flat_map(|word| OPERANDS.map(|operands| format!("{word} (M1, 8) {operands}")));
    let texts: Vec<String> = short.chain(examples.iter().cloned()).collect();
    let types = || DataType::ALL.iter().filter(|one| one.variable());
    for text in &texts {
        let names = names(text);
        for (platform, ty) in types().flat_map(|ty| platforms().map(move |platform| (platform, ty))) {
            let set: Vec<String> = names.iter().map(|name| variable(name, *ty)).collect();
            if is_executed(model, text, &set, platform) {
                let set = set.join("\n");
                let values = json!({ "text": text, "set": set, "platform": platform.name(), "note": "" });
                return Some(Editor::Statement(values));
            }
        }
    }
    None
}

/// Returns the platforms that are tried: those of cards, newest first, and then all.
fn platforms() -> impl Iterator<Item = Platform> {
    Platform::preferred(false).chain(Platform::ALL.iter().rev().copied())
}

fn variable(name: &str, ty: DataType) -> String {
    match name.starts_with('P') {
        true => format!("{name}=p:0b00110101"),
        false => {
            let values = VALUES.iter().find(|(known, _)| known.is_empty() || *known == name);
            format!("{name}={}:{}", ty.name().to_lowercase(), values.map_or("0", |one| one.1))
        }
    }
}

/// Returns true for a legal statement with the same results by page and by kernel.
fn is_executed(model: &Model, text: &str, set: &[String], platform: Platform) -> bool {
    let variables = set.iter().map(|one| one.parse()).collect::<Result<Vec<Assignment>, String>>();
    let Ok(variables) = variables else { return false };
    let setting = Setting { platform, cr0: None, active: u32::MAX };
    is_legal(text, &variables, platform).is_ok_and(|is_legal| is_legal)
        && evaluate(model, text, &variables, setting, By::Both)
            .is_ok_and(|all| matches!(all.as_slice(), [one] if !one.differs))
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
