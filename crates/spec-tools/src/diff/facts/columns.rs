//! Comparison of column values and of named numbers.

use crate::diff::change::Class;
use crate::diff::context::Cx;
use crate::diff::matching::norm;
use visakit_codegen::model::{Cell, CellValue, Column, ColumnKind, ListKind, Model, NamesOf, SourceSpan};

/// Compares the headings of two tables. A column without values changes nothing.
pub(crate) fn headings(cx: &mut Cx<'_>, path: &str, old: &[Column], new: &[Column]) {
    let lacks = |columns: &[Column], c: &Column| !columns.iter().any(|other| norm(&other.name) == norm(&c.name));
    for column in new.iter().filter(|c| lacks(old, c)) {
        let said = Some((column.name.clone(), column.at));
        cx.fact(Class::TextOnly, "column-added", &path_of(path, column), None, said);
    }
    for column in old.iter().filter(|c| lacks(new, c)) {
        let said = Some((column.name.clone(), column.at));
        cx.fact(Class::TextOnly, "column-removed", &path_of(path, column), said, None);
    }
}

/// Compares one value's cells in the columns that both sides have. A changed cell changes the
/// meaning of existing bytes.
pub(crate) fn cells(cx: &mut Cx<'_>, path: &str, old: (&[Column], &[Cell]), new: (&[Column], &[Cell])) {
    for (column, cell) in new.0.iter().zip(new.1) {
        let before = old.0.iter().zip(old.1).find(|(c, _)| norm(&c.name) == norm(&column.name));
        let Some((before_column, before)) = before else { continue };
        if meaning(cx.old, before_column, &before.value) != meaning(cx.new, column, &cell.value) {
            let said = |cell: &Cell| (cell.value.to_string(), cell.at);
            cx.differs(Class::WireBreaking, "cell", &path_of(path, column), said(before), said(cell));
        }
    }
}

/// Returns a cell's meaning independent of names: a name of another list stands for its value.
fn meaning(model: &Model, column: &Column, value: &CellValue) -> String {
    let (CellValue::Names(names), ColumnKind::Names { of: NamesOf::List(id), .. }) = (value, column.kind) else {
        return value.to_string().to_ascii_lowercase();
    };
    let ListKind::Enumeration { values, .. } = &model.list(id).kind else { return value.to_string() };
    let one = |name: &String| values.iter().find(|v| v.name == *name).map_or(name.clone(), |v| v.value.to_string());
    names.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn path_of(path: &str, column: &Column) -> String {
    format!("{path}.{}", column.name.replace(' ', "_"))
}

/// Compares the named numbers. A larger limit allows more.
pub(crate) fn limits(cx: &mut Cx<'_>) {
    let (old, new) = (cx.old, cx.new);
    // A document without the table has no statement about its rows.
    if old.limits.is_empty() || new.limits.is_empty() {
        return;
    }
    for y in &new.limits {
        let said = |value: u64, at: SourceSpan| (value.to_string(), at);
        match old.limits.iter().find(|x| x.name == y.name) {
            Some(x) if x.value != y.value => {
                let class = if x.value < y.value { Class::Widened } else { Class::Narrowed };
                cx.differs(class, "limit", &y.name, said(x.value, x.at), said(y.value, y.at));
            }
            Some(_) => {}
            None => cx.fact(Class::Narrowed, "limit-added", &y.name, None, Some(said(y.value, y.at))),
        }
    }
    for x in old.limits.iter().filter(|x| !new.limits.iter().any(|y| y.name == x.name)) {
        cx.fact(Class::Widened, "limit-removed", &x.name, Some((x.value.to_string(), x.at)), None);
    }
}
