//! Rules: their pages, and those that mention an instruction.

use minijinja::Error;
use serde_json::{Value, json};
use visakit_codegen::model::{self, Selected, Selection};
use visakit_spec_tools::export::{Bound, Constraint};

use super::Site;
use super::table::{Content, Table, code};
use crate::prose::{escape, link};
use crate::{File, address, marks, notation};

/// Adds the rules that cover an instruction: those that name it or a group, those for many
/// instructions, the checks of every instruction, and the accepted violations.
pub(super) fn of(site: &Site<'_>, read: &model::Instruction, root: &str, values: &mut Value) {
    let model = site.names.model;
    let (mut named, mut general, mut accepted) = (Vec::new(), Vec::new(), Vec::new());
    for (row, shown) in model.constraints.iter().zip(&site.names.all.constraints) {
        if !model.covers(&row.instructions, read) {
            continue;
        }
        let one = json!({
            "name": row.name,
            "address": address::rule(&row.name),
            "finding": finding(site, &row.finding, root),
            "doc": row.doc,
            "when": marks::said(&shown.platforms),
            "on": on(site, &shown.platforms),
        });
        if is_general(&row.instructions) { general.push(one) } else { named.push(one) }
    }
    for (row, shown) in model.accepted.iter().zip(&site.names.all.accepted) {
        if model.covers(&row.instructions, read) && !is_general(&row.instructions) {
            let on = on(site, &shown.platforms);
            accepted
                .push(json!({ "name": row.name, "address": address::accepted(&row.name), "doc": row.doc, "on": on }));
        }
    }
    for one in &site.names.all.checks {
        let (address, finding) = (address::check(&one.name), finding(site, &one.finding, root));
        general.push(json!({ "name": one.name, "address": address, "finding": finding, "doc": one.doc, "on": "" }));
    }
    values["rules"] = json!(named);
    values["general"] = json!(general);
    values["accepted"] = json!(accepted);
}

fn on(site: &Site<'_>, platforms: &[Vec<Bound>]) -> String {
    if platforms.is_empty() { String::new() } else { site.platforms().filter(platforms) }
}

/// Returns true if a selection names neither a group nor an instruction.
fn is_general(selection: &Selection) -> bool {
    let is_all = |to: Option<Selected>| matches!(to, Some(Selected::All | Selected::Typed | Selected::Mapped));
    selection.0.iter().filter(|term| !term.excluded).all(|term| is_all(term.name.to))
}

/// Returns the code of a finding as HTML, with a link if its page exists.
pub(super) fn finding(site: &Site<'_>, finding: &str, root: &str) -> String {
    match site.names.code(finding) {
        Some(address) => link(root, &address, finding),
        None => code(finding),
    }
}

/// Returns names of instructions and groups as HTML.
fn covered(site: &Site<'_>, names: &[String], root: &str) -> String {
    let one = |written: &String| {
        let (sign, name) = written.strip_prefix('-').map_or(("", written.as_str()), |name| ("without ", name));
        let all = &site.names.all;
        let to = match () {
            () if all.groups.iter().any(|group| group.name == *name) => Some(address::group(name)),
            () if all.instructions.iter().any(|one| one.name == *name) => Some(address::instruction(name)),
            () => None,
        };
        format!("{sign}{}", to.map_or_else(|| escape(name), |to| link(root, &to, name)))
    };
    names.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Returns the pages of rules.
pub(super) fn pages(site: &Site<'_>) -> Result<Vec<File>, Error> {
    let all = &site.names.all;
    let root = "";
    let mut rules = Table::new("Conditions", &["Rule", "Finding", "Instructions", "If", "Must hold", "Message"]);
    for (row, shown) in site.names.model.constraints.iter().zip(&all.constraints) {
        rules.row(&address::slug(&row.name), &on(site, &shown.platforms), rule(site, row, shown, root));
    }
    let mut accepted = Table::new("Accepted violations", &["Name", "Check", "Instructions", "If", "As", "Meaning"]);
    for (row, shown) in site.names.model.accepted.iter().zip(&all.accepted) {
        let when = row.when.as_ref().map_or(String::new(), |when| notation::condition(&site.names, when.at, root));
        let when = [platforms(&shown.platforms), escape(&shown.each.join(", ")), coded(&when)];
        let cells = vec![
            escape(&row.name),
            link(root, &address::check(&shown.check), &shown.check),
            covered(site, &shown.instructions, root),
            joined(&when),
            escape(&shown.verdict),
            escape(&row.doc),
        ];
        accepted.row(&address::slug(&row.name), &on(site, &shown.platforms), cells);
    }
    let mut checks = Table::new("Checks", &["Check", "Finding", "Condition"]);
    for one in &all.checks {
        let cells = vec![escape(&one.name), finding(site, &one.finding, root), escape(&one.doc)];
        checks.row(&address::slug(&one.name), "", cells);
    }
    let mut groups = Table::new("Groups of instructions", &["Group", "Instructions", "Meaning"]);
    for one in &all.groups {
        let cells = vec![escape(&one.name), covered(site, &one.instructions, root), escape(&one.doc)];
        groups.row(&address::slug(&one.name), "", cells);
    }
    let mut definitions = Table::new("Definitions", &["Name", "Value", "Meaning"]);
    for (row, one) in site.names.model.definitions.iter().zip(&all.definitions) {
        let value = coded(&notation::condition(&site.names, row.value.at, root));
        definitions.row(&address::slug(&one.name), "", vec![escape(&one.name), value, escape(&one.doc)]);
    }
    let lead = "Conditions of the vendor's assembler, which the verifier checks";
    let others = "<p>See also <a href=\"checks.html\">checks</a>, <a href=\"accepted.html\">accepted violations</a>, \
        <a href=\"groups.html\">groups of instructions</a>, <a href=\"definitions.html\">definitions</a> and \
        <a href=\"rule-builtins.html\">built-ins of the rules</a>.</p>";
    let page = |path: &str, title, lead, table, body: &str| {
        let body = body.to_owned();
        let content =
            Content { crumb: Some(("Rules", "rules.html")), tables: vec![table], body, ..Content::default() };
        site.tables(path.to_owned(), title, lead, content)
    };
    Ok(vec![
        page("rules.html", "Rules", lead, rules, others)?,
        page("accepted.html", "Accepted violations", "Violations that the vendor's assembler accepts", accepted, "")?,
        page("checks.html", "Checks", "Checks of an instruction against its page", checks, "")?,
        page("groups.html", "Groups of instructions", "Groups that rules name", groups, "")?,
        page("definitions.html", "Definitions", "Expressions that rules share", definitions, "")?,
    ])
}

/// Returns the cells of a condition.
fn rule(site: &Site<'_>, row: &model::Constraint, shown: &Constraint, root: &str) -> Vec<String> {
    let when = row.when.as_ref().map_or(String::new(), |when| notation::condition(&site.names, when.at, root));
    let each = if shown.each.is_empty() { String::new() } else { format!("each {}", escape(&shown.each.join(", "))) };
    vec![
        escape(&row.name),
        finding(site, &row.finding, root) + if row.warning { " (warning)" } else { "" },
        covered(site, &shown.instructions, root),
        joined(&[platforms(&shown.platforms), each, coded(&when)]),
        coded(&notation::condition(&site.names, row.must.at, root)),
        escape(&row.doc),
    ]
}

fn platforms(platforms: &[Vec<Bound>]) -> String {
    if platforms.is_empty() { String::new() } else { escape(&marks::said(platforms)) }
}

fn coded(html: &str) -> String {
    if html.is_empty() { String::new() } else { format!("<code>{html}</code>") }
}

/// Joins the parts that are not empty by line breaks.
fn joined(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("<br>")
}
