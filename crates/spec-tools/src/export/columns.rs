//! Columns of lists and tables, their cells, and numbers with names.

use serde::Serialize;

use super::list_ref::{ListRef, list_ref};
use super::location::{Cx, Location};
use visakit_codegen::model;

/// A column of a list or a table.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// The content of its cells.
    pub kind: ColumnKind,
    /// The list that has the names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<ListRef>,
    /// A value can have several of them.
    pub many: bool,
    /// Where it stands.
    pub at: Location,
}

/// The content of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// Numbers.
    Number,
    /// Yes or no.
    Flag,
    /// Names of the column's own.
    Names,
    /// Names of a list.
    List,
    /// Names of data types.
    DataTypes,
}

/// A cell: the content of a column for a value.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Said {
    /// Heading of the column.
    pub column: String,
    /// A number, several numbers, whether it is so, or names; null where the value has nothing of
    /// the kind.
    pub value: SaidValue,
}

/// The content of a cell; null where the value has nothing of the kind.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SaidValue {
    /// Nothing of the kind.
    None,
    /// A number.
    Number(i64),
    /// Several numbers.
    Numbers(Vec<i64>),
    /// Yes or no.
    Flag(bool),
    /// Names, at least one.
    Names(#[cfg_attr(test, schemars(length(min = 1)))] Vec<String>),
}

/// A number with a name.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Limit {
    /// Words with dashes.
    pub name: String,
    /// The number.
    pub value: u64,
    /// Its description in prose; may be empty.
    pub doc: String,
    /// Where it stands.
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
