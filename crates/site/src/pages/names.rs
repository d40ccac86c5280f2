//! Pages of types, platforms, predefined variables, attributes, limits, built-ins and sources.

use minijinja::Error;
use visakit_spec_tools::export::{Builtin, Platform, Predefined, Variable};

use super::Site;
use super::table::{Content, Table, cell, cells, code};
use crate::prose::{escape, inline, link};
use crate::{File, address};

/// Returns these pages.
pub(super) fn pages(site: &Site<'_>) -> Result<Vec<File>, Error> {
    let mut files = vec![types(site)?, attributes(site)?, limits(site)?, sources(site)?];
    let all = &site.names.all;
    let lead = "Functions and values of the Semantics sections";
    files.push(builtins(site, "builtins.html", "Built-ins of the semantics", lead, &all.builtins)?);
    let lead = "Functions and values of the rules";
    files.push(builtins(site, "rule-builtins.html", "Built-ins of the rules", lead, &all.rule_builtins)?);
    files.extend(platforms(site)?);
    files.extend(variables(site)?);
    Ok(files)
}

fn types(site: &Site<'_>) -> Result<File, Error> {
    let all = &site.names.all;
    let mut table = Table::new("Types", &["Type", "Code", "Bits"]);
    table.columns(all.type_columns.iter().map(|column| column.name.as_str()).chain(["Meaning"]));
    for one in &all.types {
        let mut row = vec![escape(&one.name), one.code.to_string(), one.bits.to_string()];
        row.extend(cells(&one.said, all.type_columns.len()));
        row.push(escape(&one.doc));
        table.row(&address::slug(&one.name), "", row);
    }
    let content = Content { tables: vec![table], ..Content::default() };
    site.tables("types.html".to_owned(), "Data types", "Types of elements", content)
}

fn attributes(site: &Site<'_>) -> Result<File, Error> {
    let mut table = Table::new("Attributes", &["Attribute", "Of", "Bytes", "Value", "Meaning"]);
    for one in &site.names.all.attributes {
        let cells = [&one.name, &one.place, &one.bytes, &one.value, &one.doc].map(|text| escape(text)).to_vec();
        table.row(&address::slug(&one.name), "", cells);
    }
    let content = Content { tables: vec![table], ..Content::default() };
    site.tables("attributes.html".to_owned(), "Attributes", "Attributes of kernels and variables", content)
}

fn limits(site: &Site<'_>) -> Result<File, Error> {
    let mut table = Table::new("Limits", &["Limit", "Value", "Meaning"]);
    for one in &site.names.all.limits {
        table.row(&address::slug(&one.name), "", vec![escape(&one.name), one.value.to_string(), escape(&one.doc)]);
    }
    let content = Content { tables: vec![table], ..Content::default() };
    site.tables("limits.html".to_owned(), "Limits", "Named numbers", content)
}

fn sources(site: &Site<'_>) -> Result<File, Error> {
    let mut table = Table::new("Sources", &["Source", "Kind", "Version", "Date", "Meaning"]);
    for one in &site.names.all.sources {
        let cells = [one.name.as_str(), one.kind, &one.version, &one.date, &one.doc].map(escape).to_vec();
        table.row(&address::slug(&one.name), "", cells);
    }
    let content = Content { tables: vec![table], ..Content::default() };
    site.tables("sources.html".to_owned(), "Sources", "Origins of facts other than the documents", content)
}

fn builtins(site: &Site<'_>, path: &str, title: &str, lead: &str, all: &[Builtin]) -> Result<File, Error> {
    let mut table = Table::new(title, &["Name", "Kind", "Meaning"]);
    let mut last = "";
    for one in all {
        let parameters = one.parameters.as_ref().map_or(String::new(), |all| format!("({})", all.join(", ")));
        // A built-in with several numbers of arguments has a row for each.
        let id = if one.name == last { String::new() } else { address::slug(&one.name) };
        last = &one.name;
        let meaning = inline(&site.names, &one.at.file, &one.doc, "");
        table.row(&id, "", vec![code(&(one.name.clone() + &parameters)), escape(one.kind), meaning]);
    }
    let content = Content { tables: vec![table], ..Content::default() };
    site.tables(path.to_owned(), title, lead, content)
}

fn platforms(site: &Site<'_>) -> Result<Vec<File>, Error> {
    let all = &site.names.all;
    let mut files = Vec::new();
    let mut table = Table::new("Platforms", &["Platform", "Other names", "Register", "Instructions"])
        .noted("In the order of age, the oldest first.");
    for (at, one) in all.platforms.iter().enumerate() {
        let on = |instruction: &&visakit_spec_tools::export::Instruction| {
            site.platforms().on(&instruction.platforms).get(at) == Some(&true)
        };
        let count = all.instructions.iter().filter(on).count();
        let name = link("", &address::platform(&one.name), &one.name);
        let register = format!("{} bytes", one.register_bytes);
        table.row(
            &address::slug(&one.name),
            "",
            vec![name, escape(&one.aliases.join(", ")), register, count.to_string()],
        );
        files.push(platform(site, at, one)?);
    }
    let content = Content { tables: vec![table], ..Content::default() };
    files.push(site.tables("platforms.html".to_owned(), "Platforms", "Generations of devices", content)?);
    Ok(files)
}

fn platform(site: &Site<'_>, at: usize, one: &Platform) -> Result<File, Error> {
    let path = address::platform(&one.name);
    let root = super::root(&path);
    let numbers = |all: &[u64]| all.iter().map(|n| format!("{n:#x}")).collect::<Vec<_>>().join(", ");
    let mut table = Table::new("Properties", &["Property", "Value"]);
    for said in &one.said {
        table.row("", "", vec![escape(&said.column), cell(&said.value)]);
    }
    let (mut with, mut without, mut new) = (Vec::new(), Vec::new(), Vec::new());
    for instruction in &site.names.all.instructions {
        let on = site.platforms().on(&instruction.platforms);
        let shown = link(root, &address::instruction(&instruction.name), &instruction.name);
        match (on.get(at), at.checked_sub(1).and_then(|before| on.get(before))) {
            (Some(true), Some(false)) => {
                new.push(shown.clone());
                with.push(shown);
            }
            (Some(true), _) => with.push(shown),
            _ => without.push(shown),
        }
    }
    let section = |title: &str, id: &str, names: &[String]| match names.is_empty() {
        true => String::new(),
        false => format!("<h2 id=\"{id}\">{title}</h2><p>{}</p>", names.join(", ")),
    };
    let after = section("Instructions new on it", "t-new", &new)
        + &section("Instructions not on it", "t-without", &without)
        + &section("Instructions on it", "t-with", &with);
    let content = Content {
        crumb: Some(("Platforms", "platforms.html")),
        facts: vec![
            ("Other names", escape(&one.aliases.join(", "))),
            ("Register", format!("{} bytes", one.register_bytes)),
            ("Codes in objects", numbers(&one.gen_codes)),
            ("Product families", numbers(&one.product_families)),
            ("Source", site.place(&one.at, root)),
        ],
        tables: vec![table],
        after,
        ..Content::default()
    };
    site.tables(path, &one.name, "Platform", content)
}

fn variables(site: &Site<'_>) -> Result<Vec<File>, Error> {
    let all = &site.names.all;
    let mut files = Vec::new();
    let mut table = Table::new("Variables", &["Name", "Older name", "Type", "Elements", "Meaning"]);
    for one in &all.variables {
        let name = link("", &address::variable(&one.name), &one.name);
        let ty = link("", &address::data_type(&one.ty), &one.ty);
        table.row("", "", vec![name, code(&one.old_name), ty, one.elements.to_string(), escape(&one.doc)]);
        files.push(variable(site, one)?);
    }
    let mut tables = vec![table];
    for (title, kind, rows) in
        [("Surfaces", "Predefined surface", &all.surfaces), ("Samplers", "Predefined sampler", &all.samplers)]
    {
        let mut table = Table::new(title, &["Name", "Older name", "Index", "Meaning"]);
        for one in rows {
            let name = link("", &address::variable(&one.name), &one.name);
            table.row("", "", vec![name, code(&one.old_name), one.id.to_string(), escape(&one.doc)]);
            files.push(predefined(site, kind, one)?);
        }
        tables.push(table);
    }
    let lead = "Variables, surfaces and samplers that every kernel has";
    let content = Content { tables, ..Content::default() };
    files.push(site.tables("variables.html".to_owned(), "Predefined variables", lead, content)?);
    Ok(files)
}

const CRUMB: Option<(&str, &str)> = Some(("Predefined variables", "variables.html"));

fn variable(site: &Site<'_>, one: &Variable) -> Result<File, Error> {
    let path = address::variable(&one.name);
    let root = super::root(&path);
    let written = match &one.written {
        None => "no".to_owned(),
        Some(elements) if elements.is_empty() => "all elements".to_owned(),
        Some(elements) => {
            format!("elements {}", elements.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
        }
    };
    let mut facts = vec![
        ("Index", one.id.to_string()),
        ("Older name", code(&one.old_name)),
        ("Type", link(root, &address::data_type(&one.ty), &one.ty)),
        ("Elements", format!("{}, {} with 64-byte registers", one.elements, one.elements_wide)),
        ("Writable", written),
    ];
    facts.push(("Source", site.place(&one.at, root)));
    site.tables(path, &one.name, &one.doc, Content { crumb: CRUMB, facts, ..Content::default() })
}

fn predefined(site: &Site<'_>, kind: &str, one: &Predefined) -> Result<File, Error> {
    let path = address::variable(&one.name);
    let root = super::root(&path);
    let facts = vec![
        ("Kind", escape(kind)),
        ("Index", one.id.to_string()),
        ("Older name", code(&one.old_name)),
        ("Source", site.place(&one.at, root)),
    ];
    let mut table = Table::new("Properties", &["Property", "Value"]);
    for said in &one.said {
        table.row("", "", vec![escape(&said.column), cell(&said.value)]);
    }
    let content = Content { crumb: CRUMB, facts, tables: vec![table], ..Content::default() };
    site.tables(path, &one.name, &one.doc, content)
}
