//! Facts of the pages: legality on a platform, and descriptions for an editor.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use visakit::isa::{Platform, candidates};
use visakit::rt::Candidate;
use visakit::rt::reflect::{BitField, Field, Page, PageKind, Platforms, Saturation, Value};

/// Address of the folder of pages.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/spec/");

/// Returns true if one of several ranges contains the platform. Without ranges, or without a
/// platform, everything is legal.
fn is_in(ranges: &[Platforms], platform: Option<Platform>) -> bool {
    platform.is_none_or(|platform| ranges.is_empty() || ranges.iter().any(|range| range.contains(platform)))
}

/// Returns true if a platform has the instruction of a page.
pub fn has_page(page: &Page, platform: Option<Platform>) -> bool {
    is_in(page.platforms, platform)
}

/// Returns true if a platform has an instruction with the mnemonic.
pub fn has_mnemonic(word: &str, platform: Option<Platform>) -> bool {
    let is_legal = |candidate: &&Candidate| {
        let of_field = |field: &'static Field| values(field).map(move |(part, value)| (field, part, value));
        let spelled = fields(candidate.page).into_iter().flat_map(of_field).filter(|(.., value)| value.text == word);
        let mut spelled = spelled.peekable();
        let is_field = spelled.peek().is_some();
        has_page(candidate.page, platform)
            && (!is_field || spelled.any(|(field, part, value)| has_value(field, part, value, platform)))
    };
    candidates(word).iter().any(is_legal)
}

/// Returns the fields of a page, each name once.
pub fn fields(page: &'static Page) -> Vec<&'static Field> {
    let mut names = BTreeSet::new();
    page.forms.iter().flat_map(|form| form.fields).filter(|field| names.insert(field.name)).collect()
}

/// Returns the named values of a field with their parts.
pub fn values(field: &'static Field) -> impl Iterator<Item = (&'static BitField, &'static Value)> {
    let parts = field.list.map_or(&[][..], |list| list.parts);
    parts.iter().flat_map(|part| part.values.iter().map(move |value| (part, value)))
}

/// Returns true if a field may have a value of one of its parts on a platform.
pub fn has_value(field: &Field, part: &BitField, value: &Value, platform: Option<Platform>) -> bool {
    let is_legal =
        |(name, range): &(&str, Platforms)| name.eq_ignore_ascii_case(value.name) && is_in(&[*range], platform);
    let mut limits = field.only.iter().filter(|(limited, _)| limited.eq_ignore_ascii_case(part.name));
    is_in(&[value.platforms], platform) && limits.all(|(_, legal)| legal.iter().any(is_legal))
}

/// Formats ranges of platforms: `from XEHP`, `before MTL`, `all`.
pub fn platforms(ranges: &[Platforms]) -> String {
    let one = |range: &Platforms| match (range.from, range.before) {
        (None, None) => "all platforms".to_owned(),
        (Some(from), None) => format!("from {}", from.name()),
        (None, Some(before)) => format!("before {}", before.name()),
        (Some(from), Some(before)) => format!("from {}, before {}", from.name(), before.name()),
    };
    match ranges {
        [] => "all platforms".to_owned(),
        ranges => ranges.iter().map(one).collect::<Vec<_>>().join("; "),
    }
}

/// Returns a link to a page. `origin` is its path, with a line number if any: `lists.md:91`.
pub fn link(origin: &str) -> String {
    let (path, line) = origin.split_once(':').unwrap_or((origin, ""));
    let anchor = if line.is_empty() { String::new() } else { format!("#L{line}") };
    format!("[{path}]({PAGES}{path}{anchor})")
}

/// Returns words of a page with absolute links. `origin` is the page's path, with a line number if
/// any.
pub fn prose(text: &str, origin: &str) -> String {
    let path = origin.split(':').next().unwrap_or_default();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (target, behind) = after.split_once(')').unwrap_or((after, ""));
        let address = match target.strip_prefix("../") {
            _ if target.contains("://") => target.to_owned(),
            _ if target.starts_with('#') => format!("{PAGES}{path}{target}"),
            Some(upper) => format!("{PAGES}{upper}"),
            None if folder.is_empty() => format!("{PAGES}{target}"),
            None => format!("{PAGES}{folder}/{target}"),
        };
        let _ = write!(out, "{before}]({address})");
        rest = behind;
    }
    out + rest
}

/// Describes the instruction of a page in Markdown.
pub fn page(page: &'static Page, platform: Option<Platform>) -> String {
    let mut out = String::new();
    let sub = page.sub_opcode.map_or(String::new(), |sub| format!(" {sub:#04x}"));
    let _ = writeln!(out, "**{}** · opcode {:#04x}{sub} · {}\n", page.name, page.opcode, link(page.path));
    match page.kind {
        PageKind::Alias(of) => {
            let _ = writeln!(out, "Another spelling of {of}.\n");
        }
        PageKind::Ordinary | PageKind::Umbrella | PageKind::Reserved | PageKind::Undefined => {}
    }
    if !page.summary.is_empty() {
        let _ = writeln!(out, "{}\n", prose(page.summary, page.path));
    }
    if !page.text.is_empty() {
        let _ = writeln!(out, "```visaasm\n{}\n```\n", page.text.join("\n"));
    }
    for field in fields(page).into_iter().filter(|field| field.role.is_some() && !field.doc.is_empty()) {
        let _ = writeln!(out, "- `{}`: {}", field.name, prose(field.doc, page.path));
    }
    let types = page.types.iter().filter(|(_, range)| is_in(&[*range], platform)).map(|(ty, _)| ty.name());
    let types: Vec<_> = types.collect();
    if !types.is_empty() {
        let _ = writeln!(out, "\nTypes: {}", types.join(", "));
    }
    match page.saturation {
        Saturation::No => {}
        Saturation::Yes => out.push_str("\nSaturation: yes\n"),
        Saturation::Floats => out.push_str("\nSaturation: of floats\n"),
    }
    let _ = writeln!(out, "\nPlatforms: {}", platforms(page.platforms));
    if let Some(platform) = platform.filter(|platform| !has_page(page, Some(*platform))) {
        let _ = writeln!(out, "\n**{} does not have this instruction.**", platform.name());
    }
    if !page.semantics.is_empty() {
        let _ = writeln!(out, "\n```\n{}\n```", page.semantics.trim_end());
    }
    out
}

/// Describes a value of a field in Markdown.
pub fn value(field: &Field, part: &BitField, value: &Value) -> String {
    let Some(list) = field.list else { return String::new() };
    let part = if part.name.is_empty() { String::new() } else { format!(".{}", part.name) };
    let mut out = format!(
        "**{}** · {}{part} = {} · {}\n\n{}\n",
        value.name,
        list.name,
        value.value,
        link(list.origin),
        prose(value.doc, list.origin)
    );
    let _ = writeln!(out, "\nPlatforms: {}", platforms(&[value.platforms]));
    out
}
