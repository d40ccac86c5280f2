//! Tables in Python, and the files of their runtime.

use std::fmt::Write as _;

use super::tables::{Cell, Tables};
use super::{HEADER, quoted};

/// Files of the runtime, which are the same for every specification.
const RUNTIME: [(&str, &str); 4] = [
    ("__init__.py", include_str!("python/__init__.py")),
    ("__main__.py", include_str!("python/__main__.py")),
    ("isa.py", include_str!("python/isa.py")),
    ("objects.py", include_str!("python/objects.py")),
];

pub(super) fn write(tables: &Tables) -> Vec<(&'static str, String)> {
    let mut out: Vec<_> = RUNTIME.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
    out.push(("tables.py", texts(tables)));
    out
}

fn texts(tables: &Tables) -> String {
    let mut out = format!("# {HEADER}\n\nfrom collections import namedtuple\n\n");
    for (name, value) in &tables.constants {
        let _ = writeln!(out, "{name} = {value}");
    }
    for table in &tables.tables {
        let (row, columns) = (table.row, table.columns.join(" "));
        let _ = writeln!(out, "\n{row} = namedtuple(\"{row}\", \"{columns}\")");
        let _ = writeln!(out, "{} = (", table.name.to_ascii_uppercase());
        for cells in &table.rows {
            let cells: Vec<String> = cells.iter().map(cell).collect();
            let _ = writeln!(out, "    {row}({}),", cells.join(", "));
        }
        out.push_str(")\n");
    }
    out
}

/// Returns a cell as a literal.
fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => quoted(text),
    }
}
