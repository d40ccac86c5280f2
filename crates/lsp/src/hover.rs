//! Hover: what the word under the cursor means.

use std::fmt::Write as _;

use lsp_types::Position;
use visakit::isa::{
    ATTRIBUTES, DataType, InputOrigin, Modifier, Platform, TextDirective, TextKey, list_data, predefined,
    predefined_sampler, predefined_surface,
};
use visakit::rt::reflect::{List, Page, Predefined, Value};
use visakit::text::TokenKind;

use crate::chunk::{Chunk, Head};
use crate::document::Document;
use crate::facts;
use crate::names::{self, Under};
use crate::outline::{Declaration, Space, value};
use visakit::isa::candidates;

/// Returns Markdown about the word under a position, and the range of the word.
pub fn hover(
    document: &Document,
    position: Position,
    platform: Option<Platform>,
) -> Option<(String, lsp_types::Range)> {
    let under = names::under(document, position)?;
    let chunk = &document.chunks()[under.chunk];
    let text = match under.token.kind {
        TokenKind::Mnemonic => mnemonic(under.word, platform),
        TokenKind::Directive => directive(under.word),
        TokenKind::Type => data_type(under.word).or_else(|| in_lists(chunk, under.word)),
        TokenKind::Variable | TokenKind::Label | TokenKind::String => {
            of_name(document, &under, platform).or_else(|| in_lists(chunk, under.word))
        }
        TokenKind::Modifier => modifier(document, chunk, &under, platform),
        TokenKind::Number => number(chunk, &under),
        TokenKind::Region => Some(region(under.word)),
        TokenKind::Blank | TokenKind::Comment | TokenKind::Punctuation | TokenKind::Unknown => None,
    }?;
    Some((text, document.range(under.chunk, &under.token.range())))
}

/// Returns the pages of the instruction of a chunk, each once.
pub fn pages(chunk: &Chunk) -> Vec<&'static Page> {
    let Head::Instruction(at) = chunk.head() else { return Vec::new() };
    chunk.tokens.get(*at).map_or_else(Vec::new, |token| pages_of(chunk.word(token)))
}

fn pages_of(word: &str) -> Vec<&'static Page> {
    let mut out: Vec<&'static Page> = Vec::new();
    for candidate in candidates(word) {
        if !out.iter().any(|page| page.name == candidate.page.name) {
            out.push(candidate.page);
        }
    }
    out
}

fn mnemonic(word: &str, platform: Option<Platform>) -> Option<String> {
    let pages = pages_of(word);
    let mut texts: Vec<_> = pages.iter().flat_map(|page| value_of(page, word)).collect();
    texts.extend(pages.iter().map(|page| facts::page(page, platform)));
    (!texts.is_empty()).then(|| texts.join("\n---\n"))
}

/// Describes the values of a page's fields that a word spells.
fn value_of(page: &'static Page, word: &str) -> Vec<String> {
    let spelled = |text: &str| !text.is_empty() && text.trim_matches(['.', ' ', ',', ':']) == word;
    let mut out = Vec::new();
    for field in facts::fields(page) {
        let found = facts::values(field).filter(|(_, value)| spelled(value.text));
        out.extend(found.map(|(part, value)| facts::value(field, part, value)));
    }
    out.dedup();
    out
}

fn in_lists(chunk: &Chunk, word: &str) -> Option<String> {
    let word = word.trim_start_matches('.');
    let mut all: Vec<String> = Vec::new();
    for text in pages(chunk).into_iter().flat_map(|page| value_of(page, word)) {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    (!all.is_empty()).then(|| all.join("\n---\n"))
}

fn modifier(document: &Document, chunk: &Chunk, under: &Under<'_>, platform: Option<Platform>) -> Option<String> {
    if let Head::Directive(_) = chunk.head() {
        return key(under.word).or_else(|| attribute(under.word)).or_else(|| of_name(document, under, platform));
    }
    let bare = under.word.trim_start_matches('.');
    let of_list = |list: &'static List, fits: &dyn Fn(&str) -> bool| {
        let part = list.parts.first()?;
        let found = part.values.iter().find(|value| fits(value.text))?;
        Some(format!("**{}** · {} · {}\n\n{}\n", found.name, list.name, facts::link(list.origin), found.doc))
    };
    let modifier = || {
        let fits = |text: &str| text.trim_matches(['(', ')', '-', '~', '.']) == bare && !bare.is_empty();
        let is_modifier = Modifier::ALL.iter().any(|one| fits(one.text()));
        is_modifier.then(|| of_list(&list_data::MODIFIER, &fits)).flatten()
    };
    let combine = || of_list(&list_data::COMBINE, &|text| text.trim_start_matches('.') == bare);
    of_name(document, under, platform).or_else(|| in_lists(chunk, under.word)).or_else(modifier).or_else(combine)
}

/// Describes a directive by the row of its list.
fn directive(word: &str) -> Option<String> {
    let found = crate::chunk::directive(word)?;
    let row = |list: &'static List, text: &str| {
        let (link, doc) = (facts::link(list.origin), facts::prose(spelled(list, text)?.doc, list.origin));
        Some(format!("**{word}** · {} · {link}\n\n{doc}\n", list.name))
    };
    let mut out = row(&list_data::TEXT_DIRECTIVE, found.text())?;
    if found == TextDirective::ImplicitLine {
        let origin = InputOrigin::ALL.iter().find(|one| word.ends_with(one.text()) && !one.text().is_empty())?;
        out.push_str(&row(&list_data::INPUT_ORIGIN, origin.text())?);
    }
    let keys = |keys: &[TextKey]| keys.iter().map(|key| format!("`{}=`", key.text())).collect::<Vec<_>>().join(", ");
    for (label, all) in [("Required", found.required()), ("Optional", found.optional())] {
        if !all.is_empty() {
            let _ = writeln!(out, "\n{label}: {}", keys(all));
        }
    }
    Some(out)
}

fn key(word: &str) -> Option<String> {
    let list = &list_data::TEXT_KEY;
    let (link, doc) = (facts::link(list.origin), facts::prose(spelled(list, word)?.doc, list.origin));
    Some(format!("**{word}=** · {link}\n\n{doc}\n"))
}

/// Returns the value of an enumeration with a spelling.
fn spelled(list: &'static List, text: &str) -> Option<&'static Value> {
    list.parts.first()?.values.iter().find(|value| value.text == text)
}

fn attribute(word: &str) -> Option<String> {
    let found = ATTRIBUTES.iter().find(|one| one.name == word)?;
    Some(format!("**{word}** · attribute of a {}\n\n{}\n\nValue: {}\n", found.place, found.doc, found.value))
}

/// Describes a data type.
pub fn data_type(word: &str) -> Option<String> {
    let found = typed(word)?;
    Some(format!("**{}** · data type of {} bits\n", found.name(), found.bits()))
}

fn of_name(document: &Document, under: &Under<'_>, platform: Option<Platform>) -> Option<String> {
    let chunk = &document.chunks()[under.chunk];
    let outline = document.outline();
    match outline.at_token(chunk, under.chunk, under.token) {
        Some(at) => Some(declaration(document, at)),
        None => known(under.word, platform),
    }
}

/// Describes a declared name.
fn declaration(document: &Document, at: usize) -> String {
    let one = &document.outline().declarations[at];
    let chunk = &document.chunks()[one.chunk];
    let line = document.first_line(one.chunk) + 1;
    let count = names::uses(document, at, false).len();
    let mut out = format!("```visaasm\n{}\n```\n", chunk.text.trim());
    if let Some(size) = size(chunk, one) {
        let _ = writeln!(out, "{size}\n");
    }
    let kind = match one.space {
        Space::Variable => "A variable",
        Space::Label => "A label",
        Space::Subroutine => "A subroutine",
    };
    let _ = writeln!(out, "{kind}, line {line}, {count} use{}", if count == 1 { "" } else { "s" });
    out
}

/// Returns the size of a declared variable in words, if its keys are plain.
pub fn size(chunk: &Chunk, one: &Declaration) -> Option<String> {
    let class = one.class?;
    let elements: u32 = value(chunk, TextKey::KeyElements)?.parse().ok()?;
    let of_type = value(chunk, TextKey::KeyType).and_then(typed);
    Some(match of_type {
        Some(ty) => {
            let bytes = u64::from(elements) * u64::from(ty.bits()) / 8;
            format!("{bytes} bytes: {elements} elements of {} bits", ty.bits())
        }
        None => format!("{elements} elements, class {}", class.text()),
    })
}

/// Returns the type with a name.
pub fn typed(word: &str) -> Option<DataType> {
    DataType::ALL.iter().copied().find(|one| one.name().eq_ignore_ascii_case(word))
}

/// Describes a predefined variable.
fn known(word: &str, platform: Option<Platform>) -> Option<String> {
    let all = predefined::ALL.iter().chain(predefined_surface::ALL).chain(predefined_sampler::ALL);
    let one: &Predefined = all.clone().find(|one| one.name == word).or_else(|| {
        let mut old = all.filter(|one| !one.old_name.is_empty());
        old.find(|one| one.old_name == word)
    })?;
    let bytes = one.bytes(Platform::register_bytes_of(platform));
    let written = match one.written {
        None => "read only",
        Some([]) => "may be written",
        Some(_) => "some elements may be written",
    };
    Some(format!(
        "**{}** · predefined, number {}\n\n{} of {}, {bytes} bytes, {written}\n",
        one.name,
        one.id,
        one.elements.0,
        one.data_type.name()
    ))
}

/// Shows a number in other bases, and its value as a float if its type is one.
fn number(chunk: &Chunk, under: &Under<'_>) -> Option<String> {
    let (sign, digits) = match under.word.strip_prefix('-') {
        Some(digits) => (-1_i128, digits),
        None => (1, under.word.trim_start_matches('+')),
    };
    let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        None => digits.parse().ok()?,
    };
    let signed = sign * number;
    let mut out = format!("`{signed}` = `{}{number:#x}`\n", if sign < 0 { "-" } else { "" });
    let at = chunk.tokens.iter().position(|token| token.range() == under.token.range())?;
    let colon = chunk.tokens.get(at + 1).filter(|token| chunk.word(token) == ":");
    let ty = colon.and_then(|_| chunk.tokens.get(at + 2)).and_then(|token| typed(chunk.word(token)));
    match ty.map(|ty| (ty, ty.bits())) {
        Some((DataType::F, _)) => {
            let bits = u32::try_from(number).ok()?;
            let _ = writeln!(out, "\nas {}: {:?}", DataType::F.name(), f32::from_bits(bits));
        }
        Some((DataType::Df, _)) => {
            let _ = writeln!(out, "\nas {}: {:?}", DataType::Df.name(), f64::from_bits(u64::try_from(number).ok()?));
        }
        _ => {}
    }
    Some(out)
}

fn region(word: &str) -> String {
    let inner = word.trim_matches(['<', '>']);
    match inner.split([';', ',']).map(str::trim).collect::<Vec<_>>().as_slice() {
        [one] => format!("Region: every {one}. element is written, in the order of the channels.\n"),
        [v, w, h] => format!("Region: rows of {w} elements; {h} elements between neighbours, {v} between rows.\n"),
        _ => format!("Region `{inner}`\n"),
    }
}
