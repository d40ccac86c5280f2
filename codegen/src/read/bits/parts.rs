//! Parts of a bit field: reads each part from its item, and joins all parts to a list.

use super::values::{bits_too_deep, check_values, is_value, name_values, named_only, read_values};
use super::{MarkedNames, is_bits, linked_list, same_shared};
use crate::markdown::{Block, Item, Span};
use crate::model::{Availability, BitField, BitFieldKind, Column, List, ListId, ListKind, Model, Spelled};
use crate::phrase::{Fact, all_marks, leading_marks, number};
use crate::read::columns::{self, Values};
use crate::read::context::Cx;
use crate::read::said;

/// In-page list that may turn out to be a whole field or a part.
pub(super) struct RawPart {
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

pub(super) fn read_part(cx: &mut Cx<'_>, model: &Model, item: &Item, owner: &str, bits: u32) -> Option<RawPart> {
    let flat = item.text.text.replace('\n', " ");
    let (mut marks, bare) = leading_marks(&flat);
    let ((hi, lo), rest) = range(cx, item, bare, bits)?;
    let rest = rest.trim_start();
    let (name, rest) = match rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
        Some((name, rest)) => (Some(name.trim().to_owned()), rest),
        None => (None, rest),
    };
    // A quoted word after the name is the text of a set flag.
    let rest = rest.trim_start();
    let (spelling, rest) = match rest.strip_prefix('"').and_then(|r| r.split_once('"')) {
        Some((spelling, rest)) => (Some(spelling.to_owned()), rest),
        None => (None, rest),
    };
    if !rest.trim().is_empty() && !rest.trim_start().starts_with(':') {
        cx.warn(
            "bits-syntax",
            &item.text.span,
            "the text after the range is not understood",
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
    let inner = inner_values(cx, item, hi - lo + 1);
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

/// Parses the range of a part: its highest and lowest bit, and the text after it.
fn range<'t>(cx: &mut Cx<'_>, item: &Item, bare: &'t str, bits: u32) -> Option<((u32, u32), &'t str)> {
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
                format!("`{range}` is not a range of bits"),
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
    Some(((u32::try_from(hi).unwrap_or(0), u32::try_from(lo).unwrap_or(0)), rest))
}

/// Reads the values below a part of `width` bits.
fn inner_values(cx: &mut Cx<'_>, item: &Item, width: u32) -> Values {
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
    check_values(cx, &inner.values, width);
    inner
}

/// Warns about content below a part that is no value.
fn nested_leftovers(cx: &mut Cx<'_>, items: &[Item]) {
    for item in items {
        let (_, bare) = leading_marks(&item.text.text);
        if is_bits(bare) {
            bits_too_deep(cx, item);
        } else if !is_value(bare) {
            cx.warn(
                "item-leftover",
                &item.text.span,
                "this item is not used: it is not a value",
                "write `value: name`, or join it to the text above",
            );
        }
    }
}

pub(super) enum Joined {
    Number,
    /// A list with its columns, and by the part's lowest bit the named subsets of shared lists.
    Kind(ListKind, Vec<Column>, Vec<(u32, MarkedNames)>),
    Shared(ListId),
}

pub(super) fn join_parts(
    cx: &mut Cx<'_>,
    model: &mut Model,
    mut parts: Vec<RawPart>,
    bits: u32,
    owner: &Span,
) -> Joined {
    parts.sort_by_key(|p| p.lo);
    check_coverage(cx, &parts, bits, owner);
    if let Some(joined) = whole_field(&mut parts, bits) {
        return joined;
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
            Content::Values(values, name) => {
                let (id, names) = enumeration(cx, model, (&part.span, &part.doc), width, values, name);
                some.extend(names.map(|names| (part.lo, names)));
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

/// Checks that every bit belongs to one part. The parts are sorted by their lowest bit.
fn check_coverage(cx: &mut Cx<'_>, parts: &[RawPart], bits: u32, owner: &Span) {
    let mut next = 0;
    for part in parts {
        if part.lo < next {
            cx.error(
                "bits-overlap",
                &part.span,
                format!("bits {}..{} already belong to another part", part.hi, part.lo),
                "assign every bit to one part only",
            );
        } else if part.lo > next {
            unaccounted(cx, owner, part.lo - 1, next);
        }
        next = next.max(part.hi + 1);
    }
    if next < bits {
        unaccounted(cx, owner, bits - 1, next);
    }
}

/// Returns the value of the whole field if it consists of a single unnamed part with only zeros
/// around it.
fn whole_field(parts: &mut [RawPart], bits: u32) -> Option<Joined> {
    let used: Vec<usize> = (0..parts.len()).filter(|&i| !matches!(parts[i].content, Content::Zero)).collect();
    if let [only] = used.as_slice() {
        let part = &mut parts[*only];
        if part.name.is_none() {
            match &mut part.content {
                Content::Values(inner, _) => {
                    let Values { values, columns } = std::mem::take(inner);
                    let kind = ListKind::Enumeration { lo: part.lo, width: part.hi - part.lo + 1, values };
                    return Some(Joined::Kind(kind, columns, Vec::new()));
                }
                Content::List(id) if part.lo == 0 && part.hi + 1 == bits => return Some(Joined::Shared(*id)),
                Content::Plain if part.hi + 1 == bits && part.lo == 0 => return Some(Joined::Number),
                _ => {}
            }
        }
    }
    None
}

/// Returns the list of a part's values, an equal shared list or a new one, and the names of the
/// values if the page has only some of a shared list.
fn enumeration(
    cx: &mut Cx<'_>,
    model: &mut Model,
    (span, doc): (&Span, &str),
    width: u32,
    Values { values, columns }: Values,
    name: String,
) -> (ListId, Option<MarkedNames>) {
    let kind = ListKind::Enumeration { lo: 0, width, values };
    let at = cx.at(span);
    let Some(id) = same_shared(model, &kind, width).filter(|_| columns.is_empty()) else {
        let doc = doc.to_owned();
        model.lists.push(List { name, bits: width, shared: false, doc, kind, columns, text: None, at });
        return (ListId(model.lists.len() - 1), None);
    };
    let names = match (&kind, &model.list(id).kind) {
        (ListKind::Enumeration { values, .. }, ListKind::Enumeration { values: all, .. }) => named_only(values, all),
        _ => None,
    };
    model.spelled.push(Spelled { at, kind });
    (id, names)
}

fn unaccounted(cx: &mut Cx<'_>, owner: &Span, hi: u32, lo: u32) {
    let bits = if hi == lo { format!("bit {lo} is") } else { format!("bits {hi}..{lo} are") };
    let range = if hi == lo { lo.to_string() } else { format!("{hi}..{lo}") };
    cx.warn(
        "bits-unaccounted",
        owner,
        format!("{bits} not described"),
        format!("add `Bit[{range}]: Must be zero`, or describe them; they are read as zero"),
    );
}
