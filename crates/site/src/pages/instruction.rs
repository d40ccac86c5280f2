//! Page of an instruction.

use minijinja::Error;
use serde_json::{Value, json};
use visakit_codegen::model;
use visakit_spec_tools::export::{Instruction, PageKind, Saturation, SourceModifier, TypeMap};

use super::fields::{self, said};
use super::{Site, rules};
use crate::pictures::Picture;
use crate::prose::{self, escape, link};
use crate::runner::{self, Editor};
use crate::{File, Machine, address, marks, notation};

/// Returns the page of the instruction at a place of the model.
pub(super) fn page(site: &Site<'_>, place: usize) -> Result<File, Error> {
    let (read, one) = (&site.names.model.instructions[place], &site.names.all.instructions[place]);
    let path = address::instruction(&one.name);
    let root = super::root(&path);
    let summary = site.names.summary(&one.name);
    let mut values = facts(site, one, root);
    values["name"] = json!(one.name);
    values["summary"] = json!(summary);
    values["texts"] = texts(one);
    values["description"] = json!(prose_of(site, read, one, "Description", &one.doc, root));
    values["notes"] = json!(prose_of(site, read, one, "Notes", &one.notes, root));
    let source = one.semantics.as_ref().map(|semantics| semantics.source.as_str()).unwrap_or_default();
    values["semantics"] = json!(match source {
        "" => String::new(),
        source => notation::semantics(&site.names, &one.name, source, read.behaviour.as_ref(), root),
    });
    values["semantics_chapter"] = json!(address::chapter(semantics_chapter(site)));
    values["pictures"] = pictures(site, one);
    values["forms"] = json!(fields::forms(site, read, one, root));
    types(site, one, root, &mut values);
    values["examples"] = json!(site.extras.examples.get(&one.name).cloned().unwrap_or_default());
    rules::of(site, read, root, &mut values);
    history(site, read, one, root, &mut values);
    values["runner"] = runner(site, place);
    values["toc"] = toc(&values);
    site.page(path, "instruction.html", &one.name, &summary, values)
}

/// Returns the editor of an instruction; nothing on a site without the machine.
fn runner(site: &Site<'_>, place: usize) -> Value {
    if site.extras.machine == Machine::Absent {
        return Value::Null;
    }
    let name = &site.names.all.instructions[place].name;
    let examples = site.extras.examples.get(name).map_or(&[][..], Vec::as_slice);
    let words = site.names.mnemonics.get(name.as_str()).map_or(&[][..], Vec::as_slice);
    let (statement, kernel, why) = match runner::editor(site.names.model, &site.names.all, place, examples, words) {
        Editor::Statement(values) => (values, Value::Null, String::new()),
        Editor::Kernel(values) => (Value::Null, values, String::new()),
        Editor::Absent(why) => (Value::Null, Value::Null, why),
    };
    json!({ "statement": statement, "kernel": kernel, "why": why })
}

/// Returns the sections of the page that have content.
fn toc(values: &Value) -> Value {
    let filled = |names: &[&str]| {
        names.iter().any(|name| match &values[*name] {
            Value::Array(all) => !all.is_empty(),
            Value::String(text) => !text.is_empty(),
            _ => false,
        })
    };
    let sections = [
        ("text", "Text", &["texts"][..]),
        ("description", "Description", &["description"]),
        ("semantics", "Semantics", &["semantics"]),
        ("pictures", "Pictures", &["pictures"]),
        ("format", "Format", &["forms"]),
        ("types", "Types", &["types", "maps"]),
        ("examples", "Examples", &["examples"]),
        ("rules", "Rules", &["rules", "general", "accepted"]),
        ("notes", "Notes", &["notes"]),
        ("history", "Sources", &["sources", "revisions"]),
    ];
    sections.iter().filter(|(.., names)| filled(names)).map(|(id, title, _)| json!([id, title])).collect()
}

/// Returns the path of the chapter that defines the built-ins.
fn semantics_chapter<'s>(site: &'s Site<'_>) -> &'s str {
    site.names.all.builtins.first().map_or("semantics.md", |one| one.at.file.as_str())
}

/// Returns the facts at the top of the page.
fn facts(site: &Site<'_>, one: &Instruction, root: &str) -> Value {
    let kind = match &one.kind {
        PageKind::Ordinary => String::new(),
        PageKind::Umbrella => "A family of instructions; it has no encoding itself.".to_owned(),
        PageKind::Alias { of, alias_when } => {
            format!("Another spelling of {}, when {}.", link(root, &address::instruction(of), of), escape(alias_when))
        }
        PageKind::Reserved => "Reserved: its layout is not published.".to_owned(),
        PageKind::Undefined => "No public text defines what it does.".to_owned(),
    };
    let on = site.platforms().on(&one.platforms);
    let chips = site.names.all.platforms.iter().zip(on);
    let chips = chips.map(|(row, on)| json!({ "name": row.name, "address": address::platform(&row.name), "on": on }));
    let sources = site.names.all.sourced.iter().filter(|fact| fact.at.file == one.at.file);
    let sources = sources.filter(|fact| fact.fact.starts_with("Platforms")).map(|fact| {
        let since = fact.at.since.as_ref().map_or(String::new(), |since| format!(" since {since}"));
        format!("{}{since}", fact.at.sources.join(", "))
    });
    let sub = one.sub_opcode.map_or(String::new(), |sub| format!(" 0x{sub:02x}"));
    json!({
        "group": site.names.group(&one.name).unwrap_or_default(),
        "kind": kind,
        "opcode": format!("0x{:02x}{sub}", one.opcode),
        "words": site.names.mnemonics.get(one.name.as_str()).cloned().unwrap_or_default(),
        "platform_words": marks::said(&one.platforms),
        "platform_sources": sources.collect::<Vec<_>>().join("; "),
        "chips": chips.collect::<Vec<_>>(),
        "family": one.family.clone().unwrap_or_default(),
        "saturation": match one.saturation {
            Saturation::No => "no",
            Saturation::Yes => "yes",
            Saturation::Floats => "if the destination is a float",
        },
        "modifier": match one.source_modifier {
            SourceModifier::None => "none",
            SourceModifier::Arithmetic => "negation, absolute value",
            SourceModifier::Logic => "complement",
        },
        "out_of_bound": one.out_of_bound,
    })
}

/// Returns the templates with their conditions.
fn texts(one: &Instruction) -> Value {
    let mut fields: Vec<&str> =
        one.forms.iter().flat_map(|form| &form.fields).map(|field| field.name.as_str()).collect();
    fields.dedup();
    let text = |text: &visakit_spec_tools::export::Text| {
        let when = text.conditions.iter().map(said).collect::<Vec<_>>().join(" and ");
        json!({ "when": when, "html": notation::template(&text.template, &fields) })
    };
    one.text.iter().map(text).collect()
}

/// Returns a section of prose as HTML: from the page's Markdown, or else from the plain text.
fn prose_of(
    site: &Site<'_>,
    read: &model::Instruction,
    one: &Instruction,
    title: &str,
    plain: &str,
    root: &str,
) -> String {
    if plain.is_empty() {
        return String::new();
    }
    let page = site.names.model.pages.get(read.at.page as usize);
    let section = page.and_then(|page| prose::section(&page.text, title)).unwrap_or(plain);
    prose::html(&site.names, &one.at.file, section, root)
}

/// Adds the types and their combinations.
fn types(site: &Site<'_>, one: &Instruction, root: &str, values: &mut Value) {
    let types = one.types.iter().map(|ty| {
        let (on, when) = (site.on(&ty.when), marks::words(&ty.when));
        json!({ "name": ty.name, "address": address::data_type(&ty.name), "on": on, "when": when })
    });
    let names = |names: &[String]| {
        names.iter().map(|name| link(root, &address::data_type(name), name)).collect::<Vec<_>>().join(", ")
    };
    let map = |map: &TypeMap| {
        let when = if map.when.is_empty() { "all".to_owned() } else { marks::words(&map.when) };
        json!({ "dst": names(&map.dst), "src": names(&map.src), "when": when, "on": site.on(&map.when) })
    };
    values["types"] = types.collect();
    values["maps"] = one.type_maps.iter().map(map).collect();
}

/// Returns the pictures of an instruction.
fn pictures(site: &Site<'_>, one: &Instruction) -> Value {
    let own = site.pictures.iter().filter(|picture| picture.page == one.name);
    let picture = |picture: &Picture| json!({ "statement": picture.statement, "caption": picture.caption, "svg": picture.svg.inline() });
    own.map(picture).collect()
}

/// Adds the sources of facts and the revisions that changed the page.
fn history(site: &Site<'_>, read: &model::Instruction, one: &Instruction, root: &str, values: &mut Value) {
    let rows = site.names.model.provenance.iter().filter(|row| row.at.page == read.at.page);
    let rows = rows.map(|row| {
        let sources = row.sources.iter().map(|name| link(root, &address::source(name), name));
        let fact = match row.section.as_str() {
            "" => row.label.clone(),
            _ if row.is_named => row.label.clone(),
            section => format!("{section}: {}", row.label),
        };
        json!({
            "fact": fact,
            "sources": sources.collect::<Vec<_>>().join(", "),
            "since": row.since.clone().unwrap_or_default(),
        })
    });
    values["sources"] = rows.collect();
    let head = format!("{}.", one.name);
    let changed = |path: &str| path == one.name || path.starts_with(&head);
    let revisions = site.extras.revisions.iter().filter(|one| one.changes.iter().any(|(path, _)| changed(path)));
    values["revisions"] =
        revisions.map(|one| json!({ "date": one.date, "name": one.name, "title": one.title })).collect();
}
