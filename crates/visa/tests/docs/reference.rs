//! Reference tables generated from the program: commands, launch files, limits, platforms.

use visakit_testing::{root, scratch};

use super::common::run;

/// Returns the help of a command such as `["spec", "lint"]`.
pub(super) fn help(words: &[&str]) -> String {
    let (exit, out, _) = run(&[words, &["--help"]].concat());
    assert_eq!(exit, 0, "{words:?}");
    // The global options are listed once per page.
    let Some(at) = out.find("Global options:").filter(|_| !words.is_empty()) else { return trimmed(&out) };
    let rest = out[at..].split("\n\n").skip(1).filter(|paragraph| !is_global_option(paragraph));
    trimmed(&format!("{}{}", &out[..at], rest.collect::<Vec<_>>().join("\n\n")))
}

fn is_global_option(paragraph: &str) -> bool {
    let text = paragraph.trim_start();
    ["--color", "-q, --quiet", "[default: auto]"].iter().any(|start| text.starts_with(start))
}

fn trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns the names below `Commands:` in a help text.
pub(super) fn commands_of(help: &str) -> Vec<String> {
    let list = help.split("Commands:\n").nth(1).unwrap_or_default().lines().take_while(|line| !line.is_empty());
    // The description of a command may continue on lines with a deeper indentation.
    let names = list.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    names.filter_map(first).filter(|name| name != "help").collect()
}

/// Returns a section with the help of each command.
pub(crate) fn commands() -> String {
    let top = help(&[]);
    let mut out = format!("## visa\n\n```text\n{top}\n```\n\n");
    for name in commands_of(&top) {
        let text = help(&[&name]);
        out += &format!("## visa {name}\n\n```text\n{text}\n```\n\n");
        for inner in commands_of(&text) {
            out += &format!("## visa {name} {inner}\n\n```text\n{}\n```\n\n", help(&[&name, &inner]));
        }
    }
    assert!(out.contains("## visa spec lint") && out.contains("## visa run"));
    out
}

/// Returns the keys of a launch file, from the program's message about an unknown key.
pub(crate) fn launch_keys() -> String {
    let file = scratch("docs-launch-keys").join("launch.toml");
    std::fs::write(&file, "no-such-key = 1\n").unwrap();
    let (exit, _, err) = run(&["run", "--launch", &file.display().to_string()]);
    assert_eq!(exit, 1);
    let known = err.lines().next().unwrap_or_default().split("expected one of ").nth(1).expect("a list of keys");
    let mut out = String::from("| Key | Option of `visa run` |\n| --- | --- |\n");
    for key in known.split(", ") {
        let name = key.trim_matches('`');
        let option = if name == "program" { "the program itself".to_owned() } else { format!("`--{name}`") };
        out += &format!("| `{name}` | {option} |\n");
    }
    out
}

/// Returns a table for each crate with a `limits.rs`.
pub(crate) fn limits() -> String {
    let mut out = String::new();
    for (folder, heading) in [
        ("codegen", "Pages"),
        (".", "Texts, objects and routines"),
        ("crates/zebin", "Containers"),
        ("crates/machine", "Memory"),
        ("crates/launch", "Launches"),
        ("crates/kernels", "Lowered routines"),
        ("crates/run", "Running groups"),
        ("crates/visa", "Files and output"),
    ] {
        let text = std::fs::read_to_string(root().join(folder).join("src/limits.rs")).unwrap();
        out += &format!("## {heading}\n\n| Limit | Value | What it bounds |\n| --- | --- | --- |\n");
        let (mut doc, mut last) = (String::new(), String::new());
        let mut statement = String::new();
        for line in text.lines().map(str::trim) {
            if let Some(words) = line.strip_prefix("///") {
                doc = format!("{doc} {}", words.trim()).trim().to_owned();
            } else if line.is_empty() || line.starts_with("//") || line.starts_with('#') {
                continue;
            } else {
                statement = format!("{statement} {line}").trim().to_owned();
                if line.ends_with(';') {
                    // A comment may apply to two limits.
                    last = if doc.is_empty() { last } else { std::mem::take(&mut doc) };
                    out += &limit(&statement, &last, folder);
                    statement.clear();
                }
            }
        }
        out.push('\n');
    }
    out
}

/// Formats the row of one limit: `pub const NAME: TYPE = VALUE;`, or `pub use PATH::NAME as
/// OTHER;`.
fn limit(statement: &str, doc: &str, folder: &str) -> String {
    let declared = statement.strip_suffix(';').unwrap_or(statement).trim_start_matches("pub(crate) ");
    let declared = declared.trim_start_matches("pub ");
    if let Some(path) = declared.strip_prefix("use ") {
        if path.starts_with("visakit") {
            // The limit is in the table of the other crate.
            return String::new();
        }
        let (path, name) = path.split_once(" as ").unwrap_or((path, path.rsplit("::").next().unwrap_or(path)));
        let origin = path.rsplit("::").next().unwrap_or(path);
        let (doc, value) = constant(folder, origin);
        return row(name, &value, &doc);
    }
    let Some((name, value)) = declared.strip_prefix("const ").and_then(|text| text.split_once(" = ")) else {
        return String::new();
    };
    row(name.split(':').next().unwrap_or(name), value, doc)
}

/// Returns the comment and the value of a constant, wherever it is defined.
fn constant(folder: &str, name: &str) -> (String, String) {
    for top in [folder, "."] {
        for path in sources(&root().join(top).join("src")) {
            let text = std::fs::read_to_string(&path).unwrap();
            let Some(at) = text.find(&format!("const {name}:")) else { continue };
            let value = text[at..].split(" = ").nth(1).and_then(|rest| rest.split(';').next()).unwrap_or_default();
            let doc = text[..at].lines().rev().skip(1).map_while(|line| line.trim().strip_prefix("///"));
            let mut doc: Vec<_> = doc.map(str::trim).collect();
            doc.reverse();
            return (doc.join(" "), value.to_owned());
        }
    }
    panic!("no crate defines {name}");
}

fn sources(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn row(name: &str, value: &str, doc: &str) -> String {
    let doc = doc.split(". ").next().unwrap_or_default().trim_end_matches('.').replace(['[', ']'], "");
    format!("| `{}` | {} | {doc} |\n", name.trim(), shown(value, doc.starts_with("Bytes")))
}

/// Formats a value: `64 << 20` bytes become 64 MiB, and digits are grouped.
fn shown(value: &str, is_bytes: bool) -> String {
    let number = |text: &str| text.trim().replace('_', "").parse::<u64>().ok();
    let computed = match value.split_once("<<") {
        Some((left, right)) => number(left).zip(number(right)).map(|(left, right)| left << right),
        None => number(value),
    };
    let Some(computed) = computed else { return format!("`{value}`") };
    for (unit, bits) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if is_bytes && computed >= 1 << bits && computed % (1 << bits) == 0 {
            return format!("{} {unit}", computed >> bits);
        }
    }
    let digits = computed.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns the platforms with their other names: the first table of `spec/platforms.md`.
pub(crate) fn platforms() -> String {
    let page = std::fs::read_to_string(root().join("spec/platforms.md")).unwrap();
    let mut out = String::from("| Platform | Emulated | Other names |\n| --- | --- | --- |\n");
    let table = page.lines().skip_while(|line| !line.starts_with("| Platform | Aliases |"));
    for line in table.skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let others = if cells[1] == "-" { "none" } else { cells[1] };
        let platform = visakit::isa::Platform::from_name(cells[0]).expect("the page has platforms");
        let emulated = if platform.emulated() { "yes" } else { "no" };
        out += &format!("| `{}` | {emulated} | {others} |\n", platform.name());
    }
    assert_eq!(out.lines().count(), visakit::isa::Platform::ALL.len() + 2);
    out
}

#[test]
fn values_are_shown_with_units() {
    assert_eq!(shown("64 << 20", true), "64 MiB");
    assert_eq!(shown("1 << 27", false), "134,217,728");
    assert_eq!(shown("65_535", false), "65,535");
    assert_eq!(shown("[1, 8]", false), "`[1, 8]`");
}
