//! Columns of tables: what else a page says of each value of a list, or of each row of a chapter's
//! table.

use std::fmt;

use super::{ListId, SourceSpan};

/// A column beside the code and the name of values: something that each of them has.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its heading, verbatim and without a link.
    pub name: String,
    /// What stands in its cells.
    pub kind: ColumnKind,
    /// Where its heading links to: the list or table that has the names in its cells.
    pub link: Option<String>,
    /// The heading.
    pub at: SourceSpan,
}

impl Column {
    /// Its name in conditions: lower case, `_` for blanks.
    pub fn key(&self) -> String {
        self.name.to_ascii_lowercase().replace(' ', "_")
    }
}

/// What stands in the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers.
    Number,
    /// Lists of numbers: some cell has several.
    Numbers,
    /// `yes` or `no`.
    Flag,
    /// Names; with `many` a cell can have several of them.
    Names {
        /// What has these names.
        of: NamesOf,
        /// Whether some cell has more than one.
        many: bool,
    },
}

/// What has the names in a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesOf {
    /// The column itself.
    Column,
    /// A list with named values.
    List(ListId),
    /// The table of data types.
    DataTypes,
}

/// A cell of a column.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What it says.
    pub value: CellValue,
    /// Where it stands.
    pub at: SourceSpan,
}

/// What a cell says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellValue {
    /// `-`: the value has nothing of the kind.
    None,
    /// A number.
    Number(i64),
    /// Several numbers, in their order on the page.
    Numbers(Vec<i64>),
    /// `yes` or `no`.
    Flag(bool),
    /// Names, in their order on the page.
    Names(Vec<String>),
}

impl fmt::Display for CellValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("-"),
            Self::Number(number) => number.fmt(f),
            Self::Numbers(numbers) => f.write_str(&numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")),
            Self::Flag(flag) => f.write_str(if *flag { "yes" } else { "no" }),
            Self::Names(names) => f.write_str(&names.join(" ")),
        }
    }
}

/// A number with a name, from a table of limits.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Its name, words with dashes.
    pub name: String,
    /// The number.
    pub value: u64,
    /// What it limits.
    pub doc: String,
    /// The row.
    pub at: SourceSpan,
}
