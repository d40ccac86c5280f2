//! Reader of `## Description`: the prose, and the list of fields with their facts.

use super::bits;
use super::context::Cx;
use super::said::{self, Stated};
use crate::markdown::{Block, Inline, Item, Section, Span};
use crate::model::{Availability, BitField, BitFieldKind, Field, FieldKind, ListKind, Model, Presence, Storage};
use crate::phrase::{Fact, field_head, leading_marks};

/// Field in the Description, not yet placed in a form.
#[derive(Clone)]
pub(crate) struct RawField {
    pub(crate) name: String,
    /// Form of the field; `None` for all forms.
    pub(crate) form: Option<String>,
    /// Type followed by its marks: `ud`, `ud{3.4+} uw{-3.4}`.
    pub(crate) kind: String,
    pub(crate) text: Inline,
    pub(crate) doc: String,
    /// Facts in the text of the field.
    pub(crate) stated: Vec<Stated>,
    pub(crate) blocks: Vec<Block>,
}

/// Reads the prose and the fields of the sections.
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
                    let of_fields = items.iter().any(|i| field_head(&i.text).is_some());
                    for item in items {
                        read_item(cx, item, &form, &mut fields, false);
                        if of_fields && item.text.bold.is_none() {
                            leftover(cx, item);
                        }
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
            leftover(cx, item);
        }
        return;
    };
    if nested {
        accidental(cx, &item.text.span, &name);
    }
    let doc = doc_of(&item.text);
    // A second item with marks declares another type of the same field.
    let (_, bare) = leading_marks(&item.text.text);
    let marks = item.text.text.trim_start();
    let marks = &marks[..marks.len() - bare.len()];
    let kind = format!("{kind}{}", marks.trim());
    if let Some(earlier) = out.iter_mut().find(|f| f.name == name && f.form == *form && !marks.is_empty()) {
        earlier.kind = format!("{} {kind}", earlier.kind);
        return;
    }
    let at = out.len();
    let stated = said::read(cx, &item.text, said::Of::Field);
    out.push(RawField { name, form: form.clone(), kind, text: item.text.clone(), doc, stated, blocks: Vec::new() });
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

fn leftover(cx: &mut Cx<'_>, item: &Item) {
    let message = "this item of the Description is not a field";
    cx.warn("section-leftover", &item.text.span, message, "write `**Name(type):** text`");
}

/// Moves fields out of nested items, and returns the other items.
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

/// Reads items whose indentation makes markdown read them as code.
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
        let stated = said::read(cx, &text, said::Of::Field);
        out.push(RawField { name, form: form.clone(), kind, text, doc, stated, blocks: Vec::new() });
    }
}

fn accidental(cx: &mut Cx<'_>, span: &Span, name: &str) {
    cx.warn(
        "nesting-accidental",
        span,
        format!("field `{name}` is nested below another field"),
        "indent its item like the other fields; it is read as a separate field",
    );
}

fn doc_of(text: &Inline) -> String {
    let bold = text.bold.as_deref().unwrap_or("");
    let behind = text.text.find(bold).map_or(0, |i| i + bold.len());
    // Line ends in an item have no meaning.
    text.text[behind..].trim().trim_start_matches(':').trim().replace('\n', " ")
}

/// Converts a described field to a field of the model. `earlier` are the fields before it in its
/// form.
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
    let mut spelled = Vec::new();
    let said = |test: fn(&Fact) -> bool| raw.stated.iter().any(|s| test(&s.fact));
    let copied = named_field(cx, raw, earlier, |f| if let Fact::Copy(name) = f { Some(name) } else { None });
    let shape = copied.map(FieldKind::Copy).or(operand).unwrap_or_else(|| {
        let by = named_field(cx, raw, earlier, |f| if let Fact::IndexBy(name) = f { Some(name) } else { None });
        if let Some(position) = by {
            FieldKind::IndexBy(position)
        } else if let Some(id) = bits::linked_list(cx, model, &raw.text) {
            check_width(cx, model, raw, id, bits);
            FieldKind::List(id)
        } else {
            // Values below an index are entries with a special meaning, not the complete list.
            if let Some(kind) = said::index(&raw.stated) {
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
                bits::Nested::Nothing if said(|f| *f == Fact::Zero) => FieldKind::Zero,
                bits::Nested::Nothing if said(|f| *f == Fact::Predicate) => FieldKind::Predicate,
                bits::Nested::Nothing => FieldKind::Number,
            }
        }
    });
    let presence = presence(cx, model, raw, earlier);
    let mut field = Field {
        storage,
        presence,
        doc: doc.to_owned(),
        phrases: raw.stated.iter().map(|s| (s.phrase, cx.at(&s.span))).collect(),
        ..Field::new(&raw.name, shape, cx.at(&raw.text.span))
    };
    for stated in &raw.stated {
        state(cx, &mut field, stated);
    }
    field.only.extend(spelled);
    field
}

/// Adds the fact of a phrase to a field; reports a fact that does not apply to the field.
fn state(cx: &mut Cx<'_>, field: &mut Field, stated: &Stated) {
    let shape = field.shape;
    let (idle, goes_with) = match &stated.fact {
        Fact::See
        | Fact::Ignored
        | Fact::ValuesFollow
        | Fact::If(..)
        | Fact::IfFlag(_)
        | Fact::Times(_)
        | Fact::TextOnly => return,
        Fact::Predicate => (shape != FieldKind::Predicate, "a number without bits or values"),
        Fact::Index(kind) => (kind.is_some_and(|k| shape != FieldKind::Index(k)), "a number without a list"),
        Fact::IndexBy(_) => (!matches!(shape, FieldKind::IndexBy(_)), "a number"),
        Fact::Copy(_) => (!matches!(shape, FieldKind::Copy(_)), "any field after the field that it names"),
        Fact::Zero => (shape != FieldKind::Zero, "a number without bits or values"),
        Fact::NotZero => {
            field.nonzero = true;
            (false, "")
        }
        Fact::Only(part, values) => {
            field.only.push(bits::only(part.clone(), values.clone()));
            (!matches!(shape, FieldKind::List(_)), "a field with a list")
        }
        Fact::Classes(classes) => {
            field.classes = classes.iter().cloned().map(Into::into).collect();
            (!matches!(shape, FieldKind::Vector | FieldKind::Scalar | FieldKind::Raw), "an operand")
        }
        Fact::Types(types) => {
            field.types = types.iter().cloned().map(Into::into).collect();
            (!shape.is_operand(), "an operand")
        }
        Fact::Range(low, high) => {
            field.range = Some((*low, *high));
            (false, "")
        }
        Fact::Default(value, condition) => {
            field.default = *value;
            field.default_if = condition.clone().map(Into::into);
            (false, "")
        }
        Fact::Access(access) if shape.is_operand() => {
            field.access = *access;
            (false, "")
        }
        Fact::Access(_) => {
            let message = format!("`{}` does not name a variable, so it has no access", field.name);
            let help = "remove the phrase; only operands, predicates and indices into tables have an access";
            return cx.warn("access-syntax", &stated.span, message, help);
        }
    };
    if idle {
        let message = format!("`{}` does not apply to a field such as `{}`", stated.phrase, field.name);
        cx.warn(
            "phrase-idle",
            &stated.span,
            message,
            format!("the phrase applies to {goes_with}: correct or remove it"),
        );
    }
}

/// Parses the storage by object version (`ud{3.4+} uw{-3.4}`), or the operand kind.
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
                    format!("`{name}` is not a field type"),
                    "use ub, b, uw, w, ud, d, uq, q, vec_operand, scalar or raw_operand",
                );
                out.push((Availability::default(), Storage::Ub));
            }
        }
    }
    (out, None)
}

fn check_width(cx: &mut Cx<'_>, model: &Model, raw: &RawField, id: crate::model::ListId, bits: u32) {
    let list = model.list(id);
    if list.bits != bits {
        let (name, width) = (list.name.clone(), list.bits);
        cx.error(
            "list-width",
            &raw.text.span,
            format!("list `{name}` has {width} bits, but field `{}` has {bits}", raw.name),
            "use the type of the list for the field",
        );
    }
}

/// Returns the earlier field that a phrase names, with or without a part.
fn named_field(
    cx: &mut Cx<'_>,
    raw: &RawField,
    earlier: &[Field],
    of: fn(&Fact) -> Option<&String>,
) -> Option<usize> {
    let (name, span) = raw.stated.iter().find_map(|s| Some((of(&s.fact)?, &s.span)))?;
    find_field(cx, raw, name.split('.').next().unwrap_or(name), span, earlier)
}

fn find_field(cx: &mut Cx<'_>, raw: &RawField, name: &str, span: &Span, earlier: &[Field]) -> Option<usize> {
    let found = earlier.iter().position(|f| f.name.eq_ignore_ascii_case(name));
    if found.is_none() {
        cx.error(
            "field-unknown",
            span,
            format!("no field `{name}` comes before `{}`", raw.name),
            "name a field that comes earlier in the Format",
        );
    }
    found
}

fn presence(cx: &mut Cx<'_>, model: &Model, raw: &RawField, earlier: &[Field]) -> Presence {
    for Stated { fact, span, .. } in &raw.stated {
        let found = match fact {
            Fact::If(name, part, values) => {
                find_field(cx, raw, name, span, earlier).map(|field| stored_if(&earlier[field], part, values.clone()))
            }
            Fact::IfFlag(flag) => flag_presence(model, flag, earlier).or_else(|| {
                let message = format!("no field before `{}` has a flag `{flag}`", raw.name);
                cx.error("presence-syntax", span, message, "write `Present only if Field.part=1`");
                None
            }),
            Fact::Times(name) => find_field(cx, raw, name, span, earlier).map(Presence::Times),
            Fact::TextOnly => Some(Presence::Text),
            _ => None,
        };
        if let Some(found) = found {
            return found;
        }
    }
    Presence::Always
}

/// Parses the vendor's `NAME bit is set in FIELD`: finds the flag of an earlier field by its name
/// or its description.
fn flag_presence(model: &Model, text: &str, earlier: &[Field]) -> Option<Presence> {
    let flag = text.trim_start_matches("the ").trim_matches(['"', '`', ' ', '<', '>']);
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
    Some(stored_if(&earlier[field], &part, vec!["1".to_owned()]))
}

fn stored_if(field: &Field, part: &str, values: Vec<String>) -> Presence {
    let dot = if part.is_empty() { "" } else { "." };
    Presence::If((format!("{}{dot}{part}", field.name), values).into())
}

/// Removes the common indentation of a text.
pub(crate) fn dedent(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let lead = |l: &&str| l.len() - l.trim_start().len();
    let common = lines.iter().filter(|l| !l.trim().is_empty()).map(lead).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|l| l.get(common..).unwrap_or("").trim_end()).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
