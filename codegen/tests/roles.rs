//! Behaviour by role: no code after the reading of the pages names a platform or an instruction, or
//! compares ages of platforms. Each property has a column or a group, so that a new row or page
//! needs no new Rust.
//!
//! A comparison of platforms with `<` does not compile, as the generated `Platform` has no order.
//! This test rejects what would compile: `Platform::Skl`, `Instruction::Mov`, `pages::MOV`, and
//! `.age()` outside [`EVALUATE_MARKS`].

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};

/// Files that evaluate the marks of pages, which refer to the order.
const EVALUATE_MARKS: [&str; 3] =
    ["src/rt/reflect.rs", "src/verify/conditions.rs", "crates/conform/src/probe/chapter.rs"];

/// Allowed names after `Platform::`, for code that works on any platform.
const ANY: [&str; 1] = ["ALL"];

/// Files that name instructions, with the reason; a folder ends with `/`.
const OF_INSTRUCTIONS: [(&str, &str); 5] = [
    ("crates/kernels/", "a kernel implements an instruction, and its type has the page's operands"),
    ("crates/conform/src/behaviour/reach.rs", "tests draw operands within the memory of the test"),
    ("crates/site/src/pictures/matrix.rs", "a picture reads the depth and the types of a matrix product"),
    ("crates/site/src/pictures/payload.rs", "a picture names the parameters of messages to samplers"),
    ("src/text/instruction.rs", "the default of an operand depends on another field of its form"),
];

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
        if let (true, Some(what)) =
            (is_path, names_instruction(word_here.as_deref(), tokens.get(at + 3..).unwrap_or_default()))
            && !OF_INSTRUCTIONS.iter().any(|(allowed, _)| file.starts_with(allowed))
        {
            found.push(format!("{file}: {what}"));
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

/// Returns the name of an instruction in a path, from the tokens after `Instruction::` or
/// `pages::`.
/// An import of several names counts, as does one of all.
fn names_instruction(first: Option<&str>, rest: &[TokenTree]) -> Option<String> {
    let first = first.filter(|first| ["Instruction", "pages"].contains(first))?;
    if mark(rest.first(), '*') {
        return Some(format!("{first}::*"));
    }
    let name = word(rest.first())?;
    let is_call = |at: usize| mark(rest.get(at), ':') && first == "pages";
    let is_name = match first {
        "Instruction" => name.starts_with(|c: char| c.is_ascii_uppercase()),
        _ => name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') && !is_call(1),
    };
    is_name.then(|| format!("{first}::{name}"))
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
fn code_asks_for_columns_and_groups() {
    let root = visakit_testing::root();
    let mut found = Vec::new();
    for path in sources(&root) {
        let file = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        found.extend(offences(&file, &std::fs::read_to_string(&path).unwrap()));
    }
    let help = "make a column of spec/platforms.md, or a group of spec/roles.md, and ask for it";
    assert!(found.is_empty(), "{} places name one; {help}:\n{}", found.len(), found.join("\n"));
}

/// An exemption that no code needs hides the next name.
#[test]
fn exemptions_are_needed() {
    let root = visakit_testing::root();
    for (allowed, reason) in OF_INSTRUCTIONS {
        let files = sources(&root).into_iter().filter(|path| {
            path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/").starts_with(allowed)
        });
        let mut names = files.map(|path| offences("code.rs", &std::fs::read_to_string(path).unwrap()));
        assert!(names.any(|found| !found.is_empty()), "{allowed} names no instruction: {reason}");
    }
}

#[test]
fn names_and_order_are_found() {
    let code = "
        fn a(p: Platform) -> bool { p == Platform::Skl }
        fn b(p: Platform) -> bool { p.age() > 3 }
        fn c() -> Vec<usize> { Platform::ALL.iter().copied().map(Platform::age).collect() }
        fn d(p: Platform) -> u32 { match p { Platform::Dg2 => 1, _ => 2 } }
        fn e() -> Option<Platform> { Platform::from_name(\"skl\") }
        use visakit::isa::Instruction::{Call, Goto};
        fn f(i: &Instruction) -> bool { matches!(i, Instruction::Mov(_)) || i.page() == &pages::MOV }
        fn g() { pages::read(Instruction::samples()) }
        #[cfg(test)] mod tests { const OLD: Platform = Platform::Skl; }
    ";
    let found = offences("code.rs", code);
    let order = "code.rs: the order of platforms, by `age`";
    let instructions = ["Instruction::Call", "Instruction::Mov", "pages::MOV"].map(|name| format!("code.rs: {name}"));
    let platforms = ["code.rs: Platform::Skl", order, order, "code.rs: Platform::Dg2"].map(str::to_owned);
    assert_eq!(found, [&platforms[..], &instructions].concat());
}
