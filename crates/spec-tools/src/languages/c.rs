//! Tables in C, and the files of their runtime.

use std::fmt::Write as _;

use super::tables::{Cell, TEXTS, Table, Tables};
use super::{HEADER, quoted};

/// Files of the runtime, which are the same for every specification.
const RUNTIME: [(&str, &str); 3] = [
    ("visa_isa.h", include_str!("c/visa_isa.h")),
    ("visa_isa.c", include_str!("c/visa_isa.c")),
    ("visa_dis.c", include_str!("c/visa_dis.c")),
];

/// Columns whose numbers need more than 32 bits.
const WIDE: [&str; 5] = ["value", "code", "default", "since", "before"];

pub(super) fn write(tables: &Tables) -> Vec<(&'static str, String)> {
    let mut out: Vec<_> = RUNTIME.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    out.push(("visa_tables.h", header(tables)));
    out.push(("visa_tables.c", rows(tables)));
    out
}

fn header(tables: &Tables) -> String {
    let mut out = format!("/* {HEADER} */\n#ifndef VISA_TABLES_H\n#define VISA_TABLES_H\n\n#include <stdint.h>\n\n");
    for (name, value) in &tables.constants {
        let _ = writeln!(out, "#define VISA_{name} {value}");
    }
    for (name, most) in
        [("VISA_MAX_FIELDS", most(tables, "field_count")), ("VISA_MAX_MEMBERS", most(tables, "member_count"))]
    {
        let _ = writeln!(out, "#define {name} {most}");
    }
    for table in &tables.tables {
        let _ = writeln!(out, "\n#define {} {}", array(table).to_ascii_uppercase(), table.rows.len());
        let row = table.row.to_ascii_lowercase();
        let _ = writeln!(out, "typedef struct visa_{row} {{");
        for column in table.columns {
            let ty = match column {
                _ if TEXTS.contains(column) => "const char *",
                _ if WIDE.contains(column) => "int64_t ",
                _ => "int32_t ",
            };
            let _ = writeln!(out, "    {ty}{};", member(column));
        }
        let _ = writeln!(out, "}} visa_{row};\nextern const visa_{row} {}[];", array(table));
    }
    out.push_str("\n#endif\n");
    out
}

fn rows(tables: &Tables) -> String {
    let mut out = format!("/* {HEADER} */\n#include \"visa_tables.h\"\n");
    for table in &tables.tables {
        let _ = writeln!(out, "\nconst visa_{} {}[] = {{", table.row.to_ascii_lowercase(), array(table));
        for cells in &table.rows {
            let cells: Vec<String> = cells.iter().map(cell).collect();
            let _ = writeln!(out, "    {{{}}},", cells.join(", "));
        }
        // An array needs an element.
        if table.rows.is_empty() {
            out.push_str("    {0},\n");
        }
        out.push_str("};\n");
    }
    out
}

/// Returns the name of a table's array, whose upper case is the number of its rows.
fn array(table: &Table) -> String {
    let plural = if table.name.ends_with('s') { "" } else { "s" };
    format!("visa_{}{plural}", table.name)
}

/// Returns the name of a column without C's reserved words.
fn member(column: &str) -> &str {
    match column {
        "default" => "default_value",
        "signed" => "is_signed",
        column => column,
    }
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Number(i64::MIN) => "INT64_MIN".to_owned(),
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => quoted(text),
    }
}

/// Returns the largest number of a column.
fn most(tables: &Tables, column: &str) -> i64 {
    let numbers = tables.tables.iter().filter_map(|table| {
        let at = table.columns.iter().position(|name| *name == column)?;
        table
            .rows
            .iter()
            .filter_map(|row| match row.get(at)? {
                Cell::Number(number) => Some(*number),
                Cell::Text(_) => None,
            })
            .max()
    });
    numbers.max().unwrap_or(0).max(1)
}
