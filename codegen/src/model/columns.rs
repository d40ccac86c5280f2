//! Columns of tables: further facts about each value of a list, or each row of a chapter's table.

use std::fmt;

use super::{ListId, SourceSpan};

/// Column with a further fact about each value, next to its code and name.
#[derive(Clone, Debug)]
pub struct Column {
    /// Heading, verbatim and without a link.
    pub name: String,
    /// Kind of the cells.
    pub kind: ColumnKind,
    /// Link target of the heading: the list or table with the names in the cells.
    pub link: Option<String>,
    /// Place of the heading.
    pub at: SourceSpan,
}

impl Column {
    /// Returns the name for conditions: lower case, with `_` for blanks.
    pub fn key(&self) -> String {
        self.name.to_ascii_lowercase().replace(' ', "_")
    }
}

/// Kind of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A number.
    Number,
    /// Lists of numbers, if some cell has several.
    Numbers,
    /// `yes` or `no`.
    Flag,
    /// Names.
    Names {
        /// Origin of the names.
        of: NamesOf,
        /// True if some cell has more than one name.
        many: bool,
    },
}

/// Origin of the names in a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamesOf {
    /// The column itself.
    Column,
    /// A list with named values.
    List(ListId),
    /// The table of data types.
    DataTypes,
}

/// Cell of a column.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Value of the cell.
    pub value: CellValue,
    /// Place of the cell.
    pub at: SourceSpan,
}

/// Value of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellValue {
    /// `-`, no entry.
    None,
    /// A number.
    Number(i64),
    /// Several numbers, in the order of the page.
    Numbers(Vec<i64>),
    /// `yes` or `no`.
    Flag(bool),
    /// Names, in the order of the page.
    Names(Vec<String>),
}

impl CellValue {
    /// Returns true for a single name, which is `name`.
    pub(crate) fn is(&self, name: &str) -> bool {
        matches!(self, Self::Names(names) if names.len() == 1 && names[0] == name)
    }
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

/// Named number from a table of limits.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Name: words with dashes.
    pub name: String,
    /// Value of the limit.
    pub value: u64,
    /// Description of the limit.
    pub doc: String,
    /// Place of the row.
    pub at: SourceSpan,
}
