//! Tables and notes generated from `docs/data`.

use super::data::{Demand, Environment, Official, Run, Suite, Validation};

/// Groups of programs: key in the data and heading.
pub(crate) const GROUPS: [(&str, &str); 5] = [
    ("conformance", "Conformance suites"),
    ("libraries", "Libraries in C and C++"),
    ("level-zero", "Programs on the Level Zero driver"),
    ("python", "Python packages"),
    ("applications", "Applications"),
];

/// Programs that read environment variables: key in the data and heading.
const READERS: [(&str, &str); 6] = [
    ("command", "The command `visa`"),
    ("driver", "The drivers"),
    ("python", "The Python package"),
    ("build", "The build"),
    ("tests", "The tests"),
    ("recorder", "The recorder of launches on other implementations"),
];

/// Who mends a failed test: key in the data and name.
pub(crate) const MENDERS: [(&str, &str); 3] =
    [("suite", "the tests"), ("compiler", "Intel's compiler"), ("visakit", "visakit")];

/// Formats a note below a table: name of the row, origin of the record, and text.
fn note(name: &str, date: &toml::value::Datetime, commit: &str, counts: &str, text: Option<&String>) -> String {
    let text = text.map_or(String::new(), |text| text.trim().to_owned());
    let gap = if text.starts_with('-') || text.contains("\n- ") { "\n\n" } else { " " };
    format!("**{name}** ({date}, `{commit}`{counts}).{gap}{text}\n\n").replace(". \n", ".\n")
}

fn counts(run: &Run) -> String {
    let Some((passed, failed)) = run.passed.zip(run.failed) else { return String::new() };
    let skipped = run.skipped.map_or(String::new(), |n| format!(", {n} skipped"));
    format!("; {passed} passed, {failed} failed{skipped}")
}

pub(crate) fn runs(all: &Validation) -> String {
    let mut out = String::new();
    for (key, heading) in GROUPS {
        out += &format!("## {heading}\n\n| Program | Version | Devices | Result | pocl 3.1 |\n");
        out += "| --- | --- | --- | --- | --- |\n";
        let group: Vec<&Run> = all.run.iter().filter(|run| run.group == key).collect();
        for run in &group {
            let pocl = run.pocl.as_deref().unwrap_or("not compared");
            let devices = run.devices.join(", ");
            out += &format!("| {} | {} | {devices} | {} | {pocl} |\n", run.program, run.version, run.result);
        }
        out += &format!("\n### {heading}: notes\n\n");
        for run in group {
            out += &note(&run.program, &run.date, &run.commit, &counts(run), run.note.as_ref());
        }
    }
    out
}

/// Returns the results of official tests: a column for each device and compiler.
pub(crate) fn suites(all: &Validation, of: Official) -> String {
    let own: Vec<&Suite> = all.suite.iter().filter(|suite| suite.of == of).collect();
    let columns = |text: fn(&Suite) -> String| own.iter().map(|suite| text(suite)).collect::<Vec<_>>().join(" | ");
    let mut out = format!("| Tests | {} |\n", columns(|suite| format!("{}, {}", suite.device, suite.compiler)));
    out += &format!("| --- | {} |\n", columns(|_| "---".to_owned()));
    for program in distinct(own.iter().flat_map(|suite| &suite.rows).map(|row| row.0.as_str())) {
        let cell = |suite: &Suite| {
            let row = suite.rows.iter().find(|row| row.0 == program);
            row.map_or("—".to_owned(), |row| format!("{} / {} / {} / {}", row.1, row.2, row.3, row.4))
        };
        let cells: Vec<_> = own.iter().map(|suite| cell(suite)).collect();
        out += &format!("| {program} | {} |\n", cells.join(" | "));
    }
    out += &format!("| Date | {} |\n", columns(|suite| suite.date.to_string()));
    out += &format!("| Commit | {} |\n", columns(|suite| format!("`{}`", suite.commit)));
    out += &format!("| Seconds for a test | {} |\n", columns(|suite| suite.limit.to_string()));
    for (key, name) in MENDERS {
        let causes: Vec<_> = all.cause.iter().filter(|cause| cause.of == of && cause.by == key).collect();
        if !causes.is_empty() {
            out += &format!("\nFailures to be mended in {name}:\n\n");
        }
        for cause in causes {
            let tests = cause.tests.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", ");
            out += &format!("- {}, {tests} ({}): {}\n", cause.program, cause.on.join(", "), cause.reason.trim());
            if let Some(kernel) = &cause.kernel {
                let lines = kernel.trim().lines().map(|line| format!("  {line}\n")).collect::<String>();
                out += &format!("\n  ```c\n{lines}  ```\n\n");
            }
        }
    }
    out
}

/// Returns the features that programs name, with the devices that have them.
pub(crate) fn demand(all: &Validation) -> String {
    let row = |demand: &Demand| format!("| {} | {} | {} |\n", demand.feature, demand.programs, demand.answer);
    let rows: String = all.demand.iter().map(row).collect();
    format!("| Feature | Programs | Offered |\n| --- | --- | --- |\n{rows}")
}

/// Returns the distinct values of a column in order of first occurrence.
fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

pub(crate) fn claims(all: &Validation) -> String {
    let mut out = String::new();
    for topic in distinct(all.claim.iter().map(|claim| claim.topic.as_str())) {
        out += &format!("## {topic}\n\n| Claim | Checked against | When |\n| --- | --- | --- |\n");
        let rows: Vec<_> = all.claim.iter().filter(|claim| claim.topic == topic).collect();
        for claim in &rows {
            out += &format!("| {} | {} | {} |\n", claim.claim, claim.against, claim.checked);
        }
        out += &format!("\n### {topic}: notes\n\n");
        for claim in rows {
            let place =
                format!("; {}", claim.r#where.split(", ").map(|p| format!("`{p}`")).collect::<Vec<_>>().join(", "));
            out += &note(&claim.claim, &claim.date, &claim.commit, &place, claim.note.as_ref());
        }
    }
    out
}

pub(crate) fn measures(all: &Validation) -> String {
    let mut out = String::new();
    for topic in distinct(all.measure.iter().map(|measure| measure.topic.as_str())) {
        out += &format!("## {topic}\n\n| What | Result | How |\n| --- | --- | --- |\n");
        let rows: Vec<_> = all.measure.iter().filter(|measure| measure.topic == topic).collect();
        for measure in &rows {
            out += &format!("| {} | {} | {} |\n", measure.subject, measure.value, measure.method);
        }
        out.push('\n');
        for measure in rows {
            out += &note(&measure.subject, &measure.date, &measure.commit, "", measure.note.as_ref());
        }
    }
    out
}

/// Returns the table of build costs, for contributors.
pub(crate) fn building(all: &Validation) -> String {
    let rows = all.measure.iter().filter(|measure| measure.topic == "Building and testing");
    let rows = rows.map(|row| format!("| {} | {} | {} |\n", row.subject, row.value, row.method));
    format!("| What | Cost | How |\n| --- | --- | --- |\n{}", rows.collect::<String>())
}

pub(crate) fn changes(all: &Validation) -> String {
    let mut out = String::from("| Change | Effect | Commit |\n| --- | --- | --- |\n");
    for change in &all.change {
        out += &format!("| {} | {} | `{}`, {} |\n", change.change, change.effect, change.commit, change.date);
    }
    out.push('\n');
    for change in all.change.iter().filter(|change| change.note.is_some()) {
        out += &note(&change.change, &change.date, &change.commit, "", change.note.as_ref());
    }
    out
}

pub(crate) fn environment(all: &Environment) -> String {
    let mut out = String::new();
    for (key, heading) in READERS {
        if !all.variable.iter().any(|variable| variable.reader == key) {
            continue;
        }
        out += &format!("## {heading}\n\n| Variable | Value | Meaning |\n| --- | --- | --- |\n");
        for variable in all.variable.iter().filter(|variable| variable.reader == key) {
            out += &format!("| `{}` | {} | {} |\n", variable.name, variable.value, variable.meaning);
        }
        out.push('\n');
    }
    assert!(all.variable.iter().all(|variable| READERS.iter().any(|(key, _)| *key == variable.reader)));
    out
}
