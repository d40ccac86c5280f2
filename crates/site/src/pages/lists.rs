//! Pages of lists and structures.

use minijinja::Error;
use visakit_spec_tools::export::{
    BitFieldKind, Enumerator, Field, FieldKind, List, ListKind, Member, MemberType, Structure,
};

use super::Site;
use super::fields::said;
use super::table::{Content, Table, cells, code};
use crate::prose::{escape, link};
use crate::{File, address, layout, marks};

/// Returns the pages of lists and structures, and their overviews.
pub(super) fn pages(site: &Site<'_>) -> Result<Vec<File>, Error> {
    let mut files = Vec::new();
    let all = &site.names.all;
    let mut shared = Table::new("Shared lists", &["List", "Bits", "Meaning"]);
    let mut own = Table::new("Lists of single pages", &["List", "Bits", "Page"]);
    let mut structures = Table::new("Structures", &["Structure", "Meaning"]);
    for list in &all.lists {
        files.push(self::list(site, list)?);
        let name = link("", &address::list(&list.name), &list.name);
        let bits = list.bits.to_string();
        match list.shared {
            true => shared.row("", "", vec![name, bits, escape(&crate::names::first_sentence(&list.doc))]),
            false => own.row("", "", vec![name, bits, code(&list.at.file)]),
        }
    }
    for one in &all.structures {
        files.push(structure(site, one)?);
        let name = link("", &address::structure(&one.name), &one.name);
        structures.row("", "", vec![name, escape(&crate::names::first_sentence(&one.doc))]);
    }
    let lead = "Bit fields, enumerations and structures";
    let content = Content { tables: vec![shared, structures, own], ..Content::default() };
    files.push(site.tables("lists.html".to_owned(), "Lists and structures", lead, content)?);
    Ok(files)
}

/// Returns the page of a list.
fn list(site: &Site<'_>, list: &List) -> Result<File, Error> {
    let path = address::list(&list.name);
    let root = super::root(&path);
    let (kind, table) = match &list.kind {
        ListKind::Enumeration { columns, values, .. } => {
            ("Enumeration", enumeration(site, values, columns.iter().map(|c| c.name.as_str())))
        }
        ListKind::Parts { parts } => {
            let mut table = Table::new("Parts", &["Part", "Bits", "Value", "Text", "Platforms", "Meaning"]);
            for part in parts {
                let kind = match &part.kind {
                    BitFieldKind::Zero => "must be zero".to_owned(),
                    BitFieldKind::Flag => "flag".to_owned(),
                    BitFieldKind::Number => "number".to_owned(),
                    BitFieldKind::Enumeration { list } => link(root, &address::list(&list.name), &list.name),
                    BitFieldKind::DataType => format!("<a href=\"{root}types.html\">data type</a>"),
                };
                let (bits, when) = (layout::range(part.hi, part.lo), marks::words(&part.when));
                let name = if part.name.is_empty() { "–".to_owned() } else { escape(&part.name) };
                let cells = vec![name, bits, kind, code(&part.text), escape(&when), escape(&part.doc)];
                table.row(&id(&part.name), &site.on(&part.when), cells);
            }
            ("Bit field", table)
        }
    };
    let drawing = layout::list(list).inline();
    let body = format!("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Bits\">{drawing}</div>");
    let content = Content {
        crumb: Some(("Lists", "lists.html")),
        body,
        facts: vec![
            ("Kind", format!("{kind} of {} bits", list.bits)),
            ("Text", list.template.as_deref().map(code).unwrap_or_default()),
            ("Source", site.place(&list.at, root)),
        ],
        tables: vec![table],
        after: users(site, list, root),
    };
    site.tables(path, &list.name, &list.doc, content)
}

/// Returns an anchor for a name; empty for an empty name.
fn id(name: &str) -> String {
    if name.is_empty() { String::new() } else { address::slug(name) }
}

fn enumeration<'a>(site: &Site<'_>, values: &[Enumerator], columns: impl Iterator<Item = &'a str>) -> Table {
    let columns: Vec<&str> = columns.collect();
    let mut table = Table::new("Values", &["Name", "Value", "Text"]);
    table.columns(columns.iter().copied().chain(["Platforms", "Meaning", "Source"]));
    let mut taken = std::collections::BTreeSet::new();
    for one in values {
        let name = if one.reserved { "reserved".to_owned() } else { escape(&one.name) };
        let mut row = vec![name, one.value.to_string(), code(&one.text)];
        row.extend(cells(&one.said, columns.len()));
        row.push(escape(&marks::words(&one.when)));
        row.push(escape(&one.doc));
        let since = one.at.since.as_ref().map_or(String::new(), |since| format!(" since {since}"));
        let sources = one.at.sources.iter().map(|name| link("../", &address::source(name), name));
        row.push(sources.collect::<Vec<_>>().join(", ") + &escape(&since));
        let id = if one.reserved || !taken.insert(one.name.clone()) { String::new() } else { id(&one.name) };
        table.row(&id, &site.on(&one.when), row);
    }
    table
}

/// Returns the fields, parts and members of a list's type as HTML.
fn users(site: &Site<'_>, list: &List, root: &str) -> String {
    let all = &site.names.all;
    let is = |name: &str| name == list.name;
    let mut out: Vec<String> = Vec::new();
    let of_field = |field: &Field| matches!(&field.shape, FieldKind::List { list } if is(&list.name));
    for one in &all.instructions {
        let field = one.forms.iter().flat_map(|form| &form.fields).find(|field| of_field(field));
        out.extend(field.map(|field| link(root, &address::field(&one.name, &field.name), &one.name)));
    }
    for one in &all.lists {
        let ListKind::Parts { parts } = &one.kind else { continue };
        let part =
            parts.iter().any(|part| matches!(&part.kind, BitFieldKind::Enumeration { list } if is(&list.name)));
        out.extend(part.then(|| link(root, &address::list(&one.name), &one.name)));
    }
    for one in &all.structures {
        let member = one.members.iter().find(|m| matches!(&m.shape, FieldKind::List { list } if is(&list.name)));
        out.extend(member.map(|member| link(root, &address::member(&one.name, &member.name), &one.name)));
    }
    if out.is_empty() { String::new() } else { format!("<h2 id=\"t-users\">Used by</h2><p>{}</p>", out.join(", ")) }
}

/// Returns the page of a structure.
fn structure(site: &Site<'_>, one: &Structure) -> Result<File, Error> {
    let path = address::structure(&one.name);
    let root = super::root(&path);
    let mut table = Table::new("Members", &["Member", "Storage", "Value", "Meaning"]);
    for member in &one.members {
        let cells = vec![escape(&member.name), storage(member, root), value(member, root), escape(&member.doc)];
        table.row(&address::slug(&member.name), "", cells);
    }
    let content = Content {
        crumb: Some(("Lists and structures", "lists.html")),
        facts: vec![
            ("Operand class", one.operand_class.as_deref().map(code).unwrap_or_default()),
            ("Source", site.place(&one.at, root)),
        ],
        tables: vec![table],
        ..Content::default()
    };
    site.tables(path, &one.name, &one.doc, content)
}

fn storage(member: &Member, root: &str) -> String {
    let one = |ty: &visakit_spec_tools::export::Typed<MemberType>| {
        let name = match &ty.ty {
            MemberType::Number { number } => escape(number),
            MemberType::Structure { structure } => link(root, &address::structure(structure), structure),
            MemberType::StringPool => "strings".to_owned(),
            MemberType::OperandInfo => "operand".to_owned(),
            MemberType::Instructions => "instructions".to_owned(),
        };
        let when = marks::words(&ty.when);
        if when.is_empty() { name } else { format!("{name} {}", escape(&when)) }
    };
    let types = member.storage.iter().map(one).collect::<Vec<_>>().join(", ");
    let count = member.count.as_ref().map_or(String::new(), |count| format!(" × {}", escape(count)));
    let present = member.present.as_ref().map_or(String::new(), |c| format!(" if {}", escape(&said(c))));
    types + &count + &present
}

fn value(member: &Member, root: &str) -> String {
    match &member.shape {
        FieldKind::List { list } => link(root, &address::list(&list.name), &list.name),
        FieldKind::Index { table } => format!("index of a {}", escape(table)),
        FieldKind::IndexBy { field } => format!("index, by {}", escape(field)),
        _ if member.data_type => link(root, "types.html", "data type"),
        _ => String::new(),
    }
}
