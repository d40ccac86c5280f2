//! Probes for the columns of tables, named numbers, and the instructions of each row of
//! verification.md. They use the methods that kernels and rules use, and the data from which
//! conditions are evaluated.

use std::collections::BTreeMap;

use visakit_codegen::model::{Cell, Column, DataType, FieldKind, ListKind, Model, SourceSpan};

use crate::expect::meaning::{BitsKind, bits, on};
use crate::finding::{Difference, Fact, Tally, same};
use visakit::isa::{self, Platform};

/// Named value with its table cells.
struct Row<'m> {
    table: &'m str,
    name: &'m str,
    value: u64,
    columns: &'m [Column],
    cells: &'m [Cell],
    at: SourceSpan,
}

impl<'m> Row<'m> {
    fn of_type(model: &'m Model, ty: &'m DataType) -> Self {
        let DataType { name, code, cells, at, .. } = ty;
        Self { table: "Data_type", name, value: *code, columns: &model.type_columns, cells, at: *at }
    }

    /// Returns the cells: heading, text and place.
    fn said(&self) -> impl Iterator<Item = (&'m str, String, SourceSpan)> {
        self.columns
            .iter()
            .zip(self.cells)
            .map(|(column, cell)| (column.name.as_str(), cell.value.to_string(), cell.at))
    }

    fn fact(&self, heading: &str, at: SourceSpan) -> Fact {
        Fact::new("column", format!("{}.{}.{heading}", self.table, self.name), at)
    }
}

/// Probes all columns, limits and rows of rules.
pub(crate) fn all(model: &Model, tally: &mut Tally) {
    methods(model, tally);
    reflected(model, tally);
    rules(model, tally);
}

/// Probes the methods of values.
fn methods(model: &Model, tally: &mut Tally) {
    let mut known: BTreeMap<(&str, &str, u64), String> = BTreeMap::new();
    isa::each_attribute(&mut |table, heading, value, words| {
        known.insert((table, heading, value), words);
    });
    let mut rows: Vec<Row<'_>> = model.types.iter().map(|ty| Row::of_type(model, ty)).collect();
    rows.extend(model.platforms.iter().enumerate().map(|(age, platform)| Row {
        table: "Platform",
        name: &platform.name,
        value: age as u64,
        columns: &model.platform_columns,
        cells: &platform.cells,
        at: platform.at,
    }));
    for list in &model.lists {
        let ListKind::Enumeration { values, .. } = &list.kind else { continue };
        rows.extend(values.iter().filter(|v| !v.reserved).map(|v| Row {
            table: &list.name,
            name: &v.name,
            value: v.value,
            columns: &list.columns,
            cells: &v.cells,
            at: v.at,
        }));
    }
    for row in &rows {
        for (heading, words, at) in row.said() {
            let got = known.remove(&(row.table, heading, row.value));
            compare(tally, row.fact(heading, at), heading, words, got);
        }
        // Attributes of a value that no page states.
        let extra: Vec<_> =
            known.keys().filter(|(table, _, v)| *table == row.table && *v == row.value).copied().collect();
        for key in extra {
            let got = known.remove(&key);
            compare(tally, row.fact(key.1, row.at), key.1, "no such column".to_owned(), got);
        }
    }
    for limit in &model.limits {
        let got = known.remove(&("limit", limit.name.as_str(), 0));
        let fact = Fact::new("limit", format!("limit.{}", limit.name), limit.at);
        compare(tally, fact, &limit.name, limit.value.to_string(), got);
    }
}

/// Probes the reflected field values of pages, and the table of surfaces.
fn reflected(model: &Model, tally: &mut Tally) {
    for page in &model.instructions {
        let Some(known) = isa::PAGES.iter().find(|p| p.name == page.name) else { continue };
        for form in &page.forms {
            let Some(theirs) = known.forms.iter().find(|f| f.name == form.name) else { continue };
            for field in &form.fields {
                let list = theirs.fields.iter().find(|f| f.name == field.name).and_then(|f| f.list);
                let (FieldKind::List(id), Some(list)) = (field.shape, list) else { continue };
                for b in bits(model, id) {
                    let (BitsKind::Values(values), Some(of)) = (b.what, b.values) else { continue };
                    let Some(part) = list.parts.iter().find(|p| p.name == b.name && p.lo == b.lo) else { continue };
                    let (table, columns) = (model.list(of).name.as_str(), model.list(of).columns.as_slice());
                    for v in values.iter().filter(|v| !v.reserved) {
                        let row = Row { table, name: &v.name, value: v.value, columns, cells: &v.cells, at: v.at };
                        for (heading, words, at) in row.said() {
                            let got = part.cell(v.value, heading).map(|cell| cell.to_string());
                            compare(tally, row.fact(heading, at), heading, words, got);
                        }
                    }
                }
            }
        }
    }
    for entry in &model.surfaces {
        let known = isa::predefined_surface::ALL.iter().find(|p| u64::from(p.id) == entry.id);
        let row = Row {
            table: "predefined",
            name: &entry.name,
            value: entry.id,
            columns: &model.surface_columns,
            cells: &entry.cells,
            at: entry.at,
        };
        for (heading, words, at) in row.said() {
            let column = isa::predefined_surface::COLUMNS.iter().position(|c| *c == heading);
            let got = column.and_then(|at| known?.cells.get(at)).map(|cell| cell.to_string());
            compare(tally, row.fact(heading, at), heading, words, got);
        }
    }
}

fn compare(tally: &mut Tally, fact: Fact, heading: &str, expected: String, got: Option<String>) {
    let got = got.unwrap_or_else(|| "no such column".to_owned());
    tally.probe(fact, same("column", format!("reading the column `{heading}`"), expected, got));
}

/// Probes the rows of what the assembler accepts: their instructions, checks and platforms.
fn rules(model: &Model, tally: &mut Tally) {
    for page in &model.instructions {
        let Some(known) = isa::PAGES.iter().find(|p| p.name == page.name) else { continue };
        let mut extra: Vec<&str> = known.accepted.iter().map(|row| row.name).collect();
        for row in model.accepted.iter().filter(|row| model.covers(&row.instructions, page)) {
            let fact = Fact::new("rule-row", format!("rule.{}.{}", row.name, page.name), row.at);
            extra.retain(|name| *name != row.name);
            let found = known.accepted.iter().find(|r| r.name == row.name);
            let describe = |check: &str, verdict: &str, holds: &dyn Fn(usize, Platform) -> bool| {
                let all = model.platforms.iter().enumerate();
                let all = all.filter(|(at, p)| Platform::from_name(&p.name).is_some_and(|known| holds(*at, known)));
                let names: Vec<_> = all.map(|(_, p)| p.name.as_str()).collect();
                format!("{check} as {verdict} on {}", names.join(" "))
            };
            let expected = describe(&row.check.name, row.verdict.name(), &|at, _| {
                row.platforms.is_empty() || row.platforms.iter().any(|m| on(m, Some(at)))
            });
            let got = found.map_or("no such row".to_owned(), |found| {
                let ranges = found.platforms;
                let verdict = format!("{:?}", found.verdict).to_lowercase();
                describe(found.check.name(), &verdict, &|_, platform| {
                    ranges.is_empty() || ranges.iter().any(|range| range.contains(platform))
                })
            });
            tally.probe(fact, same("rule-row", "asking for a row of the assembler".to_owned(), expected, got));
        }
        for name in extra {
            let difference = Difference {
                code: "rule-row",
                message: "reading the rows of an instruction".to_owned(),
                expected: "no such row".to_owned(),
                got: name.to_owned(),
            };
            tally.fail(Fact::new("rule-row", format!("rule.{name}.{}", page.name), page.at), difference);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use visakit_codegen::model::{CellValue, ListId};

    /// Returns the cells of a table by row; reserved values have none.
    fn cells(model: &mut Model, table: usize) -> Vec<&mut Vec<Cell>> {
        match table.checked_sub(model.lists.len()) {
            None => match &mut model.lists[table].kind {
                ListKind::Enumeration { values, .. } => {
                    values.iter_mut().filter(|v| !v.reserved).map(|v| &mut v.cells).collect()
                }
                ListKind::Parts(_) => Vec::new(),
            },
            Some(0) => model.types.iter_mut().map(|t| &mut t.cells).collect(),
            Some(_) => model.surfaces.iter_mut().map(|s| &mut s.cells).collect(),
        }
    }

    fn findings(model: &Model) -> Vec<String> {
        let mut tally = Tally::default();
        all(model, &mut tally);
        tally.finish(model).0.into_iter().map(|f| f.path).collect()
    }

    /// A page with one changed cell is equivalent to a build with one wrong attribute.
    #[test]
    fn each_column_is_probed() {
        let (model, _) = crate::own_model();
        assert_eq!(findings(&model), [""; 0]);
        let mut probed = 0;
        for table in 0..model.lists.len() + 2 {
            let columns = cells(&mut model.clone(), table).iter().map(|row| row.len()).max().unwrap_or(0);
            for column in 0..columns {
                let mut other = model.clone();
                let mut rows = cells(&mut other, table);
                let row = rows.iter_mut().rev().find(|row| row.len() > column).expect("a row of the column");
                let value = &mut row[column].value;
                *value = match value {
                    CellValue::Number(n) => CellValue::Number(*n + 1),
                    CellValue::Numbers(all) => CellValue::Numbers(all.iter().map(|n| n + 1).collect()),
                    CellValue::Flag(flag) => CellValue::Flag(!*flag),
                    CellValue::Names(names) if names.len() > 1 => CellValue::Names(names[1..].to_vec()),
                    CellValue::Names(_) => CellValue::None,
                    CellValue::None => CellValue::Number(77),
                };
                let found = findings(&other);
                let name = model.lists.get(table).map_or("a chapter", |_| &model.list(ListId(table)).name);
                assert_eq!(found.len(), 1, "{name}, column {column}: {found:?}");
                probed += 1;
            }
        }
        assert!(probed > 50, "{probed}");
    }

    #[test]
    fn limits_and_rows_of_rules_are_probed() {
        let (model, _) = crate::own_model();
        for at in 0..model.limits.len() {
            let mut other = model.clone();
            other.limits[at].value += 1;
            assert_eq!(findings(&other), [format!("limit.{}", model.limits[at].name)]);
        }
        for (at, row) in model.accepted.iter().enumerate() {
            let mut other = model.clone();
            other.accepted[at].instructions.0.clear();
            let covered = model.instructions.iter().filter(|page| model.covers(&row.instructions, page));
            let expected: BTreeSet<_> = covered.map(|page| format!("rule.{}.{}", row.name, page.name)).collect();
            assert!(!expected.is_empty(), "{}", row.name);
            assert_eq!(findings(&other).into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }
}
