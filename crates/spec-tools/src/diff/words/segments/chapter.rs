//! Segments of the chapters.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Builder, Owner, behind_head, is_list, list_table, nested, nested_item, start, words};
use crate::diff::matching::norm;
use crate::diff::words::tokens::{Style, finish, push, push_block, push_item, push_line, push_row};
use visakit_codegen::markdown::{Block, Document, Item};
use visakit_codegen::model::{List, Model, Structure};

pub(super) fn chapter(b: &mut Builder<'_>, document: &Document) {
    let rows = fact_rows(b.model, b.page);
    let mut titles: BTreeMap<String, usize> = BTreeMap::new();
    for section in &document.sections {
        let is_here =
            |at: visakit_codegen::model::SourceSpan| at.page == b.page && at.start as usize == section.span.start;
        let has_heading = section.level > 0;
        let structure = b.model.structures.iter().find(|s| has_heading && is_here(s.at));
        let list = b.model.lists.iter().find(|l| has_heading && l.shared && is_here(l.at));
        let mut owner = b.section(&section.title, "prose");
        let nth = titles.entry(owner.key.clone()).or_default();
        *nth += 1;
        if *nth > 1 {
            owner.key = format!("{}#{nth}", owner.key);
        }
        if let Some(list) = list {
            owner.key = format!("list:{}", norm(&list.name));
            owner.path.clone_from(&list.name);
            owner.fact = true;
        } else if let Some(structure) = structure {
            owner.key = format!("structure:{}", norm(&structure.name));
            owner.path.clone_from(&structure.name);
            owner.fact = true;
        } else {
            push(b.tokens(&owner), &section.title, Style::Prose, &[], |_| section.span.start);
            finish(b.tokens(&owner));
        }
        for block in &section.blocks {
            chapter_block(b, &owner, block, structure, list, &rows);
        }
    }
}

/// Returns the rows of tables that are facts, by their first byte.
fn fact_rows(model: &Model, page: u32) -> BTreeMap<u32, String> {
    let types = model.types.iter().map(|t| (t.at, format!("type {}", t.name)));
    let platforms = model.platforms.iter().map(|p| (p.at, format!("platform {}", p.name)));
    let attributes = model.attributes.iter().map(|a| (a.at, format!("attribute {}", a.name)));
    let tables = [("variable", &model.predefined), ("surface", &model.surfaces), ("sampler", &model.samplers)];
    let predefined = tables.iter().flat_map(|(k, all)| all.iter().map(move |p| (p.at, format!("{k} {}", p.id))));
    let limits = model.limits.iter().map(|l| (l.at, format!("limit {}", l.name)));
    // A row of an instruction is added and removed with it.
    let support = model.support.iter().map(|r| (r.at, format!("support {}", r.name)));
    let rules = model.rules.iter().map(|r| (r.at, format!("rule {}", r.name)));
    let across = model.constraints.iter().map(|c| (c.at, format!("rule {}", c.name)));
    let definitions = model.definitions.iter().map(|d| (d.at, format!("definition {}", d.name)));
    types
        .chain(rules)
        .chain(across)
        .chain(definitions)
        .chain(support)
        .chain(limits)
        .chain(platforms)
        .chain(attributes)
        .chain(predefined)
        .filter(|(at, _)| at.page == page)
        .map(|(at, key)| (at.start, key))
        .collect()
}

fn chapter_block(
    b: &mut Builder<'_>,
    owner: &Owner,
    block: &Block,
    structure: Option<&Structure>,
    list: Option<&List>,
    rows: &BTreeMap<u32, String>,
) {
    match block {
        Block::Table(all) if list.is_some() && is_list(all) => list_table(b, owner, all),
        Block::Table(all) => {
            for row in all {
                let cell = row.cells.first().map_or(row.span.start, |(_, span)| span.start);
                match rows.get(&start(row.span.start)).or_else(|| rows.get(&start(cell))) {
                    Some(key) => {
                        let path = key.split_once(' ').map_or(key.as_str(), |(_, name)| name).to_owned();
                        let inner = Owner { key: format!("row:{key}"), path, kind: "prose", fact: true };
                        b.segment(&inner).mixed = true;
                        push_row(b.tokens(&inner), row);
                    }
                    None => push_row(b.tokens(owner), row),
                }
            }
        }
        Block::Code(code) if structure.is_some() => {
            for (line, span) in &code.lines {
                structure_line(b, owner, structure, line, span);
            }
        }
        Block::Paragraph(text) if list.is_some_and(|l| l.text.is_some()) && text.text.starts_with("Text:") => {}
        Block::List(all) => {
            for item in all {
                if let Some(structure) = structure.filter(|_| item.text.bold.is_some()) {
                    member(b, owner, structure, item);
                } else if list.is_some() {
                    nested_item(b, owner, item, None, owner);
                } else if !index_item(b, item) {
                    push_item(b.tokens(owner), item, Style::Prose);
                }
            }
        }
        other => push_block(b.tokens(owner), other, Style::Prose),
    }
}

/// Adds a line of a declaration: only its remarks are prose.
fn structure_line(
    b: &mut Builder<'_>,
    owner: &Owner,
    structure: Option<&Structure>,
    line: &str,
    span: &Range<usize>,
) {
    let member = structure.and_then(|s| s.members.iter().find(|m| m.at.start as usize == span.start));
    let text = line.trim();
    let remark =
        line.find("//").filter(|at| !line[at + 2..].trim_start().to_lowercase().starts_with("present only if"));
    let declares = member.is_some() || text.contains(';') || text.ends_with('{') || text.starts_with('}');
    match (remark, declares) {
        (Some(at), true) if !line.contains("operand_class") => {
            push(b.tokens(owner), &line[at + 2..], Style::Prose, &[], |n| span.start + at + 2 + n);
            finish(b.tokens(owner));
        }
        (_, true) => {}
        _ if line.contains("operand_class") => {}
        _ => push_line(b.tokens(owner), line, span, Style::Prose),
    }
}

fn member(b: &mut Builder<'_>, owner: &Owner, structure: &Structure, item: &Item) {
    let bold = item.text.bold.as_deref().unwrap_or("").trim().trim_end_matches(':').trim();
    let name = bold.split_once('(').map_or(bold, |(n, _)| n).trim();
    let mut key = norm(name);
    if let Some(new) = b.renamed.get(&format!("{}/{key}", norm(&structure.name))) {
        key.clone_from(new);
    }
    let known = structure.members.iter().any(|m| m.name.eq_ignore_ascii_case(name));
    let mut inner = owner.inner(&key, name);
    inner.fact = known;
    words(b, &inner, &item.text, behind_head(&item.text), None);
    item.blocks.iter().for_each(|block| nested(b, &inner, block, None, owner));
}

/// Handles a line of the index: its presence and its marks are facts.
fn index_item(b: &mut Builder<'_>, item: &Item) -> bool {
    let target =
        |t: &str| Some(t.split('#').next()?.strip_prefix("instructions/")?.trim_end_matches(".md").to_owned());
    let mut found = false;
    for link in &item.text.links {
        let Some(name) = target(&link.target) else { continue };
        found = true;
        let key = format!("index:{name}");
        let inner = Owner { key, path: format!("{name}.index"), kind: "prose", fact: false };
        let text = link.text.split('{').next().unwrap_or("").trim_end();
        push(b.tokens(&inner), text, Style::Prose, &[], |at| link.span.start + 1 + at);
        finish(b.tokens(&inner));
    }
    found
}
