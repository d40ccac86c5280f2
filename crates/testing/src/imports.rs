//! Imports between the modules of a crate: their order, and circles among them.
//!
//! A crate lists its modules in reading order, which is the order of its phases: a module imports
//! modules that are listed before it. Only `cfg(test)` modules named `tests` are exempt.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module's path from the root of its crate, such as `memory::address`; empty for the root.
type Module = String;

/// The modules of a crate.
#[derive(Default)]
pub struct Modules {
    /// Modules that each module imports.
    imports: BTreeMap<Module, BTreeSet<Module>>,
    /// Position of each module among those of its parent.
    places: BTreeMap<Module, usize>,
}

/// An import of a module that is listed later, or of one that depends on the importing module.
#[derive(Debug, PartialEq, Eq)]
pub enum Finding {
    /// `from` imports `to`, but `to` or the folder that contains it is listed later.
    Upward {
        /// Importing module.
        from: Module,
        /// Imported module.
        to: Module,
    },
    /// These modules import each other in a circle, directly or through modules between circles.
    Circle(Vec<Module>),
}

impl Modules {
    /// Reads the modules of the crate with its root file in a folder. Folders with a `main.rs` of
    /// their own are other crates.
    pub fn of_crate(root: &Path) -> Self {
        let mut sources = BTreeMap::new();
        read(root, "", &mut sources);
        Self::of_sources(&sources)
    }

    /// Reads the modules of a crate from their sources.
    pub fn of_sources(sources: &BTreeMap<Module, String>) -> Self {
        let mut modules = Self::default();
        for (module, source) in sources {
            let mut words = Vec::new();
            let tokens: TokenStream = source.parse().unwrap_or_else(|e| panic!("module `{module}`: {e}"));
            flatten(tokens, &mut words);
            let mut look = Look { sources, module, imports: BTreeSet::new(), declared: Vec::new() };
            look.items(&words);
            look.imports.remove(module);
            for (place, child) in look.declared.into_iter().enumerate() {
                modules.places.insert(child, place);
            }
            modules.imports.insert(module.clone(), look.imports);
        }
        // Modules with a `path` are files of another folder, which is checked on its own.
        modules.imports.values_mut().for_each(|all| all.retain(|module| sources.contains_key(module)));
        modules
    }

    /// Returns the number of modules.
    pub fn len(&self) -> usize {
        self.imports.len()
    }

    /// Returns true without modules.
    pub fn is_empty(&self) -> bool {
        self.imports.is_empty()
    }

    /// Returns the modules that each module imports.
    pub fn imports(&self) -> &BTreeMap<Module, BTreeSet<Module>> {
        &self.imports
    }

    /// Returns the circles of modules that import each other, each sorted. An import of a parent
    /// does not count: a module may use the items that its parent shares.
    pub fn circles(&self) -> Vec<BTreeSet<Module>> {
        let others =
            |from: &Module, all: &BTreeSet<Module>| all.iter().filter(|to| !contains(to, from)).cloned().collect();
        let edges: BTreeMap<Module, BTreeSet<Module>> =
            self.imports.iter().map(|(from, all)| (from.clone(), others(from, all))).collect();
        let reach: BTreeMap<_, _> = edges.keys().map(|from| (from, reachable(from, &edges))).collect();
        let meets = |a: &Module, b: &Module| reach[a].contains(b) && reach[b].contains(a);
        let mut circles: Vec<BTreeSet<Module>> = Vec::new();
        for module in edges.keys().filter(|module| meets(module, module)) {
            if !circles.iter().any(|circle| circle.contains(module)) {
                circles.push(edges.keys().filter(|other| meets(module, other)).cloned().collect());
            }
        }
        circles
    }

    /// Returns upward imports, then the modules in circles.
    pub fn findings(&self) -> Vec<Finding> {
        let edges = self.imports.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)));
        let upward = edges.filter(|(from, to)| self.is_upward(from, to));
        let mut findings: Vec<_> =
            upward.map(|(from, to)| Finding::Upward { from: from.clone(), to: to.clone() }).collect();
        let circle = self.circle();
        if !circle.is_empty() {
            findings.push(Finding::Circle(circle));
        }
        findings
    }

    /// Returns true if `to` is listed after `from`, at the first place where their paths differ.
    fn is_upward(&self, from: &str, to: &str) -> bool {
        // The root exports what its modules define.
        if from.is_empty() {
            return false;
        }
        let both = from.split("::").zip(to.split("::"));
        let mut parent = String::new();
        for (a, b) in both {
            let [a, b] = [a, b].map(|name| joined(&parent, name));
            if a != b {
                return self.places.get(&a) < self.places.get(&b);
            }
            parent = a;
        }
        false
    }

    /// Returns the modules that remain after those without imports, and those that nothing imports,
    /// have been removed repeatedly.
    fn circle(&self) -> Vec<Module> {
        let mut imports = self.imports.clone();
        loop {
            let imported: BTreeSet<_> = imports.values().flatten().cloned().collect();
            let is_done = |(module, all): &(&Module, &BTreeSet<_>)| all.is_empty() || !imported.contains(*module);
            let done: Vec<_> = imports.iter().filter(is_done).map(|(module, _)| module.clone()).collect();
            if done.is_empty() {
                return imports.into_keys().collect();
            }
            for module in &done {
                imports.remove(module);
                imports.values_mut().for_each(|all| _ = all.remove(module));
            }
        }
    }
}

/// Returns true if a module is an ancestor of another one.
fn contains(outer: &str, inner: &str) -> bool {
    outer.is_empty() || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with("::"))
}

/// Returns the modules that a module imports directly or through others.
fn reachable(from: &str, edges: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Module> = edges[from].iter().collect();
    while let Some(module) = open.pop() {
        if found.insert(module.clone()) {
            open.extend(&edges[module]);
        }
    }
    found
}

/// Reads the sources of a folder's modules.
fn read(folder: &Path, module: &str, sources: &mut BTreeMap<Module, String>) {
    for entry in std::fs::read_dir(folder).expect("the sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let child = joined(module, name);
        if path.is_dir() {
            if !path.join("main.rs").exists() {
                read(&path, &child, sources);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let module = if matches!(name, "mod" | "lib" | "main") { module.to_owned() } else { child };
            sources.insert(module, std::fs::read_to_string(&path).expect("a source"));
        }
    }
}

fn joined(parent: &str, name: &str) -> Module {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}::{name}") }
}

/// Appends the words of a stream. Braces and the separators of paths are words too; other groups
/// are flat. Comments, which may contain links, have no words.
fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    _ => ("(", ")"),
                };
                words.push(open.to_owned());
                flatten(group.stream(), words);
                words.push(close.to_owned());
            }
            TokenTree::Ident(ident) => words.push(ident.to_string()),
            TokenTree::Punct(punct) => match (punct.as_char(), words.last_mut()) {
                (':', Some(last)) if last == ":" => last.push(':'),
                (other, _) => words.push(other.to_string()),
            },
            TokenTree::Literal(_) => words.push("\"".to_owned()),
        }
    }
}

/// Search for the imports of one module.
struct Look<'a> {
    sources: &'a BTreeMap<Module, String>,
    module: &'a str,
    imports: BTreeSet<Module>,
    /// Modules that this one declares, in order.
    declared: Vec<Module>,
}

impl Look<'_> {
    /// Notes the imports and declarations of items.
    fn items(&mut self, words: &[String]) {
        let word = |n: usize| words.get(n).map_or("", String::as_str);
        let mut n = 0;
        while n < words.len() {
            match (word(n), word(n + 1), word(n + 2)) {
                ("mod", "tests", "{") => n = end_of_group(words, n + 2),
                ("mod", name, ";") => {
                    self.declared.push(joined(self.module, name));
                    n += 2;
                }
                // Not the captures of a type, such as `use<'_>`.
                ("use", next, _) if next != "<" => {
                    let end = words[n..].iter().position(|word| word == ";").map_or(words.len(), |end| n + end);
                    self.tree(&words[n + 1..end], &[]);
                    n = end;
                }
                (_, "::", _) if n == 0 || word(n - 1) != "::" => {
                    let mut path = vec![word(n)];
                    while word(n + 1) == "::" {
                        path.push(word(n + 2));
                        n += 2;
                    }
                    self.note(&path);
                }
                _ => {}
            }
            n += 1;
        }
    }

    /// Notes the paths of a `use` tree after a prefix.
    fn tree(&mut self, words: &[String], prefix: &[&str]) {
        let mut path = prefix.to_vec();
        let mut n = 0;
        while n < words.len() {
            match words[n].as_str() {
                "::" => {}
                "{" => {
                    let end = end_of_group(words, n);
                    let (mut start, mut depth) = (n + 1, 0);
                    for at in n + 1..=end.min(words.len() - 1) {
                        match words[at].as_str() {
                            "{" => depth += 1,
                            "}" if at < end => depth -= 1,
                            "," | "}" if depth == 0 => {
                                self.tree(&words[start..at], &path);
                                start = at + 1;
                            }
                            _ => {}
                        }
                    }
                    return;
                }
                "as" => break,
                word => path.push(word),
            }
            n += 1;
        }
        self.note(&path);
    }

    /// Returns true for a module that the root declares, but whose file is in another folder.
    fn is_elsewhere(&self, path: &[&str]) -> bool {
        let [name] = path else { return false };
        let root = self.sources.get("").map_or("", String::as_str);
        root.lines().any(|line| line.trim_start_matches("pub ").trim_start_matches("mod ") == format!("{name};"))
    }

    /// Notes the module that a path leads to: the longest part of the path that is a module.
    fn note(&mut self, path: &[&str]) {
        let mut base: Vec<&str> = self.module.split("::").filter(|name| !name.is_empty()).collect();
        let mut rest = path;
        let mut is_local = false;
        while let [first, others @ ..] = rest {
            match *first {
                "crate" => base.clear(),
                "self" => {}
                "super" => _ = base.pop(),
                _ => break,
            }
            (rest, is_local) = (others, true);
        }
        let mut found = is_local.then(|| base.join("::"));
        for name in rest {
            base.push(name);
            let module = base.join("::");
            if !self.sources.contains_key(&module) {
                if self.is_elsewhere(&base) {
                    found = None;
                }
                break;
            }
            found = Some(module);
        }
        self.imports.extend(found);
    }
}

/// Returns the position of the brace that closes the one at `open`.
fn end_of_group(words: &[String], open: usize) -> usize {
    let mut depth = 0;
    for (n, word) in words.iter().enumerate().skip(open) {
        match word.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return n;
        }
    }
    words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(sources: &[(&str, &str)]) -> Vec<Finding> {
        let sources = sources.iter().map(|(module, source)| ((*module).to_owned(), (*source).to_owned())).collect();
        Modules::of_sources(&sources).findings()
    }

    fn upward(from: &str, to: &str) -> Finding {
        Finding::Upward { from: from.to_owned(), to: to.to_owned() }
    }

    #[test]
    fn imports_of_earlier_modules_are_allowed() {
        let root = "mod a; mod b; pub use b::{B, c::{self, C}};";
        let b = "//! [`crate::c`]\nuse crate::a::{A, other}; mod c; #[cfg(test)] mod tests { use crate::d::D; }";
        assert_eq!(findings(&[("", root), ("a", "use std::fmt;"), ("b", b), ("b::c", "use crate::a;")]), []);
    }

    #[test]
    fn imports_of_later_modules_are_found() {
        let root = "mod a; mod b; mod d;";
        let nested = [("", root), ("a", "use crate::{x, b::{c::C, D}};"), ("b", "pub mod c;"), ("b::c", "")];
        assert_eq!(findings(&nested), [upward("a", "b"), upward("a", "b::c")]);
        for import in ["use super::b;", "fn f() { crate::b::g() }", "macro_rules! m { () => { $crate::b::X } }"] {
            assert_eq!(
                findings(&[("", root), ("a", import), ("b", ""), ("d", "use crate::b::*;")]),
                [upward("a", "b")]
            );
        }
    }

    #[test]
    fn paths_are_resolved() {
        let imports = |module: &str, source: &str| {
            let names = ["", "a", "a::b", "a::c", "e", "x", "x::y", "x::y::child", "z"];
            let mut sources: BTreeMap<_, _> = names.iter().map(|name| ((*name).to_owned(), String::new())).collect();
            sources.insert(module.to_owned(), source.to_owned());
            Modules::of_sources(&sources).imports()[module].iter().cloned().collect::<Vec<_>>()
        };
        assert_eq!(imports("x", "use super::{a::{b, c as d}, e};"), ["a::b", "a::c", "e"]);
        assert_eq!(imports("x::y", "use super::super::z;"), ["z"]);
        assert_eq!(imports("x::y", "use std::fmt;"), [""; 0]);
        let calls = "use super::super::a;\nfn f() { child::g(crate::a::b::h()) }";
        assert_eq!(imports("x::y", calls), ["a", "a::b", "x::y::child"]);
    }

    #[test]
    fn circles_are_found() {
        let circle = |modules: &[&str]| Finding::Circle(modules.iter().map(|&module| module.to_owned()).collect());
        let two = [
            ("", "mod a; mod b; mod d;"),
            ("a", "use super::b::B;"),
            ("b", "use crate::a::A;"),
            ("d", "use crate::a;"),
        ];
        assert_eq!(findings(&two), [upward("a", "b"), circle(&["a", "b"])]);
        // Circles without imports of parents.
        let circles = |sources: &[(&str, &str)]| {
            let sources = sources.iter().map(|(module, source)| ((*module).to_owned(), (*source).to_owned()));
            Modules::of_sources(&sources.collect()).circles()
        };
        let root = ("", "mod a; mod c;");
        let a = ("a", "mod b; fn f() { b::g() }");
        assert!(circles(&[root, a, ("a::b", "use super::f; use crate::c;"), ("c", "")]).is_empty());
        let one = circles(&[root, a, ("a::b", "use crate::c;"), ("c", "use crate::a;")]);
        assert_eq!(one, [["a", "a::b", "c"].map(str::to_owned).into()]);
        // A child that imports its parent, which calls it.
        let child = [("", "mod a;"), ("a", "mod b; fn f() { b::g() }"), ("a::b", "use super::f;")];
        assert_eq!(findings(&child), [circle(&["a", "a::b"])]);
    }
}
