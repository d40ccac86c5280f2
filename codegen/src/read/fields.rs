//! `## Description`: the prose and the list of fields with their facts.

use super::bits;
use super::context::Cx;
use crate::markdown::{Block, Inline, Item, Section, Span};
use crate::model::{
    Access, Availability, BitField, BitFieldKind, Field, FieldKind, IndexKind, ListKind, Model, Presence, Storage,
};
use crate::phrase::{after_phrase, all_marks, field_head, find_phrase, leading_marks, number, words};

/// A field as the Description lists it, not yet placed in a form.
#[derive(Clone)]
pub(crate) struct RawField {
    pub(crate) name: String,
    /// The form it holds for, or all.
    pub(crate) form: Option<String>,
    /// The type, with its marks behind it: `ud`, `ud{3.4+} uw{-3.4}`.
    pub(crate) kind: String,
    pub(crate) text: Inline,
    pub(crate) doc: String,
    pub(crate) blocks: Vec<Block>,
}

/// The prose of the sections, and their fields.
pub(crate) fn read(cx: &mut Cx<'_>, sections: &[&Section]) -> (String, Vec<RawField>) {
    let mut doc = Vec::new();
    let mut fields = Vec::new();
    for section in sections {
        let form = (section.level > 2).then(|| section.title.split_whitespace().nth(1).unwrap_or("").to_owned());
        for block in &section.blocks {
            match block {
                Block::Paragraph(text) => doc.push(text.text.trim().to_owned()),
                Block::Code(code) if code.text().trim().starts_with("- **") => {
                    hoist_code(cx, &code.lines, &form, &mut fields, false);
                }
                Block::Code(code) => doc.push(dedent(&code.text())),
                Block::List(items) => {
                    for item in items {
                        read_item(cx, item, &form, &mut fields, false);
                    }
                }
                Block::Table(_) => {}
            }
        }
    }
    doc.retain(|d| !d.is_empty());
    (doc.join("\n\n"), fields)
}

fn read_item(cx: &mut Cx<'_>, item: &Item, form: &Option<String>, out: &mut Vec<RawField>, nested: bool) {
    let Some((name, kind)) = field_head(&item.text) else {
        if !nested {
            // A list without bold heads is prose.
            if item.text.bold.is_none() {
                return;
            }
            cx.warn(
                "section-leftover",
                &item.text.span,
                "this item of the Description is no field",
                "write `**Name(type):** text`",
            );
        }
        return;
    };
    if nested {
        accidental(cx, &item.text.span, &name);
    }
    let doc = doc_of(&item.text);
    // An item for another object version is the same field with another type.
    let (_, bare) = leading_marks(&item.text.text);
    let marks = item.text.text.trim_start();
    let marks = &marks[..marks.len() - bare.len()];
    let kind = format!("{kind}{}", marks.trim());
    if let Some(earlier) = out.iter_mut().find(|f| f.name == name && f.form == *form && !marks.is_empty()) {
        earlier.kind = format!("{} {kind}", earlier.kind);
        return;
    }
    let at = out.len();
    out.push(RawField { name, form: form.clone(), kind, text: item.text.clone(), doc, blocks: Vec::new() });
    let mut blocks = Vec::new();
    for block in &item.blocks {
        match block {
            Block::List(items) => {
                let rest = hoist_items(cx, items, form, out);
                if !rest.is_empty() {
                    blocks.push(Block::List(rest));
                }
            }
            Block::Code(code) => {
                hoist_code(cx, &code.lines, form, out, true);
                blocks.push(block.clone());
            }
            other => blocks.push(other.clone()),
        }
    }
    out[at].blocks = blocks;
}

/// Takes fields out of nested items, however deep, and gives the items that are left.
fn hoist_items(cx: &mut Cx<'_>, items: &[Item], form: &Option<String>, out: &mut Vec<RawField>) -> Vec<Item> {
    let mut rest = Vec::new();
    for item in items {
        if field_head(&item.text).is_some() {
            read_item(cx, item, form, out, true);
            continue;
        }
        let mut item = item.clone();
        for block in &mut item.blocks {
            if let Block::List(inner) = block {
                *inner = hoist_items(cx, inner, form, out);
            }
        }
        rest.push(item);
    }
    rest
}

/// Items that are indented so far that markdown takes them for code.
fn hoist_code(
    cx: &mut Cx<'_>,
    lines: &[(String, Span)],
    form: &Option<String>,
    out: &mut Vec<RawField>,
    nested: bool,
) {
    for (line, span) in lines {
        let Some(text) = Inline::from_item_line(line, span.start) else { continue };
        let Some((name, kind)) = field_head(&text) else { continue };
        if nested {
            accidental(cx, &text.span, &name);
        }
        let doc = doc_of(&text);
        out.push(RawField { name, form: form.clone(), kind, text, doc, blocks: Vec::new() });
    }
}

fn accidental(cx: &mut Cx<'_>, span: &Span, name: &str) {
    cx.warn(
        "nesting-accidental",
        span,
        format!("field `{name}` is nested below another field"),
        "indent its item like those of the other fields; it is read as a field of its own",
    );
}

fn doc_of(text: &Inline) -> String {
    let bold = text.bold.as_deref().unwrap_or("");
    let behind = text.text.find(bold).map_or(0, |i| i + bold.len());
    // Where the lines of an item end means nothing.
    text.text[behind..].trim().trim_start_matches(':').trim().replace('\n', " ")
}

/// Turns a described field into one of the model. `earlier` are the fields before it in its form.
pub(crate) fn resolve(
    cx: &mut Cx<'_>,
    model: &mut Model,
    instruction: &str,
    raw: &RawField,
    earlier: &[Field],
) -> Field {
    let (storage, operand) = storage(cx, raw);
    let bits = storage.iter().map(|(_, s)| s.bits()).max().unwrap_or(0);
    let list_name = match &raw.form {
        Some(form) => format!("{instruction}_{form}_{}", raw.name),
        None => format!("{instruction}_{}", raw.name),
    };
    let doc = raw.doc.as_str();
    let mut spelled = bits::AllowedValues::new();
    let copied = phrase_field(cx, raw, "copy of", earlier).map(FieldKind::Copy);
    let shape = copied.or(operand).unwrap_or_else(|| {
        if let Some(position) = index_by(cx, raw, earlier) {
            FieldKind::IndexBy(position)
        } else if let Some(id) = bits::linked_list(cx, model, &raw.text) {
            check_width(cx, model, raw, id, bits);
            FieldKind::List(id)
        } else {
            // Values below an index are entries with a meaning of their own, not all there are.
            if let Some(kind) = index_kind(doc) {
                bits::leftovers(cx, &raw.blocks, true);
                return FieldKind::Index(kind);
            }
            match bits::read(
                cx,
                model,
                &raw.blocks,
                &list_name,
                bits,
                &raw.text.span,
                bits::ListHeading { shared: false, doc },
            ) {
                bits::Nested::List(id, some) => {
                    spelled = some;
                    FieldKind::List(id)
                }
                bits::Nested::Number => FieldKind::Number,
                bits::Nested::Nothing if doc.starts_with("Must be zero") => FieldKind::Zero,
                bits::Nested::Nothing if find_phrase(doc, "predication control").is_some() => FieldKind::Predicate,
                bits::Nested::Nothing => FieldKind::Number,
            }
        }
    });
    let classes = after_phrase(doc, "operand class:").map(words).unwrap_or_default();
    let mut only = only(doc);
    only.extend(spelled);
    let (default, default_if) = default(doc);
    let access = access(cx, raw, shape);
    Field {
        name: raw.name.clone(),
        storage,
        shape,
        presence: presence(cx, model, raw, earlier),
        classes: classes.into_iter().map(|c| c.to_ascii_lowercase()).collect(),
        types: types(doc),
        range: range(cx, raw),
        only,
        default,
        default_if,
        nonzero: find_phrase(doc, "must not be zero").is_some(),
        access,
        doc: doc.to_owned(),
        at: cx.at(&raw.text.span),
    }
}

/// `Access: read, write`, or what is usual for a field of that name.
fn access(cx: &mut Cx<'_>, raw: &RawField, shape: FieldKind) -> Access {
    let usual = Access::usual(&raw.name, shape);
    let Some(written) = after_phrase(&raw.doc, "access:") else { return usual };
    let found = Access::ALL.iter().find(|(_, name)| words(name) == words(&written.to_ascii_lowercase()));
    match found {
        Some((access, _)) if shape.is_operand() => *access,
        _ => {
            let (message, help) = match found {
                Some(_) => (
                    format!("`{}` names no variable, so nothing is read or written", raw.name),
                    "remove the phrase; operands, predicates and indices into tables have an access".to_owned(),
                ),
                None => {
                    let known: Vec<_> = Access::ALL.iter().map(|(_, name)| format!("`Access: {name}`")).collect();
                    (format!("the access `{written}` is not understood"), format!("write {}", known.join(" or ")))
                }
            };
            cx.warn("access-syntax", &raw.text.span, message, &help);
            usual
        }
    }
}

/// The storage by object version (`ud{3.4+} uw{-3.4}`), or the operand shape.
fn storage(cx: &mut Cx<'_>, raw: &RawField) -> (Vec<(Availability, Storage)>, Option<FieldKind>) {
    match raw.kind.to_ascii_lowercase().as_str() {
        "vec_operand" => return (Vec::new(), Some(FieldKind::Vector)),
        "scalar" => return (Vec::new(), Some(FieldKind::Scalar)),
        "raw_operand" => return (Vec::new(), Some(FieldKind::Raw)),
        _ => {}
    }
    let mut out = Vec::new();
    for word in raw.kind.split([' ', ',']).filter(|w| !w.is_empty()) {
        let (name, behind) = word.split_at(word.find('{').unwrap_or(word.len()));
        let (marks, _) = leading_marks(behind);
        match Storage::from_name(name) {
            Some(storage) => out.push((marks, storage)),
            None => {
                cx.error(
                    "type-unknown",
                    &raw.text.span,
                    format!("`{name}` is no type of a field"),
                    "use ub, b, uw, w, ud, d, uq, q, vec_operand, scalar or raw_operand",
                );
                out.push((Availability::default(), Storage::Ub));
            }
        }
    }
    (out, None)
}

/// `Default n` and `Default n if Field=a, b`.
fn default(doc: &str) -> (i64, Option<(String, Vec<String>)>) {
    let Some(text) = after_phrase(doc, "default ") else { return (0, None) };
    let (value, condition) = text.split_once(" if ").unwrap_or((text, ""));
    let value = number(value).and_then(|n| i64::try_from(n).ok()).unwrap_or(0);
    let condition = condition.split_once('=').map(|(field, values)| (field.trim().to_owned(), words(values)));
    (value, condition)
}

fn check_width(cx: &mut Cx<'_>, model: &Model, raw: &RawField, id: crate::model::ListId, bits: u32) {
    let list = model.list(id);
    if list.bits != bits {
        let (name, width) = (list.name.clone(), list.bits);
        cx.error(
            "list-width",
            &raw.text.span,
            format!("list `{name}` has {width} bits, field `{}` has {bits}", raw.name),
            "give the field the type of the list",
        );
    }
}

/// `Index by Field.part`.
fn index_by(cx: &mut Cx<'_>, raw: &RawField, earlier: &[Field]) -> Option<usize> {
    let name = after_phrase(&raw.doc, "index by ")?.split_whitespace().next()?;
    let field = name.split('.').next().unwrap_or(name).trim_end_matches([',', ';', ':']);
    find_field(cx, raw, field, earlier)
}

/// The table of `Index of the … variable`; none where the text names several tables.
pub(crate) fn index_kind(doc: &str) -> Option<IndexKind> {
    if find_phrase(doc, "index into the string pool").is_some() {
        return Some(IndexKind::String);
    }
    let rest = after_phrase(doc, "index of the ")?;
    if find_phrase(rest, "or of the").is_some() {
        return None;
    }
    let word = rest.split_whitespace().next()?.to_ascii_lowercase();
    IndexKind::ALL.into_iter().find(|k| k.name() == word)
}

fn phrase_field(cx: &mut Cx<'_>, raw: &RawField, phrase: &str, earlier: &[Field]) -> Option<usize> {
    if !raw.doc.to_ascii_lowercase().starts_with(phrase) {
        return None;
    }
    let name = after_phrase(&raw.doc, phrase)?.split_whitespace().next()?.trim_end_matches([',', ';', ':']);
    find_field(cx, raw, name, earlier)
}

fn find_field(cx: &mut Cx<'_>, raw: &RawField, name: &str, earlier: &[Field]) -> Option<usize> {
    let found = earlier.iter().position(|f| f.name.eq_ignore_ascii_case(name));
    if found.is_none() {
        cx.error(
            "field-unknown",
            &raw.text.span,
            format!("there is no field `{name}` before `{}`", raw.name),
            "name a field that stands earlier in the Format",
        );
    }
    found
}

fn presence(cx: &mut Cx<'_>, model: &Model, raw: &RawField, earlier: &[Field]) -> Presence {
    if let Some(text) = after_phrase(&raw.doc, "present only ") {
        let text = text.strip_prefix("if ").or_else(|| text.strip_prefix("If "));
        let Some((field, values)) = text.and_then(|t| t.split_once('=')) else {
            if let Some(flag) = text.and_then(|t| flag_presence(model, t, earlier)) {
                return flag;
            }
            cx.error(
                "presence-syntax",
                &raw.text.span,
                "this condition is not understood",
                "write `Present only if Field=value, value.`",
            );
            return Presence::Always;
        };
        let (field, part) = field.trim().split_once('.').unwrap_or((field.trim(), ""));
        if let Some(position) = find_field(cx, raw, field, earlier) {
            return Presence::If { field: position, part: part.to_owned(), values: words(values) };
        }
    }
    if let Some(text) = after_phrase(&raw.doc, "repeated ")
        && let Some(name) = text.strip_suffix("times").map(str::trim)
        && let Some(position) = find_field(cx, raw, name, earlier)
    {
        return Presence::Times(position);
    }
    Presence::Always
}

/// The vendor's `NAME bit is set in FIELD`: a flag that an earlier field has, by its name or by what is said of it.
fn flag_presence(model: &Model, text: &str, earlier: &[Field]) -> Option<Presence> {
    let before = text.split(" bit is set").next().filter(|b| b.len() < text.len())?;
    let flag = before.trim_start_matches("the ").trim_matches(['"', '`', ' ', '<', '>']);
    let mentions = |doc: &str| doc.split(|c: char| !c.is_alphanumeric()).any(|w| w.eq_ignore_ascii_case(flag));
    let parts = earlier.iter().enumerate().filter_map(|(i, f)| match f.shape {
        FieldKind::List(id) => match &model.list(id).kind {
            ListKind::Parts(parts) => Some((i, parts)),
            ListKind::Enumeration { .. } => None,
        },
        _ => None,
    });
    let find = |test: &dyn Fn(&BitField) -> bool| {
        parts.clone().find_map(|(i, parts)| parts.iter().find(|p| test(p)).map(|p| (i, p.name.clone())))
    };
    let named = find(&|p| p.name.eq_ignore_ascii_case(flag));
    let (field, part) = named.or_else(|| find(&|p| p.kind == BitFieldKind::Flag && mentions(&p.doc)))?;
    Some(Presence::If { field, part, values: vec!["1".to_owned()] })
}

/// `Must have type UD, D, F` and the vendor's `must have one of UD, D, F type`.
fn types(doc: &str) -> Vec<String> {
    let text = after_phrase(doc, "must have type").or_else(|| after_phrase(doc, "must have one of"));
    let mut out = Vec::new();
    for word in text.unwrap_or("").split([',', ' ', ';']).filter(|w| !w.is_empty()) {
        let is_type = word.len() <= 4 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        match is_type {
            true => out.push(word.to_owned()),
            false if word.eq_ignore_ascii_case("or") || word.eq_ignore_ascii_case("and") => {}
            false => break,
        }
    }
    out
}

/// `Valid values are [a-b]`; either end may be negative.
fn range(cx: &mut Cx<'_>, raw: &RawField) -> Option<(i64, i64)> {
    let text = after_phrase(&raw.doc, "valid values are")?.trim();
    // A list of values follows.
    if text.is_empty() || text.starts_with(':') {
        return None;
    }
    let ends = range_ends(text);
    if ends.is_none_or(|(low, high)| low > high) {
        cx.warn(
            "range-syntax",
            &raw.text.span,
            format!("the range `{text}` is not understood"),
            "write `Valid values are [low-high]`, two numbers",
        );
    }
    ends.filter(|(low, high)| low <= high)
}

/// `[a-b]`, and `[a], [b]` as the vendor has it.
fn range_ends(text: &str) -> Option<(i64, i64)> {
    let (inner, rest) = text.strip_prefix('[')?.split_once(']')?;
    if let Some(second) = rest.trim_start().strip_prefix(',').and_then(|r| r.trim().strip_prefix('[')) {
        return Some((inner.trim().parse().ok()?, second.split_once(']')?.0.trim().parse().ok()?));
    }
    let split = inner.get(1..)?.find(['-', ',']).map(|i| i + 1)?;
    Some((inner[..split].trim().parse().ok()?, inner[split + 1..].trim().parse().ok()?))
}

/// `Only: a, b.` and `Only part: a, b.`, any number of them.
fn only(doc: &str) -> Vec<(String, Vec<(String, Availability)>)> {
    let mut out = Vec::new();
    let mut rest = doc;
    while let Some(at) = rest.find("Only") {
        let behind = &rest[at + 4..];
        let Some(colon) = behind.find(':') else { break };
        let part = behind[..colon].trim();
        if (part.is_empty() || part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
            && let Some(values) = after_phrase(&behind[colon..], ":")
        {
            let values = words(values).into_iter().map(|word| {
                let (marks, name) = all_marks(&word);
                (name.trim().to_owned(), marks)
            });
            out.push((part.to_owned(), values.collect()));
        }
        rest = &behind[colon..];
    }
    out
}

/// Code as prose: the common indentation goes.
pub(crate) fn dedent(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let lead = |l: &&str| l.len() - l.trim_start().len();
    let common = lines.iter().filter(|l| !l.trim().is_empty()).map(lead).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|l| l.get(common..).unwrap_or("").trim_end()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
