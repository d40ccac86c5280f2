//! Build script: reads the specification's pages and writes the generated Rust.

use std::collections::BTreeMap;
use std::{env, fs, path::PathBuf, process::exit};

/// Chapter with the frames of examples.
const FRAMES: &str = "examples.md";

fn main() {
    println!("cargo::rerun-if-env-changed=VISAKIT_SPEC");
    let dir = env::var_os("VISAKIT_SPEC").map_or_else(|| PathBuf::from("spec"), PathBuf::from);
    let overlay = PathBuf::from("spec/upstream-overlay.md");
    println!("cargo::rerun-if-changed={}", dir.display());
    println!("cargo::rerun-if-changed={}", overlay.display());
    let (model, mut diagnostics) = visakit_codegen::read_to_build(&dir, &overlay).unwrap_or_else(|(path, error)| {
        println!("cargo::error={}: {error}", path.display());
        exit(1);
    });
    diagnostics.extend(visakit_codegen::complete(&model));
    for diagnostic in &diagnostics {
        let error = diagnostic.severity == visakit_diag::Severity::Error;
        println!("cargo::{}={}", if error { "error" } else { "warning" }, diagnostic.one_line());
    }
    if visakit_diag::has_errors(&diagnostics) {
        exit(1);
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    // Embed the pages, so that the program can check itself anywhere. For a corrected specification
    // these are the overlay's pages, which have the same facts without corrections.
    let corrected = model.pages.iter().any(|p| p.supplied);
    let pages: BTreeMap<&str, &str> =
        model.pages.iter().filter(|p| p.supplied == corrected).map(|p| (p.path.as_str(), p.text.as_str())).collect();
    // Pages of the site have their examples; the module that they load is smaller without them.
    let is_browser = env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm");
    let embedded = |path: &str, text| match (is_browser, path) {
        (true, FRAMES) => "",
        (true, _) => without_examples(text),
        (false, _) => text,
    };
    let pages: String =
        pages.iter().map(|(path, text)| format!("({path:?}, {:?}),\n", embedded(path, text))).collect();
    let doc = "/// Pages from which the library was built, as pairs of path in the specification's folder and text.";
    let pages = format!("{doc}\npub static SPECIFICATION: &[(&str, &str)] = &[\n{pages}];\n");
    fs::write(out.join("pages.rs"), pages).expect("OUT_DIR can be written");
    // Documentation links to the pages of the repository, and to the reference site.
    let repository = env::var("CARGO_PKG_REPOSITORY").unwrap_or_default();
    let is_own = env::var_os("VISAKIT_SPEC").is_none();
    let pages = format!("{repository}/blob/main/spec");
    let reference = format!("{}/reference", env::var("CARGO_PKG_HOMEPAGE").unwrap_or_default());
    let links = is_own.then_some(visakit_codegen::Links { pages: &pages, reference: &reference });
    for file in visakit_codegen::emit_linked(&model, links) {
        // Format here rather than in the generator, so that Cargo compiles generator and formatter
        // in parallel.
        let parsed = syn::parse2(file.tokens).expect("emitted code is Rust");
        let text = format!("{}{}", visakit_codegen::HEADER, prettyplease::unparse(&parsed));
        fs::write(out.join(file.name), text).expect("OUT_DIR can be written");
    }
}

/// Returns a page up to its examples, which state no facts. Sections after them state none of those
/// that are executed.
fn without_examples(text: &str) -> &str {
    text.find("\n## Examples\n").map_or(text, |at| &text[..=at])
}
