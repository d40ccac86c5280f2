//! Readers of `#### Properties` and `#### Operand type maps`.

use super::context::Cx;
use crate::markdown::{Block, Item, Section};
use crate::model::{Availability, Reference, Saturation, SourceModifier, SourceSpan, TypeId, TypeMap};
use crate::phrase::{all_marks, leading_marks};
use crate::suggest;

/// Content of the Properties section.
#[derive(Default)]
pub(crate) struct Properties {
    pub(crate) types: Vec<(Reference<TypeId>, Availability)>,
    pub(crate) types_at: SourceSpan,
    pub(crate) saturation: Saturation,
    pub(crate) source_modifier: SourceModifier,
    pub(crate) out_of_bound: String,
    pub(crate) platforms: Vec<Availability>,
    pub(crate) platforms_at: SourceSpan,
}

const NAMES: [&str; 5] = ["Supported Types", "Saturation", "Source Modifier", "Out-of-bound Access", "Platforms"];

pub(crate) fn read(cx: &mut Cx<'_>, section: &Section) -> Properties {
    let mut out = Properties::default();
    let mut seen: Vec<String> = Vec::new();
    only_items(cx, section);
    for item in items(section) {
        nothing_below(cx, item);
        let Some((name, value)) = key(item) else {
            cx.warn(
                "section-leftover",
                &item.text.span,
                "this item of the Properties is not understood",
                "write `**Name:** value`",
            );
            continue;
        };
        if seen.contains(&name.to_ascii_lowercase()) {
            cx.warn(
                "property-duplicate",
                &item.text.span,
                format!("the property `{name}` is given twice"),
                "keep one; the last one is used",
            );
        }
        seen.push(name.to_ascii_lowercase());
        match name.to_ascii_lowercase().as_str() {
            "supported types" => {
                out.types = types(cx, item, &value);
                out.types_at = cx.at(&item.text.span);
            }
            "saturation" => match value.to_ascii_lowercase().as_str() {
                "yes" | "true" => out.saturation = Saturation::Yes,
                "no" | "false" => out.saturation = Saturation::No,
                "only when type is float" => out.saturation = Saturation::Floats,
                _ => unknown(cx, item, &value, "Yes, No or `Only when type is float`"),
            },
            "source modifier" => match value.to_ascii_lowercase().as_str() {
                "arithmetic" => out.source_modifier = SourceModifier::Arithmetic,
                "logic" => out.source_modifier = SourceModifier::Logic,
                "false" | "no" | "none" => out.source_modifier = SourceModifier::None,
                _ => unknown(cx, item, &value, "arithmetic, logic or false"),
            },
            "out-of-bound access" => out.out_of_bound = value,
            "platforms" => {
                out.platforms_at = cx.at(&item.text.span);
                for group in cx.words(&value, &item.text.span) {
                    let (marks, rest) = all_marks(&group);
                    out.platforms.push(marks);
                    if !rest.trim().is_empty() {
                        unknown(cx, item, rest.trim(), "marks in braces such as {DG2+}");
                    }
                }
            }
            // The instruction itself already implies this property.
            "simd control flow" => {}
            _ => {
                let all = || {
                    "use Supported Types, Saturation, Source Modifier, Out-of-bound Access or Platforms".to_owned()
                };
                let help = suggest::help(&name, NAMES.into_iter(), all);
                cx.warn("property-unknown", &item.text.span, format!("`{name}` is not a property"), help);
            }
        }
    }
    out
}

/// Reports content of a section other than list items, which is not read.
fn only_items(cx: &mut Cx<'_>, section: &Section) {
    for block in &section.blocks {
        let span = match block {
            Block::List(_) => continue,
            Block::Paragraph(text) => text.span.clone(),
            Block::Code(code) => code.span.clone(),
            Block::Table(rows) => rows.first().map_or(0..0, |r| r.span.clone()),
        };
        cx.warn(
            "section-leftover",
            &span,
            format!("this is not an item of the {}", section.title),
            "write items as `- **Name:** value`; move explanations to the Notes",
        );
    }
}

fn nothing_below(cx: &mut Cx<'_>, item: &Item) {
    for inner in item.blocks.iter().filter_map(as_list).flatten() {
        cx.warn(
            "section-leftover",
            &inner.text.span,
            "this item is nested below another item and is not read",
            "indent it like the other items",
        );
    }
}

fn unknown(cx: &mut Cx<'_>, item: &Item, value: &str, expected: &str) {
    cx.error(
        "property-value",
        &item.text.span,
        format!("`{value}` is not a value of this property"),
        format!("write {expected}"),
    );
}

/// Parses types separated by commas. A group after a full stop begins with its marks:
/// `B,W.{XEHP+}BF`.
fn types(cx: &mut Cx<'_>, item: &Item, value: &str) -> Vec<(Reference<TypeId>, Availability)> {
    let mut out = Vec::new();
    for group in value.split('.') {
        let (group_marks, group) = leading_marks(group);
        for word in cx.words(group, &item.text.span) {
            let (mut marks, name) = all_marks(&word);
            marks.0.extend(group_marks.0.iter().cloned());
            let name = name.trim().to_ascii_uppercase();
            if !name.is_empty() {
                out.push((name.into(), marks));
            }
        }
    }
    out
}

pub(crate) fn read_type_maps(cx: &mut Cx<'_>, section: &Section) -> Vec<TypeMap> {
    let mut out = Vec::new();
    only_items(cx, section);
    for item in items(section) {
        let (marks, name) = all_marks(&item.text.text);
        if !name.trim().eq_ignore_ascii_case("type map") {
            cx.warn(
                "section-leftover",
                &item.text.span,
                "this item of the Operand type maps is not understood",
                "write `**Type map**` and nest `**Dst types:**` and `**Src types:**` below it",
            );
            continue;
        }
        let mut map =
            TypeMap { marks, dst: Vec::new(), src: Vec::new(), at: cx.at(&(item.text.span.start..item.span.end)) };
        for inner in item.blocks.iter().filter_map(as_list).flatten() {
            nothing_below(cx, inner);
            match key(inner) {
                Some((name, value)) if name.eq_ignore_ascii_case("dst types") => map.dst = upper(cx, inner, &value),
                Some((name, value)) if name.eq_ignore_ascii_case("src types") => map.src = upper(cx, inner, &value),
                _ => cx.warn(
                    "section-leftover",
                    &inner.text.span,
                    "this item of a type map is not understood",
                    "write `**Dst types:**` or `**Src types:**`",
                ),
            }
        }
        if map.dst.is_empty() || map.src.is_empty() {
            cx.warn(
                "type-map-incomplete",
                &item.text.span,
                "a type map needs types for the destination and the sources",
                "nest `**Dst types:**` and `**Src types:**` below it",
            );
        }
        out.push(map);
    }
    out
}

fn upper(cx: &mut Cx<'_>, item: &Item, value: &str) -> Vec<Reference<TypeId>> {
    cx.words(value, &item.text.span).into_iter().map(|w| w.to_ascii_uppercase().into()).collect()
}

/// Parses `**Name:** value` of an item.
pub(crate) fn key(item: &Item) -> Option<(String, String)> {
    let bold = item.text.bold.as_ref()?;
    let at = item.text.text.find(bold.as_str())? + bold.len();
    let value = item.text.text[at..].replace('\n', " ");
    Some((
        bold.replace('\n', " ").trim().trim_end_matches(':').trim().to_owned(),
        value.trim().trim_start_matches(':').trim().to_owned(),
    ))
}

fn items(section: &Section) -> impl Iterator<Item = &Item> {
    section.blocks.iter().filter_map(as_list).flatten()
}

fn as_list(block: &Block) -> Option<&Vec<Item>> {
    match block {
        Block::List(items) => Some(items),
        _ => None,
    }
}
