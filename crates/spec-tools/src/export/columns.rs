//! Columns of lists and tables, what they say, and numbers with names.

use serde::Serialize;

use super::chapters::{ListRef, list_ref};
use super::location::{Cx, Location};
use visakit_codegen::model;

/// A column: something that is said of each value.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Column {
    pub name: String,
    pub kind: &'static str,
    /// The list that has the names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<ListRef>,
    pub many: bool,
    pub at: Location,
}

/// What a column says of a value.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Said {
    pub column: String,
    pub value: SaidValue,
}

/// What stands in a cell.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SaidValue {
    None,
    Number(i64),
    Numbers(Vec<i64>),
    Flag(bool),
    Names(Vec<String>),
}

/// A number with a name.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "as in the model and in schema.json")]
pub struct Limit {
    pub name: String,
    pub value: u64,
    pub doc: String,
    pub at: Location,
}

pub(super) fn columns(cx: &Cx<'_>, columns: &[model::Column]) -> Vec<Column> {
    let one = |c: &model::Column| {
        let (kind, list, many) = match c.kind {
            model::ColumnKind::Number => ("number", None, false),
            model::ColumnKind::Numbers => ("number", None, true),
            model::ColumnKind::Flag => ("flag", None, false),
            model::ColumnKind::Names { of, many } => match of {
                model::NamesOf::Column => ("names", None, many),
                model::NamesOf::List(id) => ("list", Some(list_ref(cx, id)), many),
                model::NamesOf::DataTypes => ("data_types", None, many),
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
