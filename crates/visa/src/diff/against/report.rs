//! Report of the differences between the pages and an assembler, grouped by fact.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use visakit::isa::Platform;
use visakit_codegen::model::Model;
use visakit_conform::against::Asked;
use visakit_diag::{Diagnostic, Severity};

use super::super::at_whole_line;
use super::tool::{Answer, Tool};
use crate::io::layout;
use crate::outcome::count;
use crate::summary::escape;

/// Difference about one statement.
#[derive(Clone, Debug)]
pub(super) struct Difference<'a> {
    pub(super) kind: &'static str,
    pub(super) asked: &'a Asked,
    /// Verdict or statement of the pages.
    pub(super) expected: String,
    /// Answer of the assembler.
    pub(super) got: String,
}

/// Differences that one line of the pages explains.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Group {
    kind: &'static str,
    file: String,
    line: u32,
    /// Number of statements.
    statements: usize,
    /// Paths of the first facts.
    paths: Vec<String>,
    /// Smallest statement that shows the difference.
    statement: String,
    expected: String,
    got: String,
}

/// Accepted differences with one reason.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Settled {
    reason: String,
    statements: usize,
}

/// JSON report.
#[derive(Serialize)]
pub(super) struct Json<'a> {
    asked: usize,
    groups: &'a [Group],
    accepted: &'a [Settled],
}

impl<'a> Json<'a> {
    pub(super) fn new(asked: usize, groups: &'a [Group], accepted: &'a [Settled]) -> Self {
        Self { asked, groups, accepted }
    }
}

/// Returns the differences between the pages and an answer.
pub(super) fn differences<'a>(asked: &'a Asked, answer: &Answer) -> Vec<Difference<'a>> {
    let one = |kind, expected: String, got: String| vec![Difference { kind, asked, expected, got }];
    match (asked.refused, answer.accepted) {
        (None, false) => return one("against-refused", "accepted".to_owned(), answer.message.clone()),
        (Some(rule), true) => {
            return one("against-accepted", format!("an error by rule `{rule}`"), "accepted".into());
        }
        (Some(_), false) => return Vec::new(),
        (None, true) => {}
    }
    let mut out = Vec::new();
    // Labels get other names when the assembler prints them.
    if !answer.printed.is_empty() && asked.labels.is_empty() && !is_printed(asked, answer) {
        out.extend(one("against-printed", asked.printed.clone(), answer.printed.clone()));
    }
    let own = hex(&asked.bytes);
    if !answer.bytes.is_empty() && answer.bytes.replace(' ', "") != own {
        out.extend(one("against-bytes", own, answer.bytes.clone()));
    }
    out
}

/// Returns the difference between two answers of assemblers.
pub(super) fn changed<'a>(asked: &'a Asked, old: &Answer, new: &Answer) -> Option<Difference<'a>> {
    let say = |answer: &Answer| match answer.accepted {
        true if answer.printed.is_empty() => "accepted".to_owned(),
        true => words(&answer.printed),
        false => format!("refused: {}", answer.message),
    };
    let is_same = old.accepted == new.accepted
        && (words(&old.printed) == words(&new.printed) || !asked.labels.is_empty())
        && old.bytes == new.bytes;
    (!is_same).then(|| Difference { kind: "against-changed", asked, expected: say(old), got: say(new) })
}

/// Returns true if the assembler prints a statement as the pages do.
pub(super) fn is_printed(asked: &Asked, answer: &Answer) -> bool {
    answer.accepted && words(&answer.printed) == words(&asked.printed)
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Maximum number of paths that a group lists.
const PATHS: usize = 6;

impl Group {
    /// Groups differences by the line of the page, the kind and the assembler's words.
    pub(super) fn all(found: Vec<Difference<'_>>) -> Vec<Self> {
        let mut groups: BTreeMap<(String, u32, &'static str, String), Vec<Difference<'_>>> = BTreeMap::new();
        for one in found {
            let is_text = one.kind == "against-printed" || one.kind == "against-bytes";
            // The reason of a refusal may contain numbers and names of the statement.
            let said = if is_text { String::new() } else { reason(&one) };
            groups.entry((one.asked.file.clone(), one.asked.line, one.kind, said)).or_default().push(one);
        }
        let mut out: Vec<Self> = groups.into_values().filter_map(|all| Self::of(&all)).collect();
        out.sort_by(|a, b| (a.kind, b.statements, &a.file, a.line).cmp(&(b.kind, a.statements, &b.file, b.line)));
        out
    }

    fn of(all: &[Difference<'_>]) -> Option<Self> {
        let smallest = all.iter().min_by_key(|one| (one.asked.statement.len(), &one.asked.statement))?;
        let mut paths: Vec<String> = Vec::new();
        for one in all {
            if paths.len() < PATHS && !paths.contains(&one.asked.path) {
                paths.push(one.asked.path.clone());
            }
        }
        Some(Self {
            kind: smallest.kind,
            file: smallest.asked.file.clone(),
            line: smallest.asked.line,
            statements: all.len(),
            paths,
            statement: smallest.asked.statement.clone(),
            expected: smallest.expected.clone(),
            got: smallest.got.clone(),
        })
    }

    /// Returns the group as a finding at the line of its page.
    pub(super) fn finding(&self, model: &Model) -> Diagnostic {
        let message = format!(
            "{}: `{}`: the pages have {}, the assembler {}",
            self.paths.first().map_or("", String::as_str),
            self.statement,
            self.expected,
            self.got
        );
        let finding = Diagnostic::new(self.kind, Severity::Error, self.file.as_str(), message);
        at_whole_line(finding, self.line, &model.pages)
            .help("correct the page with its source, or accept the difference with a reason (`--accept`)")
    }
}

/// Returns the words that differ between groups: the rule of the pages, or the assembler's message
/// without numbers.
fn reason(one: &Difference<'_>) -> String {
    let text = if one.kind == "against-accepted" { &one.expected } else { &one.got };
    text.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect::<Vec<_>>().join(" ")
}

impl Settled {
    /// Counts accepted differences by their reasons.
    pub(super) fn all(found: &[(Option<String>, Difference<'_>)]) -> Vec<Self> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (reason, _) in found {
            *counts.entry(reason.as_deref().unwrap_or("")).or_default() += 1;
        }
        counts.into_iter().map(|(reason, statements)| Self { reason: reason.to_owned(), statements }).collect()
    }
}

/// Returns the title of a report.
pub(super) fn title(tools: &[Tool], platform: Platform, asked: usize) -> String {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    format!("{} on {}: {} asked", names.join(" and "), platform.name(), count(asked, "statement"))
}

/// Maximum number of groups of one kind in a report without details.
const SHOWN: usize = 12;

pub(super) fn human(title: &str, groups: &[Group], settled: &[Settled], details: bool) -> String {
    let width = layout().width;
    let differing: usize = groups.iter().map(|group| group.statements).sum();
    let mut s = format!("{title}, {differing} differ in {}\n", count(groups.len(), "group"));
    let mut rest = groups;
    while let Some(first) = rest.first() {
        let size = rest.iter().take_while(|group| group.kind == first.kind).count();
        let (own, others) = rest.split_at(size);
        rest = others;
        let _ = writeln!(s, "\n{}: {}", first.kind, count(own.len(), "group"));
        let shown = if details { own.len() } else { SHOWN };
        for group in own.iter().take(shown) {
            let paths = group.paths.join(", ");
            for line in [
                format!("{:>6}  {}:{} {paths}", group.statements, group.file, group.line),
                format!("        {}", group.statement),
                format!("        pages: {}", group.expected),
                format!("        assembler: {}", group.got),
            ] {
                let cut: String = line.chars().take(width).collect();
                let _ = writeln!(s, "{cut}");
            }
        }
        if let Some(more) = own.len().checked_sub(shown).filter(|more| *more > 0) {
            let _ = writeln!(s, "        and {more} more; --details shows all");
        }
    }
    if !settled.is_empty() {
        s.push_str("\naccepted\n");
    }
    for one in settled {
        let _ = writeln!(s, "{:>6}  {}", one.statements, one.reason);
    }
    s
}

pub(super) fn markdown(title: &str, groups: &[Group], settled: &[Settled]) -> String {
    let mut s = format!("# {title}\n");
    if groups.is_empty() {
        s.push_str("\nNo difference without a reason.\n");
    } else {
        s.push_str("\n| Kind | Where | Statements | Smallest | Pages | Assembler |\n");
        s.push_str("| --- | --- | --- | --- | --- | --- |\n");
    }
    for group in groups {
        let place = format!("{}:{}", group.file, group.line);
        let cells = [&place, &group.statements.to_string(), &group.statement, &group.expected, &group.got];
        let cells: Vec<String> = cells.into_iter().map(|cell| escape(cell)).collect();
        let _ = writeln!(s, "| {} | {} |", group.kind, cells.join(" | "));
    }
    if !settled.is_empty() {
        s.push_str("\n## Accepted\n\n| Statements | Reason |\n| --- | --- |\n");
    }
    for one in settled {
        let _ = writeln!(s, "| {} | {} |", one.statements, escape(&one.reason));
    }
    s
}
