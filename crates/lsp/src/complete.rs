//! Completion: what may come next at the cursor, as far as the pages and the text decide it.

use std::collections::BTreeSet;

use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, Position, Range, TextEdit};
use visakit::isa::{
    ATTRIBUTES, Alignment, DataType, DeclaredClass, InputOrigin, MNEMONICS, Modifier, Platform, TextDirective,
    TextKey, TextValue, candidates, predefined, predefined_sampler, predefined_surface,
};
use visakit::rt::Table;
use visakit::rt::reflect::{Field, FieldKind, Page};
use visakit::text::TokenKind;

use crate::chunk::{Chunk, Head};
use crate::document::{Document, Place};
use crate::facts;
use crate::hover::pages;
use crate::outline::{Space, class};

/// Proposals at one position.
struct Proposals {
    items: Vec<CompletionItem>,
    seen: BTreeSet<String>,
    /// Range of the word that a proposal replaces.
    range: Range,
}

impl Proposals {
    /// Adds a proposal; `rank` orders the groups of proposals.
    fn add(&mut self, rank: u32, label: &str, kind: CompletionItemKind, detail: impl Into<String>) {
        if label.is_empty() || !self.seen.insert(label.to_owned()) {
            return;
        }
        self.items.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            detail: Some(detail.into()).filter(|detail| !detail.is_empty()),
            sort_text: Some(format!("{rank}{label}")),
            filter_text: Some(label.to_owned()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(self.range, label.to_owned()))),
            ..CompletionItem::default()
        });
    }
}

/// Statement before the cursor.
struct Before<'a> {
    chunk: &'a Chunk,
    at: usize,
    /// Text of the statement's line up to the word at the cursor.
    text: &'a str,
    /// Word at the cursor up to the cursor, with its dot or percent sign.
    word: &'a str,
}

/// Returns the proposals at a position.
pub fn complete(document: &Document, position: Position, platform: Option<Platform>) -> Vec<CompletionItem> {
    let Place { chunk: at, byte } = document.place(position);
    let Some(chunk) = document.chunks().get(at) else { return Vec::new() };
    let inside =
        |kind| chunk.tokens.iter().any(|t| t.kind == kind && t.range().start < byte && byte <= t.range().end);
    if inside(TokenKind::Comment) {
        return Vec::new();
    }
    let start = chunk.lines.iter().rev().find(|line| **line <= byte).copied().unwrap_or(0);
    let line = chunk.text.get(start..byte).unwrap_or("");
    let len = line.len() - line.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
    let word = byte - len;
    let signed = line[..line.len() - len].ends_with(['.', '%']);
    let from = word - usize::from(signed);
    let before = Before { chunk, at, text: &chunk.text[start..from], word: &chunk.text[from..byte] };
    let range = Range::new(document.position(Place { chunk: at, byte: from }), position);
    let mut out = Proposals { items: Vec::new(), seen: BTreeSet::new(), range };
    propose(document, &before, platform, &mut out);
    out.items
}

fn propose(document: &Document, before: &Before<'_>, platform: Option<Platform>, out: &mut Proposals) {
    let text = before.text.trim_start().trim_start_matches(['{', ' ']);
    if text.starts_with('.') {
        return directive(document, before, text, out);
    }
    let after_predicate = text.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(_, rest)| rest);
    let rest = match (text.starts_with('('), after_predicate) {
        (true, None) => return predicate(document, before, out),
        (_, Some(rest)) => rest.trim_start(),
        (false, None) => text,
    };
    if rest.is_empty() {
        let is_plain = !text.starts_with('(');
        return start(before, is_plain, platform, out);
    }
    let Head::Instruction(_) = before.chunk.head() else { return };
    let pages: Vec<_> = pages(before.chunk).into_iter().filter(|page| facts::has_page(page, platform)).collect();
    let operands = rest.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(_, rest)| rest);
    match (rest.contains('('), operands) {
        (false, _) if before.word.starts_with('.') => suffixes(&pages, platform, out),
        (true, None) => size(&pages, platform, out),
        _ => operand(document, before, &pages, platform, out),
    }
}

/// Proposes the beginnings of statements.
fn start(before: &Before<'_>, is_plain: bool, platform: Option<Platform>, out: &mut Proposals) {
    if !before.word.starts_with('.') {
        for word in MNEMONICS.iter().filter(|word| facts::has_mnemonic(word, platform)) {
            let summary = candidates(word).first().map_or("", |one| one.page.summary);
            let first = summary.split_once(". ").map_or(summary, |(first, _)| first);
            out.add(1, word, CompletionItemKind::FUNCTION, first.replace('\n', " "));
        }
    }
    if is_plain {
        for directive in TextDirective::ALL.iter().filter(|one| **one != TextDirective::ImplicitLine) {
            out.add(2, directive.text(), CompletionItemKind::KEYWORD, "");
        }
        for origin in InputOrigin::ALL.iter().filter(|one| !one.text().is_empty()) {
            let spelled = format!("{}{}", TextDirective::ImplicitLine.text(), origin.text());
            out.add(2, &spelled, CompletionItemKind::KEYWORD, "");
        }
    }
}

fn predicate(document: &Document, before: &Before<'_>, out: &mut Proposals) {
    if before.word.starts_with('.') {
        for combine in visakit::isa::Combine::ALL {
            out.add(1, combine.text(), CompletionItemKind::KEYWORD, "");
        }
        return;
    }
    variables(document, before, &[DeclaredClass::PredicateClass], out);
}

/// Proposes the parts of a mnemonic after its first word, such as saturation or a message's unit.
fn suffixes(pages: &[&'static Page], platform: Option<Platform>, out: &mut Proposals) {
    for page in pages {
        // The name of the modifier is its spelling after a mnemonic.
        let saturation = format!(".{}", Modifier::Sat.name());
        if page.text.iter().any(|template| template.contains(&saturation)) {
            out.add(1, &saturation, CompletionItemKind::KEYWORD, "");
        }
        for (text, detail) in words(page, platform) {
            let dotted = if text.starts_with('.') { text.to_owned() } else { format!(".{text}") };
            out.add(2, &dotted, CompletionItemKind::ENUM_MEMBER, detail);
        }
    }
}

/// Returns the spelled values of a page's fields that are legal on a platform, without those of the
/// execution size.
fn words(page: &'static Page, platform: Option<Platform>) -> Vec<(&'static str, String)> {
    let fields = facts::fields(page).into_iter().filter(|field| !field.is_exec_size());
    fields.flat_map(|field| named(field, platform)).collect()
}

fn named(field: &'static Field, platform: Option<Platform>) -> Vec<(&'static str, String)> {
    let legal = facts::values(field).filter(|(part, value)| facts::has_value(field, part, value, platform));
    let spelled = legal.filter(|(_, value)| !value.text.trim().is_empty());
    spelled.map(|(_, value)| (value.text.trim(), format!("{}: {}", field.name, value.doc))).collect()
}

/// Proposes masks and numbers of channels.
fn size(pages: &[&'static Page], platform: Option<Platform>, out: &mut Proposals) {
    for field in pages.iter().flat_map(|page| facts::fields(page)).filter(|field| field.is_exec_size()) {
        for (text, detail) in named(field, platform) {
            out.add(1, text, CompletionItemKind::ENUM_MEMBER, detail);
        }
    }
}

fn operand(
    document: &Document,
    before: &Before<'_>,
    pages: &[&'static Page],
    platform: Option<Platform>,
    out: &mut Proposals,
) {
    if before.text.trim_end().ends_with(':') {
        return types(pages, platform, out);
    }
    let fields: Vec<_> = pages.iter().flat_map(|page| facts::fields(page)).collect();
    let has = |table| fields.iter().any(|field| field.table == Some(table));
    let mut classes = Vec::new();
    let operands =
        fields.iter().any(|field| matches!(field.shape, FieldKind::Vector | FieldKind::Scalar | FieldKind::Raw));
    if operands || has(Table::General) {
        classes.extend([DeclaredClass::GeneralClass, DeclaredClass::AddressClass]);
    }
    for (table, class) in [
        (Table::Predicate, DeclaredClass::PredicateClass),
        (Table::Sampler, DeclaredClass::SamplerClass),
        (Table::Surface, DeclaredClass::SurfaceClass),
    ] {
        let of_class =
            |field: &&&Field| field.classes.iter().any(|name| class.name().starts_with(&name.to_ascii_lowercase()));
        if has(table) || fields.iter().any(|field| of_class(&field)) {
            classes.push(class);
        }
    }
    variables(document, before, &classes, out);
    if has(Table::Label) {
        let labels = document.outline().visible(before.at).filter(|one| one.space != Space::Variable);
        labels.for_each(|one| out.add(1, &one.name, CompletionItemKind::REFERENCE, "a label"));
    }
    for page in pages {
        words(page, platform)
            .into_iter()
            .for_each(|(text, detail)| out.add(5, text, CompletionItemKind::ENUM_MEMBER, detail));
    }
    for modifier in Modifier::ALL.iter().filter(|one| one.text().starts_with('(')) {
        out.add(6, modifier.text(), CompletionItemKind::OPERATOR, "");
    }
}

/// Proposes the types of a page, and the layouts of a message's data.
fn types(pages: &[&'static Page], platform: Option<Platform>, out: &mut Proposals) {
    for page in pages {
        let legal = page.types.iter().filter(|(_, range)| platform.is_none_or(|one| range.contains(one)));
        legal.for_each(|(ty, _)| {
            out.add(1, ty.name(), CompletionItemKind::TYPE_PARAMETER, format!("{} bits", ty.bits()))
        });
        let after_colon = page.text.iter().flat_map(|template| template.split(":<").skip(1));
        let names: BTreeSet<String> =
            after_colon.filter_map(|rest| rest.split(['>', '.', ':']).next()).map(str::to_ascii_lowercase).collect();
        for field in facts::fields(page).into_iter().filter(|field| names.contains(&field.name.to_ascii_lowercase()))
        {
            for (text, detail) in named(field, platform) {
                out.add(2, text, CompletionItemKind::TYPE_PARAMETER, detail);
            }
        }
    }
    if out.items.is_empty() {
        DataType::ALL.iter().for_each(|ty| out.add(1, ty.name(), CompletionItemKind::TYPE_PARAMETER, ""));
    }
}

/// Proposes variables of some classes: those of the text, then the predefined ones.
fn variables(document: &Document, before: &Before<'_>, classes: &[DeclaredClass], out: &mut Proposals) {
    if !before.word.starts_with('%') {
        for one in document.outline().visible(before.at).filter(|one| one.space == Space::Variable) {
            if one.class.is_none_or(|class| classes.contains(&class)) {
                let line = document.chunks().get(one.chunk).map_or("", |chunk| chunk.text.trim());
                out.add(1, &one.name, CompletionItemKind::VARIABLE, line);
            }
        }
    }
    let tables = [
        (DeclaredClass::GeneralClass, predefined::ALL),
        (DeclaredClass::SurfaceClass, predefined_surface::ALL),
        (DeclaredClass::SamplerClass, predefined_sampler::ALL),
    ];
    for entry in tables.iter().filter(|(class, _)| classes.contains(class)).flat_map(|(_, all)| *all) {
        out.add(4, entry.name, CompletionItemKind::CONSTANT, "predefined");
    }
}

/// Proposes what may follow in a directive: names, keys in their order, and their values.
fn directive(document: &Document, before: &Before<'_>, text: &str, out: &mut Proposals) {
    let (word, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let Some(directive) = crate::chunk::directive(word) else { return };
    if let Some(key) = rest.trim_end().strip_suffix('=') {
        let key = key.trim_end().rsplit([' ', '\t', ',', '{']).next().unwrap_or("");
        return values(key, out);
    }
    if rest.trim_end().ends_with(['<', '{']) {
        match rest.trim_end().ends_with('<') {
            true => variables(document, before, &[DeclaredClass::GeneralClass], out),
            false => attributes(out),
        }
        return;
    }
    let has_argument = !rest.trim().is_empty();
    match directive {
        TextDirective::InputLine | TextDirective::ParameterLine | TextDirective::ImplicitLine if !has_argument => {
            let classes = [DeclaredClass::GeneralClass, DeclaredClass::SamplerClass, DeclaredClass::SurfaceClass];
            variables(document, before, &classes, out);
        }
        TextDirective::KernelAttrLine if !has_argument => attributes(out),
        _ if has_argument => keys(before, directive, rest, out),
        _ => {}
    }
}

fn attributes(out: &mut Proposals) {
    ATTRIBUTES.iter().for_each(|one| out.add(1, one.name, CompletionItemKind::PROPERTY, one.doc));
}

/// Proposes the keys that are still missing. The parser requires their order.
fn keys(before: &Before<'_>, directive: TextDirective, rest: &str, out: &mut Proposals) {
    let class = class(before.chunk);
    let mut all: Vec<TextKey> = [directive.required(), directive.optional()].concat();
    if let Some(class) = class {
        all.extend([class.required(), class.optional()].concat());
    }
    let given = |key: &TextKey| rest.contains(&format!("{}=", key.text()));
    let last = all.iter().rposition(given).map_or(0, |at| at + 1);
    for key in &all[last..] {
        out.add(1, &format!("{}=", key.text()), CompletionItemKind::PROPERTY, "");
    }
}

fn values(key: &str, out: &mut Proposals) {
    let Some(key) = TextKey::ALL.iter().find(|one| one.text() == key) else { return };
    let kind = CompletionItemKind::ENUM_MEMBER;
    match key.value() {
        TextValue::ClassValue => DeclaredClass::ALL.iter().for_each(|one| out.add(1, one.text(), kind, one.name())),
        TextValue::TypeValue => DataType::ALL.iter().for_each(|one| out.add(1, one.name(), kind, "")),
        TextValue::AlignmentValue => Alignment::ALL.iter().for_each(|one| out.add(1, one.text(), kind, "")),
        TextValue::LabelKindValue => {
            visakit::isa::LabelKind::ALL.iter().for_each(|one| out.add(1, one.name(), kind, ""))
        }
        TextValue::LinkageValue => visakit::isa::Linkage::ALL.iter().for_each(|one| out.add(1, one.text(), kind, "")),
        _ => {}
    }
}
