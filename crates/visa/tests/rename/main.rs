//! Independence of names: renames every name of the pages, one kind at a time, and builds the
//! program. Quoted spellings keep the texts unchanged. A name that the Rust sources use is refused
//! by the compiler and restored. With all others renamed, the results for texts, objects and
//! programs must be the same as before. No other test finds behaviour that depends on a name.
//!
//! Names are renamed with `renames` in `VISAKIT_REQUIRE`, which takes long. Other runs only lint
//! the renamed pages. `VISAKIT_RENAME` limits the test to kinds or owners, separated by commas, to
//! find the name that causes a change.

mod build;
mod corpus;
mod names;
mod references;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use build::{Programs, Workshop, normal};
use corpus::{Mapping, Results, Source};
use names::{Kind, Names};

/// Number of broken texts to verify.
const BROKEN: usize = 2000;

#[test]
fn nothing_hangs_on_a_name() {
    let all = std::env::var("VISAKIT_REQUIRE").is_ok_and(|r| r.split(',').any(|r| r == "renames"));
    let only = std::env::var("VISAKIT_RENAME").unwrap_or_default();
    if !all && only.is_empty() {
        eprintln!("skipped: nothing_hangs_on_a_name: it builds for long; set VISAKIT_REQUIRE=renames");
        return;
    }
    let spec = visakit_testing::root().join("spec");
    let (model, _) = visakit_codegen::read_dir(&spec).expect("the pages");
    let names = Names::of(&model);
    let limited = |n: usize| {
        let name = &names.all[n];
        only.is_empty() || only.split(',').any(|o| o == name.owner || o == format!("{:?}", name.kind))
    };
    let bench = Bench::new(all);
    let mut failures = Vec::new();
    for kind in Kind::ALL {
        let mut chosen: BTreeSet<usize> =
            (0..names.all.len()).filter(|&n| names.all[n].kind == kind && limited(n)).collect();
        if !all {
            let named = paths_in_sources();
            chosen.retain(|&n| !named.contains(&(normal(&names.all[n].owner), normal(&names.all[n].old))));
        }
        if !chosen.is_empty() {
            failures.extend(rename(&names, kind, chosen, &bench));
        }
    }
    assert!(failures.is_empty(), "these changed with names:\n{}", failures.join("\n"));
    visakit_testing::remove_build(&Workshop::new().target);
}

/// Renamed pages are valid and state the same facts.
#[test]
fn pages_can_be_renamed() {
    let (model, _) = visakit_codegen::read_dir(&visakit_testing::root().join("spec")).expect("the pages");
    let names = Names::of(&model);
    let facts = visakit_codegen::facts(&model);
    for kind in Kind::ALL {
        let workshop = Workshop { spec: visakit_testing::scratch("renamed_pages"), ..Workshop::new() };
        let all: BTreeSet<usize> = (0..names.all.len()).filter(|&n| names.all[n].kind == kind).collect();
        let mut chosen = all.clone();
        let refused = linted(&names, kind, &mut chosen, &workshop, &facts);
        let back = all.difference(&chosen).map(|&n| names.all[n].old.as_str()).collect::<Vec<_>>();
        println!("{kind:?}: {} names, the lint refuses {refused}: {back:?}", all.len());
        // The grammar itself uses about half of the members' names.
        assert!(chosen.len() > all.len() / 3);
        // Every name occurs at least in its definition.
        let nowhere: Vec<_> =
            chosen.iter().filter(|&&n| names.all[n].edits.is_empty()).map(|&n| &names.all[n]).collect();
        assert!(nowhere.is_empty(), "{nowhere:#?}");
    }
}

/// Renames all names that can be renamed, builds, and returns the changed results. If an error
/// restores a name without naming its owner, the name is tried again without the certainly refused
/// names. This repeats until no further name can be renamed.
fn rename(names: &Names<'_>, kind: Kind, mut chosen: BTreeSet<usize>, bench: &Bench) -> Vec<String> {
    let mut failures = Vec::new();
    loop {
        let asked = chosen.len();
        let open = round(names, kind, chosen, bench, &mut failures);
        if open.is_empty() || open.len() == asked || !bench.all {
            let open: Vec<_> = open.iter().map(|&n| (&names.all[n].owner, &names.all[n].old)).collect();
            eprintln!("{kind:?}: {} names that an error may be about or not: {open:?}", open.len());
            return failures;
        }
        chosen = open;
    }
}

/// Runs one round. Appends changed results to `failures` and returns the undecided names.
fn round(
    names: &Names<'_>,
    kind: Kind,
    mut chosen: BTreeSet<usize>,
    bench: &Bench,
    failures: &mut Vec<String>,
) -> BTreeSet<usize> {
    let asked = chosen.len();
    let workshop = Workshop::new();
    let facts = visakit_codegen::facts(names.model);
    let by_lint = linted(names, kind, &mut chosen, &workshop, &facts);
    let (mut open, mut sure) = (chosen.clone(), BTreeSet::new());
    let programs = loop {
        let refused = match workshop.build(!bench.all) {
            Ok(programs) => break programs,
            Err(refused) => refused,
        };
        let mut back = BTreeSet::new();
        for (about, is_sure) in refused.iter().map(|r| r.names(names, &chosen)) {
            sure.extend(about.iter().copied().filter(|_| is_sure));
            back.extend(about);
        }
        let put_back = names.put_back(&mut chosen, back);
        eprintln!("{kind:?}: {} errors of the compiler, {put_back} names put back", refused.len());
        if put_back == 0 {
            let messages: Vec<_> = refused.iter().map(build::Refusal::message).collect();
            failures
                .push(format!("{kind:?}: the compiler refuses what has no changed name:\n{}", messages.join("\n")));
            return BTreeSet::new();
        }
        linted(names, kind, &mut chosen, &workshop, &facts);
    };
    open.retain(|n| !chosen.contains(n) && !sure.contains(n));
    // A name that shares a position with a kept name must be kept too.
    let others = (0..names.all.len()).filter(|n| !open.contains(n)).collect();
    names.put_back(&mut open, others);
    let by_compiler = asked - by_lint - chosen.len();
    let changes = bench.compare(&programs, &mapping(names, kind, &chosen));
    eprintln!(
        "{kind:?}: {} of {asked} names changed, {by_lint} refused by the lint, {by_compiler} by the compiler, {} of them perhaps; \
         {} of {} results are others",
        chosen.len(),
        open.len(),
        changes.len(),
        bench.expected.len() + 1
    );
    failures.extend(changes.into_iter().map(|change| format!("{kind:?}: {change}")));
    open
}

/// Writes the pages and restores the names that the lint refuses. The remaining changes must leave
/// all facts the same except for the names.
fn linted(names: &Names<'_>, kind: Kind, chosen: &mut BTreeSet<usize>, workshop: &Workshop, facts: &str) -> usize {
    let asked = chosen.len();
    loop {
        workshop.write(names, chosen);
        let (errors, differ) = workshop.lint(facts, &mapping(names, kind, chosen));
        if errors.is_empty() {
            assert!(differ.is_empty(), "the pages say something else with other names:\n{}", differ.join("\n"));
            return asked - chosen.len();
        }
        let words: BTreeSet<&str> = errors.iter().flat_map(|e| e.split([' ', '`'])).collect();
        let is_named = |n: &usize| words.contains(&*names.all[*n].new) || words.contains(&*names.all[*n].old);
        let back = chosen.iter().copied().filter(is_named).collect();
        assert!(names.put_back(chosen, back) > 0, "the lint refuses what has no changed name: {errors:#?}");
    }
}

/// Predefined names occur in texts, which are changed too.
fn mapping(names: &Names<'_>, kind: Kind, chosen: &BTreeSet<usize>) -> Mapping {
    match kind {
        Kind::Predefined => {
            Mapping(chosen.iter().map(|&n| (names.all[n].old.clone(), names.all[n].new.clone())).collect())
        }
        _ => Mapping::default(),
    }
}

/// Results of this build as a reference.
struct Bench {
    all: bool,
    dir: PathBuf,
    sources: Vec<Source>,
    expected: Results,
}

impl Bench {
    fn new(all: bool) -> Self {
        let dir = visakit_testing::scratch("renames");
        let sources = corpus::sources(if all { 1 } else { 4 });
        let mut out = Self { all, dir, sources, expected: Results::new() };
        out.expected = out.results(Path::new(env!("CARGO_BIN_EXE_visa")), &Mapping::default());
        out
    }

    /// The folder is always the same, because messages contain its path.
    fn results(&self, visa: &Path, mapping: &Mapping) -> Results {
        let broken = if self.all { BROKEN } else { BROKEN / 4 };
        corpus::results(visa, &self.dir.join("work"), &self.sources, broken, mapping)
    }

    fn compare(&self, programs: &Programs, mapping: &Mapping) -> Vec<String> {
        let found = self.results(&programs.visa, mapping);
        let others = self.expected.iter().filter(|(what, old)| found[*what] != **old);
        let mut out: Vec<String> =
            others.map(|(what, old)| format!("{what}: {}", first_difference(old, &found[what]))).collect();
        let only = if self.all { "" } else { "language,integer,local,loads,atomics" };
        out.extend(corpus::conformance(&programs.conformance, only, &self.dir, mapping));
        out
    }
}

fn first_difference(old: &[u8], new: &[u8]) -> String {
    let [old, new] =
        [old, new].map(|bytes| String::from_utf8_lossy(bytes).replace(|c: char| c.is_control() && c != '\n', "."));
    let mut pairs = old.lines().zip(new.lines()).filter(|(old, new)| old != new);
    pairs.next().map_or_else(|| "more or less".to_owned(), |(old, new)| format!("\n  was {old}\n  is  {new}"))
}

/// Returns all `Type::Variant` paths in the sources, found without a compiler.
fn paths_in_sources() -> BTreeSet<(String, String)> {
    let mut out = BTreeSet::new();
    let mut folders = vec![visakit_testing::root().join("src"), visakit_testing::root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let words: Vec<&str> =
                    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':')).collect();
                for path in words.iter().filter(|w| w.contains("::")) {
                    let names: Vec<String> = path.split("::").map(normal).collect();
                    out.extend(names.windows(2).map(|w| (w[0].clone(), w[1].clone())));
                }
            }
        }
    }
    out
}
