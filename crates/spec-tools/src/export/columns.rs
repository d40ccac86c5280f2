//! Columns of lists and tables, their cells, and numbers with names.

use serde::Serialize;

use super::list_ref::{ListRef, list_ref};
use super::location::{Cx, Location};
use visakit_codegen::model;

/// A column of a list or a table.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Column {
    /// Heading.
    pub name: String,
    /// Content of the column's cells.
    pub kind: ColumnKind,
    /// List that defines the names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<ListRef>,
    /// A cell can have several values.
    pub many: bool,
    /// Place in the pages.
    pub at: Location,
}

/// The content of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// Numbers.
    Number,
    /// Flag.
    Flag,
    /// Names that the column itself defines.
    Names,
    /// Names of a list.
    List,
    /// Names of data types.
    DataTypes,
}

/// Cell: the content of a column for a value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Said {
    /// Heading of the column.
    pub column: String,
    /// A number, several numbers, a flag, or names; null for an empty cell.
    pub value: SaidValue,
}

/// Content of a cell; null for an empty cell.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SaidValue {
    /// Empty cell.
    None,
    /// A number.
    Number(i64),
    /// Several numbers.
    Numbers(Vec<i64>),
    /// Flag.
    Flag(bool),
    /// Names, at least one.
    Names(#[cfg_attr(test, schemars(length(min = 1)))] Vec<String>),
}

/// Named number.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Limit {
    /// Name: words joined by dashes.
    pub name: String,
    /// Value.
    pub value: u64,
    /// Description in prose; may be empty.
    pub doc: String,
    /// Place in the pages.
    pub at: Location,
}

pub(super) fn columns(cx: &Cx<'_>, columns: &[model::Column]) -> Vec<Column> {
    let one = |c: &model::Column| {
        let (kind, list, many) = match c.kind {
            model::ColumnKind::Number => (ColumnKind::Number, None, false),
            model::ColumnKind::Numbers => (ColumnKind::Number, None, true),
            model::ColumnKind::Flag => (ColumnKind::Flag, None, false),
            model::ColumnKind::Names { of, many } => match of {
                model::NamesOf::Column => (ColumnKind::Names, None, many),
                model::NamesOf::List(id) => (ColumnKind::List, Some(list_ref(cx, id)), many),
                model::NamesOf::DataTypes => (ColumnKind::DataTypes, None, many),
            },
        };
        Column { name: c.name.clone(), kind, list, many, at: cx.place(c.at) }
    };
    columns.iter().map(one).collect()
}

pub(super) fn said(columns: &[model::Column], cells: &[model::Cell]) -> Vec<Said> {
    let one = |(column, cell): (&model::Column, &model::Cell)| Said {
        column: column.name.clone(),
        value: match &cell.value {
            model::CellValue::None => SaidValue::None,
            model::CellValue::Number(number) => SaidValue::Number(*number),
            model::CellValue::Numbers(numbers) => SaidValue::Numbers(numbers.clone()),
            model::CellValue::Flag(flag) => SaidValue::Flag(*flag),
            model::CellValue::Names(names) => SaidValue::Names(names.clone()),
        },
    };
    columns.iter().zip(cells).map(one).collect()
}

pub(super) fn limits(cx: &Cx<'_>) -> Vec<Limit> {
    let one =
        |l: &model::Limit| Limit { name: l.name.clone(), value: l.value, doc: l.doc.clone(), at: cx.place(l.at) };
    cx.model.limits.iter().map(one).collect()
}
