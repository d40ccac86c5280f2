//! The site with a WebAssembly module: editors of all pages.

use serde_json::{Value, json};
use visakit_codegen::mnemonics;
use visakit_codegen::model::{Model, Page};
use visakit_site::runner::{Editor, editor};
use visakit_site::{Extras, Machine, examples, files};
use visakit_spec_tools::export::{PageKind, export};

fn built_in() -> Vec<Page> {
    visakit::sources::SPECIFICATION.iter().map(Page::built_in).collect()
}

/// Returns the editors of all pages with their kinds.
fn editors(model: &Model) -> Vec<(String, PageKind, Editor)> {
    let (all, examples, words) = (export(model), examples::built_in(), mnemonics(model));
    let editor = |place: usize| {
        let one = &all.instructions[place];
        let own = examples.get(&one.name).map_or(&[][..], Vec::as_slice);
        let names = words.iter().filter(|(_, pages)| pages.iter().any(|page| *page == one.name));
        let names: Vec<String> = names.map(|(word, _)| word.clone()).collect();
        (one.name.clone(), one.kind.clone(), editor(model, &all, place, own, &names))
    };
    (0..all.instructions.len()).map(editor).collect()
}

fn ask(request: &Value, more: Value) -> Value {
    let mut all = request.clone();
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_str(&visakit_wasm::answer(all.to_string().as_bytes())).unwrap()
}

fn lines(values: &Value) -> Vec<&str> {
    values.as_str().unwrap().lines().collect()
}

/// Every instruction with defined semantics runs on its page; the other pages say why not.
#[test]
fn instructions_run_on_their_pages() {
    let model = visakit_codegen::read_texts(built_in()).0;
    let (mut statements, mut kernels) = (0, 0);
    for (name, kind, editor) in editors(&model) {
        match editor {
            Editor::Statement(values) => {
                statement_runs(&name, &values);
                statements += 1;
            }
            Editor::Kernel(values) => {
                kernel_runs(&name, &values);
                kernels += 1;
            }
            Editor::Absent(why) => {
                assert!(!matches!(kind, PageKind::Ordinary), "{why}");
                assert!(why.starts_with(&name) && why.ends_with('.'), "{why}");
            }
        }
    }
    assert!(statements > 50 && kernels > 50, "{statements} statements, {kernels} kernels");
}

fn statement_runs(page: &str, values: &Value) {
    let request = json!({ "command": "eval", "text": values["text"], "platform": values["platform"] });
    let answer = ask(&request, json!({ "set": lines(&values["set"]) }));
    let instructions = answer["instructions"].as_array().unwrap_or_else(|| panic!("{page}: {answer:#}"));
    assert_eq!(instructions.len(), 1, "{page}: {answer:#}");
    let one = &instructions[0];
    let is_shown = |operand: &Value| operand.get("page").is_some() && operand.get("kernel").is_some();
    let channels = one["channels"].as_array().unwrap();
    let is_written = channels.iter().any(|one| one["operands"].as_array().unwrap().iter().any(is_shown));
    assert!(is_written || one["sent"]["page"].is_string(), "{page}: the example shows nothing: {one:#}");
    assert_eq!(one["differs"], json!(false), "{page}: {one:#}");
}

fn kernel_runs(page: &str, values: &Value) {
    let request = json!({ "text": values["text"], "platform": values["platform"] });
    let verified = ask(&request, json!({ "command": "inspect" }));
    let steps = json!({ "group": [0, 0, 0], "thread": 0 });
    let global: u64 = values["global"].as_str().unwrap().parse().unwrap();
    let launch = json!({ "command": "run", "global": [global], "args": lines(&values["args"]), "check": "all", "steps": steps });
    let run = ask(&request, launch);
    for answer in [&verified, &run] {
        assert_eq!(answer["findings"], json!([]), "{page}: {answer:#}\n{values:#}");
    }
    assert!(run["steps"].as_array().is_some_and(|steps| !steps.is_empty()), "{page}: {run:#}");
    let is_written = |one: &Value| one["values"].as_array().is_some_and(|all| all.iter().any(|n| *n != json!(0)));
    assert!(run["results"].as_array().is_some_and(|all| all.iter().any(is_written)), "{page}: {run:#}");
}

/// A page that did not exist when the program was built has the editor of its example.
#[test]
fn the_example_of_a_new_page_becomes_its_editor() {
    let mut pages = built_in();
    let page = pages.iter_mut().find(|page| page.path.ends_with("/FRC.md")).unwrap();
    page.text +=
        "\n## Examples\n\nNine.\n\n```visaasm run platform=skl frame=svm\n    frc (M1, 8) C(0,0)<1> NINE\n```\n";
    let model = visakit_codegen::read_texts(pages).0;
    let extras = Extras { machine: Machine::Present(1), ..Extras::default() };
    let files = files(&model, &extras).unwrap();
    let text = |path: &str| &files.iter().find(|file| file.path == path).unwrap().text;
    let page = text("instructions/FRC.html");
    assert!(page.contains("<p>Nine.</p>") && page.contains("IN=range:u32:64"));
    assert!(page.contains("C(0,0)&lt;1&gt; NINE\n    svm_block_st"), "{page}");
    assert!(text("instructions/LFSR.html").contains("LFSR does not run: no public text defines what it does."));
    assert!(files.iter().any(|file| file.path == "playground.html"));
}
