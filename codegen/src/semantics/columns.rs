//! Resolution of the names of columns and data types: `List.column.name`, `Data_type.UD`.

use super::check::some_of;
use super::fields::{self, Sort};
use super::resolve::Resolver;
use crate::model::semantics::{Expression, ExpressionKind, Name};
use crate::model::{ColumnKind, ListId, NamesOf, SourceSpan};
use crate::suggest;

impl Resolver<'_, '_> {
    /// Resolves `List.column.name`.
    pub(super) fn column_name(&mut self, e: &mut Expression, id: ListId, at: usize) -> Sort {
        let ExpressionKind::BitField { part, .. } = &e.kind else { return Sort::Unknown };
        let list = self.model.list(id);
        let path = format!("{}.{}", list.name, list.columns[at].key());
        let known: Vec<&str> = fields::cell_names(list, at).collect();
        if known.contains(&part.text.as_str()) {
            e.kind = ExpressionKind::Enumerator { list: path, name: part.text.clone() };
            return Sort::ColumnName(id, at);
        }
        let help = suggest::help(&part.text, known.iter().copied(), || format!("it has {}", some_of(&known)));
        let message = format!("no value of `{path}` is `{}`", part.text);
        self.problem("semantics-enumerator", part.at, message, help);
        Sort::Unknown
    }

    /// Resolves `Data_type.UD`, a number with the type's code.
    pub(super) fn data_type(&mut self, of: &Expression, part: &Name) -> Option<Sort> {
        let ExpressionKind::Name { name, .. } = &of.kind else { return None };
        if name != super::DATA_TYPE || !self.fields.lists(name).is_empty() {
            return None;
        }
        let known = self.model.types.iter().map(|t| t.name.as_str());
        if known.clone().any(|t| t == part.text) {
            return Some(Sort::Value);
        }
        let help = suggest::help(&part.text, known, || "use a data type of 2_datatypes.md".to_owned());
        self.problem("semantics-enumerator", part.at, format!("`{}` is not a data type", part.text), help);
        Some(Sort::Unknown)
    }

    /// Checks that a value can be in a column of names.
    pub(super) fn includable(&mut self, list: ListId, column: usize, value: &Sort, at: SourceSpan) {
        let ColumnKind::Names { of, .. } = self.model.list(list).columns[column].kind else { return };
        let fits = match (of, value) {
            (_, Sort::Unknown) => true,
            (NamesOf::List(id), Sort::Named(named)) => named.lists.contains(&id),
            (NamesOf::DataTypes, Sort::Value) => true,
            _ => false,
        };
        if !fits {
            let help = "the heading of the column links to its names";
            self.problem("semantics-value", at, "this value has none of the names in the column", help);
        }
    }
}
