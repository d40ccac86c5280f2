//! The built-in examples are statements of the committed texts; `BLESS=1` writes them.

use visakit_site::examples::{built_in, of_texts, write};
use visakit_testing::root;

#[test]
fn built_in_examples_are_current() {
    let mut files: Vec<_> = std::fs::read_dir(root().join("tests/vectors/single"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "visaasm"))
        .collect();
    files.sort();
    let texts: Vec<String> = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let found = of_texts(texts.iter().map(String::as_str));
    assert!(found.len() > 100, "{} pages have examples", found.len());
    if std::env::var_os("BLESS").is_some_and(|bless| bless == "1") {
        std::fs::write(root().join("crates/site/src/examples.txt"), write(&found)).unwrap();
        return;
    }
    assert!(built_in() == found, "run `cargo bless`: the texts have other statements");
}
