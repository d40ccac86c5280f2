//! Reader of an instruction page: reads its sections and joins them.

use std::collections::BTreeSet;

use super::context::Cx;
use super::fields::{self, RawField};
use super::{format, opcode, properties, text};
use crate::markdown::{Block, Document, Section};
use crate::model::{Field, FieldKind, Form, Instruction, Model, PageKind, Presence, TextForm};
use crate::suggest;

/// Titles of the sections, in order.
pub(super) const SECTIONS: [&str; 11] = [
    "opcode",
    "format",
    "semantics",
    "description",
    "properties",
    "operand type maps",
    "text",
    "notes",
    "examples",
    "sources",
    "condition",
];

pub(crate) fn read(cx: &mut Cx<'_>, document: &Document, path: &str, model: &mut Model) {
    check_sections(cx, document);
    let Some(opcode_section) = group(document, "opcode").first().copied() else {
        let start = document.sections.get(1).map_or(0..0, |s| s.span.clone());
        cx.error(
            "opcode-missing",
            &start,
            "the page has no Opcode section",
            "add `## Opcode` with a line `NAME = 0xNN` before the Format",
        );
        return;
    };
    let Some(opcode) = opcode::read(cx, opcode_section) else { return };
    let bare = matches!(opcode.kind, PageKind::Umbrella | PageKind::Alias { .. } | PageKind::Reserved);
    let (doc, raw_fields) = fields::read(cx, &group(document, "description"));
    let layouts =
        if bare { Vec::new() } else { layouts(cx, document, opcode_section, &opcode, !raw_fields.is_empty()) };
    // The Format of a vendor's umbrella page has the last cell `various`.
    let umbrella = opcode.kind == PageKind::Umbrella
        || layouts.iter().any(|l| l.fields.iter().any(|f| f.name.eq_ignore_ascii_case("various")));
    let names: Vec<String> = layouts.iter().map(|l| l.name.clone()).filter(|n| !n.is_empty()).collect();
    for title in ["description", "text"] {
        form_names(cx, &group(document, title), &names);
    }
    let kind = if umbrella { PageKind::Umbrella } else { opcode.kind.clone() };
    let forms = if umbrella { Vec::new() } else { forms(cx, model, &opcode.name, layouts, &raw_fields) };
    let properties =
        group(document, "properties").first().map(|section| properties::read(cx, section)).unwrap_or_default();
    let type_maps = group(document, "operand type maps")
        .first()
        .map(|section| properties::read_type_maps(cx, section))
        .unwrap_or_default();
    // An alias has the layout of another page and its own text.
    let untold = umbrella || opcode.kind == PageKind::Reserved;
    let text = if untold { Vec::new() } else { text::read(cx, &group(document, "text")) };
    page_name(cx, path, &opcode, &text);
    let semantics = prose(document, "semantics");
    if !bare && !umbrella {
        check_complete(cx, document, opcode_section, &opcode.name, (&semantics, &text));
    }
    model.instructions.push(Instruction {
        name: opcode.name,
        family: opcode.family,
        opcode: opcode.opcode,
        sub_opcode: opcode.sub_opcode,
        kind,
        forms,
        text,
        semantics,
        behaviour: None,
        doc,
        notes: prose(document, "notes"),
        types: properties.types,
        types_at: properties.types_at,
        saturation: properties.saturation,
        source_modifier: properties.source_modifier,
        out_of_bound: properties.out_of_bound,
        platforms: properties.platforms,
        platforms_at: properties.platforms_at,
        type_maps,
        at: cx.at(&opcode.span),
    });
}

/// Reads the layouts of a page that has a Format.
fn layouts(
    cx: &mut Cx<'_>,
    document: &Document,
    opcode_section: &Section,
    opcode: &opcode::Opcode,
    has_fields: bool,
) -> Vec<format::Layout> {
    let sections = group(document, "format");
    if sections.is_empty() {
        cx.error(
            "format-missing",
            &opcode_section.span,
            "the page has no Format section",
            "add `## Format` with the table of fields",
        );
        return Vec::new();
    }
    format::read(cx, &sections, opcode, has_fields)
}

/// Warns about missing sections of an ordinary page.
fn check_complete(
    cx: &mut Cx<'_>,
    document: &Document,
    opcode_section: &Section,
    name: &str,
    (semantics, text): (&str, &[TextForm]),
) {
    if semantics.trim().is_empty() {
        cx.warn(
            "semantics-missing",
            &opcode_section.span,
            format!("{} has no Semantics", name),
            "add `## Semantics` with a block in the notation of spec/semantics.md, or `undefined`",
        );
    }
    if group(document, "description").is_empty() {
        cx.warn(
            "description-missing",
            &opcode_section.span,
            format!("{} has no Description", name),
            "add `## Description` with a text and an item for each field",
        );
    }
    if text.is_empty() {
        cx.warn(
            "text-missing",
            &opcode_section.span,
            format!("{} has no Text template", name),
            "add `## Text`; without it, the instruction prints as its mnemonic and its fields in order",
        );
    }
}

/// Checks that the headings after the Format name its forms. A heading with listed conditions needs
/// no name.
fn form_names(cx: &mut Cx<'_>, sections: &[&Section], names: &[String]) {
    for section in sections.iter().filter(|s| s.title.to_ascii_lowercase().starts_with("condition")) {
        let name = section.title.split_whitespace().nth(1).unwrap_or("");
        let listed =
            section.blocks.iter().any(|b| matches!(b, Block::List(i) if i.iter().any(|i| i.text.bold.is_none())));
        if names.is_empty() || name.is_empty() || listed || names.iter().any(|n| n == name) {
            continue;
        }
        let help =
            suggest::help(name, names.iter().map(String::as_str), || format!("the forms are {}", names.join(", ")));
        cx.warn("condition-value", &section.span, format!("the Format has no form `{name}`"), help);
    }
}

/// Checks that a page's file is named after its instruction, with or without the family, or after
/// its mnemonic.
fn page_name(cx: &mut Cx<'_>, path: &str, opcode: &opcode::Opcode, text: &[TextForm]) {
    let Some(stem) = path.strip_prefix("instructions/").and_then(|p| p.strip_suffix(".md")) else { return };
    let short = opcode.family.as_ref().and_then(|f| opcode.name.strip_prefix(&format!("{f}_")));
    let mnemonic = |t: &TextForm| t.template.mnemonic().is_some_and(|m| m.eq_ignore_ascii_case(stem));
    if stem != opcode.name && Some(stem) != short && !text.iter().any(mnemonic) {
        cx.warn(
            "page-name",
            &opcode.span,
            format!("the page of {} is called `{stem}.md`", opcode.name),
            format!("rename the file to `{}.md`, or correct the name in it", opcode.name),
        );
    }
}

/// Returns the section with this title and the `### CONDITION` sections below it.
fn group<'a>(document: &'a Document, title: &str) -> Vec<&'a Section> {
    let mut out = Vec::new();
    let mut inside = false;
    for section in document.sections.iter().skip(1) {
        let is_condition = section.title.to_ascii_lowercase().starts_with("condition");
        if section.title.eq_ignore_ascii_case(title) {
            inside = true;
            out.push(section);
        } else if inside && is_condition {
            out.push(section);
        } else {
            inside = false;
        }
    }
    out
}

fn prose(document: &Document, title: &str) -> String {
    let mut out = Vec::new();
    for section in group(document, title) {
        for block in &section.blocks {
            match block {
                Block::Paragraph(text) => out.push(text.text.trim().to_owned()),
                Block::Code(code) => out.push(fields::dedent(&code.text())),
                Block::List(items) => {
                    out.extend(items.iter().map(|i| format!("- {}", i.text.text.trim())));
                }
                Block::Table(_) => {}
            }
        }
    }
    out.retain(|t| !t.is_empty());
    out.join("\n\n")
}

fn check_sections(cx: &mut Cx<'_>, document: &Document) {
    let mut seen = BTreeSet::new();
    let mut last = 0;
    // Content before the first heading belongs to no section.
    for block in document.sections.iter().take(1).flat_map(|s| &s.blocks) {
        let span = match block {
            Block::Paragraph(text) => text.span.clone(),
            Block::Code(code) => code.span.clone(),
            Block::Table(rows) => rows.first().map_or(0..0, |r| r.span.clone()),
            Block::List(items) => items.first().map_or(0..0, |i| i.span.clone()),
        };
        cx.warn(
            "section-leftover",
            &span,
            "the text before the first section is not used",
            "begin the page with `## Opcode`; remove the remains of a web page or listing",
        );
    }
    for section in document.sections.iter().skip(1) {
        let title = section.title.to_ascii_lowercase();
        let first = if title.starts_with("condition") { "condition" } else { title.as_str() };
        if section.level == 1 {
            continue;
        }
        if let Some(at) = SECTIONS.iter().position(|k| *k == first && first != "condition") {
            // Notes and examples have no fixed order.
            if at < last && first != "notes" {
                cx.warn(
                    "section-order",
                    &section.span,
                    format!("`{}` stands behind `{}`", section.title, SECTIONS[last]),
                    "spec/README.md lists the sections in order",
                );
            }
            last = last.max(at);
        }
        if !SECTIONS.contains(&first) {
            cx.warn(
                "section-unknown",
                &section.span,
                format!("`{}` is not a section of an instruction page", section.title),
                "see spec/README.md for the sections",
            );
        } else if first != "condition" && !seen.insert(title.clone()) {
            cx.error(
                "section-duplicate",
                &section.span,
                format!("section `{}` appears twice", section.title),
                "keep one",
            );
        }
    }
}

fn forms(
    cx: &mut Cx<'_>,
    model: &mut Model,
    instruction: &str,
    layouts: Vec<format::Layout>,
    raw: &[RawField],
) -> Vec<Form> {
    let several = layouts.len() > 1;
    let mut used = BTreeSet::new();
    // A field that all forms share is resolved once, so that the forms share its list.
    let mut resolved: std::collections::BTreeMap<usize, Field> = std::collections::BTreeMap::new();
    let mut out = Vec::new();
    for (number, layout) in layouts.into_iter().enumerate() {
        let name = match (several, layout.name.is_empty()) {
            (false, _) => String::new(),
            (true, true) => format!("form{}", number + 1),
            (true, false) => layout.name.clone(),
        };
        let mut fields: Vec<Field> = Vec::new();
        for cell in &layout.fields {
            let found = raw
                .iter()
                .position(|r| r.name.eq_ignore_ascii_case(&cell.name) && r.form.as_deref() == Some(name.as_str()))
                .or_else(|| raw.iter().position(|r| r.name.eq_ignore_ascii_case(&cell.name) && r.form.is_none()));
            let Some(index) = found else {
                cx.error(
                    "field-undescribed",
                    &cell.span,
                    format!("field `{}` has no description", cell.name),
                    format!("add an item `**{}(type):** …` to the Description", cell.name),
                );
                fields.push(Field::new(&cell.name, FieldKind::Number, cx.at(&cell.span)));
                continue;
            };
            used.insert(index);
            let again = resolved
                .get(&index)
                .filter(|f| !matches!(f.shape, FieldKind::Copy(_)) && f.presence == Presence::Always);
            let field = match again {
                Some(field) => field.clone(),
                None => fields::resolve(cx, model, instruction, &raw[index], &fields),
            };
            resolved.insert(index, field.clone());
            fields.push(field);
        }
        out.push(Form {
            name,
            condition: layout.condition,
            condition_at: cx.at(&layout.condition_at),
            versions: layout.versions,
            fields,
            texts: Vec::new(),
            at: cx.at(&layout.span),
        });
    }
    for (i, field) in raw.iter().enumerate() {
        if !used.contains(&i) && !out.is_empty() {
            cx.warn(
                "field-unused",
                &field.text.span,
                format!("field `{}` is described, but is not in a Format table", field.name),
                "add it to the Format table or remove its description",
            );
        }
    }
    out
}
