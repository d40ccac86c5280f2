//! The overlay corrects the vendor's documents to our facts, and reports entries that do not fit.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use visakit_codegen::model::Model;
use visakit_codegen::overlay::{self, Overlay, Use};
use visakit_codegen::places;
use visakit_diag::{Diagnostic, has_errors};

/// Returns the folder of a revision of the vendor's documents.
fn revision(test: &str, name: &str) -> Option<PathBuf> {
    Some(visakit_testing::upstream(test)?.join(name))
}

fn ours() -> Overlay {
    let (overlay, findings) =
        overlay::read_overlay(&visakit_testing::root().join("spec/upstream-overlay.md")).unwrap();
    assert!(findings.is_empty(), "{findings:#?}");
    overlay
}

fn read(dir: &Path, overlay: &Overlay) -> (Model, Vec<Diagnostic>, Vec<Use>) {
    overlay::read_dir_with(dir, overlay).unwrap()
}

/// Returns the places at which two models differ.
fn differing(a: &Model, b: &Model) -> BTreeSet<String> {
    let (a, b) = (places(a), places(b));
    a.keys().chain(b.keys()).filter(|place| a.get(*place) != b.get(*place)).cloned().collect()
}

#[test]
fn the_documents_of_2025_give_our_facts() {
    let Some(dir) = revision("the_documents_of_2025_give_our_facts", "2025-02") else { return };
    let overlay = ours();
    let (model, findings, uses) = read(&dir, &overlay);
    let errors: Vec<_> = findings.iter().filter(|d| has_errors(std::slice::from_ref(*d))).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert!(visakit_codegen::complete(&model).is_empty());
    let differences = overlay::draft(&model, &overlay);
    assert!(differences.is_empty(), "the two models differ:\n{differences}");
    assert!(uses.iter().all(|u| *u == Use::Applied), "every entry is needed");
}

/// The remaining differences of the older revision are real: the two revisions differ at these
/// places.
#[test]
fn the_documents_of_2022_keep_their_own_facts() {
    let (Some(old), Some(new)) = (
        revision("the_documents_of_2022_keep_their_own_facts", "2022-12"),
        revision("the_documents_of_2022_keep_their_own_facts", "2025-02"),
    ) else {
        return;
    };
    let overlay = ours();
    let (model, findings, uses) = read(&old, &overlay);
    assert!(!has_errors(&findings), "{findings:#?}");
    assert!(!uses.contains(&Use::Neither));
    let left = differing(&model, &overlay.base);
    let real = differing(&visakit_codegen::read_dir(&old).unwrap().0, &visakit_codegen::read_dir(&new).unwrap().0);
    let made_up: Vec<_> = left.difference(&real).collect();
    // Pages that 2025-02 lacks too are corrected as part of a page that the old revision does not
    // have.
    let unexplained: Vec<_> =
        made_up.iter().filter(|p| !p.starts_with("INVM ") && !p.starts_with("RSQTM ")).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    for known in ["INVM layout", "RSQTM layout", "PLANE opcode", "DIV maps", "LZD properties", "NBARRIER layout"] {
        assert!(left.contains(known), "{known} is among {left:#?}");
    }
}

#[test]
fn our_own_pages_need_none_of_it() {
    let overlay = ours();
    let (model, findings, uses) = read(&visakit_testing::root().join("spec"), &overlay);
    assert!(differing(&model, &overlay.base).is_empty());
    assert!(findings.iter().all(|d| d.code == "overlay-already"), "{findings:#?}");
    assert!(uses.iter().all(|u| *u == Use::Already));
    let idle = overlay::unused(&overlay, &[uses]);
    assert_eq!(idle.len(), overlay.entries.len(), "an entry that nobody needs is an error");
}

/// Documents that lack a page get its lists from the overlay's specification, including lists that
/// refer to each other or to themselves.
#[test]
fn lists_are_given_that_name_each_other() {
    let overlay = ours();
    let all = &overlay.base.pages;
    for gone in all.iter().filter(|page| !page.path.starts_with("instructions/")) {
        let left = || all.iter().filter(|page| page.path != gone.path).cloned().collect();
        let (without, _) = visakit_codegen::read_texts(left());
        let entries = overlay::draft(&without, &overlay);
        let (draft, _) = overlay::overlay_of(format!("## Edits\n\n{entries}"), "draft".to_owned(), ours().base);
        overlay::read_texts_with(left(), &draft);
    }
}

fn scratch(name: &str, overlay: &str) -> (PathBuf, PathBuf) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("overlay-{name}"));
    let _ = fs::remove_dir_all(&dir);
    let page = |opcode: &str, class: &str| {
        format!(
            "## Opcode\n\n  FOO = {opcode}\n\n## Format\n\n| | |\n| --- | --- |\n| {opcode}(FOO) | Src |\n\n\
             ## Semantics\n\n```\nundefined\n```\n\n## Description\n\nDoes foo.\n\n\
             - **Src(vec_operand):** Operand class: {class}\n\n## Text\n\n```\nFOO <src>\n```\n"
        )
    };
    for (folder, page) in [("ours", page("0xf0", "general, indirect")), ("theirs", page("0xf1", "general"))] {
        fs::create_dir_all(dir.join(folder).join("instructions")).unwrap();
        fs::write(dir.join(folder).join("instructions/FOO.md"), page).unwrap();
    }
    fs::write(dir.join("ours/upstream-overlay.md"), overlay).unwrap();
    (dir.join("ours/upstream-overlay.md"), dir.join("theirs"))
}

const RIGHT: &str = "\
## Foo

The vendor's tools say otherwise.

### FOO opcode

```
- 0xf1
+ 0xf0
```

### FOO layout

The assembler takes it.

```
- Src vec_operand classes general
+ Src vec_operand classes general,indirect
```
";

#[test]
fn an_entry_has_its_reason_and_is_applied() {
    let (file, theirs) = scratch("right", RIGHT);
    let (overlay, findings) = overlay::read_overlay(&file).unwrap();
    assert!(findings.is_empty(), "{findings:#?}");
    assert_eq!(overlay.entries[0].reason, "The vendor's tools say otherwise.");
    assert_eq!(overlay.entries[1].reason, "The assembler takes it.");
    let (model, findings, uses) = read(&theirs, &overlay);
    // The page's Format still has 0xf1, which is no separate fact.
    assert!(!has_errors(&findings), "{findings:#?}");
    assert_eq!(uses, [Use::Applied, Use::Applied]);
    assert!(differing(&model, &overlay.base).is_empty());
}

#[test]
fn mistakes_of_an_overlay_are_found_at_their_line() {
    let cases = [
        ("+ 0xf0", "+ 0xf2", "overlay-stale", 9),
        ("- 0xf1", "- 0xf3", "overlay-neither", 8),
        ("The vendor's tools say otherwise.", "", "overlay-reason", 5),
        ("- 0xf1", "0xf1", "overlay-syntax", 8),
        ("### FOO layout", "### FOO opcode", "overlay-duplicate", 12),
        ("### FOO layout", "### BAR layout", "overlay-stale", 18),
        ("### FOO layout", "### page BAR.md", "overlay-place", 12),
    ];
    for (i, (old, new, code, line)) in cases.into_iter().enumerate() {
        let (file, theirs) = scratch(&format!("wrong{i}"), &RIGHT.replacen(old, new, 1));
        let (overlay, mut findings) = overlay::read_overlay(&file).unwrap();
        findings.extend(read(&theirs, &overlay).1);
        let found: Vec<_> = findings.iter().map(|d| (d.code, d.line)).collect();
        assert!(found.contains(&(code, line)), "{code} at {line} is not among {found:?}");
    }
}

/// An entry for documents that were corrected meanwhile gives a note; for other changes it gives an
/// error with the current facts.
#[test]
fn documents_that_changed() {
    let (file, theirs) = scratch("changed", RIGHT);
    let (overlay, _) = overlay::read_overlay(&file).unwrap();
    let page = theirs.join("instructions/FOO.md");
    let text = fs::read_to_string(&page).unwrap();
    fs::write(&page, text.replace("class: general", "class: general, indirect")).unwrap();
    let (_, findings, uses) = read(&theirs, &overlay);
    assert_eq!(uses, [Use::Applied, Use::Already]);
    assert!(findings.iter().any(|d| d.code == "overlay-already" && d.line == 12));
    fs::write(&page, text.replace("class: general", "class: address")).unwrap();
    let (_, findings, uses) = read(&theirs, &overlay);
    assert_eq!(uses, [Use::Applied, Use::Neither]);
    let neither = findings.iter().find(|d| d.code == "overlay-neither").unwrap();
    assert!(neither.message.contains("classes address"), "{}", neither.message);
}

/// The documents give the same code as our pages, except for documentation and the reflection
/// tables, which quote the pages.
#[test]
fn the_documents_give_the_same_code() {
    let Some(dir) = revision("the_documents_give_the_same_code", "2025-02") else { return };
    let overlay = ours();
    let (model, ..) = read(&dir, &overlay);
    let (ours, theirs) = (items(&overlay.base), items(&model));
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>().join("\n\n");
    let (missing, extra) = (only(&ours, &theirs), only(&theirs, &ours));
    assert!(missing.is_empty() && extra.is_empty(), "only from our pages:\n{missing}\n\nonly from theirs:\n{extra}");
}

fn items(model: &Model) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for file in visakit_codegen::emit(model).into_iter().filter(|f| f.name != "reflection.rs") {
        let mut parsed: syn::File = syn::parse2(file.tokens).unwrap();
        for item in &mut parsed.items {
            strip(item);
            out.insert(quote::quote!(#item).to_string());
        }
    }
    out
}

/// Removes documentation.
fn strip(item: &mut syn::Item) {
    let docs = |attrs: &mut Vec<syn::Attribute>| attrs.retain(|a| !a.path().is_ident("doc"));
    match item {
        syn::Item::Struct(s) => {
            docs(&mut s.attrs);
            s.fields.iter_mut().for_each(|f| docs(&mut f.attrs));
        }
        syn::Item::Enum(e) => {
            docs(&mut e.attrs);
            e.variants.iter_mut().for_each(|v| {
                docs(&mut v.attrs);
                v.fields.iter_mut().for_each(|f| docs(&mut f.attrs));
            });
        }
        syn::Item::Impl(i) => {
            docs(&mut i.attrs);
            for inner in &mut i.items {
                match inner {
                    syn::ImplItem::Fn(f) => docs(&mut f.attrs),
                    syn::ImplItem::Const(c) => docs(&mut c.attrs),
                    _ => {}
                }
            }
        }
        syn::Item::Trait(t) => {
            docs(&mut t.attrs);
            for inner in &mut t.items {
                if let syn::TraitItem::Fn(f) = inner {
                    docs(&mut f.attrs);
                }
            }
        }
        syn::Item::Static(s) => docs(&mut s.attrs),
        syn::Item::Const(c) => docs(&mut c.attrs),
        syn::Item::Macro(m) => docs(&mut m.attrs),
        _ => {}
    }
}
