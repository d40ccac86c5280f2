//! The site with a WebAssembly module.

use visakit_codegen::model::Page;
use visakit_site::{Extras, Machine, examples, files};

#[test]
fn pages_have_editors_with_statements_that_run() {
    let pages = visakit::sources::SPECIFICATION.iter().map(Page::built_in);
    let model = visakit_codegen::read_texts(pages.collect()).0;
    let extras = Extras { examples: examples::built_in(), machine: Machine::Present, ..Extras::default() };
    let files = files(&model, &extras).unwrap();
    assert!(files.iter().any(|file| file.path == "playground.html"));
    let count = files.iter().filter(|file| file.text.contains("id=\"run\"")).count();
    assert!(count > 50, "{count} pages have an editor");
}
