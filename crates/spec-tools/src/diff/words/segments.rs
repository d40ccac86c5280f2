//! Segments of a page's prose, each with its owner, so that only words of the same owner are
//! compared.
//!
//! Text that the readers take as facts is omitted, because the model contains it.

mod chapter;

use std::collections::BTreeMap;
use std::ops::Range;

use super::phrases;
use super::tokens::{Style, Token, finish, push, push_block, push_inline, push_item, push_line, push_row};
use crate::diff::matching::{Renames, norm};
use chapter::chapter;
use visakit_codegen::markdown::{Block, Code, Document, Inline, Item, Row, Section};
use visakit_codegen::model::{Enumerator, Field, Instruction, ListKind, Model};
use visakit_codegen::phrase::{field_head, leading_marks, number};

/// Segment of prose.
pub(crate) struct Segment {
    /// Key of the segment's owner, equal on both sides.
    pub(crate) key: String,
    /// Kind of the segment's changes.
    pub(crate) kind: &'static str,
    /// Readable name of the segment's owner.
    pub(crate) path: String,
    pub(crate) tokens: Vec<Token>,
    /// True if the owner is a fact, whose addition or removal has its own entry.
    pub(crate) fact: bool,
    /// True if the words contain facts, so that a changed fact explains changed words.
    pub(crate) mixed: bool,
}

/// Returns the segments of a page in order. `renamed` maps the names of fields and members.
pub(crate) fn of_page(model: &Model, page: u32, renamed: &Renames) -> Vec<Segment> {
    let Some(source) = model.pages.get(page as usize) else { return Vec::new() };
    let document = visakit_codegen::markdown::parse(&source.text);
    let instruction = model.instructions.iter().find(|i| i.at.page == page);
    let mut builder = Builder {
        model,
        page,
        instruction,
        name: instruction.map_or_else(|| source.stem().to_owned(), |i| i.name.clone()),
        renamed,
        values: enumerators(model, page),
        out: Vec::new(),
        at: BTreeMap::new(),
    };
    match instruction {
        Some(_) => instruction_page(&mut builder, &document),
        None => chapter(&mut builder, &document),
    }
    builder.out
}

struct Builder<'a> {
    model: &'a Model,
    page: u32,
    instruction: Option<&'a Instruction>,
    name: String,
    renamed: &'a Renames,
    /// Enumerators of the page by their first byte.
    values: BTreeMap<u32, &'a Enumerator>,
    out: Vec<Segment>,
    at: BTreeMap<String, usize>,
}

/// Owner of a segment during the walk over a page.
#[derive(Clone)]
struct Owner {
    key: String,
    path: String,
    kind: &'static str,
    fact: bool,
}

impl Owner {
    fn inner(&self, key: &str, name: &str) -> Self {
        Self {
            key: format!("{}/{key}", self.key),
            path: format!("{}.{name}", self.path),
            kind: self.kind,
            fact: true,
        }
    }
}

impl Builder<'_> {
    fn segment(&mut self, owner: &Owner) -> &mut Segment {
        let next = self.out.len();
        let at = *self.at.entry(owner.key.clone()).or_insert(next);
        if at == next {
            self.out.push(Segment {
                key: owner.key.clone(),
                kind: owner.kind,
                path: owner.path.clone(),
                tokens: Vec::new(),
                fact: owner.fact,
                mixed: false,
            });
        }
        &mut self.out[at]
    }

    fn tokens(&mut self, owner: &Owner) -> &mut Vec<Token> {
        &mut self.segment(owner).tokens
    }

    /// Returns the owner of a section's text that has no more specific owner.
    fn section(&self, title: &str, kind: &'static str) -> Owner {
        let words: Vec<_> = title.split_whitespace().collect();
        let path = if words.is_empty() { self.name.clone() } else { format!("{}.{}", self.name, words.join(" ")) };
        Owner { key: format!("section:{}", words.join(" ").to_lowercase()), path, kind, fact: false }
    }
}

fn enumerators(model: &Model, page: u32) -> BTreeMap<u32, &Enumerator> {
    let mut out = BTreeMap::new();
    for list in &model.lists {
        if let ListKind::Enumeration { values, .. } = &list.kind {
            out.extend(values.iter().filter(|v| v.at.page == page).map(|v| (v.at.start, v)));
        }
    }
    out
}

fn instruction_page(b: &mut Builder<'_>, document: &Document) {
    let mut group = String::new();
    for section in &document.sections {
        let title = section.title.to_lowercase();
        let condition = section.level > 0 && title.starts_with("condition");
        if !condition {
            group.clone_from(&title);
        }
        let form = condition.then(|| section.title.split_whitespace().nth(1).unwrap_or("").to_owned());
        let kind = match group.as_str() {
            "semantics" => "semantics",
            "description" => "description",
            "notes" => "notes",
            "examples" => "examples",
            "text" => "text",
            "properties" | "operand type maps" => "property",
            _ => "prose",
        };
        let name = if condition { group_title(document, &group) } else { section.title.clone() };
        let owner = b.section(&name, kind);
        match group.as_str() {
            "opcode" => lines(b, &owner, section, |_, line, _| line.contains('=') || line.starts_with("Kind:")),
            "format" => {
                for block in &section.blocks {
                    match block {
                        Block::Table(_) => {}
                        Block::List(_) if condition => {}
                        other => push_block(b.tokens(&owner), other, Style::Prose),
                    }
                }
            }
            "semantics" | "examples" => {
                section.blocks.iter().for_each(|block| push_block(b.tokens(&owner), block, Style::Code));
            }
            "description" => description(b, &owner, section, form.as_deref()),
            "properties" => items(b, &owner, section, |text| {
                let known = ["supported types", "saturation", "source modifier", "out-of-bound access", "platforms"];
                known.iter().any(|k| text.to_lowercase().starts_with(k))
            }),
            "operand type maps" => items(b, &owner, section, |text| text.to_lowercase().starts_with("type map")),
            "text" => lines(b, &owner, section, |b, _, start| {
                b.instruction.is_some_and(|i| i.text.iter().any(|t| t.at.start as usize == start))
            }),
            "notes" => section.blocks.iter().for_each(|block| push_block(b.tokens(&owner), block, Style::Prose)),
            _ => {
                // In a section that no page should have, the title is prose too.
                push(b.tokens(&owner), &section.title, Style::Prose, &[], |at| section.span.start + at);
                finish(b.tokens(&owner));
                section.blocks.iter().for_each(|block| push_block(b.tokens(&owner), block, Style::Prose));
            }
        }
    }
}

fn group_title(document: &Document, group: &str) -> String {
    let found = document.sections.iter().find(|s| s.title.to_lowercase() == group);
    found.map_or_else(|| group.to_owned(), |s| s.title.clone())
}

/// Adds the lines of a section that are not facts.
fn lines(b: &mut Builder<'_>, owner: &Owner, section: &Section, fact: impl Fn(&Builder<'_>, &str, usize) -> bool) {
    for block in &section.blocks {
        let lines: Vec<(String, visakit_codegen::markdown::Span)> = match block {
            Block::Code(code) => code.lines.clone(),
            Block::Paragraph(text) => text.lines().into_iter().map(|(l, s)| (l.to_owned(), s)).collect(),
            // Skip the conditions of a form.
            Block::List(_) if section.level > 2 => continue,
            other => {
                push_block(b.tokens(owner), other, Style::Prose);
                continue;
            }
        };
        for (line, span) in lines {
            if !fact(b, line.trim(), span.start) {
                push_line(b.tokens(owner), &line, &span, Style::Code);
            }
        }
    }
}

/// Adds the items of a section that are not facts.
fn items(b: &mut Builder<'_>, owner: &Owner, section: &Section, fact: impl Fn(&str) -> bool) {
    for block in &section.blocks {
        match block {
            Block::List(all) => {
                for item in all.iter().filter(|i| !fact(i.text.text.replace('\n', " ").trim())) {
                    push_item(b.tokens(owner), item, Style::Prose);
                }
            }
            other => push_block(b.tokens(owner), other, Style::Prose),
        }
    }
}

fn description(b: &mut Builder<'_>, owner: &Owner, section: &Section, form: Option<&str>) {
    for block in &section.blocks {
        match block {
            Block::List(all) => {
                for item in all {
                    match field_head(&item.text) {
                        Some((name, _)) => field(b, &name, form, item, owner),
                        None => push_item(b.tokens(owner), item, Style::Prose),
                    }
                }
            }
            Block::Code(code) if code.text().trim().starts_with("- **") => hoisted(b, code, form, owner),
            other => push_block(b.tokens(owner), other, Style::Prose),
        }
    }
}

/// Returns the owner of a field's words.
fn field_owner<'a>(b: &Builder<'a>, name: &str, form: Option<&str>, section: &Owner) -> (Owner, Option<&'a Field>) {
    let found = b.instruction.and_then(|i| {
        i.forms.iter().filter(|f| form.is_none_or(|n| f.name == n)).flat_map(|f| &f.fields).find(|f| f.name == name)
    });
    let norm = norm(name);
    let key = b.renamed.get(&norm).unwrap_or(&norm);
    let owner = Owner {
        key: format!("field:{key}@{}", form.unwrap_or("")),
        path: format!("{}.{name}", b.name),
        kind: section.kind,
        fact: found.is_some(),
    };
    (owner, found)
}

fn field(b: &mut Builder<'_>, name: &str, form: Option<&str>, item: &Item, section: &Owner) {
    let (owner, found) = field_owner(b, name, form, section);
    words(b, &owner, &item.text, behind_head(&item.text), found);
    for block in &item.blocks {
        nested(b, &owner, block, form, section);
    }
}

/// Returns the fields that markdown parses as code because of their indentation, with the following
/// lines of each.
fn hoisted(b: &mut Builder<'_>, code: &Code, form: Option<&str>, section: &Owner) {
    let mut owner = section.clone();
    for (line, span) in &code.lines {
        let item = Inline::from_item_line(line, span.start);
        match item.as_ref().and_then(|text| Some((field_head(text)?, text))) {
            Some(((name, _), text)) => {
                let (field, found) = field_owner(b, &name, form, section);
                owner = field;
                words(b, &owner, text, behind_head(text), found);
            }
            None => code_line(b, &owner, line, span, Style::Beside),
        }
    }
}

fn behind_head(text: &Inline) -> usize {
    let bold = text.bold.as_deref().unwrap_or("");
    text.text.find(bold).map_or(0, |at| at + bold.len())
}

/// Adds the words of an item after byte `from` that state no facts.
fn words(b: &mut Builder<'_>, owner: &Owner, text: &Inline, from: usize, field: Option<&Field>) {
    let mut skip: Vec<Range<usize>> = phrases::facts(text, from, field.is_some());
    skip.push(0..from);
    let mut tokens = Vec::new();
    push_inline(&mut tokens, text, Style::Beside, &skip);
    // Skip punctuation between the words and an adjacent fact.
    let sign = |t: &Token| matches!(t.text.as_str(), ":" | "," | ";" | "." | "-");
    let start = tokens.iter().position(|t| !sign(t)).unwrap_or(tokens.len());
    let end = tokens.iter().rposition(|t| !sign(t)).map_or(start, |n| n + 1);
    tokens.truncate(end.max(start));
    tokens.drain(..start);
    finish(&mut tokens);
    b.tokens(owner).extend(tokens);
}

/// Adds the blocks nested below a field, a member or a shared list: bits, values, or further words.
fn nested(b: &mut Builder<'_>, owner: &Owner, block: &Block, form: Option<&str>, section: &Owner) {
    match block {
        Block::List(all) => all.iter().for_each(|item| nested_item(b, owner, item, form, section)),
        Block::Code(code) => {
            for (line, span) in &code.lines {
                let item = Inline::from_item_line(line, span.start);
                match item.as_ref().and_then(|text| Some((field_head(text)?, text))) {
                    Some(((name, _), text)) => {
                        let (field, found) = field_owner(b, &name, form, section);
                        words(b, &field, text, behind_head(text), found);
                    }
                    None => code_line(b, owner, line, span, Style::Prose),
                }
            }
        }
        Block::Table(rows) if is_list(rows) => list_table(b, owner, rows),
        Block::Table(rows) => {
            for row in rows {
                match b.values.get(&start(row.span.start)).copied() {
                    Some(value) => value_row(b, owner, value, |out| push_row(out, row)),
                    None => push_row(b.tokens(owner), row),
                }
            }
        }
        Block::Paragraph(text) => push_inline(b.tokens(owner), text, Style::Beside, &[]),
    }
}

fn nested_item(b: &mut Builder<'_>, owner: &Owner, item: &Item, form: Option<&str>, section: &Owner) {
    if let Some((name, _)) = field_head(&item.text) {
        return field(b, &name, form, item, section);
    }
    let text = item.text.text.as_str();
    let (_, bare) = leading_marks(text);
    let from = text.len() - bare.len();
    let inner = if bare.starts_with("Bit[") || bare.starts_with("Bits[") {
        let range = bare.split_once('[').and_then(|(_, r)| r.split_once(']')).map_or("", |(range, _)| range);
        let lowest = range.split("..").filter_map(number).min().unwrap_or(0);
        let mut at = from + bare.find(']').map_or(0, |n| n + 1);
        at += skip_between(&text[at..], '(', ')');
        at += skip_between(&text[at..], '"', '"');
        let inner = owner.inner(&format!("bit{lowest}"), &format!("Bit[{range}]"));
        words(b, &inner, &item.text, at, None);
        inner
    } else if let Some((value, rest)) = bare.split_once(':').and_then(|(v, r)| Some((number(v)?, r))) {
        let mut at = text.len() - rest.len();
        // Marks between value and name are facts; skip them.
        let (_, name) = leading_marks(rest);
        at += rest.len() - name.len();
        let end = name.find(char::is_whitespace).unwrap_or(name.len());
        let first = name[..end].trim_end_matches(['.', ',', ';', ':']);
        at += end;
        at += skip_between(&text[at..], '"', '"');
        let written = bare.split(':').next().unwrap_or("").trim();
        let inner = owner.inner(&format!("{value:#x}"), written);
        words(b, &inner, &item.text, at, None);
        // A name may have several words.
        if b.values.get(&start(item.text.span.start)).is_some_and(|v| v.name != first) {
            b.segment(&inner).mixed = true;
        }
        inner
    } else {
        push_inline(b.tokens(owner), &item.text, Style::Beside, &[]);
        owner.clone()
    };
    item.blocks.iter().for_each(|block| nested(b, &inner, block, form, section));
}

/// Returns the length of a group such as `(name)` at the start of a text, including preceding
/// blanks.
fn skip_between(text: &str, open: char, close: char) -> usize {
    let lead = text.len() - text.trim_start().len();
    let inner = text.trim_start().strip_prefix(open).and_then(|rest| rest.find(close));
    inner.map_or(0, |n| lead + n + 2)
}

fn code_line(b: &mut Builder<'_>, owner: &Owner, line: &str, span: &Range<usize>, style: Style) {
    match b.values.get(&start(span.start)).copied() {
        Some(value) => value_row(b, owner, value, |out| push_line(out, line, span, style)),
        None => push_line(b.tokens(owner), line, span, style),
    }
}

/// Adds a row of a table of values: all its words belong to the value.
fn value_row(b: &mut Builder<'_>, owner: &Owner, value: &Enumerator, push: impl Fn(&mut Vec<Token>)) {
    let name = format!("{:#x}", value.value);
    let inner = owner.inner(&name, &name);
    let segment = b.segment(&inner);
    segment.mixed = true;
    push(&mut segment.tokens);
}

/// Returns true if a table lists values with their descriptions.
fn is_list(rows: &[Row]) -> bool {
    let has = |name: &str| rows.iter().take(1).flat_map(|r| &r.cells).any(|(c, _)| c.eq_ignore_ascii_case(name));
    has("Code") && has("Name")
}

/// Adds a list in the form of a table: only the column Meaning has prose.
fn list_table(b: &mut Builder<'_>, owner: &Owner, rows: &[Row]) {
    let Some((head, rows)) = rows.split_first() else { return };
    let at = |name: &str| head.cells.iter().position(|(c, _)| c.eq_ignore_ascii_case(name));
    for row in rows {
        let Some(value) = b.values.get(&start(row.span.start)).copied() else { continue };
        let cell = |name: &str| at(name).and_then(|at| row.cells.get(at));
        let written = cell("Code").map_or("", |(code, _)| leading_marks(code).1);
        let inner = owner.inner(&format!("{:#x}", value.value), written);
        if let Some((meaning, span)) = cell("Meaning") {
            let meaning = Row { cells: vec![(meaning.replace("\\|", "|"), span.clone())], span: span.clone() };
            push_row(b.tokens(&inner), &meaning);
        }
    }
}

fn start(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
