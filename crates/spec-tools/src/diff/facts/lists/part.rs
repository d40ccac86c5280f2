//! Comparison of two parts of a list: bits and their contents.

use super::legal::{effective, enumerators, only_of, quoted};
use super::{AllowedValues, marks, norm};
use crate::diff::facts::columns;
use crate::diff::facts::values::spelled;
use crate::diff::{Class, Cx};
use visakit_codegen::model::{
    BitField, BitFieldKind, Column, Enumerator, List, ListKind, Model, SourceSpan, Spelled,
};

/// Bits with a meaning.
pub(super) struct View<'a> {
    /// Name; `None` for a value that fills the whole field.
    pub(super) name: Option<&'a str>,
    pub(super) hi: u32,
    pub(super) lo: u32,
    /// True if the page states the positions of the bits.
    stated: bool,
    kind: BitFieldKind,
    pub(super) values: &'a [Enumerator],
    columns: &'a [Column],
    /// True if the page spells out the values of a shared list.
    spelled: bool,
    part: Option<&'a BitField>,
    pub(super) at: SourceSpan,
}

/// Returns the parts of a list that have a meaning. A plain enumeration is one part without a name.
pub(super) fn views<'a>(model: &'a Model, list: &'a List) -> Vec<View<'a>> {
    match &list.kind {
        ListKind::Enumeration { lo, width, values } => vec![View {
            name: None,
            hi: lo + width.saturating_sub(1),
            lo: *lo,
            stated: *lo != 0 || *width != list.bits,
            kind: BitFieldKind::Number,
            values,
            columns: &list.columns,
            spelled: false,
            part: None,
            at: list.at,
        }],
        ListKind::Parts(parts) => parts
            .iter()
            .filter(|p| p.kind != BitFieldKind::Zero)
            .map(|p| View {
                name: Some(&p.name),
                hi: p.hi,
                lo: p.lo,
                stated: true,
                kind: p.kind,
                values: match (p.kind, model.spelled.iter().find(|s| s.at == p.at)) {
                    (
                        BitFieldKind::Enumeration(_),
                        Some(Spelled { kind: ListKind::Enumeration { values, .. }, .. }),
                    ) => values,
                    (BitFieldKind::Enumeration(id), _) => match &model.list(id).kind {
                        ListKind::Enumeration { values, .. } => values,
                        ListKind::Parts(_) => &[],
                    },
                    _ => &[],
                },
                columns: match p.kind {
                    BitFieldKind::Enumeration(id) if !model.spelled.iter().any(|s| s.at == p.at) => {
                        &model.list(id).columns
                    }
                    _ => &[],
                },
                spelled: model.spelled.iter().any(|s| s.at == p.at),
                part: Some(p),
                at: p.at,
            })
            .collect(),
    }
}

/// Returns the path of a part; for a value that fills the whole field, the path of the list.
pub(super) fn part_path(path: &str, view: &View<'_>) -> String {
    view.name.map_or_else(|| path.to_owned(), |name| format!("{path}.{name}"))
}

/// Formats the bits of a part for a message.
pub(super) fn bits(view: &View<'_>) -> String {
    let range =
        if view.hi == view.lo { format!("Bit[{}]", view.lo) } else { format!("Bit[{}..{}]", view.hi, view.lo) };
    view.name.map_or_else(|| range.clone(), |name| format!("{range} ({name})"))
}

/// Returns true if the reader named the part after its bits because the page does not name it.
pub(super) fn unnamed(view: &View<'_>) -> bool {
    view.name.is_none_or(|n| {
        n.strip_prefix("bit").is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit() || c == 's'))
    })
}

/// Compares a part of both sides. With `styles`, different names count as differences.
pub(super) fn compare(
    cx: &mut Cx<'_>,
    path: &str,
    (x, only_x): (&View<'_>, AllowedValues<'_>),
    (y, only_y): (&View<'_>, AllowedValues<'_>),
    styles: bool,
) {
    let here = part_path(path, y);
    let both = |f: &dyn Fn(&View<'_>) -> String| ((f(x), x.at), (f(y), y.at));
    let labels = if unnamed(x) && unnamed(y) { false } else { styles || !(unnamed(x) || unnamed(y)) };
    if x.name != y.name && labels && x.name.is_some() && y.name.is_some() {
        let (o, n) = both(&bits);
        cx.differs(Class::TextOnly, "part-renamed", &here, o, n);
    }
    if x.lo != y.lo || x.stated && y.stated && x.hi != y.hi {
        let (o, n) = both(&bits);
        cx.differs(Class::WireBreaking, "bits", &here, o, n);
    }
    if let (Some(p), Some(q)) = (x.part, y.part) {
        if p.text != q.text && !(p.text == p.name && q.text == q.name) {
            cx.differs(Class::TextOnly, "text", &here, (quoted(&p.text), p.at), (quoted(&q.text), q.at));
        }
        marks(cx, &here, (&bits(x), &p.marks, p.at), (&bits(y), &q.marks, q.at));
    }
    if let (BitFieldKind::Enumeration(a), BitFieldKind::Enumeration(b)) = (x.kind, y.kind)
        && cx.lists.get(&a) == Some(&b)
        && !x.spelled
        && !y.spelled
    {
        return;
    }
    let named = |view: &View<'_>| view.name.map(norm).unwrap_or_default();
    match (x.values.is_empty(), y.values.is_empty()) {
        (true, true) => {
            if x.kind != y.kind {
                let (o, n) = both(&|v| kind_name(v));
                cx.differs(kind_class(x, y), "values", &here, o, n);
            }
        }
        // A single bit with two named values is equivalent to a flag.
        (a, b) if a != b => {
            let (o, n) = both(&|v| kind_name(v));
            let class = match (full(x), full(y)) {
                (true, true) => Class::TextOnly,
                (_, true) => Class::Widened,
                (true, _) => Class::Narrowed,
                _ => Class::WireBreaking,
            };
            cx.differs(class, "values", &here, o, n);
        }
        _ => {
            let old = effective(x.values, only_of(only_x, &named(x)));
            let new = effective(y.values, only_of(only_y, &named(y)));
            let width = (x.hi - x.lo).max(y.hi - y.lo) + 1;
            enumerators(cx, &here, &old, &new, width);
            // A page that spells out a shared list implicitly has the columns of that list.
            let both_say = styles && !x.spelled && !y.spelled;
            if both_say || !x.columns.is_empty() && !y.columns.is_empty() {
                columns::headings(cx, &here, x.columns, y.columns);
            }
            for (value, (a, _)) in old.iter().filter(|(_, (a, _))| !a.reserved) {
                if let Some((b, _)) = new.get(value).filter(|(b, _)| !b.reserved) {
                    let path = format!("{here}.{}", spelled(*value, width));
                    columns::cells(cx, &path, (x.columns, &a.cells), (y.columns, &b.cells));
                }
            }
        }
    }
}

/// Returns true if all patterns of the bits are legal.
pub(super) fn full(view: &View<'_>) -> bool {
    match view.kind {
        BitFieldKind::Flag => true,
        BitFieldKind::Number | BitFieldKind::Enumeration(_) => {
            let width = view.hi - view.lo + 1;
            view.values.is_empty() && view.kind == BitFieldKind::Number
                || width < 16 && view.values.iter().filter(|v| !v.reserved).count() >= 1 << width
        }
        BitFieldKind::Zero | BitFieldKind::DataType => false,
    }
}

fn kind_class(x: &View<'_>, y: &View<'_>) -> Class {
    match (full(x), full(y)) {
        (true, true) => Class::TextOnly,
        (false, true) => Class::Widened,
        (true, false) => Class::Narrowed,
        (false, false) => Class::WireBreaking,
    }
}

fn kind_name(view: &View<'_>) -> String {
    match view.kind {
        _ if !view.values.is_empty() => {
            let names: Vec<_> = view.values.iter().filter(|v| !v.reserved).map(|v| v.name.as_str()).collect();
            format!("one of {}", names.join(", "))
        }
        BitFieldKind::Flag => "flag".to_owned(),
        BitFieldKind::DataType => "data type".to_owned(),
        BitFieldKind::Number | BitFieldKind::Enumeration(_) => "any number".to_owned(),
        BitFieldKind::Zero => "zero".to_owned(),
    }
}
