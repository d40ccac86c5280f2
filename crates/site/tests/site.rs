//! The site of the built-in pages, and of pages with additions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use visakit_codegen::model::{Model, Page};
use visakit_site::{Code, Extras, File, address, files};

/// Largest size of a page in bytes.
const MOST: usize = 200_000;

fn pages() -> Vec<Page> {
    visakit::sources::SPECIFICATION.iter().map(Page::built_in).collect()
}

fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| visakit_codegen::read_texts(pages()).0)
}

fn extras() -> Extras {
    let code = |code: &str| Code { code: code.to_owned(), phase: "Rules".to_owned(), text: format!("About {code}.") };
    Extras { codes: ["type-map", "value"].map(code).to_vec(), ..Extras::default() }
}

fn site() -> &'static [File] {
    static SITE: OnceLock<Vec<File>> = OnceLock::new();
    SITE.get_or_init(|| files(model(), &extras()).unwrap())
}

fn page<'f>(files: &'f [File], path: &str) -> &'f str {
    &files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no page {path}")).text
}

/// Returns the values of an attribute in a page.
fn attributes<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let start = format!(" {name}=\"");
    let parts = text.split(start.as_str()).skip(1);
    parts.map(|rest| rest.split_once('"').expect("attributes end").0).collect()
}

/// Returns the path of a page that is linked from another.
fn resolve(from: &str, link: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => assert!(parts.pop().is_some(), "{from}: {link} leaves the site"),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Asserts that every link and anchor of the site resolves.
fn links_resolve(files: &[File]) {
    let pages: BTreeMap<&str, BTreeSet<&str>> = files
        .iter()
        .map(|file| {
            let all = attributes(&file.text, "id");
            let ids: BTreeSet<&str> = all.iter().copied().collect();
            if file.path.ends_with(".html") {
                assert_eq!(ids.len(), all.len(), "{}: an id occurs twice", file.path);
            }
            (file.path.as_str(), ids)
        })
        .collect();
    let (mut count, mut broken) = (0, Vec::new());
    for file in files.iter().filter(|file| file.path.ends_with(".html")) {
        for link in attributes(&file.text, "href").into_iter().chain(attributes(&file.text, "src")) {
            if link.contains("://") || link.starts_with("data:") {
                continue;
            }
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = if path.is_empty() { file.path.clone() } else { resolve(&file.path, path) };
            match pages.get(path.as_str()) {
                None => broken.push(format!("{}: no page {link}", file.path)),
                Some(ids) if !anchor.is_empty() && !ids.contains(anchor) => {
                    broken.push(format!("{}: no anchor {link}", file.path));
                }
                Some(_) => {}
            }
        }
        for id in attributes(&file.text, "aria-labelledby").into_iter().chain(attributes(&file.text, "aria-controls"))
        {
            assert!(pages[file.path.as_str()].contains(id), "{}: no {id}", file.path);
        }
    }
    assert!(broken.is_empty(), "{} links:\n{}", broken.len(), broken.join("\n"));
    assert!(count > files.len(), "{count} links");
}

#[test]
fn every_link_resolves() {
    links_resolve(site());
}

#[test]
fn pages_are_small_and_load_nothing_from_elsewhere() {
    assert!(site().len() > model().instructions.len());
    for file in site() {
        assert!(file.text.len() < MOST, "{} has {} bytes", file.path, file.text.len());
        for outside in ["src=\"http", "src=\"//", "@import", "url(", "fetch(", "<iframe", "XMLHttpRequest"] {
            assert!(!file.text.contains(outside), "{} has {outside}", file.path);
        }
        // A `link` loads; an anchor does not.
        for link in file.text.split("<link ").skip(1) {
            let link = attributes(&format!(" {}", link.split_once('>').unwrap().0), "href")[0].to_owned();
            assert!(!link.contains("://"), "{}: {link}", file.path);
        }
    }
}

#[test]
fn equal_pages_give_equal_sites() {
    let again = files(&visakit_codegen::read_texts(pages()).0, &extras()).unwrap();
    assert!(again == site());
    let paths: BTreeSet<String> = again.iter().map(|file| file.path.to_ascii_lowercase()).collect();
    assert_eq!(paths.len(), again.len(), "paths differ on file systems that ignore case");
}

/// Asserts that an address leads to a page and an anchor that contain the name.
fn has(files: &[File], address: &str, name: &str) {
    let (path, anchor) = address.split_once('#').unwrap_or((address, ""));
    let text = page(files, path);
    assert!(text.contains(name), "{address} does not contain {name}");
    assert!(anchor.is_empty() || attributes(text, "id").contains(&anchor), "{address} has no anchor");
}

/// Asserts that every name of a model has its address, and that the search finds it.
fn every_name_has_a_page(model: &Model, files: &[File]) {
    let all = visakit_spec_tools::export::export(model);
    let search = page(files, "assets/names.js");
    let check = |address: String, name: &str| {
        has(files, &address, &name.replace('&', "&amp;"));
        assert!(search.contains(&format!("\"{address}\"")), "the search lacks {address}");
    };
    all.instructions.iter().for_each(|one| check(address::instruction(&one.name), &one.name));
    all.types.iter().for_each(|one| check(address::data_type(&one.name), &one.name));
    all.platforms.iter().for_each(|one| check(address::platform(&one.name), &one.name));
    all.structures.iter().for_each(|one| check(address::structure(&one.name), &one.name));
    all.variables.iter().for_each(|one| check(address::variable(&one.name), &one.name));
    all.surfaces.iter().chain(&all.samplers).for_each(|one| check(address::variable(&one.name), &one.name));
    all.attributes.iter().for_each(|one| check(address::attribute(&one.name), &one.name));
    all.limits.iter().for_each(|one| check(address::limit(&one.name), &one.name));
    all.builtins.iter().for_each(|one| check(address::builtin(&one.name), &one.name));
    all.rule_builtins.iter().for_each(|one| check(address::rule_builtin(&one.name), &one.name));
    all.definitions.iter().for_each(|one| check(address::definition(&one.name), &one.name));
    all.groups.iter().for_each(|one| check(address::group(&one.name), &one.name));
    all.checks.iter().for_each(|one| check(address::check(&one.name), &one.name));
    all.constraints.iter().for_each(|one| check(address::rule(&one.name), &one.name));
    all.accepted.iter().for_each(|one| check(address::accepted(&one.name), &one.name));
    all.sources.iter().for_each(|one| check(address::source(&one.name), &one.name));
    for list in &all.lists {
        check(address::list(&list.name), &list.name);
        if let visakit_spec_tools::export::ListKind::Enumeration { values, .. } = &list.kind {
            let named = values.iter().filter(|value| !value.reserved);
            named.for_each(|value| check(address::enumerator(&list.name, &value.name), ""));
        }
    }
    for one in &all.instructions {
        for field in one.forms.iter().flat_map(|form| &form.fields) {
            has(files, &address::field(&one.name, &field.name), &field.name);
        }
    }
}

#[test]
fn every_name_of_the_pages_has_a_page() {
    every_name_has_a_page(model(), site());
    for file in &model().pages {
        if !file.path.contains('/') && !file.path.contains("overlay") {
            has(site(), &address::chapter(&file.path), "");
        }
    }
    has(site(), &address::code("type-map"), "About type-map.");
}

/// A page contains the facts of its instruction.
#[test]
fn an_instruction_has_its_facts() {
    let text = page(site(), "instructions/ADD.html");
    for fact in [
        "<h1>ADD</h1>",
        "<code>0x01</code>",
        "&lt;exec_size&gt;",
        "<a href=\"../types.html#BF\">BF</a>",
        "<b>channels</b> i {",
        "<a href=\"#field-Dst\">dst</a>[i]",
        "<a href=\"../lists/Exec_size.html\">Exec_size</a>",
        "role=\"img\" aria-label=\"Layout of ADD: opcode, Exec_size, Pred, Dst, Src0, Src1\"",
        "<a href=\"../codes/type-map.html\">type-map</a>",
    ] {
        assert!(text.contains(fact), "{fact}");
    }
    let text = page(site(), "instructions/DPAS.html");
    assert!(text.contains("<a href=\"../builtins.html#element_bits\">element_bits</a>"));
    assert!(text.contains("since XEHP"));
    let text = page(site(), "instructions/LSC_UNTYPED.html");
    assert!(text.contains("<a href=\"../lists/Lsc_op.html#lsc_load\">Lsc_op.lsc_load</a>"));
}

/// A new page and a new platform appear everywhere.
#[test]
fn a_new_page_appears() {
    let mut all = pages();
    let foo =
        include_str!("../../../tests/pages/FOO.md").replace("Applies foo", "Applies <script>foo</script> & bar");
    all.push(Page::built_in(&("instructions/FOO.md", &foo)));
    let platforms = all.iter_mut().find(|page| page.path == "platforms.md").unwrap();
    platforms.text = platforms.text.replacen("\n| dg1 |", "\n| new-one | newest | 99 | 0x7777 | 32 |\n| dg1 |", 1);
    let (model, _) = visakit_codegen::read_texts(all);
    let files = files(&model, &extras()).unwrap();
    links_resolve(&files);
    every_name_has_a_page(&model, &files);
    for path in ["instructions/FOO.html", "index.html", "opcodes.html", "words.html", "assets/names.js"] {
        assert!(page(&files, path).contains("FOO"), "{path}");
    }
    assert!(page(&files, "words.html").contains(">foo</a>"));
    assert!(page(&files, "instructions/FOO.html").contains("new-one"));
    assert!(page(&files, "platforms/new-one.html").contains("newest"));
    for file in files.iter().filter(|file| file.path.ends_with(".html")) {
        assert!(!file.text.contains("<script>"), "{} has a script of a page", file.path);
    }
    assert!(page(&files, "instructions/FOO.html").contains("&lt;script&gt;foo&lt;/script&gt; &amp; bar"));
}

/// Superscripts are the only elements that pages may have; others are shown as text.
#[test]
fn superscripts_are_raised() {
    assert!(page(site(), "chapters/2_datatypes.html").contains("[0, 2<sup>32</sup>-1]"));
    assert!(page(site(), "builtins.html").contains("2<sup>b - 127</sup> for byte <code>n</code>"));
    for file in site() {
        assert!(!file.text.contains("&lt;sup&gt;"), "{}", file.path);
    }
    let mut pages = pages();
    let frc = pages.iter_mut().find(|page| page.path.ends_with("/FRC.md")).unwrap();
    frc.text += "\n## Notes\n\n- A 2<sup>x and <sup>**y**</sup> and <i>z</i>.\n";
    let files = files(&visakit_codegen::read_texts(pages).0, &extras()).unwrap();
    let text = page(&files, "instructions/FRC.html");
    let shown = "2&lt;sup&gt;x and &lt;sup&gt;<strong>y</strong>&lt;/sup&gt; and &lt;i&gt;z&lt;/i&gt;.";
    assert!(text.contains(shown), "{text}");
}
