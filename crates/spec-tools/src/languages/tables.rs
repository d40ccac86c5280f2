//! Lowering of the model to flat tables, in which positions replace names.

mod chapters;
mod instructions;
mod lists;

use visakit_codegen::model::{Availability, Bound, Condition, Model, Place, Storage, targets};

/// Model as tables of numbers and texts.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Tables, by name.
    pub(super) tables: Vec<Table>,
    /// Named numbers: kinds, formats, and the positions and codes that the runtimes refer to.
    pub(super) constants: Vec<(String, i64)>,
}

/// Table of rows with the same columns.
#[derive(Debug)]
pub(super) struct Table {
    /// Name of a row in the languages.
    pub(super) row: &'static str,
    /// Name of the table.
    pub(super) name: &'static str,
    /// Names of the columns. Those in [`TEXTS`] contain texts, all others numbers.
    pub(super) columns: &'static [&'static str],
    /// Rows.
    pub(super) rows: Vec<Vec<Cell>>,
}

/// Columns with texts.
pub(super) const TEXTS: [&str; 3] = ["name", "text", "family"];

/// Cell of a table.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    /// Number, position or flag.
    Number(i64),
    /// Text.
    Text(String),
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<u32> for Cell {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Number(number.cast_signed())
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Self::Number(flag.into())
    }
}

impl From<Option<usize>> for Cell {
    fn from(position: Option<usize>) -> Self {
        position.map_or(Self::Number(-1), Self::from)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Declares the tables: name, name of a row, columns.
macro_rules! declare {
    ($($id:ident $name:literal $row:literal $columns:tt;)*) => {
        /// Name of a table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Id { $($id),* }

        fn empty() -> Vec<Table> {
            vec![$(Table { name: $name, row: $row, columns: &$columns, rows: Vec::new() }),*]
        }
    };
}

declare! {
    Numbers "numbers" "Number" ["value"];
    Types "types" "Type" ["name", "code", "bits", "stored"];
    Newer "newer" "Newer" ["since", "text"];
    Words "words" "Word" ["name", "value"];
    Columns "columns" "Column" ["name"];
    Cells "cells" "Cell" ["kind", "value", "first", "count"];
    Values "values" "Value" ["name", "text", "code", "newer", "newer_count", "cells"];
    Parts "parts" "Part" ["name", "text", "kind", "lo", "width", "list", "default"];
    Items "items" "Item" ["kind", "text", "field", "part", "format", "count"];
    Lists "lists" "List" [
        "name", "bits", "enumeration", "lo", "width", "values", "value_count", "parts", "part_count",
        "style", "items", "item_count", "default", "columns", "column_count"
    ];
    Storages "storages" "Storage" ["bits", "signed", "structure", "since", "before"];
    Conditions "conditions" "Condition" ["field", "lo", "width", "numbers", "number_count"];
    Members "members" "Member" [
        "name", "kind", "storages", "storage_count", "list", "condition", "counter"
    ];
    Structures "structures" "Structure" ["name", "class_code", "members", "member_count"];
    Fields "fields" "Field" [
        "name", "kind", "storages", "storage_count", "list", "table", "of", "condition", "counter",
        "text_only", "lo", "width", "numbers", "number_count", "default", "default_condition"
    ];
    Texts "texts" "Text" [
        "full", "since", "before", "conditions", "condition_count", "said", "said_count", "items",
        "item_count"
    ];
    Forms "forms" "Form" [
        "name", "condition", "since", "before", "fields", "field_count", "texts", "text_count"
    ];
    Instructions "instructions" "Page" [
        "name", "family", "opcode", "sub_opcode", "reserved", "forms", "form_count"
    ];
    Predefined "predefined" "Predefined" ["name", "table", "id", "type"];
}

/// Declares an enumeration whose values are constants of the languages, with their names.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        enum $name { $($variant),* }

        impl $name {
            /// All values, with the names of their constants.
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$variant, $word)),*];
        }
    };
}
use named;

named! {
    /// Kind of a field, a member or a part.
    Kind {
        Number "number",
        List "list",
        DataType "data_type",
        Flag "flag",
        Index "index",
        IndexBy "index_by",
        Predicate "predicate",
        Vector "vector",
        Scalar "scalar",
        Raw "raw",
        Zero "zero",
        Copy "copy",
        Structure "structure",
        Strings "strings",
        Info "info",
        Code "code",
    }
}

impl From<Kind> for Cell {
    fn from(kind: Kind) -> Self {
        Self::from(kind as usize)
    }
}

/// Lowering in progress.
pub(super) struct Lowering<'m> {
    model: &'m Model,
    out: Tables,
}

/// Lowers a model.
pub(super) fn lower(model: &Model) -> Tables {
    let mut l = Lowering { model, out: Tables { tables: empty(), constants: Vec::new() } };
    Kind::ALL.iter().for_each(|(kind, name)| l.constant(&["kind", name], *kind as i64));
    lists::lower(&mut l);
    chapters::lower(&mut l);
    instructions::lower(&mut l);
    l.out
}

impl Lowering<'_> {
    fn constant(&mut self, words: &[&str], value: i64) {
        self.out.constants.push((words.join("_").to_ascii_uppercase(), value));
    }

    /// Returns the number of rows of a table.
    fn rows(&self, table: Id) -> usize {
        self.out.tables[table as usize].rows.len()
    }

    /// Appends a row to a table and returns its position.
    fn push(&mut self, table: Id, row: impl Into<Vec<Cell>>) -> usize {
        let (table, row) = (&mut self.out.tables[table as usize], row.into());
        debug_assert_eq!(row.len(), table.columns.len(), "columns of {}", table.name);
        table.rows.push(row);
        table.rows.len() - 1
    }

    /// Appends rows to a table; returns the position of the first and their number.
    fn extend<R: Into<Vec<Cell>>>(&mut self, table: Id, rows: impl IntoIterator<Item = R>) -> (Cell, Cell) {
        let first = self.rows(table);
        for row in rows {
            self.push(table, row);
        }
        (first.into(), (self.rows(table) - first).into())
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = i64>) -> (Cell, Cell) {
        self.extend(Id::Numbers, numbers.into_iter().map(|number| [number.into()]))
    }

    /// Appends a condition and returns its position; `bits` returns the lowest bit and the width of
    /// the value at its place.
    fn condition(&mut self, condition: &Condition, bits: impl Fn(Place) -> (u32, u32)) -> Option<usize> {
        let place = condition.of.to?;
        let (numbers, count) = self.numbers(targets(&condition.values).map(u64::cast_signed));
        let (lo, width) = bits(place);
        Some(self.push(Id::Conditions, [place.field.into(), lo.into(), width.into(), numbers, count]))
    }

    /// Appends the storage of a number, by object version.
    fn storages(&mut self, all: &[(Availability, Storage)]) -> (Cell, Cell) {
        let rows = all.iter().map(|(marks, storage)| {
            let (since, before) = versions(marks);
            [storage.bits().into(), is_signed(*storage).into(), None.into(), since, before]
        });
        self.extend(Id::Storages, rows)
    }
}

fn is_signed(storage: Storage) -> bool {
    matches!(storage, Storage::B | Storage::W | Storage::D | Storage::Q)
}

/// Returns the first object version with a mark, and the first without it, as 256 times the major
/// number plus the minor number.
fn versions(marks: &Availability) -> (Cell, Cell) {
    let (mut since, mut before) = (0, i64::from(u16::MAX));
    for mark in &marks.0 {
        match mark {
            Bound::FromVersion(major, minor) => since = since.max(256 * i64::from(*major) + i64::from(*minor)),
            Bound::BeforeVersion(major, minor) => before = before.min(256 * i64::from(*major) + i64::from(*minor)),
            Bound::From(_) | Bound::Before(_) | Bound::Only(_) => {}
        }
    }
    (since.into(), before.into())
}
