//! Contents of `docs/data/*.toml`, and checks of their entries.

use std::path::Path;

use serde::Deserialize;
use toml::value::Datetime;
use visakit_testing::root;

/// Contents of `docs/data/validation.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Validation {
    pub(crate) run: Vec<Run>,
    pub(crate) claim: Vec<Claim>,
    pub(crate) measure: Vec<Measure>,
    pub(crate) change: Vec<Change>,
    pub(crate) demand: Vec<Demand>,
    pub(crate) suite: Vec<Suite>,
    pub(crate) cause: Vec<Cause>,
}

/// Extension or feature of OpenCL, and the number of programs that name it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Demand {
    pub(crate) feature: String,
    pub(crate) programs: u32,
    /// Devices that have it.
    pub(crate) answer: String,
}

/// Official tests.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Official {
    #[default]
    Opencl,
    LevelZero,
}

/// Results of official tests on one device, with one compiler.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Suite {
    #[serde(default)]
    pub(crate) of: Official,
    pub(crate) device: String,
    pub(crate) compiler: String,
    /// Maximum time of a test in seconds.
    pub(crate) limit: u32,
    /// Name of a program, and its numbers of passed, failed, skipped and stopped tests.
    pub(crate) rows: Vec<(String, u32, u32, u32, u32)>,
    pub(crate) date: Datetime,
    pub(crate) commit: String,
}

/// Cause of failures of official tests.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cause {
    #[serde(default)]
    pub(crate) of: Official,
    pub(crate) program: String,
    /// Failed tests.
    pub(crate) tests: Vec<String>,
    /// Devices and compilers, as `dg2 2022`.
    pub(crate) on: Vec<String>,
    /// Who must mend it.
    pub(crate) by: String,
    pub(crate) reason: String,
    /// Smallest kernel that shows it.
    pub(crate) kernel: Option<String>,
}

/// Third-party program run on a driver.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) group: String,
    pub(crate) program: String,
    pub(crate) version: String,
    pub(crate) devices: Vec<String>,
    pub(crate) passed: Option<u32>,
    pub(crate) failed: Option<u32>,
    pub(crate) skipped: Option<u32>,
    pub(crate) result: String,
    pub(crate) pocl: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) date: Datetime,
    pub(crate) commit: String,
}

/// Property of visakit with the reference that it was checked against.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    pub(crate) topic: String,
    pub(crate) claim: String,
    pub(crate) against: String,
    pub(crate) checked: String,
    pub(crate) r#where: String,
    pub(crate) note: Option<String>,
    pub(crate) date: Datetime,
    pub(crate) commit: String,
}

/// Measured time, speed or memory.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measure {
    pub(crate) topic: String,
    pub(crate) subject: String,
    pub(crate) value: String,
    pub(crate) method: String,
    pub(crate) note: Option<String>,
    pub(crate) date: Datetime,
    pub(crate) commit: String,
}

/// Effect of one change of the program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    pub(crate) change: String,
    pub(crate) effect: String,
    pub(crate) note: Option<String>,
    pub(crate) date: Datetime,
    pub(crate) commit: String,
}

/// Contents of `docs/data/environment.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Environment {
    pub(crate) variable: Vec<Variable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) reader: String,
    pub(crate) value: String,
    pub(crate) meaning: String,
}

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let text = std::fs::read_to_string(root().join("docs/data").join(name)).unwrap();
    toml::from_str(&text).unwrap_or_else(|e| panic!("docs/data/{name}: {e}"))
}

pub(crate) fn validation() -> Validation {
    read("validation.toml")
}

pub(crate) fn environment() -> Environment {
    read("environment.toml")
}

/// Maximum number of words in a table cell.
const CELL_WORDS: usize = 14;

fn assert_cell(text: &str) {
    assert!(text.split_whitespace().count() <= CELL_WORDS, "a cell of more than {CELL_WORDS} words: {text}");
    assert!(!text.contains('|') && !text.contains('\n'), "{text}");
}

fn assert_recorded(what: &str, commit: &str) {
    let is_commit = commit.len() >= 7 && commit.bytes().all(|b| b.is_ascii_hexdigit());
    assert!(is_commit, "{what}: `{commit}` is not a commit");
}

#[test]
fn entries_are_complete() {
    let all = validation();
    for run in &all.run {
        assert!(super::tables::GROUPS.iter().any(|(key, _)| *key == run.group), "{}: {}", run.program, run.group);
        for device in &run.devices {
            let name = visakit::isa::Platform::from_name(device).map(|platform| platform.name());
            assert_eq!(name, Some(device.as_str()), "{}", run.program);
        }
        assert_eq!(run.passed.is_some(), run.failed.is_some(), "{}: passed and failed belong together", run.program);
        assert!(run.passed.is_some() || run.skipped.is_none(), "{}", run.program);
        // A failure needs a reason.
        assert!(run.failed.is_none_or(|n| n == 0) || run.note.is_some() || run.pocl.is_some(), "{}", run.program);
        [Some(&run.result), run.pocl.as_ref()].into_iter().flatten().for_each(|cell| assert_cell(cell));
        assert_recorded(&run.program, &run.commit);
    }
    for claim in &all.claim {
        [&claim.claim, &claim.against, &claim.checked].into_iter().for_each(|cell| assert_cell(cell));
        assert_recorded(&claim.claim, &claim.commit);
        for place in claim.r#where.split(", ") {
            assert!(root().join(Path::new(place)).exists(), "{}: there is no {place}", claim.claim);
        }
    }
    for measure in &all.measure {
        [&measure.subject, &measure.value, &measure.method].into_iter().for_each(|cell| assert_cell(cell));
        assert_recorded(&measure.subject, &measure.commit);
    }
    all.demand.iter().for_each(|demand| assert_cell(&demand.answer));
    suites_have_causes(&all);
    for change in &all.change {
        [&change.change, &change.effect].into_iter().for_each(|cell| assert_cell(cell));
        assert_recorded(&change.change, &change.commit);
    }
}

/// The causes name as many tests as failed, and only programs that were run.
fn suites_have_causes(all: &Validation) {
    for suite in &all.suite {
        assert!(visakit::isa::Platform::from_name(&suite.device).is_some(), "{}", suite.device);
        assert_recorded(&suite.device, &suite.commit);
        let on = format!("{} {}", suite.device, suite.compiler);
        for (program, _, failed, ..) in &suite.rows {
            let own = all.cause.iter().filter(|cause| cause.of == suite.of && cause.program == *program);
            let causes = own.filter(|cause| cause.on.contains(&on));
            let named: usize = causes.map(|cause| cause.tests.len()).sum();
            assert_eq!(named, *failed as usize, "{on}: {program}: tests with a cause, and failed tests");
        }
    }
    for cause in &all.cause {
        assert!(super::tables::MENDERS.iter().any(|(key, _)| *key == cause.by), "{}: {}", cause.program, cause.by);
        for on in &cause.on {
            let ran = |suite: &&Suite| suite.of == cause.of && *on == format!("{} {}", suite.device, suite.compiler);
            let suite = all.suite.iter().find(ran).unwrap_or_else(|| panic!("{}: no run {on}", cause.program));
            assert!(suite.rows.iter().any(|row| row.0 == cause.program), "{on}: {} was not run", cause.program);
        }
    }
}

/// Every variable in the sources is described, and every described variable occurs in the sources.
#[test]
fn environment_variables_are_described() {
    let mut used = std::collections::BTreeSet::new();
    for folder in ["src", "crates", "codegen", "tests", "fuzz/targets", "python/visakit", "build.rs"] {
        variables(&root().join(folder), &mut used);
    }
    // Constants of the C library have the prefix of the variables.
    used.retain(|name| {
        !["STATUS_", "SEVERITY_", "STYLE"].iter().any(|kind| name["VISAKIT_".len()..].starts_with(kind))
    });
    let described: std::collections::BTreeSet<String> =
        environment().variable.into_iter().map(|variable| variable.name).collect();
    let missing: Vec<_> = used.difference(&described).collect();
    let stale: Vec<_> = described.difference(&used).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "docs/data/environment.toml lacks {missing:?}, and has {stale:?}"
    );
}

fn variables(path: &Path, found: &mut std::collections::BTreeSet<String>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_none_or(|name| name != "target") {
                variables(&path, found);
            }
        }
        return;
    }
    if !path.extension().is_some_and(|ending| ["rs", "py", "c"].iter().any(|known| ending == *known)) {
        return;
    }
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    for (at, _) in text.match_indices("VISAKIT_") {
        let name: String = text[at..].chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').collect();
        // Skip the prefix without a name.
        if name.len() > "VISAKIT_".len() {
            found.insert(name);
        }
    }
}
