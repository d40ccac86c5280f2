//! Platforms are rows of `spec/platforms.md`. No code after the reading of the pages names a
//! platform or compares ages: each property of a platform has its own column, so that a new row
//! needs no new Rust.
//!
//! A comparison with `<` does not compile, as the generated `Platform` has no order. This test
//! rejects what would compile: `Platform::Skl`, and `.age()` outside [`EVALUATE_MARKS`].

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};

/// Files that evaluate the marks of pages, which refer to the order.
const EVALUATE_MARKS: [&str; 3] =
    ["src/rt/reflect.rs", "src/verify/conditions.rs", "crates/conform/src/probe/chapter.rs"];

/// Allowed names after `Platform::`, for code that works on any platform.
const ANY: [&str; 1] = ["ALL"];

/// Flattens the tokens of code, without attributes, comments and test modules.
fn flat(tokens: TokenStream, out: &mut Vec<TokenTree>) {
    let (mut tokens, mut skips_block) = (tokens.into_iter().peekable(), false);
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                tokens.next_if(|t| matches!(t, TokenTree::Punct(mark) if mark.as_char() == '!'));
                if let Some(TokenTree::Group(attribute)) = tokens.next_if(|t| matches!(t, TokenTree::Group(_))) {
                    skips_block |= attribute.to_string().replace(' ', "") == "[cfg(test)]";
                }
            }
            TokenTree::Group(group) if skips_block && group.delimiter() == Delimiter::Brace => skips_block = false,
            TokenTree::Group(group) => flat(group.stream(), out),
            TokenTree::Punct(ref mark) if mark.as_char() == ';' => {
                skips_block = false;
                out.push(token);
            }
            token => out.push(token),
        }
    }
}

fn word(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(Ident::to_string(ident)),
        _ => None,
    }
}

fn mark(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == wanted)
}

/// Returns the uses of single platforms or of their order in a file.
fn offences(file: &str, text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    flat(text.parse().unwrap_or_else(|error| panic!("{file}: {error}")), &mut tokens);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = |n: usize| tokens.get(at + n);
        let word_here = word(Some(token));
        let is_path = mark(next(1), ':') && mark(next(2), ':');
        if let (Some("Platform"), true, Some(name)) = (word_here.as_deref(), is_path, word(next(3))) {
            let is_variant = name.starts_with(|c: char| c.is_ascii_uppercase()) && !ANY.contains(&name.as_str());
            if is_variant && !mark(next(4), ':') {
                found.push(format!("{file}: Platform::{name}"));
            }
        }
        let is_method =
            matches!(token, TokenTree::Punct(dot) if dot.as_char() == '.' && dot.spacing() == Spacing::Alone);
        let is_method = is_method || is_path && word_here.as_deref() == Some("Platform");
        let name = if mark(Some(token), '.') { word(next(1)) } else { word(next(3)) };
        // Other types have ages too, in files that do not mention platforms.
        let is_age = text.contains("Platform") && name.as_deref() == Some("age");
        if is_method && is_age && !EVALUATE_MARKS.contains(&file) {
            found.push(format!("{file}: the order of platforms, by `age`"));
        }
    }
    found
}

/// Returns the sources of all crates that use the generated module.
fn sources(root: &Path) -> Vec<PathBuf> {
    let crates = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let mut folders: Vec<PathBuf> = crates.filter(|folder| folder.is_dir()).chain([root.join("src")]).collect();
    let mut out = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

#[test]
fn code_asks_what_a_platform_has() {
    let root = visakit_testing::root();
    let mut found = Vec::new();
    for path in sources(&root) {
        let file = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        found.extend(offences(&file, &std::fs::read_to_string(&path).unwrap()));
    }
    let help = "make a column of spec/platforms.md of what is needed, and ask for it";
    assert!(found.is_empty(), "{} places know a platform; {help}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn names_and_order_are_found() {
    let code = "
        fn a(p: Platform) -> bool { p == Platform::Skl }
        fn b(p: Platform) -> bool { p.age() > 3 }
        fn c() -> Vec<usize> { Platform::ALL.iter().copied().map(Platform::age).collect() }
        fn d(p: Platform) -> u32 { match p { Platform::Dg2 => 1, _ => 2 } }
        fn e() -> Option<Platform> { Platform::from_name(\"skl\") }
        #[cfg(test)] mod tests { const OLD: Platform = Platform::Skl; }
    ";
    let found = offences("code.rs", code);
    let order = "code.rs: the order of platforms, by `age`";
    assert_eq!(found, ["code.rs: Platform::Skl", order, order, "code.rs: Platform::Dg2"]);
}
