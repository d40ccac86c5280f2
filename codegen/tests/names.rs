//! Single source of facts: no code after the reading of the pages names a page, field, enumerator
//! or variable of `spec/`.
//!
//! The literals in all sources after the model are compared with the model's names. `names.allow`
//! lists literals that are words of English or of another format, with the reason; an unnecessary
//! line in it is a failure too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use visakit_codegen::model::{ListKind, Model};

/// Sources that read the pages and contain words of their grammar.
const GRAMMAR: [&str; 8] =
    ["read", "semantics", "overlay", "model/anatomy.rs", "markdown.rs", "phrase.rs", "model/template.rs", "check"];

/// Normalises a name, since generated code and its users spell it differently.
fn plain(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

/// Returns the normalised names of a model, each with its kind.
fn names(model: &Model) -> BTreeMap<String, &'static str> {
    let mut names = BTreeMap::new();
    let mut add = |name: &str, what| {
        if name.len() > 1 {
            names.entry(plain(name)).or_insert(what);
        }
    };
    for instruction in &model.instructions {
        add(&instruction.name, "a page");
        for field in instruction.forms.iter().flat_map(|form| &form.fields) {
            add(&field.name, "a field");
        }
    }
    for list in &model.lists {
        add(&list.name, "a list");
        match &list.kind {
            ListKind::Enumeration { values, .. } => values.iter().for_each(|v| add(&v.name, "an enumerator")),
            ListKind::Parts(parts) => parts.iter().for_each(|part| add(&part.name, "a part")),
        }
    }
    let predefined = model.predefined.iter().chain(&model.surfaces).chain(&model.samplers);
    predefined.for_each(|variable| add(&variable.name, "a predefined variable"));
    model.types.iter().for_each(|ty| add(&ty.name, "a data type"));
    model.platforms.iter().for_each(|platform| add(&platform.name, "a platform"));
    model.attributes.iter().for_each(|attribute| add(&attribute.name, "an attribute"));
    for structure in &model.structures {
        add(&structure.name, "a structure");
        // Member names of a single word are too common to check.
        let members = structure.members.iter().filter(|member| member.name.contains('_'));
        members.for_each(|member| add(&member.name, "a member"));
    }
    names
}

/// Returns the kind of name that a literal resembles: a whole name, or a prefix or suffix of
/// several names.
fn looks_like(literal: &str, names: &BTreeMap<String, &'static str>) -> Option<String> {
    let word = plain(literal);
    if let Some(what) = names.get(&word) {
        return Some((*what).to_owned());
    }
    let is_affix = literal.len() > 2 && (literal.starts_with('_') || literal.ends_with('_'));
    let like =
        is_affix.then(|| names.keys().find(|name| name.starts_with(&word) || name.ends_with(&word))).flatten()?;
    Some(format!("a part of `{like}`"))
}

/// Collects the string literals of code, except in attributes, comments and tests.
fn literals(tokens: TokenStream, out: &mut BTreeSet<String>) {
    let (mut tokens, mut skips_block) = (tokens.into_iter().peekable(), false);
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                if matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '!') {
                    tokens.next();
                }
                if let Some(TokenTree::Group(attribute)) = tokens.next_if(|t| matches!(t, TokenTree::Group(_))) {
                    skips_block |= attribute.to_string().replace(' ', "") == "[cfg(test)]";
                }
            }
            TokenTree::Group(group) if skips_block && group.delimiter() == Delimiter::Brace => skips_block = false,
            TokenTree::Group(group) => literals(group.stream(), out),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    out.insert(text.value());
                }
            }
            TokenTree::Punct(mark) if mark.as_char() == ';' => skips_block = false,
            _ => {}
        }
    }
}

/// Returns the files with code after the model, with their paths from the root.
fn sources(root: &Path) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let crates = std::fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let folders = crates.chain([root.join("src"), root.join("codegen/src")]);
    let mut folders: Vec<_> = folders.filter(|folder| !folder.starts_with(root.join("crates/testing"))).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let place = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            let inner = place.strip_prefix("codegen/src/");
            let reads = inner.and_then(|inner| inner.split('/').next());
            let is_whole = inner.is_some_and(|inner| GRAMMAR.contains(&inner));
            if is_whole
                || reads.is_some_and(|first| GRAMMAR.contains(&first) || GRAMMAR.contains(&&*format!("{first}.rs")))
            {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                out.push((place, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    out.sort();
    out
}

#[test]
fn code_knows_no_name_of_the_pages() {
    let root = visakit_testing::root();
    let (model, _) = visakit_codegen::read_dir(&root.join("spec")).unwrap();
    let names = names(&model);
    let allow = std::fs::read_to_string(root.join("codegen/tests/names.allow")).unwrap();
    let mut allowed: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for line in allow.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [file, words, _reason] = line.splitn(3, " | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        allowed.extend(words.split(' ').map(|word| ((file, word), false)));
    }
    let mut found = Vec::new();
    for (file, text) in sources(&root) {
        let mut all = BTreeSet::new();
        literals(text.parse().unwrap_or_else(|error| panic!("{file}: {error}")), &mut all);
        for literal in all {
            let Some(what) = looks_like(&literal, &names) else { continue };
            let keys = [(&*file, &*literal), (&*file, "*"), (file.rsplit_once('/').unwrap().0, &*literal)];
            let mut excused = false;
            for (key, used) in &mut allowed {
                if keys.contains(key) {
                    (*used, excused) = (true, true);
                }
            }
            if !excused {
                let quoted = format!("\"{literal}\"");
                let line = text.lines().position(|line| line.contains(&quoted)).map_or(0, |n| n + 1);
                found.push(format!("{file}:{line}: {quoted} is {what}"));
            }
        }
    }
    found.extend(
        allowed.iter().filter(|(_, used)| !**used).map(|(key, _)| format!("names.allow: nothing needs {key:?}")),
    );
    assert!(found.is_empty(), "{} literals that are names of the pages:\n{}", found.len(), found.join("\n"));
}
