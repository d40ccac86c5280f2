//! Reader of bits and enumerators: the content nested below a field, a shared list or a part.

mod parts;
mod values;

use super::columns;
use super::context::Cx;
use crate::markdown::{Block, Inline, Item, Span};
use crate::model::{Availability, BitField, BitFieldKind, Enumerator, List, ListId, ListKind, Model, Only, Spelled};
use crate::phrase::leading_marks;
use parts::{Joined, RawPart, join_parts, read_part};
pub(super) use values::is_value;
use values::{check_values, name_values, named_only, read_values, table_values};

/// Content nested below a field.
pub(crate) enum Nested {
    /// No content about bits.
    Nothing,
    /// A list, in-page or shared. If the page names only some values of a shared list, these follow
    /// by part.
    List(ListId, Vec<Only>),
    /// A plain number that uses only some bits; the others are zero.
    Number,
}

/// Names with their marks.
pub(super) type MarkedNames = Vec<(String, Availability)>;

/// Creates a restriction of a field's part, or of the whole field if the name is empty.
pub(super) fn only(part: String, values: MarkedNames) -> Only {
    let values = values.into_iter().map(|(name, marks)| (name.into(), marks)).collect();
    Only { part: (!part.is_empty()).then(|| part.into()), values }
}

/// Context of a list on its page.
#[derive(Clone, Copy)]
pub(crate) struct ListHeading<'a> {
    /// True in the chapter of shared lists.
    pub(crate) shared: bool,
    /// Text above the list.
    pub(crate) doc: &'a str,
}

/// Reads the content nested below a field of `bits` bits; a new list gets `name`.
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
    let (parts, columns::Values { mut values, mut columns }) = content(cx, model, blocks, name, bits);
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
                "nest the values below the bits that contain them",
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
    // Shared lists with equal content stay separate, and so do lists with further columns.
    if let Some(id) = same_shared(model, &kind, bits).filter(|_| !shared && columns.is_empty()) {
        let allowed = match (&kind, &model.list(id).kind) {
            (ListKind::Enumeration { values, .. }, ListKind::Enumeration { values: all, .. }) => {
                named_only(values, all).map(|names| only(String::new(), names)).into_iter().collect()
            }
            // Parts without a name on the page take the names of the shared list.
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

/// Reads the parts and the values in blocks.
fn content(
    cx: &mut Cx<'_>,
    model: &mut Model,
    blocks: &[Block],
    name: &str,
    bits: u32,
) -> (Vec<RawPart>, columns::Values) {
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
            // The vendor's LSC pages have lists as tables in code blocks.
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
    (parts, columns::Values { values, columns })
}

/// Returns restrictions by the names of the parts, from the parts' lowest bits.
fn by_part(some: Vec<(u32, MarkedNames)>, kind: &ListKind) -> Vec<Only> {
    let ListKind::Parts(parts) = kind else { return Vec::new() };
    some.into_iter()
        .filter_map(|(lo, names)| Some(only(parts.iter().find(|p| p.lo == lo)?.name.clone(), names)))
        .collect()
}

/// Returns true if an item describes bits.
fn is_bits(bare: &str) -> bool {
    bare.starts_with("Bit[") || bare.starts_with("Bits[")
}

/// Returns true if an item describes bits or a value.
pub(crate) fn says_bits(text: &str) -> bool {
    let (_, bare) = leading_marks(text);
    is_bits(bare) || is_value(bare)
}

/// Warns about content below a field that is neither bits nor values. With `named`, values are
/// names of single entries of a table.
pub(crate) fn leftovers(cx: &mut Cx<'_>, blocks: &[Block], named: bool) {
    let warn = |cx: &mut Cx<'_>, span: &Span| {
        cx.warn(
            "item-leftover",
            span,
            "this item is not used: it is neither bits nor a value",
            "write `Bit[hi..lo]: …` or `value: name`, or join it to the text above",
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

/// Returns the shared list that a text links to.
pub(crate) fn linked_list(cx: &mut Cx<'_>, model: &Model, text: &Inline) -> Option<ListId> {
    for link in &text.links {
        let Some((file, anchor)) = link.target.split_once('#') else { continue };
        if !(file.is_empty() || file.ends_with("lists.md")) {
            continue;
        }
        let name = link.text.trim_matches(['`', ' ']);
        if !name.eq_ignore_ascii_case(anchor) {
            let message = format!("the link is called `{name}` but leads to `{anchor}`");
            cx.warn("link-name", &link.span, message, "correct the name or the target; only the target is read");
        }
        match model.shared_list(anchor) {
            Some(id) => return Some(id),
            None => cx.error(
                "list-unknown",
                &link.span,
                format!("there is no shared list `{anchor}`"),
                "use the name of a heading of lists.md",
            ),
        }
    }
    None
}

/// Returns the shared list with the same values or more. A page that spells out a shared list, or
/// the allowed subset of it, has the shared type.
fn same_shared(model: &Model, kind: &ListKind, bits: u32) -> Option<ListId> {
    let same_values = |a: &[Enumerator], b: &[Enumerator]| {
        a.iter()
            .filter(|v| !v.reserved)
            .all(|v| b.iter().any(|w| !w.reserved && w.value == v.value && w.name.eq_ignore_ascii_case(&v.name)))
    };
    // Parts without a name on the page are named after their bits.
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
