//! The site with a WebAssembly module.

use serde_json::{Value, json};
use visakit_codegen::model::Page;
use visakit_site::{Extras, Machine, examples, files, kernels};

#[test]
fn pages_have_editors_with_statements_that_run() {
    let pages = visakit::sources::SPECIFICATION.iter().map(Page::built_in);
    let model = visakit_codegen::read_texts(pages.collect()).0;
    let extras = Extras { examples: examples::built_in(), machine: Machine::Present(1), ..Extras::default() };
    let files = files(&model, &extras).unwrap();
    assert!(files.iter().any(|file| file.path == "playground.html"));
    let count = files.iter().filter(|file| file.text.contains("id=\"run\"")).count();
    assert!(count > 50, "{count} pages have an editor");
}

#[test]
fn kernels_of_pages_run_without_findings() {
    for page in kernels::pages() {
        let kernel = kernels::of(page);
        let text = |key: &str| kernel[key].as_str().unwrap_or_default().to_owned();
        let args: Vec<String> = text("args").lines().map(str::to_owned).collect();
        let common = json!({ "text": text("text"), "platform": text("platform") });
        let with = |more: Value| {
            let mut all = common.clone();
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_str::<Value>(&visakit_wasm::answer(all.to_string().as_bytes())).unwrap()
        };
        let verified = with(json!({ "command": "inspect" }));
        let steps = json!({ "group": [0, 0, 0], "thread": 0 });
        let run = with(
            json!({ "command": "run", "global": [text("global").parse::<u64>().unwrap()], "args": args, "check": "all", "steps": steps }),
        );
        for answer in [&verified, &run] {
            assert_eq!(answer["findings"], json!([]), "{page}: {answer:#}\n{}", text("text"));
        }
        assert!(run["steps"].as_array().is_some_and(|steps| !steps.is_empty()), "{page}: {run:#}");
        let is_written = |one: &Value| one["values"].as_array().is_some_and(|all| all.iter().any(|n| *n != json!(0)));
        assert!(run["results"].as_array().is_some_and(|all| all.iter().any(is_written)), "{page}: {run:#}");
    }
}
