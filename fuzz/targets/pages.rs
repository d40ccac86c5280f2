//! Fuzz targets for pages, folders of pages, and overlays.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::OnceLock;

use visakit_codegen::model::{Model, Page};
use visakit_codegen::overlay::{overlay_of, read_texts_with};
use visakit_codegen::{facts, places, read_files, read_texts};
use visakit_smith::Unstructured;

/// A page gives a model with findings, and the model emits code.
pub(crate) fn page(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let (model, _) = read_files(vec![("instructions/FUZZ.md".to_owned(), text)]);
    let _ = facts(&model);
}

/// Returns the model of our pages, which have no findings.
fn own() -> &'static Model {
    static OWN: OnceLock<Model> = OnceLock::new();
    OWN.get_or_init(|| {
        let texts =
            visakit::sources::SPECIFICATION.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let (model, findings) = read_texts(placed(texts.collect()));
        assert!(findings.is_empty(), "{findings:?}");
        model
    })
}

fn placed(texts: Vec<(String, String)>) -> Vec<Page> {
    let page = |(path, text): (String, String)| Page { shown: path.clone(), path, text, ..Page::default() };
    texts.into_iter().map(page).collect()
}

/// A text in place of our overlay is refused with places inside it.
pub(crate) fn overlay(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let lines = text.lines().count() as u32 + 1;
    let (_, findings) = overlay_of(text, "fuzz".to_owned(), own().clone());
    assert!(findings.iter().all(|f| f.file != "fuzz" || f.line <= lines), "{findings:?}");
}

/// A generated specification has no findings. An edit changes its facts, and an overlay of the
/// differences restores ours.
pub(crate) fn folder(data: &[u8]) {
    let Ok((texts, changes)) = visakit_smith::folder(&mut Unstructured::new(data)) else { return };
    let (model, findings) = read_texts(placed(texts.clone()));
    assert!(findings.is_empty(), "{}", findings.iter().map(|f| f.one_line() + "\n").collect::<String>());
    let (ours, theirs) = (places(own()), places(&model));
    // Edits may cancel each other.
    assert!(changes > 0 || ours == theirs, "a fact changed: {:?}", difference(&ours, &theirs));
    // Pages that only the generated specification has stay, and do not count as a difference.
    let corrections = difference(&theirs, &ours);
    let corrected = if !corrections.contains("\n### ") {
        theirs
    } else {
        let (overlay, findings) = overlay_of(corrections, "made".to_owned(), own().clone());
        assert!(findings.is_empty(), "{}", findings.iter().map(|f| f.one_line() + "\n").collect::<String>());
        let (corrected, findings, _) = read_texts_with(placed(texts), &overlay);
        assert!(findings.is_empty(), "{}", findings.iter().map(|f| f.one_line() + "\n").collect::<String>());
        places(&corrected)
    };
    let missing: Vec<_> = ours.iter().filter(|(place, facts)| corrected.get(*place) != Some(facts)).collect();
    assert!(missing.is_empty(), "the overlay does not give {missing:#?}");
}

/// Returns an overlay that turns other facts into ours, at the places that both have.
fn difference(from: &BTreeMap<String, BTreeSet<String>>, to: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut out = "# Corrections\n\n## Edits\n\nMade by the fuzzer.\n".to_owned();
    for (place, right) in to {
        let Some(wrong) = from.get(place).filter(|wrong| *wrong != right) else { continue };
        let _ = write!(out, "\n### {place}\n\n```\n");
        wrong.difference(right).for_each(|fact| out += &format!("- {fact}\n"));
        right.difference(wrong).for_each(|fact| out += &format!("+ {fact}\n"));
        out += "```\n";
    }
    out
}
