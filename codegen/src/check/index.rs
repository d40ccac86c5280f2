//! Checks that the index of instructions, the table of instructions by platform and the pages
//! agree.

use std::collections::BTreeMap;

use super::availability;
use crate::model::{Availability, Bound, Instruction, Model, Reference, SourceSpan};
use visakit_diag::{Diagnostic, Severity};

pub(super) fn check(model: &Model, out: &mut Vec<Diagnostic>) {
    let pages = pages(model);
    if !model.index.is_empty() {
        without_line(model, &pages, out);
        lines(model, &pages, out);
    }
    if !model.support.is_empty() {
        rows(model, &pages, out);
    }
}

/// Returns the instructions by the file name of their page.
fn pages(model: &Model) -> BTreeMap<&str, &Instruction> {
    let mut out = BTreeMap::new();
    for instruction in &model.instructions {
        if let Some(page) = model.pages.get(instruction.at.page as usize) {
            out.insert(page.stem(), instruction);
        }
    }
    out
}

/// Returns true if an overlay added the page. The documents' index and tables do not list such a
/// page.
fn is_supplied(model: &Model, instruction: &Instruction) -> bool {
    model.pages.get(instruction.at.page as usize).is_some_and(|p| p.supplied)
}

fn without_line(model: &Model, pages: &BTreeMap<&str, &Instruction>, out: &mut Vec<Diagnostic>) {
    for (page, instruction) in pages {
        if !is_supplied(model, instruction) && !model.index.iter().any(|line| line.page == *page) {
            model.report(
                Severity::Warning,
                "index-missing",
                instruction.at,
                format!("{} has no line in the index", instruction.name),
                format!("add `- [{} - …](instructions/{page}.md)` to 6_instructions.md", instruction.name),
                out,
            );
        }
    }
}

fn lines(model: &Model, pages: &BTreeMap<&str, &Instruction>, out: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<&str, SourceSpan> = BTreeMap::new();
    for line in &model.index {
        let mut warn = |code, message: String, help: &str| {
            model.report(Severity::Warning, code, line.at, message, help, out);
        };
        if let Some(earlier) = seen.insert(&line.page, line.at) {
            let (page, number) = model.origin(earlier);
            let message = format!("{} already has a line in the index, {page}:{number}", line.page);
            warn("index-duplicate", message, "keep one");
            continue;
        }
        let exists =
            model.pages.iter().any(|p| !p.supplied && p.path.starts_with("instructions/") && p.stem() == line.page);
        if !exists {
            let message = format!("the index names {}, which has no page", line.page);
            warn("index-dead", message, "add the page or remove the line");
            continue;
        }
        if line.name != line.page {
            let message = format!("the line of {} links to the page of {}", line.name, line.page);
            warn("index-name", message, "link to the page of the instruction that the line names");
        }
        for marks in &line.platforms {
            availability::check(model, marks, line.at, out);
        }
        let Some(instruction) = pages.get(line.page.as_str()) else { continue };
        let differs = instruction.platforms != line.platforms
            && match model.platforms.as_slice() {
                [] => true,
                all => {
                    (0..all.len()).any(|p| holds(&[], &instruction.platforms, p) != holds(&[], &line.platforms, p))
                }
            };
        if differs {
            let (page, number) = model.origin(instruction.at);
            model.report(
                Severity::Warning,
                "platform-contradiction",
                line.at,
                format!(
                    "the index says {} of {}, but its page says {} ({page}:{number})",
                    said(&line.platforms),
                    line.page,
                    said(&instruction.platforms)
                ),
                "correct the index or the page, so that both name the same platforms",
                out,
            );
        }
    }
}

fn rows(model: &Model, pages: &BTreeMap<&str, &Instruction>, out: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<&str, SourceSpan> = BTreeMap::new();
    for row in &model.support {
        if let Some(earlier) = seen.insert(&row.name, row.at) {
            let (page, number) = model.origin(earlier);
            model.report(
                Severity::Warning,
                "support-duplicate",
                row.at,
                format!("{} already has a row, {page}:{number}", row.name),
                "keep one",
                out,
            );
            continue;
        }
        let Some(instruction) = pages.get(row.name.as_str()) else {
            model.report(
                Severity::Warning,
                "support-dead",
                row.at,
                format!("the table of platforms names {}, which has no page", row.name),
                "add the page or remove the row",
                out,
            );
            continue;
        };
        let columns: Vec<&str> = row.platforms.iter().map(|(p, _)| p.name.as_str()).collect();
        let wrong: Vec<&str> = row
            .platforms
            .iter()
            .filter(|(p, yes)| holds(&columns, &instruction.platforms, age(&columns, p)) != *yes)
            .map(|(p, _)| p.name.as_str())
            .collect();
        if !wrong.is_empty() {
            model.report(
                Severity::Warning,
                "platform-contradiction",
                row.at,
                format!(
                    "this row disagrees with the index and the page of {}, which say {}: {}",
                    row.name,
                    said(&instruction.platforms),
                    wrong.join(", ")
                ),
                "make the row, the index line and the page agree",
                out,
            );
        }
    }
    for (page, instruction) in pages {
        if !is_supplied(model, instruction) && !seen.contains_key(page) {
            model.report(
                Severity::Warning,
                "support-missing",
                instruction.at,
                format!("{page} has no row in the table of platforms"),
                "add a row with a Y for each platform that has the instruction",
                out,
            );
        }
    }
}

/// Returns the age of a platform, larger for a younger one. Known platforms have the order of their
/// table. Without a table, the columns of the table of instructions count, and a platform without a
/// column is the youngest.
fn age(columns: &[&str], platform: &Reference<usize>) -> usize {
    let column = || columns.iter().position(|c| c.eq_ignore_ascii_case(&platform.name));
    platform.to.or_else(column).unwrap_or(usize::MAX)
}

/// Returns true if any alternative of marks holds for a platform of this age.
fn holds(columns: &[&str], alternatives: &[Availability], at: usize) -> bool {
    alternatives.is_empty()
        || alternatives.iter().any(|marks| {
            marks.0.iter().all(|mark| match mark {
                Bound::From(p) => at >= age(columns, p),
                Bound::Before(p) => at < age(columns, p),
                Bound::Only(p) => at == age(columns, p),
                Bound::FromVersion(..) | Bound::BeforeVersion(..) => true,
            })
        })
}

/// Returns alternatives of marks in readable form.
fn said(alternatives: &[Availability]) -> String {
    match alternatives {
        [] => "all platforms".to_owned(),
        some => some.iter().map(|m| m.to_string()).collect::<Vec<_>>().join(", "),
    }
}
