//! Facts that the emitters of every language derive from the model: encoded pages, templates of
//! forms, tables of indices, spellings of newer texts.

use super::template::{self, Item, Style, Template};
use super::{
    Access, BitField, BitFieldKind, Cell, CellValue, Enumerator, Field, FieldKind, Form, IndexKind, Instruction,
    List, ListKind, Model, PageKind, Place, Presence, TextForm,
};

/// Prefix of the column heading for spellings of newer texts; a text revision follows, as in `Text
/// 2025-05`.
const NEWER_TEXT: &str = "Text ";

impl Instruction {
    /// Returns true for a page whose instruction objects contain.
    pub fn is_encoded(&self) -> bool {
        matches!(self.kind, PageKind::Ordinary | PageKind::Undefined) && !self.forms.is_empty()
    }
}

impl Form {
    /// Returns true for a field that counts another one. It is derived from that field.
    pub fn is_counter(&self, position: usize) -> bool {
        self.fields.iter().any(|f| f.presence == Presence::Times(position))
    }

    /// Returns the position of the destination that `.sat` applies to.
    pub fn destination(&self) -> Option<usize> {
        let mut vectors = self.fields.iter().enumerate().filter(|(_, f)| f.shape == FieldKind::Vector);
        let first = vectors.clone().next();
        vectors.find(|(_, f)| f.access == Access::Write).or(first).map(|(position, _)| position)
    }
}

impl List {
    /// Returns the cell of a value in the column of a name, ignoring case.
    pub fn cell<'v>(&self, value: &'v Enumerator, column: &str) -> Option<&'v Cell> {
        self.columns.iter().position(|c| c.name.eq_ignore_ascii_case(column)).and_then(|at| value.cells.get(at))
    }

    /// Returns the spellings that named values have from a text revision on: position among the
    /// named values, revision, spelling.
    pub fn newer_spellings(&self) -> Vec<(usize, u32, &str)> {
        let ListKind::Enumeration { values, .. } = &self.kind else { return Vec::new() };
        let columns = self.columns.iter().enumerate();
        let columns = columns.filter_map(|(at, c)| Some((at, template::revision(c.name.strip_prefix(NEWER_TEXT)?)?)));
        let mut out = Vec::new();
        for (column, since) in columns {
            for (position, value) in values.iter().filter(|v| !v.reserved).enumerate() {
                if let Some(CellValue::Names(names)) = value.cells.get(column).map(|c| &c.value)
                    && let Some(text) = names.first()
                {
                    out.push((position, since, text.as_str()));
                }
            }
        }
        out
    }
}

impl Model {
    /// Returns true for the field with the execution size.
    pub fn is_exec_size(&self, field: &Field) -> bool {
        self.anatomy.as_ref().is_some_and(|a| field.shape == FieldKind::List(a.exec_size.list))
    }

    /// Returns the templates of a form, or a default template if the page has none that is usable.
    pub fn texts(&self, page: &Instruction, form: &Form) -> Vec<TextForm> {
        if form.texts.is_empty() { vec![self.default_text(page, form)] } else { form.texts.clone() }
    }

    /// Returns the default template `[(<P>)] NAME (<exec_size>) <field> …`.
    fn default_text(&self, page: &Instruction, form: &Form) -> TextForm {
        let mut items = Vec::new();
        if form.fields.iter().any(|f| f.shape == FieldKind::Predicate) {
            items.push(Item::Predicate);
        }
        items.push(Item::Text(page.name.to_ascii_lowercase()));
        for (position, field) in form.fields.iter().enumerate() {
            if matches!(field.shape, FieldKind::Predicate | FieldKind::Zero | FieldKind::Copy(_)) {
                continue;
            }
            items.push(Item::Space(1));
            let place = Some(Place { field: position, part: None });
            let shown = Item::Field { field: field.name.clone(), part: None, place, format: Style::Plain };
            if self.is_exec_size(field) {
                items.extend([Item::Text("(".to_owned()), shown, Item::Text(")".to_owned())]);
            } else {
                items.push(shown);
            }
        }
        TextForm {
            form: None,
            conditions: Vec::new(),
            conditions_at: form.at,
            template: Template { items, ..Template::default() },
            at: form.at,
        }
    }

    /// Returns the part of a selecting field whose enumerators name tables; `None` if the whole
    /// field does.
    pub fn index_part(&self, field: &Field) -> Option<&BitField> {
        let FieldKind::List(id) = field.shape else { return None };
        let ListKind::Parts(parts) = &self.list(id).kind else { return None };
        parts.iter().find(|p| match p.kind {
            BitFieldKind::Enumeration(id) => self.values(id).iter().any(|v| IndexKind::from_name(&v.name).is_some()),
            _ => false,
        })
    }

    /// Returns the named values of a selecting field, each with the table that it names.
    pub fn index_tables(&self, field: &Field) -> Vec<(&Enumerator, IndexKind)> {
        let id = match (self.index_part(field).map(|p| p.kind), field.shape) {
            (Some(BitFieldKind::Enumeration(id)), _) | (None, FieldKind::List(id)) => id,
            _ => return Vec::new(),
        };
        let named = self.values(id).iter().filter(|v| !v.reserved);
        named.map(|v| (v, IndexKind::from_name(&v.name).unwrap_or(IndexKind::General))).collect()
    }
}
