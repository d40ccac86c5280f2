//! Licences of the crates linked into the command and the driver, compared with `docs/licences.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use visakit_testing::root;

/// Crates not available under MIT: licence expression, and the binaries that contain each.
type Others = BTreeMap<String, (String, BTreeSet<&'static str>)>;

/// Published packages, with their names in the table.
const BINARIES: [(&str, &str); 2] = [("visakit-cli", "`visa`"), ("visakit-opencl", "the driver")];

/// Targets for which the packages are built.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// Returns the alternative sets of licences of an SPDX expression; each set is sufficient.
fn alternatives(expression: &str) -> Vec<BTreeSet<String>> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let all = either(&tokens, &mut at);
    assert_eq!(at, tokens.len(), "`{expression}` is an SPDX expression");
    all
}

fn either(tokens: &[&str], at: &mut usize) -> Vec<BTreeSet<String>> {
    let mut all = both(tokens, at);
    while tokens.get(*at) == Some(&"OR") {
        *at += 1;
        all.extend(both(tokens, at));
    }
    all
}

fn both(tokens: &[&str], at: &mut usize) -> Vec<BTreeSet<String>> {
    let mut all = one(tokens, at);
    while tokens.get(*at) == Some(&"AND") {
        *at += 1;
        let more = one(tokens, at);
        all = all.iter().flat_map(|a| more.iter().map(move |b| a | b)).collect();
    }
    all
}

fn one(tokens: &[&str], at: &mut usize) -> Vec<BTreeSet<String>> {
    let token = tokens[*at];
    *at += 1;
    if token == "(" {
        let all = either(tokens, at);
        assert_eq!(tokens[*at], ")");
        *at += 1;
        return all;
    }
    let mut name = token.to_owned();
    if tokens.get(*at) == Some(&"WITH") {
        name += &format!(" WITH {}", tokens[*at + 1]);
        *at += 2;
    }
    vec![BTreeSet::from([name])]
}

fn is_mit(expression: &str) -> bool {
    alternatives(expression).contains(&BTreeSet::from(["MIT".to_owned()]))
}

/// Returns the linked crates that are not available under MIT. Build and test dependencies are
/// excluded, and so are procedural macros, which only the compiler loads.
fn linked() -> Others {
    let mut others = Others::new();
    for (target, (package, label)) in TARGETS.iter().flat_map(|target| BINARIES.map(|binary| (target, binary))) {
        let of = ["tree", "--locked", "--offline", "--package", package, "--target", target];
        let form = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}|{l}"];
        let output = Command::new(env!("CARGO")).args(of).args(form).current_dir(root()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: BTreeSet<&str> = text.lines().map(|line| line.trim_end_matches(" (*)")).collect();
        for line in &lines {
            let (name, licence) = line.split_once('|').unwrap();
            let name = name.split(' ').next().unwrap();
            assert!(!licence.is_empty(), "{name} names its licence");
            if !is_mit(licence) {
                let new = || (licence.to_owned(), BTreeSet::new());
                others.entry(name.to_owned()).or_insert_with(new).1.insert(label);
            }
        }
        assert!(lines.len() > 20, "{package} is linked with {} crates", lines.len());
    }
    others
}

#[test]
fn every_linked_licence_but_mit_is_named() {
    let text = std::fs::read_to_string(root().join("docs/licences.md")).unwrap();
    let mut rows = BTreeMap::new();
    for row in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].trim_matches('`').to_owned();
        assert!(rows.insert(name, (cells[1].to_owned(), cells[2].to_owned())).is_none(), "{row}: twice");
    }
    let linked = linked();
    for (name, (expression, into)) in &linked {
        let Some((licence, place)) = rows.remove(name) else {
            panic!("docs/licences.md: add a row for `{name}`, which is under {expression}");
        };
        let named: BTreeSet<String> = licence.split(" and ").map(str::to_owned).collect();
        let enough = alternatives(expression);
        assert!(enough.contains(&named), "docs/licences.md: `{name}` is under {expression}, not {licence}");
        let into: Vec<&str> =
            BINARIES.map(|(_, label)| label).into_iter().filter(|label| into.contains(label)).collect();
        assert_eq!(place, into.join(", "), "docs/licences.md: what `{name}` is linked into");
    }
    assert!(rows.is_empty(), "docs/licences.md: these are not linked, or are to be had under MIT: {rows:?}");
}

#[test]
fn expressions() {
    for (expression, is_it) in [
        ("MIT OR Apache-2.0", true),
        ("MIT/Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", false),
        ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", true),
        ("Apache-2.0 WITH LLVM-exception", false),
        ("MIT AND MIT", true),
        ("BSD-3-Clause OR Apache-2.0", false),
    ] {
        assert_eq!(is_mit(expression), is_it, "{expression}");
    }
    let both = alternatives("(Apache-2.0 OR MIT) AND BSD-3-Clause");
    assert!(both.contains(&["MIT", "BSD-3-Clause"].map(str::to_owned).into()), "{both:?}");
}
