//! Checks the names in columns: the lists that headings link to, and the names in cells.

use crate::model::{CellValue, Column, ColumnKind, Model, NamesOf};
use visakit_diag::{Diagnostic, Severity};

pub(super) fn check(model: &Model, out: &mut Vec<Diagnostic>) {
    for (columns, rows) in model.rows_of_columns() {
        for (at, column) in columns.iter().enumerate() {
            if column.link.is_some() && matches!(column.kind, ColumnKind::Names { of: NamesOf::Column, .. }) {
                let message = format!("`{}` links neither to a list nor to a table of names", column.name);
                let help = "link to a list of lists.md that has named values, or to 2_datatypes.md#data_type";
                model.report(Severity::Error, "column-link", column.at, message, help, out);
                continue;
            }
            let Some(known) = model.names_of(column) else { continue };
            for cell in rows.iter().filter_map(|cells| cells.get(at)) {
                let CellValue::Names(names) = &cell.value else { continue };
                for name in names.iter().filter(|n| !known.contains(&n.as_str())) {
                    let (message, help) = unknown(column, name, &known);
                    model.report(Severity::Error, "column-cell", cell.at, message, help, out);
                }
            }
        }
    }
    operations(model, out);
}

/// List of the operations of LSC messages, and its columns.
const OPERATIONS: &str = "Lsc_op";
const KIND: &str = "Kind";
const MOVES: &str = "Moves";
const OF_ATOMICS: [&str; 2] = ["Update", "Numbers"];

/// Checks that each operation of LSC messages has a kind, and each atomic operation on data the
/// value that it writes: code that runs messages depends on it.
fn operations(model: &Model, out: &mut Vec<Diagnostic>) {
    for (list, value) in model.shared_values(OPERATIONS).filter(|(_, value)| !value.reserved) {
        let cell = |name: &str| list.cell(value, name);
        let is_empty = |name: &str| cell(name).is_some_and(|cell| cell.value == CellValue::None);
        let is_atomic = cell(KIND).is_some_and(|kind| kind.value == CellValue::Names(vec!["atomic".to_owned()]));
        let of_data = OF_ATOMICS.into_iter().filter(|_| is_atomic && !is_empty(MOVES));
        for name in std::iter::once(KIND).chain(of_data).filter(|name| is_empty(name)) {
            let message = format!("`{}` has no entry under {name}", value.name);
            let help = "without it, the operation cannot be executed: name the value as in other rows";
            model.report(Severity::Error, "column-cell", value.at, message, help, out);
        }
    }
}

fn unknown(column: &Column, name: &str, known: &[&str]) -> (String, String) {
    let link = column.link.as_deref().unwrap_or_default();
    let message = format!("`{name}` is not a name of {link}");
    let help = match known {
        [] => format!("{link} has no named values"),
        _ => format!("its names are {}; separate several by commas", known.join(", ")),
    };
    (message, help)
}
