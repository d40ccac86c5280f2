//! Reader of the chapters' tables: data types, platforms, limits, predefined variables, attributes.

use super::cells::{Columns, check_numbers, filled, is_dashed};
use super::context::Cx;
use super::{columns, head, index, lists, platforms, rules};
use crate::markdown::{Block, Document, Row};
use crate::model::{Attribute, Cell, DataType, Limit, Model, Predefined};
use crate::phrase::{number, words};

pub(crate) fn read_tables(cx: &mut Cx<'_>, document: &Document, model: &mut Model) {
    lists::read(cx, document, model, false);
    for section in &document.sections {
        for block in &section.blocks {
            match block {
                Block::Table(rows) => {
                    read_table(cx, rows, model);
                    index::read_support(cx, rows, model);
                    rules::read(cx, rows, model);
                }
                Block::List(items) => index::read_index(cx, items, false, model),
                _ => {}
            }
        }
    }
}

/// Standard columns of the table of data types and of the table of surfaces.
const OF_TYPES: [&str; 5] = ["Data Type", "Size(bits)", "Range", "Binary Format", "Text Format"];
const OF_SURFACES: [&str; 5] = ["Id", "Sampler id", "Name", "Old name", "Meaning"];

fn read_table(cx: &mut Cx<'_>, rows: &[Row], model: &mut Model) {
    let Some((heads, rows)) = rows.split_first() else { return };
    head::check(cx, heads);
    let head: Vec<String> = heads.cells.iter().map(|(c, _)| c.trim().to_owned()).collect();
    let has = |name: &str| head.iter().any(|h| h.eq_ignore_ascii_case(name));
    let is_types = has("Binary Format") && has("Text Format");
    let is_surfaces = has("Id") && has("Old name") && !has("Elements");
    let is_platforms = has("Platform") && has("Register bytes");
    if !is_platforms && head.first().is_some_and(|first| first.eq_ignore_ascii_case("Platform")) {
        return platforms::read_more(cx, heads, rows, model);
    }
    let more = |cx: &mut Cx<'_>, known: &[&str]| {
        columns::read(cx, heads, known, &rows.iter().map(|row| (row, false)).collect::<Vec<_>>())
    };
    let mut cells = Vec::new();
    if is_types {
        (model.type_columns, cells) = more(cx, &OF_TYPES);
    } else if is_surfaces {
        (model.surface_columns, cells) = more(cx, &OF_SURFACES);
    } else if is_platforms {
        (model.platform_columns, cells) = more(cx, &head::PLATFORMS);
    }
    cells.resize(rows.len(), Vec::new());
    for (row, cells) in rows.iter().zip(cells) {
        let columns = Columns { head: head.clone(), row };
        if is_types {
            read_type(cx, &columns, cells, model);
        } else if has("Limit") && has("Value") {
            read_limit(cx, &columns, model);
        } else if is_platforms {
            platforms::read(cx, &columns, cells, model);
        } else if (has("Id") && has("Old name")) || has("Sampler id") {
            read_predefined(cx, &columns, cells, model);
        } else if has("Where") && has("Value") && has("Name") {
            let get = |n: &str| columns.get(n).unwrap_or("").trim_matches('`').to_owned();
            model.attributes.push(Attribute {
                name: get("Name"),
                place: get("Where"),
                bytes: get("Bytes"),
                value: get("Value"),
                doc: get("Meaning"),
                at: cx.at(&row.span),
            });
        }
    }
}

fn read_type(cx: &mut Cx<'_>, columns: &Columns<'_>, cells: Vec<Cell>, model: &mut Model) {
    let size = columns.get("Size(bits)").and_then(number).and_then(|n| u32::try_from(n).ok());
    let code = columns.get("Binary Format").and_then(number);
    let name = columns.get("Text Format").unwrap_or("").to_ascii_uppercase();
    match (size, code) {
        (Some(bits), Some(code)) if !name.is_empty() => {
            if let Some(other) = model.types.iter().find(|t| t.code == code || t.name == name) {
                let other = other.name.clone();
                cx.error(
                    "type-duplicate",
                    &columns.row.span,
                    format!("type {name} has the code or the name of {other}"),
                    "give every type its own code and name",
                );
                return;
            }
            let text = columns.get("Range").unwrap_or("");
            let of_float = text.contains(" exponent and ").then(|| text.split(' ').filter_map(number).sum::<u64>());
            let wrong = range(text).is_some_and(|n| !fill(n, bits));
            if wrong || of_float.is_some_and(|sum| sum != u64::from(bits)) {
                let message = format!("no number of at most {bits} bits has this range");
                cx.warn("type-syntax", &columns.place("Range"), message, "correct the range or the size");
            }
            let doc = columns.get("Data Type").unwrap_or("").to_owned();
            model.types.push(DataType { name, doc, code, bits, cells, at: cx.at(&columns.row.span) });
        }
        _ => cx.error(
            "type-syntax",
            &columns.row.span,
            "this row of the data type table is not understood",
            "give a size in bits, a binary format and a text format",
        ),
    }
}

/// Returns true if the range fills an element of `bits` bits, or an equal division of it.
fn fill((low, high): (i128, i128), bits: u32) -> bool {
    let numbers = u128::try_from(high - low + 1).unwrap_or(0);
    numbers.is_power_of_two() && bits.checked_rem(numbers.ilog2()) == Some(0)
}

/// Parses a range such as `[0, 2<sup>32</sup>-1]`.
fn range(text: &str) -> Option<(i128, i128)> {
    let (low, high) = text.strip_prefix('[')?.strip_suffix(']')?.split_once(',')?;
    let end = |text: &str| -> Option<i128> {
        let (sign, text) = text.trim().strip_prefix('-').map_or((1, text.trim()), |text| (-1, text));
        let Some((power, less)) = text.strip_prefix("2<sup>").and_then(|t| t.split_once("</sup>")) else {
            return Some(sign * i128::from(number(text)?));
        };
        let less = if less.is_empty() { 0 } else { number(less.strip_prefix('-')?)? };
        let power = number(power).filter(|n| *n <= 64)?;
        Some((sign << power) - i128::from(less))
    };
    Some((end(low)?, end(high)?))
}

/// Reads a named number.
fn read_limit(cx: &mut Cx<'_>, columns: &Columns<'_>, model: &mut Model) {
    let name = columns.get("Limit").unwrap_or("").trim_matches('`').to_owned();
    let value = columns.get("Value").and_then(number);
    let fresh = is_dashed(&name) && !model.limits.iter().any(|l| l.name == name);
    match value.filter(|_| fresh) {
        Some(value) => {
            let doc = columns.get("Meaning").unwrap_or("").to_owned();
            model.limits.push(Limit { name, value, doc, at: cx.at(&columns.row.span) });
        }
        None => cx.error(
            "limit-syntax",
            &columns.row.span,
            format!("`{name}` is not a limit with a unique name and a number"),
            "write lower-case words joined by dashes, and a number",
        ),
    }
}

/// Parses the access to a predefined variable: `R` is read-only, `RW` is writable, `RW(2, 3)` is
/// writable in these elements only.
fn written(access: &str) -> Option<Vec<u32>> {
    let (_, behind) = access.split_once('W')?;
    let inner = behind.trim().strip_prefix('(').and_then(|b| b.strip_suffix(')')).unwrap_or("");
    Some(words(inner).iter().filter_map(|w| number(w)).filter_map(|n| u32::try_from(n).ok()).collect())
}

fn read_predefined(cx: &mut Cx<'_>, columns: &Columns<'_>, cells: Vec<Cell>, model: &mut Model) {
    let sampler = columns.get("Sampler id");
    let Some(id) = columns.get("Id").or(sampler).and_then(number) else {
        cx.error("predefined-syntax", &columns.row.span, "this row has no id", "give a number in the column Id");
        return;
    };
    let get = |n: &str| columns.get(n).unwrap_or("").trim_matches('`').to_owned();
    let count = |n: &str| columns.get(n).and_then(number).and_then(|n| u32::try_from(n).ok());
    check_numbers(cx, columns, &["Elements", "Elements on 64-byte registers"], "predefined-syntax");
    filled(
        cx,
        columns,
        &["Name", "Type", "Elements", "Elements on 64-byte registers", "Access"],
        "predefined-syntax",
    );
    let access = columns.get("Access").unwrap_or("");
    let inner = access.strip_prefix("RW(").and_then(|a| a.strip_suffix(')'));
    if !matches!(access, "" | "R" | "RW") && inner.is_none_or(|i| words(i).iter().any(|w| number(w).is_none())) {
        let message = format!("the access `{access}` is not understood");
        cx.error("predefined-syntax", &columns.place("Access"), message, "write R, RW or RW(2, 3)");
    }
    let narrow = count("Elements").unwrap_or(1);
    let is_variable = columns.get("Elements").is_some();
    let entry = Predefined {
        id,
        name: get("Name"),
        old_name: get("Old name"),
        ty: get("Type").to_ascii_uppercase().into(),
        elements: (narrow, count("Elements on 64-byte registers").unwrap_or(narrow)),
        written: written(columns.get("Access").unwrap_or("")),
        cells,
        doc: get("Meaning"),
        at: cx.at(&columns.row.span),
    };
    let table = match (is_variable, sampler) {
        (true, _) => &mut model.predefined,
        (false, Some(_)) => &mut model.samplers,
        (false, None) => &mut model.surfaces,
    };
    if table.iter().any(|p| p.id == id || p.name == entry.name) {
        cx.error(
            "predefined-duplicate",
            &columns.row.span,
            format!("id {id} or name {} is used twice", entry.name),
            "give every predefined variable its own id and name",
        );
        return;
    }
    table.push(entry);
}
