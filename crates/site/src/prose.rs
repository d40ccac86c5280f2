//! Markdown of pages as HTML, with links to the site.

use std::collections::BTreeSet;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use visakit_codegen::markdown::anchors;

use crate::address;
use crate::names::{Names, is_chapter};

/// Folder of the pages in the repository, for links to files outside the specification.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

/// Escapes a text for HTML, in elements and in attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            _ => out.push(c),
        }
    }
    out
}

/// Returns a link to an address of the site. `root` leads from the page to the site's root.
pub(crate) fn link(root: &str, address: &str, text: &str) -> String {
    format!("<a href=\"{}{}\">{}</a>", escape(root), escape(address), escape(text))
}

/// Converts Markdown of the page at `path` to HTML. HTML in the text is shown as text, except for
/// superscripts.
pub(crate) fn html(names: &Names<'_>, path: &str, text: &str, root: &str) -> String {
    let mut events = Vec::new();
    let mut taken = BTreeSet::new();
    // Events of the current heading, whose text gives the anchor.
    let mut heading: Option<usize> = None;
    // Begin of a superscript. Its end counts only if no other element is between them.
    let mut raised: Option<usize> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        if let Event::Start(_) | Event::End(_) = event {
            raised = None;
        }
        match event {
            Event::InlineHtml(tag) if &*tag == "<sup>" => {
                raised = Some(events.len());
                events.push(Event::Text(tag));
            }
            Event::InlineHtml(tag) if &*tag == "</sup>" && raised.is_some() => {
                raised.take().into_iter().for_each(|begin| events[begin] = raw("<sup>"));
                events.push(Event::InlineHtml(tag));
            }
            Event::Html(raw) | Event::InlineHtml(raw) => events.push(Event::Text(raw)),
            Event::Start(Tag::Heading { .. }) => {
                heading = Some(events.len());
                events.push(event);
            }
            Event::End(TagEnd::Heading(_)) => {
                events.push(event);
                if let Some(start) = heading.take() {
                    anchor(&mut events, start, &mut taken);
                }
            }
            Event::Start(Tag::Table(_)) => {
                events.push(raw("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">"));
                events.push(event);
            }
            Event::End(TagEnd::Table) => {
                events.push(event);
                events.push(raw("</div>"));
            }
            Event::Start(Tag::CodeBlock(_)) => {
                events.push(raw("<pre tabindex=\"0\"><code>"));
            }
            Event::End(TagEnd::CodeBlock) => events.push(raw("</code></pre>")),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = target(names, path, &dest_url, root).into();
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            // An image would be a request; its text stays.
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            other => events.push(other),
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out
}

/// Converts Markdown of one line to HTML without a paragraph.
pub(crate) fn inline(names: &Names<'_>, path: &str, text: &str, root: &str) -> String {
    let html = html(names, path, text, root);
    let html = html.trim();
    let inner = html.strip_prefix("<p>").and_then(|rest| rest.strip_suffix("</p>"));
    inner.filter(|inner| !inner.contains("<p>")).unwrap_or(html).to_owned()
}

fn raw(text: &'static str) -> Event<'static> {
    Event::Html(CowStr::Borrowed(text))
}

/// Adds anchors to the heading that starts at `start`: all words joined by dashes, and the name
/// before a parenthesis.
fn anchor(events: &mut Vec<Event<'_>>, start: usize, taken: &mut BTreeSet<String>) {
    let mut title = String::new();
    for event in &events[start..] {
        if let Event::Text(text) | Event::Code(text) = event {
            title += text;
        }
    }
    let mut anchors = anchors(&title);
    let whole = anchors.next().unwrap_or_default();
    let mut own = whole.clone();
    let mut nth = 1;
    while own.is_empty() || !taken.insert(own.clone()) {
        own = format!("{whole}-{nth}");
        nth += 1;
    }
    if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
        *id = Some(own.into());
    }
    if let Some(name) = anchors.next().filter(|name| taken.insert(name.clone())) {
        events.insert(start, Event::Html(format!("<span id=\"{}\"></span>", escape(&name)).into()));
    }
}

/// Returns the target of a link in the page at `path`.
fn target(names: &Names<'_>, path: &str, link: &str, root: &str) -> String {
    if link.contains("://") || link.starts_with("mailto:") || link.starts_with('#') {
        return link.to_owned();
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    let mut above = 0;
    for part in file.split('/') {
        match part {
            "." | "" => {}
            ".." if parts.pop().is_none() => above += 1,
            ".." => {}
            part => parts.push(part),
        }
    }
    let file = parts.join("/");
    if above > 0 {
        // The specification is the folder `spec` of the repository.
        return format!("{REPOSITORY}{file}{}", if anchor.is_empty() { String::new() } else { format!("#{anchor}") });
    }
    format!("{root}{}", local(names, &file, anchor).unwrap_or_else(|| format!("{REPOSITORY}spec/{file}")))
        .replace(&format!("{root}{REPOSITORY}"), REPOSITORY)
}

/// Returns the address of a page of the specification, or of a list or structure in it.
fn local(names: &Names<'_>, file: &str, anchor: &str) -> Option<String> {
    if let Some(one) = names.all.instructions.iter().find(|one| one.at.file == file) {
        return Some(address::instruction(&one.name));
    }
    let is = |name: &str, at: &str| at == file && name.eq_ignore_ascii_case(anchor);
    if let Some(list) = names.all.lists.iter().find(|one| is(&one.name, &one.at.file)) {
        return Some(address::list(&list.name));
    }
    if let Some(one) = names.all.structures.iter().find(|one| is(&one.name, &one.at.file)) {
        return Some(address::structure(&one.name));
    }
    let page = names.model.pages.iter().find(|page| page.path == file && is_chapter(&page.path))?;
    let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
    Some(address::chapter(&page.path) + &anchor)
}

/// Returns the Markdown of a section of a page up to its list of fields, or up to the next heading.
pub(crate) fn section<'t>(text: &'t str, title: &str) -> Option<&'t str> {
    let heading = format!("## {title}");
    let mut at = 0;
    let mut start = None;
    let mut fence = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_end();
        fence ^= trimmed.trim_start().starts_with("```");
        if let Some(start) = start {
            let is_field = trimmed.starts_with("- **") && trimmed.contains("):**");
            if !fence && (trimmed.starts_with('#') || is_field) {
                return Some(text[start..at].trim());
            }
        } else if trimmed.eq_ignore_ascii_case(&heading) {
            start = Some(at + line.len());
        }
        at += line.len();
    }
    start.map(|start| text[start..].trim())
}

#[cfg(test)]
mod tests {
    use super::{escape, section};

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escape("<a href='x'>&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;");
    }

    #[test]
    fn sections_end_at_fields_and_headings() {
        let text = "## Description\n\nAdds.\n\n- a note\n\n- **Dst(raw):** x\n\n## Notes\n\nN\n";
        assert_eq!(section(text, "Description"), Some("Adds.\n\n- a note"));
        assert_eq!(section(text, "Notes"), Some("N"));
        assert_eq!(section(text, "Text"), None);
    }
}
