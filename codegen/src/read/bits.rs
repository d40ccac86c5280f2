//! Bits and enumerators: what is nested below a field, a shared list or a part of one.

mod values;

use super::columns::{self, Values};
use super::context::Cx;
use super::said;
use crate::markdown::{Block, Inline, Item, Span};
use crate::model::{
    Availability, BitField, BitFieldKind, Column, Enumerator, List, ListId, ListKind, Model, Only, Spelled,
};
use crate::phrase::{Fact, all_marks, leading_marks, number};
use values::{check_values, is_value, name_values, named_only, read_values, table_values};

/// What is nested below a field.
pub(crate) enum Nested {
    /// Nothing that says anything about bits.
    Nothing,
    /// A list, in-page or shared; and where the page names only some values of a shared one, which, by part.
    List(ListId, Vec<Only>),
    /// A plain number of which only some bits are used; the others are zero.
    Number,
}

/// Names with the marks in front of them.
pub(super) type MarkedNames = Vec<(String, Availability)>;

/// What a page allows of a field's part, or of the whole where the name is empty.
pub(super) fn only(part: String, values: MarkedNames) -> Only {
    let values = values.into_iter().map(|(name, marks)| (name.into(), marks)).collect();
    Only { part: (!part.is_empty()).then(|| part.into()), values }
}

/// What is known of a list from where it stands.
#[derive(Clone, Copy)]
pub(crate) struct ListHeading<'a> {
    /// In the chapter of shared lists.
    pub(crate) shared: bool,
    /// The text above it.
    pub(crate) doc: &'a str,
}

/// Reads what is nested below a field of `bits` bits; a new list gets `name`.
pub(crate) fn read(
    cx: &mut Cx<'_>,
    model: &mut Model,
    blocks: &[Block],
    name: &str,
    bits: u32,
    owner: &Span,
    heading: ListHeading<'_>,
) -> Nested {
    let ListHeading { shared, doc } = heading;
    let mut parts = Vec::new();
    let mut values = Vec::new();
    let mut columns = Vec::new();
    for block in blocks {
        match block {
            Block::List(items) => {
                for item in items {
                    read_item(cx, model, item, name, bits, &mut parts, &mut values);
                }
            }
            // The vendor's LSC pages keep their lists as tables inside code.
            Block::Code(code) => values.extend(table_values(cx, &code.lines)),
            Block::Table(rows) if columns::is_list(rows) => {
                let table = columns::values(cx, rows);
                values.extend(table.values);
                columns.extend(table.columns);
            }
            Block::Table(rows) => {
                let lines: Vec<_> = rows
                    .iter()
                    .map(|r| {
                        let cells: Vec<_> = r.cells.iter().map(|(c, _)| c.as_str()).collect();
                        (format!("|{}|", cells.join("|")), r.span.clone())
                    })
                    .collect();
                values.extend(table_values(cx, &lines));
            }
            Block::Paragraph(_) => {}
        }
    }
    leftovers(cx, blocks, false);
    name_values(&mut values);
    check_values(cx, &values, bits);
    let mut some = Vec::new();
    let kind = if !values.is_empty() {
        if !parts.is_empty() {
            cx.warn(
                "bits-mixed",
                owner,
                "values and bits stand next to each other",
                "nest the values below the bits that hold them",
            );
        }
        ListKind::Enumeration { lo: 0, width: bits, values }
    } else if parts.is_empty() {
        return Nested::Nothing;
    } else {
        match join_parts(cx, model, parts, bits, owner) {
            Joined::Number => return Nested::Number,
            Joined::Kind(kind, said, allowed) => {
                some = allowed;
                columns = said;
                kind
            }
            Joined::Shared(id) => return Nested::List(id, Vec::new()),
        }
    };
    // Shared lists stay apart even where they say the same, and so do lists that say more.
    if let Some(id) = same_shared(model, &kind, bits).filter(|_| !shared && columns.is_empty()) {
        let allowed = match (&kind, &model.list(id).kind) {
            (ListKind::Enumeration { values, .. }, ListKind::Enumeration { values: all, .. }) => {
                named_only(values, all).map(|names| only(String::new(), names)).into_iter().collect()
            }
            // Parts that the page does not name have the names of the shared list.
            (_, kind) => by_part(some, kind),
        };
        model.spelled.push(Spelled { at: cx.at(owner), kind });
        return Nested::List(id, allowed);
    }
    let at = cx.at(owner);
    let allowed = by_part(some, &kind);
    model.lists.push(List {
        name: name.to_owned(),
        bits,
        shared,
        doc: doc.to_owned(),
        kind,
        columns,
        text: None,
        at,
    });
    Nested::List(ListId(model.lists.len() - 1), allowed)
}

/// What is legal by the names of the parts, given by their lowest bits.
fn by_part(some: Vec<(u32, MarkedNames)>, kind: &ListKind) -> Vec<Only> {
    let ListKind::Parts(parts) = kind else { return Vec::new() };
    some.into_iter()
        .filter_map(|(lo, names)| Some(only(parts.iter().find(|p| p.lo == lo)?.name.clone(), names)))
        .collect()
}

/// Whether an item is about bits.
fn is_bits(bare: &str) -> bool {
    bare.starts_with("Bit[") || bare.starts_with("Bits[")
}

/// Whether an item is about bits or a value.
pub(crate) fn says_bits(text: &str) -> bool {
    let (_, bare) = leading_marks(text);
    is_bits(bare) || is_value(bare)
}

/// Warns of what stands below a field and is neither bits nor values. With `named`, values are understood as names of
/// single entries of a table.
pub(crate) fn leftovers(cx: &mut Cx<'_>, blocks: &[Block], named: bool) {
    let warn = |cx: &mut Cx<'_>, span: &Span| {
        cx.warn(
            "item-leftover",
            span,
            "this is not used: it is neither bits nor a value",
            "write `Bit[hi..lo]: …` or `value: name`, or make it part of the text above",
        );
    };
    for block in blocks {
        match block {
            Block::List(items) => {
                for item in items {
                    let (_, bare) = leading_marks(&item.text.text);
                    let bits = is_bits(bare) && !named;
                    if !is_value(bare) && !bits {
                        warn(cx, &item.text.span);
                    }
                }
            }
            Block::Code(code) => {
                for (line, span) in &code.lines {
                    let text = line.trim();
                    let field = Inline::from_item_line(line, span.start).is_some_and(|i| i.bold.is_some());
                    if !text.is_empty() && !text.starts_with('|') && !text.starts_with("..") && !field {
                        warn(cx, span);
                    }
                }
            }
            Block::Table(_) | Block::Paragraph(_) => {}
        }
    }
}

/// An in-page list before it is known whether it is a whole field or a part.
struct RawPart {
    hi: u32,
    lo: u32,
    name: Option<String>,
    spelling: Option<String>,
    doc: String,
    marks: Availability,
    span: Span,
    content: Content,
}

enum Content {
    Zero,
    Plain,
    DataType,
    List(ListId),
    Values(Values, String),
}

fn read_item(
    cx: &mut Cx<'_>,
    model: &Model,
    item: &Item,
    owner: &str,
    bits: u32,
    parts: &mut Vec<RawPart>,
    values: &mut Vec<Enumerator>,
) {
    let text = item.text.text.as_str();
    let (_, bare) = leading_marks(text);
    if is_bits(bare) {
        parts.extend(read_part(cx, model, item, owner, bits));
    } else {
        read_values(cx, std::slice::from_ref(item), values);
    }
}

fn read_part(cx: &mut Cx<'_>, model: &Model, item: &Item, owner: &str, bits: u32) -> Option<RawPart> {
    let flat = item.text.text.replace('\n', " ");
    let (mut marks, bare) = leading_marks(&flat);
    let inner = bare.split_once('[').map_or("", |(_, rest)| rest);
    let (range, rest) = inner.split_once(']').unwrap_or((inner, ""));
    let ends: Vec<Option<u64>> = range.split("..").map(number).collect();
    let (hi, lo) = match ends.as_slice() {
        [Some(one)] => (*one, *one),
        [Some(hi), Some(lo)] if hi >= lo => (*hi, *lo),
        _ => {
            cx.error(
                "bits-syntax",
                &item.text.span,
                format!("`{range}` is no range of bits"),
                "write `Bit[hi..lo]`, the higher number first, or `Bit[n]`",
            );
            return None;
        }
    };
    if hi >= u64::from(bits) {
        cx.error(
            "bits-range",
            &item.text.span,
            format!("bit {hi} lies outside a field of {bits} bits"),
            format!("the highest bit is {}", bits - 1),
        );
        return None;
    }
    let (hi, lo) = (u32::try_from(hi).unwrap_or(0), u32::try_from(lo).unwrap_or(0));
    let rest = rest.trim_start();
    let (name, rest) = match rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
        Some((name, rest)) => (Some(name.trim().to_owned()), rest),
        None => (None, rest),
    };
    // A quoted word behind the name is the text of a set flag.
    let rest = rest.trim_start();
    let (spelling, rest) = match rest.strip_prefix('"').and_then(|r| r.split_once('"')) {
        Some((spelling, rest)) => (Some(spelling.to_owned()), rest),
        None => (None, rest),
    };
    if !rest.trim().is_empty() && !rest.trim_start().starts_with(':') {
        cx.warn(
            "bits-syntax",
            &item.text.span,
            "what stands between the range and the text is not understood",
            "write `Bit[hi..lo]: text` or `Bit[hi..lo] (name): text`",
        );
    }
    let text = rest.trim_start().trim_start_matches(':').trim();
    let stated = match text.is_empty() {
        true => Vec::new(),
        false => said::read_from(cx, &item.text, text.as_ptr() as usize - flat.as_ptr() as usize, said::Of::Bits),
    };
    // The vendor's flags begin with their name in quotes.
    let quoted = || Some(text.strip_prefix('"')?.split_once('"')?.0.trim().replace(' ', "_"));
    let name = name.or_else(quoted).filter(|n| !n.is_empty());
    let (more, text) = all_marks(text);
    marks.0.extend(more.0);
    let mut inner = Values::default();
    for block in &item.blocks {
        match block {
            Block::List(items) => {
                read_values(cx, items, &mut inner.values);
                nested_leftovers(cx, items);
            }
            Block::Table(rows) if columns::is_list(rows) => inner = columns::values(cx, rows),
            _ => {}
        }
    }
    name_values(&mut inner.values);
    check_values(cx, &inner.values, hi - lo + 1);
    let content = if !inner.values.is_empty() {
        let list_name = name.as_ref().map_or_else(|| owner.to_owned(), |n| format!("{owner}_{n}"));
        Content::Values(inner, list_name)
    } else if let Some(id) = linked_list(cx, model, &item.text) {
        Content::List(id)
    } else if item.text.links.iter().any(|l| l.target.contains("2_datatypes.md")) {
        Content::DataType
    } else if stated.iter().any(|s| s.fact == Fact::Zero) || text.starts_with("reserved") {
        Content::Zero
    } else {
        Content::Plain
    };
    Some(RawPart { hi, lo, name, spelling, doc: text, marks, span: item.text.span.clone(), content })
}

/// What stands below a part and is no value.
fn nested_leftovers(cx: &mut Cx<'_>, items: &[Item]) {
    for item in items {
        let (_, bare) = leading_marks(&item.text.text);
        if is_bits(bare) {
            bits_too_deep(cx, item);
        } else if !is_value(bare) {
            cx.warn(
                "item-leftover",
                &item.text.span,
                "this is not used: it is no value",
                "write `value: name`, or make it part of the text above",
            );
        }
    }
}

fn bits_too_deep(cx: &mut Cx<'_>, item: &Item) {
    cx.warn(
        "nesting-accidental",
        &item.text.span,
        "these bits are nested below others, or below a value, and are not read",
        "indent the item like those of the other bits",
    );
}

/// The shared list that a text links to.
pub(crate) fn linked_list(cx: &mut Cx<'_>, model: &Model, text: &Inline) -> Option<ListId> {
    for link in &text.links {
        let Some((file, anchor)) = link.target.split_once('#') else { continue };
        if !(file.is_empty() || file.ends_with("lists.md")) {
            continue;
        }
        match model.shared_list(anchor) {
            Some(id) => return Some(id),
            None => cx.error(
                "list-unknown",
                &link.span,
                format!("there is no shared list `{anchor}`"),
                "the lists are the headings of lists.md",
            ),
        }
    }
    None
}

enum Joined {
    Number,
    /// With its columns, and the values of parts that name only some of a shared list's, by the part's lowest bit.
    Kind(ListKind, Vec<Column>, Vec<(u32, MarkedNames)>),
    Shared(ListId),
}

fn join_parts(cx: &mut Cx<'_>, model: &mut Model, mut parts: Vec<RawPart>, bits: u32, owner: &Span) -> Joined {
    parts.sort_by_key(|p| p.lo);
    let mut next = 0;
    for part in &parts {
        if part.lo < next {
            cx.error(
                "bits-overlap",
                &part.span,
                format!("bits {}..{} are already taken", part.hi, part.lo),
                "every bit belongs to one part",
            );
        } else if part.lo > next {
            unaccounted(cx, owner, part.lo - 1, next);
        }
        next = next.max(part.hi + 1);
    }
    if next < bits {
        unaccounted(cx, owner, bits - 1, next);
    }
    // One unnamed part beside zeros is the value of the whole field.
    let used: Vec<usize> = (0..parts.len()).filter(|&i| !matches!(parts[i].content, Content::Zero)).collect();
    if let [only] = used.as_slice() {
        let part = &mut parts[*only];
        if part.name.is_none() {
            match &mut part.content {
                Content::Values(inner, _) => {
                    let Values { values, columns } = std::mem::take(inner);
                    let kind = ListKind::Enumeration { lo: part.lo, width: part.hi - part.lo + 1, values };
                    return Joined::Kind(kind, columns, Vec::new());
                }
                Content::List(id) if part.lo == 0 && part.hi + 1 == bits => return Joined::Shared(*id),
                Content::Plain if part.hi + 1 == bits && part.lo == 0 => return Joined::Number,
                _ => {}
            }
        }
    }
    let mut out: Vec<BitField> = Vec::new();
    let mut some = Vec::new();
    for part in parts {
        let width = part.hi - part.lo + 1;
        let kind = match part.content {
            Content::Zero => BitFieldKind::Zero,
            Content::Plain if width == 1 => BitFieldKind::Flag,
            Content::Plain => BitFieldKind::Number,
            Content::DataType => BitFieldKind::DataType,
            Content::List(id) => BitFieldKind::Enumeration(id),
            Content::Values(Values { values, columns }, name) => {
                let kind = ListKind::Enumeration { lo: 0, width, values };
                let at = cx.at(&part.span);
                let shared = same_shared(model, &kind, width).filter(|_| columns.is_empty());
                if let (ListKind::Enumeration { values, .. }, Some(id)) = (&kind, shared)
                    && let ListKind::Enumeration { values: all, .. } = &model.list(id).kind
                {
                    some.extend(named_only(values, all).map(|names| (part.lo, names)));
                }
                let id = match shared {
                    Some(id) => {
                        model.spelled.push(Spelled { at, kind });
                        id
                    }
                    None => {
                        let doc = part.doc.clone();
                        model.lists.push(List {
                            name,
                            bits: width,
                            shared: false,
                            doc,
                            kind,
                            columns,
                            text: None,
                            at,
                        });
                        ListId(model.lists.len() - 1)
                    }
                };
                BitFieldKind::Enumeration(id)
            }
        };
        let name = part.name.unwrap_or_else(|| {
            if width == 1 { format!("bit{}", part.lo) } else { format!("bits{}_{}", part.hi, part.lo) }
        });
        if kind != BitFieldKind::Zero && out.iter().any(|p| p.kind != BitFieldKind::Zero && p.name == name) {
            cx.error(
                "bits-duplicate",
                &part.span,
                format!("two parts are called `{name}`"),
                "give the parts different names",
            );
            continue;
        }
        let at = cx.at(&part.span);
        let text = part.spelling.unwrap_or_else(|| name.clone());
        out.push(BitField { name, hi: part.hi, lo: part.lo, kind, text, doc: part.doc, marks: part.marks, at });
    }
    Joined::Kind(ListKind::Parts(out), Vec::new(), some)
}

fn unaccounted(cx: &mut Cx<'_>, owner: &Span, hi: u32, lo: u32) {
    let bits = if hi == lo { format!("bit {lo} is") } else { format!("bits {hi}..{lo} are") };
    let range = if hi == lo { lo.to_string() } else { format!("{hi}..{lo}") };
    cx.warn(
        "bits-unaccounted",
        owner,
        format!("{bits} not accounted for"),
        format!("add `Bit[{range}]: Must be zero` or say what they mean; they are taken as zero"),
    );
}

/// A shared list that says the same, or more: a page that spells a shared list out, or the part of it
/// that it allows, has the shared type.
fn same_shared(model: &Model, kind: &ListKind, bits: u32) -> Option<ListId> {
    let same_values = |a: &[Enumerator], b: &[Enumerator]| {
        a.iter()
            .filter(|v| !v.reserved)
            .all(|v| b.iter().any(|w| !w.reserved && w.value == v.value && w.name.eq_ignore_ascii_case(&v.name)))
    };
    // Parts that a page does not name are named after their bits.
    let same_name = |a: &BitField, b: &BitField| a.name.eq_ignore_ascii_case(&b.name) || a.name.starts_with("bit");
    let same_part = |a: &BitField, b: &BitField| {
        a.hi == b.hi
            && a.lo == b.lo
            && same_name(a, b)
            && match (a.kind, b.kind) {
                (BitFieldKind::Enumeration(x), BitFieldKind::Enumeration(y)) => {
                    x == y
                        || match (&model.list(x).kind, &model.list(y).kind) {
                            (ListKind::Enumeration { values: v, .. }, ListKind::Enumeration { values: w, .. }) => {
                                same_values(v, w)
                            }
                            _ => false,
                        }
                }
                (x, y) => x == y,
            }
    };
    model
        .lists
        .iter()
        .position(|list| {
            list.shared
                && list.bits == bits
                && match (kind, &list.kind) {
                    (
                        ListKind::Enumeration { lo, width, values },
                        ListKind::Enumeration { lo: lo2, width: width2, values: values2 },
                    ) => lo == lo2 && width == width2 && values.len() > 1 && same_values(values, values2),
                    (ListKind::Parts(a), ListKind::Parts(b)) => {
                        let used = |p: &&BitField| p.kind != BitFieldKind::Zero;
                        let (a, b): (Vec<_>, Vec<_>) =
                            (a.iter().filter(used).collect(), b.iter().filter(used).collect());
                        a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| same_part(x, y))
                    }
                    _ => false,
                }
        })
        .map(ListId)
}
