//! Lookup of a model's items by name, position and place.

use visakit_diag::{Diagnostic, Severity};

use super::{
    BitField, BitFieldKind, Cell, CellValue, Column, ColumnKind, DataType, Enumerator, FieldKind, Form, Instruction,
    List, ListId, ListKind, Model, NamesOf, Place, Selected, Selection, SourceSpan, TypeId,
};
use crate::anatomy::PartId;

impl Model {
    /// Returns true if a selection covers an instruction of this model.
    pub fn covers(&self, selection: &Selection, page: &Instruction) -> bool {
        let mut covered = false;
        for term in &selection.0 {
            let names = match term.name.to {
                None => false,
                Some(Selected::All) => true,
                Some(Selected::Typed) => !page.types.is_empty() || !page.type_maps.is_empty(),
                Some(Selected::Mapped) => !page.type_maps.is_empty(),
                // A group contains earlier groups only.
                Some(Selected::Group(at)) => self.covers(&self.groups[at].instructions, page),
                Some(Selected::Instruction(id)) => std::ptr::eq(&self.instructions[id.0], page),
            };
            match term.excluded {
                true if names => return false,
                true => {}
                false => covered |= names,
            }
        }
        covered
    }

    /// Returns the list with this id.
    pub fn list(&self, id: ListId) -> &List {
        &self.lists[id.0]
    }

    /// Returns the data type with this id.
    pub fn ty(&self, id: TypeId) -> &DataType {
        &self.types[id.0]
    }

    /// Returns the name of the type that objects store in place of a text-only type.
    pub fn object_type<'a>(&self, ty: &'a DataType) -> Option<&'a str> {
        match &ty.cells.get(self.anatomy.as_ref()?.types.object)?.value {
            CellValue::Names(names) => names.first().map(String::as_str),
            _ => None,
        }
    }

    /// Returns the shared list with this name, ignoring case.
    pub fn shared_list(&self, name: &str) -> Option<ListId> {
        self.lists.iter().position(|l| l.shared && l.name.eq_ignore_ascii_case(name)).map(ListId)
    }

    /// Returns the values of the shared list with this name, each with the list; none for a list of
    /// parts.
    pub fn shared_values<'m>(&'m self, name: &str) -> impl Iterator<Item = (&'m List, &'m Enumerator)> {
        let id = self.shared_list(name).into_iter();
        id.flat_map(move |id| self.values(id).iter().map(move |value| (self.list(id), value)))
    }

    /// Returns the columns of all tables.
    pub(crate) fn tables_of_columns(&self) -> impl Iterator<Item = &Vec<Column>> {
        self.lists.iter().map(|l| &l.columns).chain([
            &self.type_columns,
            &self.platform_columns,
            &self.surface_columns,
        ])
    }

    pub(crate) fn tables_of_columns_mut(&mut self) -> impl Iterator<Item = &mut Vec<Column>> {
        let chapters = [&mut self.type_columns, &mut self.platform_columns, &mut self.surface_columns];
        self.lists.iter_mut().map(|l| &mut l.columns).chain(chapters)
    }

    /// Returns the possible names in a column's cells; `None` if the column has its own names or no
    /// names.
    pub fn names_of(&self, column: &Column) -> Option<Vec<&str>> {
        let ColumnKind::Names { of, .. } = column.kind else { return None };
        match of {
            NamesOf::Column => None,
            NamesOf::DataTypes => Some(self.types.iter().map(|t| t.name.as_str()).collect()),
            NamesOf::List(id) => match &self.list(id).kind {
                ListKind::Enumeration { values, .. } => {
                    Some(values.iter().filter(|v| !v.reserved).map(|v| v.name.as_str()).collect())
                }
                ListKind::Parts(_) => Some(Vec::new()),
            },
        }
    }

    /// Returns the rows of all tables with columns, each with its cells.
    pub(crate) fn rows_of_columns(&self) -> Vec<(&[Column], Vec<&[Cell]>)> {
        let mut out: Vec<(&[Column], Vec<&[Cell]>)> = Vec::new();
        for list in self.lists.iter().filter(|l| !l.columns.is_empty()) {
            if let ListKind::Enumeration { values, .. } = &list.kind {
                out.push((&list.columns, values.iter().map(|v| v.cells.as_slice()).collect()));
            }
        }
        out.push((&self.type_columns, self.types.iter().map(|t| t.cells.as_slice()).collect()));
        out.push((&self.platform_columns, self.platforms.iter().map(|p| p.cells.as_slice()).collect()));
        out.push((&self.surface_columns, self.surfaces.iter().map(|t| t.cells.as_slice()).collect()));
        out
    }

    /// Returns path and line of a place.
    pub fn origin(&self, at: SourceSpan) -> (&str, u32) {
        match self.pages.get(at.page as usize) {
            Some(page) => {
                let head = &page.text.as_bytes()[..(at.start as usize).min(page.text.len())];
                let line = head.iter().filter(|&&b| b == b'\n').count() + 1;
                (&page.path, u32::try_from(line).unwrap_or(u32::MAX))
            }
            None => ("", 0),
        }
    }

    /// Returns the place of a word inside a place, or the whole place if the word is absent.
    pub(crate) fn word(&self, at: SourceSpan, word: &str) -> SourceSpan {
        let Some(page) = self.pages.get(at.page as usize) else { return at };
        let text = page.text.get(at.start as usize..at.end as usize).unwrap_or("");
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let alone = |i: usize| {
            !text[..i].chars().next_back().is_some_and(inside)
                && !text[i + word.len()..].chars().next().is_some_and(inside)
        };
        let lower = |t: &str| t.to_ascii_lowercase();
        let found = lower(text).match_indices(&lower(word)).map(|(i, _)| i).find(|&i| !word.is_empty() && alone(i));
        let span = |i: usize| (u32::try_from(i).ok(), u32::try_from(word.len()).ok());
        match found.map(span) {
            Some((Some(i), Some(len))) => SourceSpan { page: at.page, start: at.start + i, end: at.start + i + len },
            _ => at,
        }
    }

    /// Returns the list with the names for the values of a field kind, or of a part of it.
    pub fn names_list(&self, shape: FieldKind, part: Option<usize>) -> Option<ListId> {
        let FieldKind::List(id) = shape else { return None };
        match (&self.list(id).kind, part) {
            (ListKind::Enumeration { .. }, None) => Some(id),
            (ListKind::Parts(parts), Some(part)) => match parts.get(part)?.kind {
                BitFieldKind::Enumeration(id) => Some(id),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the part of a field at a place; `None` for the whole field.
    pub fn part_at(&self, form: &Form, place: Place) -> Option<&BitField> {
        let FieldKind::List(list) = form.fields.get(place.field)?.shape else { return None };
        self.part(PartId { list, position: place.part? })
    }

    /// Returns the values of an enumeration.
    pub fn values(&self, id: ListId) -> &[Enumerator] {
        match &self.list(id).kind {
            ListKind::Enumeration { values, .. } => values,
            ListKind::Parts(_) => &[],
        }
    }

    /// Reports a finding at a place of the pages.
    pub(crate) fn report(
        &self,
        severity: Severity,
        code: &'static str,
        at: SourceSpan,
        message: impl Into<String>,
        help: impl Into<String>,
        out: &mut Vec<Diagnostic>,
    ) {
        let Some(page) = self.pages.get(at.page as usize) else { return };
        out.push(page.place(
            Diagnostic::new(code, severity, page.shown.as_str(), message).help(help),
            at.start as usize,
            at.end as usize,
        ));
    }
}
