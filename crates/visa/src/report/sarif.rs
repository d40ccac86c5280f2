//! Findings as SARIF 2.1.0, which code review services show at their lines.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde_json::Value;
use visakit_diag::{Diagnostic, Severity};

use crate::codes;
use crate::report::place::Place;
use crate::report::{print_json, printed};

/// True once the process has printed its log; a process prints one log.
static IS_PRINTED: AtomicBool = AtomicBool::new(false);

/// Details of a finding besides its text and place.
pub(crate) struct Detail {
    /// Members of the finding's entry in the output of `--format json`.
    pub(crate) properties: Value,
    /// Number of notes after the finding that form its path: places that lead to the finding, in
    /// order.
    pub(crate) way: usize,
}

/// Interpretation of notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notes {
    /// A note with the code of the finding before it is a further place of that finding.
    Belong,
    /// Each note is a separate finding.
    Stand,
}

/// Returns true after a call of [`print()`].
pub(crate) fn is_printed() -> bool {
    IS_PRINTED.load(Ordering::Relaxed)
}

/// Prints findings as a log with one run. A note that belongs to the finding before it becomes a
/// related location of that finding. Keys of `details` are indices into `findings`.
pub(crate) fn print(findings: &[Diagnostic], notes: Notes, mut details: BTreeMap<usize, Detail>) {
    IS_PRINTED.store(true, Ordering::Relaxed);
    let findings = printed(findings);
    // Truncation reorders the findings, so the indices are no longer valid.
    if let Cow::Owned(_) = findings {
        details.clear();
    }
    let findings = &*findings;
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut rules: Vec<Rule> = Vec::new();
    let mut results: Vec<Result<'_>> = Vec::new();
    for (at, finding) in findings.iter().enumerate() {
        let last =
            results.last_mut().filter(|last| finding.severity == Severity::Note && last.rule_id == finding.code);
        let last = last.filter(|_| notes == Notes::Belong);
        if let Some(last) = last {
            last.related_locations.extend(Location::said(finding));
            continue;
        }
        let rule_index = rules.iter().position(|rule| rule.id == finding.code).unwrap_or_else(|| {
            rules.push(Rule { id: finding.code, help_uri: codes::address(finding.code) });
            rules.len() - 1
        });
        let help = if finding.help.is_empty() { String::new() } else { format!(". {}", finding.help) };
        let named = Place::of(finding);
        let place = format!("{} {}: {}", finding.code, uri(&named.file), finding.quote.trim());
        let nth = seen.entry(place.clone()).and_modify(|nth| *nth += 1).or_insert(1);
        let detail = details.remove(&at);
        let way = detail.as_ref().map_or(0, |detail| detail.way);
        let code_flows = match findings.get(at + 1..at + 1 + way) {
            Some(before @ [_, ..]) => {
                let places = before.iter().chain([finding]).filter_map(Location::said);
                let places = places.map(|location| Step { location });
                vec![CodeFlow { thread_flows: [ThreadFlow { locations: places.collect() }] }]
            }
            _ => Vec::new(),
        };
        results.push(Result {
            rule_id: finding.code,
            rule_index,
            level: match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            message: Text { text: format!("{}{}{help}", named.before, finding.message) },
            locations: Location::of(finding).into_iter().collect(),
            related_locations: Vec::new(),
            code_flows,
            partial_fingerprints: Fingerprints { text: format!("{place}#{nth}") },
            properties: detail.map(|detail| detail.properties),
        });
    }
    let driver = Driver {
        name: env!("CARGO_BIN_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules,
    };
    print_json(&Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results }],
    });
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<Result<'a>>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    information_uri: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Result<'a> {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow<'a>>,
    partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow<'a> {
    thread_flows: [ThreadFlow<'a>; 1],
}

#[derive(Serialize)]
struct ThreadFlow<'a> {
    locations: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    location: Location<'a>,
}

/// Identity of a finding across versions of the file: its code, the text of its line, and an
/// ordinal among equal findings.
#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "ruleAndLine/v1")]
    text: String,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    physical_location: PhysicalLocation<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation<'a> {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region<'a>>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

/// Position in a text, or in bytes for a binary file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase", untagged)]
enum Region<'a> {
    #[serde(rename_all = "camelCase")]
    Text { start_line: u32, start_column: u32, snippet: Snippet<'a> },
    #[serde(rename_all = "camelCase")]
    Bytes { byte_offset: u64 },
}

#[derive(Serialize)]
struct Snippet<'a> {
    text: &'a str,
}

impl<'a> Location<'a> {
    /// Returns the location of a finding with its message.
    fn said(finding: &'a Diagnostic) -> Option<Self> {
        let before = Place::of(finding).before;
        let message = Some(Text { text: before + &finding.message });
        Some(Self { message, ..Self::of(finding)? })
    }

    /// Returns the location of a finding; `None` for a finding about an option.
    fn of(finding: &'a Diagnostic) -> Option<Self> {
        let place = Place::of(finding);
        if place.file.is_empty() {
            return None;
        }
        let region = match finding.offset {
            _ if place.line > 0 => Some(Region::Text {
                start_line: place.line,
                start_column: finding.column.max(1),
                snippet: Snippet { text: &finding.quote },
            }),
            Some(byte_offset) if !place.is_inside => Some(Region::Bytes { byte_offset }),
            _ => None,
        };
        let artifact_location = ArtifactLocation { uri: uri(&place.file) };
        Some(Self { physical_location: PhysicalLocation { artifact_location, region }, message: None })
    }
}

/// Returns a path as a URI reference; relative paths stay relative.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match plain(byte) {
            true => out.push(byte.into()),
            false => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("a b/k.cl"), "a%20b/k.cl");
        assert_eq!(uri("/tmp/k.cl"), "file:///tmp/k.cl");
        assert_eq!(uri("ä:1"), "%C3%A4%3A1");
    }
}
