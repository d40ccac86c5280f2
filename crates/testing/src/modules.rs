//! Imports between the modules of a crate, read from its source files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Modules of a crate, each with the modules that it imports. The crate's root is empty text.
pub type Imports = BTreeMap<String, BTreeSet<String>>;

/// Returns the imports between the modules of the crate whose sources are in `folder`: those of
/// `use` items and of paths in code. Code of unit tests does not count.
pub fn imports(folder: &Path) -> Imports {
    let mut sources = BTreeMap::new();
    read(folder, "", &mut sources);
    let of = |(module, source): (&String, &String)| {
        let paths = paths(source, &children(module, &sources));
        let found = paths.iter().filter_map(|path| find(&resolve(module, path)?, &sources));
        (module.clone(), found.filter(|found| found != module).collect())
    };
    sources.iter().map(of).collect()
}

/// Returns the circles of modules that import each other, each sorted. An import of a parent does
/// not count: a module may use the items that its parent shares.
pub fn circles(imports: &Imports) -> Vec<BTreeSet<String>> {
    let edges: Imports = imports
        .iter()
        .map(|(from, all)| (from.clone(), all.iter().filter(|to| !contains(to, from)).cloned().collect()))
        .collect();
    let reach: Imports = edges.keys().map(|from| (from.clone(), reachable(from, &edges))).collect();
    let meets = |a: &String, b: &String| reach[a].contains(b) && reach[b].contains(a);
    let mut circles: Vec<BTreeSet<String>> = Vec::new();
    for module in reach.keys().filter(|module| reach[*module].contains(*module)) {
        if !circles.iter().any(|circle| circle.contains(module)) {
            circles.push(reach.keys().filter(|other| meets(module, other)).cloned().collect());
        }
    }
    circles
}

/// Returns true if a module is an ancestor of another one.
fn contains(outer: &str, inner: &str) -> bool {
    outer.is_empty() || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with("::"))
}

fn reachable(from: &str, edges: &Imports) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&String> = edges[from].iter().collect();
    while let Some(module) = open.pop() {
        if found.insert(module.clone()) {
            open.extend(&edges[module]);
        }
    }
    found
}

/// Reads the sources of a folder, by the names of their modules.
fn read(folder: &Path, module: &str, sources: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("the sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        let child = join(module, name);
        if path.is_dir() {
            read(&path, &child, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let is_own = name == "mod" || module.is_empty() && matches!(name, "lib" | "main");
            let source = std::fs::read_to_string(&path).expect("a source");
            sources.insert(if is_own { module.to_owned() } else { child }, code(&source));
        }
    }
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

/// Returns the code of a source without comments and unit tests.
fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the names of a module's children.
fn children(module: &str, sources: &BTreeMap<String, String>) -> Vec<String> {
    let child = |other: &String| {
        let rest = if module.is_empty() { other } else { other.strip_prefix(module)?.strip_prefix("::")? };
        (!rest.is_empty() && !rest.contains("::")).then(|| rest.to_owned())
    };
    sources.keys().filter_map(child).collect()
}

/// Returns the paths in a module's code that may name modules of the crate. Paths that begin with a
/// child get the prefix `self`.
fn paths(source: &str, children: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find("use ") {
        let (before, item) = rest.split_at(at);
        let item = &item["use ".len()..];
        let end = item.find(';').unwrap_or(item.len());
        if before.ends_with([' ', '\n', '(', ')']) || before.is_empty() {
            expand("", &item[..end], &mut found);
        }
        rest = &item[end..];
    }
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    found.extend(source.split(|c| !is_path(c)).filter(|word| word.contains("::")).map(str::to_owned));
    let own =
        |path: &String| path.split("::").next().is_some_and(|first| children.iter().any(|child| child == first));
    found.into_iter().map(|path| if own(&path) { format!("self::{path}") } else { path }).collect()
}

/// Adds the paths of a `use` tree.
fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((head, list)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        found.push(format!("{prefix}{path}"));
        return;
    };
    let list = list.rsplit_once('}').map_or(list, |(list, _)| list);
    let (mut depth, mut start) = (0, 0);
    let prefix = format!("{prefix}{}", head.trim());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&prefix, &list[start..at], found);
                start = at + 1;
            }
            _ => {}
        }
    }
    expand(&prefix, &list[start..], found);
}

/// Returns the full path of a path in a module; `None` for a path of another crate.
fn resolve(module: &str, path: &str) -> Option<String> {
    let mut base: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
    let mut rest = path.split("::").peekable();
    match rest.next()? {
        "crate" => base.clear(),
        "self" => {}
        "super" => drop(base.pop()),
        _ => return None,
    }
    while rest.next_if_eq(&"super").is_some() {
        base.pop();
    }
    base.extend(rest.filter(|part| !part.is_empty()));
    Some(base.join("::"))
}

/// Returns the longest part of a path that is a module.
fn find(path: &str, sources: &BTreeMap<String, String>) -> Option<String> {
    let ends = path.match_indices("::").map(|(end, _)| end).chain([path.len()]);
    let module = ends.filter(|end| sources.contains_key(&path[..*end])).max().map_or("", |end| &path[..end]);
    sources.contains_key(module).then(|| module.to_owned())
}

#[test]
fn circles_are_found() {
    let all = |edges: &[(&str, &[&str])]| {
        edges.iter().map(|(from, to)| (from.to_string(), to.iter().map(|to| to.to_string()).collect())).collect()
    };
    let none: Imports = all(&[("", &["a"]), ("a", &["a::b"]), ("a::b", &["a", "c"]), ("c", &[])]);
    assert!(circles(&none).is_empty());
    let one: Imports = all(&[("a", &["a::b"]), ("a::b", &["c"]), ("c", &["a"])]);
    assert_eq!(circles(&one).len(), 1);
    assert_eq!(circles(&one)[0].len(), 3);
}

#[test]
fn paths_are_resolved() {
    let mut found = Vec::new();
    expand("", "super::{a::{b, c as d}, e}", &mut found);
    assert_eq!(found, ["super::a::b", "super::a::c", "super::e"]);
    assert_eq!(resolve("x::y", "super::super::z").as_deref(), Some("z"));
    assert_eq!(resolve("x::y", "std::fmt"), None);
    let mut found = paths("use super::a;\nfn f() { child::g(crate::b::h()) }", &["child".to_owned()]);
    found.dedup();
    assert_eq!(found, ["super::a", "self::child::g", "crate::b::h"]);
}
