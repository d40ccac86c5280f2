//! Readers of the tables of platforms: the table that names them, and the tables with further
//! facts.

use super::cells::{Columns, NOTHING, check_numbers, filled};
use super::columns;
use super::context::Cx;
use super::head::PLATFORMS;
use crate::markdown::Row;
use crate::model::{Cell, Model, Platform};
use crate::phrase::{number, words};

/// Reads a row of the table that names the platforms; `cells` belong to further columns.
pub(super) fn read(cx: &mut Cx<'_>, columns: &Columns<'_>, cells: Vec<Cell>, model: &mut Model) {
    check_numbers(cx, columns, &["GEN code", "Product family"], "platform-syntax");
    filled(cx, columns, &["Aliases", "GEN code", "Product family"], "platform-syntax");
    let some = |name: &str| columns.get(name).filter(|text| *text != NOTHING).unwrap_or("");
    let numbers = |name: &str| -> Vec<u64> { words(some(name)).iter().filter_map(|w| number(w)).collect() };
    let name = columns.get("Platform").unwrap_or("").trim_matches('`').to_ascii_lowercase();
    let register_bytes = columns.get("Register bytes").and_then(number).and_then(|n| u32::try_from(n).ok());
    let Some(register_bytes) = register_bytes.filter(|n| !name.is_empty() && n.is_power_of_two()) else {
        cx.error(
            "platform-syntax",
            &columns.row.span,
            "this row of the platform table is not understood",
            "write a name and a register size in bytes, a power of two",
        );
        return;
    };
    let aliases = cx.words(some("Aliases"), &columns.place("Aliases"));
    let aliases: Vec<String> = aliases.iter().map(|a| a.trim_matches('`').to_owned()).collect();
    let called = |p: &Platform, name: &str| p.name == name || p.aliases.iter().any(|a| a.eq_ignore_ascii_case(name));
    let mut names = std::iter::once(&name).chain(&aliases);
    if let Some(twice) = names.find(|name| model.platforms.iter().any(|p| called(p, name))) {
        let message = format!("an earlier platform also has the name `{twice}`");
        cx.error("platform-syntax", &columns.row.span, message, "give every platform its own names");
    }
    let families = numbers("Product family");
    if let Some(twice) = families.iter().find(|n| model.platforms.iter().any(|p| p.families.contains(n))) {
        let message = format!("an earlier platform also has the product family {twice:#x}");
        cx.error(
            "platform-syntax",
            &columns.place("Product family"),
            message,
            "assign every \
         product family to one platform",
        );
    }
    model.platforms.push(Platform {
        name,
        aliases,
        gen_codes: numbers("GEN code"),
        families,
        register_bytes,
        cells,
        at: cx.at(&columns.row.span),
    });
}

/// Reads a further table, with a row for each platform and a column for each fact. A platform
/// without a row inherits the cells of the platform before it in the table that names them.
pub(super) fn read_more(cx: &mut Cx<'_>, head: &Row, rows: &[Row], model: &mut Model) {
    let (columns, cells) =
        columns::read(cx, head, &PLATFORMS[..1], &rows.iter().map(|row| (row, false)).collect::<Vec<_>>());
    let mut of: Vec<Option<Vec<Cell>>> = vec![None; model.platforms.len()];
    for (row, cells) in rows.iter().zip(cells) {
        let name = row.cells.first().map_or("", |(name, _)| name.trim_matches('`'));
        let Some(at) = model.platforms.iter().position(|p| p.name.eq_ignore_ascii_case(name)) else {
            let help = "use the first name of a platform of the table above";
            cx.error("platform-unknown", &row.span, format!("`{name}` is not a platform"), help);
            continue;
        };
        if of[at].replace(cells).is_some() {
            let message = format!("`{name}` has two rows in this table");
            cx.error("platform-syntax", &row.span, message, "give each platform one row");
        }
    }
    if let (Some(None), Some(first)) = (of.first(), model.platforms.first()) {
        let message = format!("this table has no row for the oldest platform, `{}`", first.name);
        cx.error("platform-syntax", &head.span, message, "add the row: later platforms inherit its values");
        return;
    }
    if let Some(twice) = columns.iter().find(|c| model.platform_columns.iter().any(|o| o.key() == c.key())) {
        let message = format!("an earlier table of platforms also has the column `{}`", twice.name);
        cx.error("platform-syntax", &head.span, message, "keep the column in one table");
        return;
    }
    model.platform_columns.extend(columns);
    let mut above = Vec::new();
    for (platform, own) in model.platforms.iter_mut().zip(of) {
        above = own.unwrap_or(above);
        platform.cells.extend(above.iter().cloned());
    }
}
