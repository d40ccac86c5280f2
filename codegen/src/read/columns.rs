//! Lists in the form of tables, and the further columns of tables.

use std::collections::BTreeMap;

use super::context::Cx;
use super::sources;
use crate::markdown::{Row, Span};
use crate::model::{Cell, CellValue, Column, ColumnKind, Enumerator, Model, NamesOf};
use crate::phrase::{leading_marks, number};
use crate::suggest::distance_within;

/// Standard columns of a list, which are no attributes of its values.
const OF_LISTS: [&str; 4] = ["Code", "Name", "Text", "Meaning"];

/// Values with their columns.
#[derive(Default)]
pub(super) struct Values {
    pub(super) values: Vec<Enumerator>,
    pub(super) columns: Vec<Column>,
}

/// Returns true if a table holds the values of a list; the vendor's tables have neither heading.
pub(super) fn is_list(rows: &[Row]) -> bool {
    rows.first().is_some_and(|head| position(head, "Code").is_some() && position(head, "Name").is_some())
}

/// Returns the cells with the values of a list.
pub(super) fn codes(rows: &[Row]) -> impl Iterator<Item = &str> {
    let at = rows.first().and_then(|head| position(head, "Code"));
    rows.iter().skip(1).filter_map(move |row| Some(row.cells.get(at?)?.0.as_str()))
}

/// Reads a list in the form of a table.
pub(super) fn values(cx: &mut Cx<'_>, rows: &[Row]) -> Values {
    let Some((head, rows)) = rows.split_first() else { return Values::default() };
    let mut kept = Vec::new();
    let mut values = Vec::new();
    for row in rows {
        if let Some(value) = value(cx, head, row) {
            kept.push((row, value.reserved));
            values.push(value);
        }
    }
    let (columns, cells) = read(cx, head, &OF_LISTS, &kept);
    for (value, cells) in values.iter_mut().zip(cells) {
        value.cells = cells;
    }
    Values { values, columns }
}

fn position(head: &Row, name: &str) -> Option<usize> {
    head.cells.iter().position(|(cell, _)| cell.eq_ignore_ascii_case(name))
}

fn value(cx: &mut Cx<'_>, head: &Row, row: &Row) -> Option<Enumerator> {
    let cell = |name: &str| position(head, name).and_then(|at| row.cells.get(at));
    let (code, code_at) = cell("Code")?;
    let (marks, bare) = leading_marks(code);
    let Some(value) = number(bare) else {
        let help = "write the value as in other lists, such as 5, 0x05 or 0b101";
        cx.error("enumerator-value", code_at, format!("`{code}` is not a value"), help);
        return None;
    };
    let name = cell("Name").map_or("", |(name, _)| name.trim_matches('`'));
    if name.is_empty() || name.contains(char::is_whitespace) {
        let at = cell("Name").map_or(&row.span, |(_, at)| at);
        let message = if name.is_empty() { "the value has no name" } else { "the name must be one word" };
        cx.error("enumerator-name", at, message, "name the value with one word, and describe it under Meaning");
        return None;
    }
    let text = match cell("Text") {
        Some((text, at)) if !text.is_empty() => {
            let inside = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
            if inside.is_none() {
                let help = "put the spelling in double quotes, or leave the cell empty if the name is the spelling";
                cx.error("enumerator-text", at, format!("`{text}` is not a spelling"), help);
            }
            inside.unwrap_or(name)
        }
        _ => name,
    };
    Some(Enumerator {
        value,
        name: name.to_owned(),
        text: text.to_owned(),
        doc: cell("Meaning").map_or(String::new(), |(doc, _)| doc.replace("\\|", "|")),
        marks,
        reserved: name.eq_ignore_ascii_case("reserved") || name.eq_ignore_ascii_case("illegal"),
        cells: Vec::new(),
        at: cx.at(&row.span),
    })
}

/// Reads all columns except the `known` ones, and their cells by row. The flag marks rows whose
/// cells are ignored.
pub(super) fn read(
    cx: &mut Cx<'_>,
    head: &Row,
    known: &[&str],
    rows: &[(&Row, bool)],
) -> (Vec<Column>, Vec<Vec<Cell>>) {
    let mut columns: Vec<Column> = Vec::new();
    let mut out = vec![Vec::new(); rows.len()];
    for (at, (title, span)) in head.cells.iter().enumerate() {
        if known.iter().chain(&sources::COLUMNS).any(|k| k.eq_ignore_ascii_case(title)) {
            continue;
        }
        let (name, link) = heading(title);
        let same = |other: &Column| other.name.eq_ignore_ascii_case(name);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || columns.iter().any(same) {
            let message = format!("`{title}` cannot be the title of a column");
            cx.error("column-name", span, message, "give every column a unique word that begins with a letter");
            continue;
        }
        let mut cells: Vec<Cell> =
            rows.iter().map(|&(row, silent)| cell(cx, row, at, name, link.is_some(), silent)).collect();
        // A column with a link has names even if all its cells are `-`.
        let kind = match link.is_some() && cells.iter().all(|cell| cell.value == CellValue::None) {
            true => ColumnKind::Names { of: NamesOf::Column, many: false },
            false => kind(cx, name, span, &mut cells),
        };
        columns.push(Column { name: name.to_owned(), kind, link, at: cx.at(span) });
        for (row, cell) in out.iter_mut().zip(cells) {
            row.push(cell);
        }
    }
    alike(&mut columns);
    (columns, out)
}

/// Makes columns of names of the same list hold lists if one of them does.
fn alike(columns: &mut [Column]) {
    let is_many = |kind| matches!(kind, ColumnKind::Names { many: true, .. });
    let lists: Vec<_> = columns.iter().filter(|c| is_many(c.kind)).filter_map(|c| c.link.clone()).collect();
    for column in columns.iter_mut().filter(|c| c.link.as_ref().is_some_and(|link| lists.contains(link))) {
        if let ColumnKind::Names { many, .. } = &mut column.kind {
            *many = true;
        }
    }
}

/// Returns the text of a heading, and its link target.
fn heading(title: &str) -> (&str, Option<String>) {
    let linked = title.strip_prefix('[').and_then(|t| t.strip_suffix(')')).and_then(|t| t.split_once("]("));
    linked.map_or((title, None), |(name, target)| (name.trim(), Some(target.to_owned())))
}

fn cell(cx: &mut Cx<'_>, row: &Row, at: usize, column: &str, linked: bool, silent: bool) -> Cell {
    let (text, span) = row.cells.get(at).map_or(("", row.span.clone()), |(t, s)| (t.as_str(), s.clone()));
    let at_cell = cx.at(&span);
    let cell = |value| Cell { value, at: at_cell };
    let negative = text.strip_prefix('-').and_then(number).and_then(|n| i64::try_from(n).ok()).map(|n| -n);
    if silent || text == "-" {
        return cell(CellValue::None);
    }
    if text.is_empty() {
        let span = if span.is_empty() { row.span.clone() } else { span };
        let help = "write `-` if it has none";
        cx.error("column-cell", &span, format!("`{column}` of this value is missing"), help);
        return Cell { value: CellValue::None, at: cx.at(&span) };
    }
    if linked {
        return cell(CellValue::Names(cx.words(text, &span)));
    }
    let plain = |text: &str| number(text).and_then(|n| i64::try_from(n).ok());
    if text.contains(',') && text.split(',').all(|word| plain(word.trim()).is_some()) {
        return cell(CellValue::Numbers(text.split(',').filter_map(|word| plain(word.trim())).collect()));
    }
    match plain(text).or(negative) {
        Some(number) => cell(CellValue::Number(number)),
        None if text.starts_with(|c: char| c.is_ascii_digit()) => {
            let help = "write a decimal number, or a hexadecimal one as 0x1f";
            cx.error("column-cell", &span, format!("`{text}` is not a number of at most 63 bits"), help);
            Cell { value: CellValue::Number(0), at: cx.at(&span) }
        }
        None => cell(match text {
            "yes" => CellValue::Flag(true),
            "no" => CellValue::Flag(false),
            _ => CellValue::Names(cx.words(text, &span)),
        }),
    }
}

/// Returns the kind of most cells; cells of another kind are findings.
fn kind(cx: &mut Cx<'_>, column: &str, head: &Span, cells: &mut [Cell]) -> ColumnKind {
    let sort = |value: &CellValue| match value {
        CellValue::None => None,
        CellValue::Number(_) | CellValue::Numbers(_) => Some(0),
        CellValue::Flag(_) => Some(1),
        CellValue::Names(_) => Some(2),
    };
    let mut counts = [0; 3];
    cells.iter().filter_map(|c| sort(&c.value)).for_each(|s| counts[s] += 1);
    let Some(most) = (0..3).rev().max_by_key(|&s| counts[s]).filter(|&s| counts[s] > 0) else {
        let help = "give at least one value a number, yes or no, or a word; or remove the column";
        cx.error("column-cell", head, format!("the column `{column}` is empty"), help);
        return ColumnKind::Number;
    };
    let what = ["a number", "yes or no", "a word"][most];
    for cell in cells.iter_mut().filter(|c| sort(&c.value).is_some_and(|s| s != most)) {
        let span = cell.at.start as usize..cell.at.end as usize;
        let message = format!("`{}` is not {what}, unlike the other cells of `{column}`", cell.value);
        cx.error("column-cell", &span, message, format!("write {what}, or `-` for no entry"));
        cell.value = CellValue::None;
    }
    nearly(cx, cells);
    let several = |c: &Cell| matches!(&c.value, CellValue::Names(names) if names.len() > 1);
    if cells.iter().any(|c| matches!(c.value, CellValue::Numbers(_))) {
        // A single number becomes a list if other cells have several.
        for cell in cells {
            if let CellValue::Number(number) = cell.value {
                cell.value = CellValue::Numbers(vec![number]);
            }
        }
        return ColumnKind::Numbers;
    }
    match most {
        0 => ColumnKind::Number,
        1 => ColumnKind::Flag,
        _ => ColumnKind::Names { of: NamesOf::Column, many: cells.iter().any(several) },
    }
}

/// Reports a word that occurs in one cell only and differs in one letter from another word of the
/// column.
fn nearly(cx: &mut Cx<'_>, cells: &[Cell]) {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let names = |cell: &Cell| if let CellValue::Names(names) = &cell.value { names.clone() } else { Vec::new() };
    let all: Vec<_> = cells.iter().map(|cell| (cell.at, names(cell))).collect();
    all.iter().flat_map(|(_, names)| names).for_each(|name| *count.entry(name).or_default() += 1);
    for (at, names) in &all {
        let is_word = |name: &str| name.len() >= LONG && name.chars().all(char::is_alphabetic);
        for name in names.iter().filter(|name| count[name.as_str()] == 1 && is_word(name)) {
            let near = |(other, n): &(&&str, &usize)| **n > 1 && distance_within(name, other, 1) == Some(1);
            if let Some((other, _)) = count.iter().find(near) {
                let message = format!("`{name}` appears only once in this column");
                let span = at.start as usize..at.end as usize;
                cx.warn("column-cell", &span, message, format!("did you mean `{other}`?"));
            }
        }
    }
}

/// Minimum length of a word in this check; shorter words are similar by chance.
const LONG: usize = 5;

/// Determines the origin of the names in columns, after all lists and tables are read.
pub(super) fn resolve(model: &mut Model) {
    let mut known: BTreeMap<String, NamesOf> = BTreeMap::new();
    for link in model.tables_of_columns().flatten().filter_map(|c| c.link.as_ref()) {
        let anchor = link.split_once('#').map_or("", |(_, anchor)| anchor);
        let of = match anchor.eq_ignore_ascii_case("data_type") {
            true => Some(NamesOf::DataTypes),
            false => model.shared_list(anchor).map(NamesOf::List),
        };
        known.extend(of.map(|of| (link.clone(), of)));
    }
    for column in model.tables_of_columns_mut().flatten() {
        let found = column.link.as_ref().and_then(|link| known.get(link));
        if let (ColumnKind::Names { of, .. }, Some(found)) = (&mut column.kind, found) {
            *of = *found;
        }
    }
}
