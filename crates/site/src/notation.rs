//! Semantics, templates and conditions as HTML, with links to what they name.

use std::collections::BTreeMap;

use visakit_codegen::model::SourceSpan;
use visakit_codegen::model::semantics::{Block, Expression, ExpressionKind, Meaning, StatementKind};

use crate::address;
use crate::names::Names;
use crate::prose::{escape, link};

/// Words of the notation.
const KEYWORDS: [&str; 8] = ["channels", "for", "in", "if", "else", "let", "undefined", "true"];

/// Addresses of the names in a text; a name with dots is a path such as `Lsc_op.lsc_load`.
type Links = BTreeMap<String, String>;

/// Returns the Semantics section of an instruction as HTML.
pub(crate) fn semantics(names: &Names<'_>, page: &str, source: &str, block: Option<&Block>, root: &str) -> String {
    let mut links = Links::new();
    if let Some(block) = block {
        statements(names, page, block, &mut links);
    }
    weave(source, &links, root)
}

/// Returns an expression of verification.md as HTML, as written.
pub(crate) fn condition(names: &Names<'_>, at: SourceSpan, root: &str) -> String {
    let mut links = Links::new();
    for one in &names.all.rule_builtins {
        links.insert(one.name.clone(), address::rule_builtin(&one.name));
    }
    for one in &names.all.definitions {
        links.insert(one.name.clone(), address::definition(&one.name));
    }
    for list in names.all.lists.iter().filter(|list| list.shared) {
        links.insert(list.name.clone(), address::list(&list.name));
    }
    let page = names.model.pages.get(at.page as usize);
    let text = page.and_then(|page| page.text.get(at.start as usize..at.end as usize)).unwrap_or_default();
    weave(&text.replace("\\|", "|"), &links, root)
}

/// Returns a template as HTML; each field links to its row on the page.
pub(crate) fn template(source: &str, fields: &[&str]) -> String {
    let mut out = String::new();
    let mut rest = source;
    while let Some((before, (inner, after))) =
        rest.split_once('<').and_then(|(before, rest)| Some((before, rest.split_once('>')?)))
    {
        out += &escape(before);
        let name = inner.split([':', '.']).next().unwrap_or(inner);
        let field = fields.iter().find(|field| field.eq_ignore_ascii_case(name));
        let shown = escape(&format!("<{inner}>"));
        match field {
            Some(field) => out += &format!("<a href=\"#field-{}\">{shown}</a>", escape(&address::slug(field))),
            None => out += &shown,
        }
        rest = after;
    }
    out + &escape(rest)
}

/// Writes a text with its keywords marked and its names linked.
fn weave(source: &str, links: &Links, root: &str) -> String {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        if !is_start(first) {
            // A number may contain letters.
            let end = match first.is_ascii_digit() {
                true => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
                false => first.len_utf8(),
            };
            out += &escape(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let word = &rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())];
        let path = &rest[..rest.find(|c: char| !is_word(c) && c != '.').unwrap_or(rest.len())];
        let path = path.trim_end_matches('.');
        let (shown, to) = match links.get(path) {
            Some(to) => (path, Some(to)),
            None => (word, links.get(word)),
        };
        match to {
            Some(to) if to.starts_with('#') => out += &link("", to, shown),
            Some(to) => out += &link(root, to, shown),
            None if KEYWORDS.contains(&shown) => out += &format!("<b>{shown}</b>"),
            None => out += &escape(shown),
        }
        rest = &rest[shown.len()..];
    }
    out
}

fn statements(names: &Names<'_>, page: &str, block: &Block, links: &mut Links) {
    for statement in &block.statements {
        let mut all: Vec<&Expression> = Vec::new();
        match &statement.kind {
            StatementKind::Channels { body, .. } => statements(names, page, body, links),
            StatementKind::For { from, to, body, .. } => {
                all.extend([from, to]);
                statements(names, page, body, links);
            }
            StatementKind::If { condition, then, otherwise } => {
                all.push(condition);
                statements(names, page, then, links);
                otherwise.iter().for_each(|block| statements(names, page, block, links));
            }
            StatementKind::Let { value, .. } => all.push(value),
            StatementKind::Assign { target, value } => all.extend([target, value]),
            StatementKind::Call(call) => {
                links.insert(call.function.text.clone(), address::builtin(&call.function.text));
                all.extend(&call.arguments);
            }
            StatementKind::Undefined => {}
        }
        all.into_iter().for_each(|one| expression(names, page, one, links));
    }
}

fn expression(names: &Names<'_>, page: &str, one: &Expression, links: &mut Links) {
    match &one.kind {
        ExpressionKind::Name { name, meaning } => {
            let to = match meaning {
                Meaning::Builtin => Some(address::builtin(name)),
                Meaning::Field => field(names, page, name),
                Meaning::Predefined { .. } => Some(address::variable(name)),
                Meaning::Local | Meaning::Unresolved => None,
            };
            links.extend(to.map(|to| (name.clone(), to)));
        }
        ExpressionKind::Enumerator { list, name } => {
            let own = format!("{page}_{}", list.replace('.', "_"));
            let known = names
                .all
                .lists
                .iter()
                .find(|known| known.name.eq_ignore_ascii_case(list) || known.name.eq_ignore_ascii_case(&own));
            links.extend(known.map(|known| (format!("{list}.{name}"), address::enumerator(&known.name, name))));
        }
        ExpressionKind::Call(call) => {
            links.insert(call.function.text.clone(), address::builtin(&call.function.text));
        }
        _ => {}
    }
    one.parts().into_iter().for_each(|part| expression(names, page, part, links));
}

/// Returns the address of a field on its page, by its name in lower case.
fn field(names: &Names<'_>, page: &str, name: &str) -> Option<String> {
    let instruction = names.all.instructions.iter().find(|one| one.name == page)?;
    let mut fields = instruction.forms.iter().flat_map(|form| &form.fields);
    let found = fields.find(|field| field.name.replace(' ', "_").eq_ignore_ascii_case(name))?;
    Some(format!("#field-{}", address::slug(&found.name)))
}

#[cfg(test)]
mod tests {
    use super::{Links, template, weave};

    #[test]
    fn names_are_linked_and_texts_escaped() {
        let links = Links::from([
            ("A.b".to_owned(), "lists/A.html#b".to_owned()),
            ("dst".to_owned(), "#field-Dst".to_owned()),
        ]);
        let woven = weave("if x < 0x1f && A.b { dst[i] = A.c }", &links, "../");
        assert_eq!(
            woven,
            "<b>if</b> x &lt; 0x1f &amp;&amp; <a href=\"../lists/A.html#b\">A.b</a> { \
             <a href=\"#field-Dst\">dst</a>[i] = A.c }"
        );
    }

    #[test]
    fn fields_of_a_template_are_linked() {
        assert_eq!(
            template("ADD <dst:bare> <x>", &["Dst"]),
            "ADD <a href=\"#field-Dst\">&lt;dst:bare&gt;</a> &lt;x&gt;"
        );
    }
}
