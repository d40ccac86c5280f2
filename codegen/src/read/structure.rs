//! Reader of the chapters' structures: `name { TYPE member[count]; … }`, and the list that
//! describes the members.

use super::context::Cx;
use super::{bits, said as sentences};
use crate::markdown::{Block, Document, Item, Section, Span};
use crate::model::{
    BitFieldKind, Condition, FieldKind, ListKind, Member, MemberType, Model, Reference, Storage, Structure,
};
use crate::phrase::{Fact, Said, leading_marks, odd_marks, said};
use crate::suggest::distance_within;

pub(crate) fn read(cx: &mut Cx<'_>, document: &Document, model: &mut Model) {
    for section in &document.sections {
        let mut doc = Vec::new();
        let mut found: Option<Structure> = None;
        for block in &section.blocks {
            let lines: Vec<(String, Span)> = match block {
                Block::Code(code) => code.lines.clone(),
                Block::Paragraph(text) => text.lines().into_iter().map(|(l, s)| (l.to_owned(), s)).collect(),
                _ => continue,
            };
            match head(&lines) {
                Some((name, class, at)) if found.is_none() => {
                    head_comment(cx, &lines, class.is_some());
                    let members = read_members(cx, &lines);
                    let (head, at) = (cx.at(&at), cx.at(&section.span));
                    let class = class.map(Into::into);
                    found = Some(Structure { name, class, head, members, doc: String::new(), at });
                }
                Some((name, _, at)) => {
                    let message =
                        format!("structure `{name}` is below the heading of another structure and is not read");
                    cx.error("structure-syntax", &at, message, "add a heading before it");
                }
                _ => {
                    if let Block::Paragraph(text) = block {
                        doc.push(text.text.trim().to_owned());
                    }
                }
            }
        }
        let Some(mut structure) = found else { continue };
        let title = section.title.as_str();
        if title.is_empty()
            || !title.contains(char::is_whitespace) && distance_within(title, &structure.name, 1) == Some(1)
        {
            let message = format!("the heading of structure `{}` is `{title}`", structure.name);
            cx.warn(
                "structure-syntax",
                &section.span,
                message,
                "correct the heading or the structure's name, so that both agree",
            );
        }
        describe(cx, section, model, &mut structure);
        structure.doc = doc.join("\n\n");
        if model.structures.iter().any(|s| s.name == structure.name) {
            cx.error(
                "structure-duplicate",
                &section.span,
                format!("structure `{}` is defined twice", structure.name),
                "keep one",
            );
            continue;
        }
        model.structures.push(structure);
    }
}

/// Reports a comment after the brace that resembles an operand class but was not read.
fn head_comment(cx: &mut Cx<'_>, lines: &[(String, Span)], read: bool) {
    let Some((line, span)) = lines.iter().find(|(l, _)| l.contains('{')) else { return };
    let Some(text) = line.split_once('{').and_then(|(_, rest)| comment(rest)).filter(|_| !read) else { return };
    let key = text.split(['=', ':']).next().unwrap_or("").trim();
    if text.contains('=') || distance_within(key, "operand_class", 3).is_some() {
        let help = "write `//operand_class = General`";
        cx.warn("structure-syntax", span, format!("the comment `{text}` is not understood"), help);
    }
}

/// Parses `name { //operand_class = General`.
fn head(lines: &[(String, Span)]) -> Option<(String, Option<String>, Span)> {
    let (first, span) = lines.iter().find(|(l, _)| !l.trim().is_empty())?;
    let (name, rest) = first.trim().split_once('{')?;
    let name = name.trim();
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let class = comment(rest).and_then(|c| c.split_once('=')).filter(|(key, _)| key.trim() == "operand_class");
    Some((name.to_owned(), class.map(|(_, c)| c.trim().to_owned()), span.clone()))
}

fn comment(behind: &str) -> Option<&str> {
    behind.trim().strip_prefix("//").map(str::trim)
}

/// Parses the condition in a member's comment; an invalid condition is reported.
fn member_comment(cx: &mut Cx<'_>, behind: &str, span: &Span) -> Option<Condition> {
    for range in odd_marks(behind) {
        let message = format!("`{}` looks like a mark, but is not one", &behind[range]);
        cx.warn("mark-syntax", span, message, "write {3.4+} or {-3.4}, without blanks");
    }
    let text = comment(behind)?;
    match said(text).into_iter().next()? {
        Said { fact: Some(Fact::If(field, _, values)), .. } => return Some((field, values).into()),
        Said { phrase, .. } if phrase.lead == "Present only" => {}
        _ => return None,
    }
    let help = "write `//Present only if field=value`";
    cx.warn("structure-syntax", span, format!("the comment `{text}` is not understood"), help);
    None
}

fn read_members(cx: &mut Cx<'_>, lines: &[(String, Span)]) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    for (line, span) in lines.iter().skip_while(|(l, _)| !l.contains('{')).skip(1) {
        let text = line.trim();
        if text.is_empty() || text.starts_with('}') {
            continue;
        }
        let Some((declaration, behind)) = text.split_once(';') else {
            cx.error(
                "structure-syntax",
                span,
                "this line of the structure is not understood",
                "write `TYPE name;` or `TYPE name[count];`",
            );
            continue;
        };
        let (marks, behind) = leading_marks(behind);
        let (member, ty) = read_declaration(cx, declaration, span);
        let presence = member_comment(cx, behind, span);
        match members.iter_mut().find(|m| m.name == member.0) {
            // A second declaration of a member is its layout in other versions.
            Some(earlier) => earlier.storage.push((marks, ty)),
            None => members.push(Member {
                name: member.0,
                storage: vec![(marks, ty)],
                count: member.1,
                shape: FieldKind::Number,
                data_type: false,
                presence,
                doc: String::new(),
                at: cx.at(span),
            }),
        }
    }
    members
}

type Name = (String, Option<Reference<usize>>);

fn read_declaration(cx: &mut Cx<'_>, declaration: &str, span: &Span) -> (Name, MemberType) {
    let mut parts = declaration.split_whitespace();
    let (first, second) = (parts.next().unwrap_or(""), parts.next());
    let (ty, name) = match second {
        Some(name) => (first, name),
        None => (first, first),
    };
    let (name, count) = match name.split_once('[') {
        Some((name, count)) => (name, Some(count.trim_end_matches(']')).filter(|c| !c.is_empty())),
        None => (name, None),
    };
    let base = ty.split('[').next().unwrap_or(ty);
    let ty = match base {
        "string_pool" => MemberType::StringPool,
        "instructions" => MemberType::Instructions,
        "info" => MemberType::Info,
        _ => match Storage::from_name(base) {
            Some(_) if name == "info" => MemberType::Info,
            Some(storage) => MemberType::Number(storage),
            None => MemberType::Structure(base.into()),
        },
    };
    if parts.next().is_some() {
        cx.error(
            "structure-syntax",
            span,
            format!("`{declaration}` is not a declaration"),
            "write `TYPE name;` or `TYPE name[count];`",
        );
    }
    ((name.to_owned(), count.map(Into::into)), ty)
}

/// Reads the descriptions of the members from the list below the structure.
fn describe(cx: &mut Cx<'_>, section: &Section, model: &mut Model, structure: &mut Structure) {
    let items: Vec<&Item> = section
        .blocks
        .iter()
        .filter_map(|b| match b {
            Block::List(items) => Some(items),
            _ => None,
        })
        .flatten()
        .collect();
    for item in items {
        let Some(bold) = &item.text.bold else {
            check_not_member(cx, item, structure);
            continue;
        };
        let name = bold.trim().trim_end_matches(':').trim();
        let name = name.split_once('(').map_or(name, |(n, _)| n).trim_matches(['<', '>', ' ', '`']);
        // Lists in prose have other bold names as well.
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            continue;
        }
        let Some(member) = structure.members.iter_mut().find(|m| m.name.eq_ignore_ascii_case(name)) else {
            cx.warn(
                "member-unknown",
                &item.text.span,
                format!("`{name}` is not a member of {}", structure.name),
                "describe only members that the structure declares",
            );
            continue;
        };
        let behind = item.text.text.find(bold.as_str()).map_or(0, |i| i + bold.len());
        let stated = sentences::read(cx, &item.text, sentences::Of::Member);
        member.doc = item.text.text[behind..].trim().trim_start_matches(':').trim().replace('\n', " ");
        let width = member
            .storage
            .iter()
            .filter_map(|(_, t)| match t {
                MemberType::Number(s) => Some(s.bits()),
                _ => None,
            })
            .max();
        let Some(width) = width.filter(|_| member.count.is_none()) else { continue };
        if item.text.links.iter().any(|l| l.target.contains("2_datatypes.md")) && item.blocks.is_empty() {
            member.data_type = true;
            continue;
        }
        if let Some(id) = bits::linked_list(cx, model, &item.text) {
            member.shape = FieldKind::List(id);
            continue;
        }
        let list_name = format!("{}_{}", structure.name, member.name);
        shape(cx, model, item, member, (&list_name, width, &stated));
    }
    check_counts(cx, structure);
}

/// Warns about an item that names a member but is not read as its description.
fn check_not_member(cx: &mut Cx<'_>, item: &Item, structure: &Structure) {
    let text = item.text.text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = text.split([':', '(']).next().unwrap_or("").trim_end_matches([' ', '*', '>']);
    if structure.members.iter().any(|m| m.name.eq_ignore_ascii_case(first)) {
        let message = format!("this item is not read as the description of `{first}`");
        cx.warn("structure-syntax", &item.text.span, message, format!("write `**{first}:** text`"));
    }
}

/// Reads the shape of a member of `width` bits from its description; a new list gets `list_name`.
fn shape(
    cx: &mut Cx<'_>,
    model: &mut Model,
    item: &Item,
    member: &mut Member,
    (list_name, width, stated): (&str, u32, &[sentences::Stated]),
) {
    let doc = member.doc.clone();
    // The vendor's chapters describe bits in prose; only items of the form `Bit[…]` are read.
    if has_bits(&item.blocks) {
        if let bits::Nested::List(id, _) = bits::read(
            cx,
            model,
            &item.blocks,
            list_name,
            width,
            &item.text.span,
            bits::ListHeading { shared: false, doc: &doc },
        ) {
            member.data_type = is_data_type(&model.list(id).kind);
            match member.data_type {
                true => drop(model.lists.pop()),
                false => member.shape = FieldKind::List(id),
            }
        }
    } else if stated.iter().any(|s| s.fact == Fact::Zero) {
        member.shape = FieldKind::Zero;
    } else if let Some(kind) = sentences::index(stated) {
        member.shape = FieldKind::Index(kind);
    }
}

/// Returns true if bits hold only the code of a data type.
fn is_data_type(kind: &ListKind) -> bool {
    let ListKind::Parts(parts) = kind else { return false };
    let mut used = parts.iter().filter(|p| p.kind != BitFieldKind::Zero);
    used.next().is_some_and(|p| p.kind == BitFieldKind::DataType && p.lo == 0) && used.next().is_none()
}

fn has_bits(blocks: &[Block]) -> bool {
    blocks.iter().any(|b| match b {
        Block::List(items) => items.iter().any(|i| {
            let (_, bare) = leading_marks(&i.text.text);
            bare.starts_with("Bit[")
        }),
        _ => false,
    })
}

fn check_counts(cx: &mut Cx<'_>, structure: &Structure) {
    for (i, member) in structure.members.iter().enumerate() {
        if let Some(count) = &member.count
            && !structure.members[..i].iter().any(|m| m.name == count.name)
        {
            let span = member.at.start as usize..member.at.end as usize;
            cx.error(
                "count-unknown",
                &span,
                format!("no member `{count}` comes before `{}`", member.name),
                "name a count that comes earlier in the same structure",
            );
        }
    }
}
