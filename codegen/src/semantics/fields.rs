//! Resolution of a page's names in its semantics: fields of all forms, with their parts and values.

use crate::model::{
    Access, BitFieldKind, CellValue, Field, FieldKind, Instruction, List, ListId, ListKind, Model, Presence,
};

/// Sort of an expression, as far as the rules need it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sort {
    /// A number or a truth value.
    Value,
    /// An operand, a predicate or a predefined variable, which have elements.
    Operand {
        /// True if the elements can be assigned to.
        writable: bool,
    },
    /// A repeated field.
    Repeated(Box<Sort>),
    /// A field or part with named values, or with parts.
    Named(Named),
    /// A name of a list's value, which a [`Sort::Named`] is compared to.
    Enumerator {
        /// Possible lists of the name, from the forms of a page.
        lists: Vec<ListId>,
    },
    /// The names in a column for a field's value.
    Names(ListId, usize),
    /// A name of a column, which a [`Sort::Names`] is compared to.
    ColumnName(ListId, usize),
    /// An entry of a table: a surface, a label, a string.
    Entry,
    /// No value: the effect of a built-in.
    Nothing,
    /// An expression that has already been reported.
    Unknown,
}

/// Field or part with named values or with parts. The forms of a page may have different lists for
/// one name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named {
    /// Prefix of the enumerators of the field's list: `Op`, `Op.op`.
    pub(super) label: String,
    /// Lists of the field, at least one.
    pub(super) lists: Vec<ListId>,
    /// Allowed enumerators, each with its part; a part without enumerators is unrestricted.
    pub(super) only: Vec<(String, String)>,
    /// True if the field is a plain number in some form.
    pub(super) number: bool,
}

impl Named {
    /// Returns true if the value is usable as a number: in some form the names of its values are
    /// numbers.
    pub(super) fn is_number(&self, model: &Model) -> bool {
        self.number || self.lists.iter().any(|id| !numbers(model.list(*id)).is_empty())
    }

    /// Returns the names that the field can have.
    pub(super) fn names<'m>(&self, model: &'m Model) -> Vec<&'m str> {
        let all = self.lists.iter().flat_map(|id| values(model.list(*id)));
        let only: Vec<&String> = self.only.iter().filter(|(part, _)| part.is_empty()).map(|(_, name)| name).collect();
        let mut out: Vec<&str> = Vec::new();
        for name in all.filter(|name| only.is_empty() || only.iter().any(|o| o.eq_ignore_ascii_case(name))) {
            if !out.contains(&name) {
                out.push(name);
            }
        }
        out
    }

    /// Returns the sort of the part with this name, in any of the lists.
    pub(super) fn part(&self, model: &Model, name: &str) -> Option<Sort> {
        let mut out: Option<Sort> = None;
        for part in self.lists.iter().filter_map(|id| parts(model.list(*id))).flatten() {
            if part.kind == BitFieldKind::Zero || part.name.to_ascii_lowercase() != name {
                continue;
            }
            let sort = match part.kind {
                BitFieldKind::Enumeration(id) => Sort::Named(Named {
                    label: format!("{}.{}", self.label, part.name),
                    lists: vec![id],
                    only: self.only_of(&part.name),
                    number: false,
                }),
                _ => Sort::Value,
            };
            out = Some(match (out, sort) {
                (None, sort) => sort,
                (Some(Sort::Named(mut a)), Sort::Named(b)) => {
                    a.lists.extend(b.lists);
                    Sort::Named(a)
                }
                (Some(Sort::Named(mut a)), _) | (Some(_), Sort::Named(mut a)) => {
                    a.number = true;
                    Sort::Named(a)
                }
                (Some(sort), _) => sort,
            });
        }
        out
    }

    /// Returns the column with this name in one of the lists.
    pub(super) fn column(&self, model: &Model, name: &str) -> Option<(ListId, usize)> {
        self.lists.iter().find_map(|id| Some((*id, column(model.list(*id), name)?)))
    }

    fn only_of(&self, part: &str) -> Vec<(String, String)> {
        let mine = self.only.iter().filter(|(p, _)| p.eq_ignore_ascii_case(part));
        mine.map(|(_, name)| (String::new(), name.clone())).collect()
    }

    /// Returns the names of the parts.
    pub(super) fn part_names(&self, model: &Model) -> Vec<String> {
        let all = self.lists.iter().filter_map(|id| parts(model.list(*id))).flatten();
        all.filter(|p| p.kind != BitFieldKind::Zero).map(|p| p.name.to_ascii_lowercase()).collect()
    }
}

/// Fields of a page by their names in semantics.
pub(super) struct Fields<'m> {
    pub(super) model: &'m Model,
    pub(super) page: &'m Instruction,
    /// True if a field may have values that its page forbids.
    pub(super) unrestricted: bool,
}

impl<'m> Fields<'m> {
    /// Returns every field that has a value; a field that repeats another one has the other's kind.
    fn all(&self) -> impl Iterator<Item = (&'m Field, FieldKind)> + use<'m> {
        self.page.forms.iter().flat_map(|form| {
            form.fields.iter().map(|field| match field.shape {
                FieldKind::Copy(of) => (field, form.fields.get(of).map_or(FieldKind::Number, |f| f.shape)),
                shape => (field, shape),
            })
        })
    }

    /// Returns the names of the fields in lower case, as in semantics.
    pub(super) fn names(&self) -> Vec<String> {
        self.all().filter(|(_, shape)| *shape != FieldKind::Zero).map(|(f, _)| f.name.to_ascii_lowercase()).collect()
    }

    /// Returns the sort of the field with this name, or `None` if the page has no such field.
    pub(super) fn get(&self, name: &str) -> Option<Sort> {
        let found: Vec<_> = self
            .all()
            .filter(|(field, shape)| *shape != FieldKind::Zero && field.name.to_ascii_lowercase() == name)
            .collect();
        let first = found.first()?.0;
        let mut one = Self::sort(&found, &first.name);
        if let (Sort::Named(named), true) = (&mut one, self.unrestricted) {
            named.only.clear();
        }
        let repeated = found.iter().any(|(field, _)| matches!(field.presence, Presence::Times(_)));
        Some(if repeated { Sort::Repeated(Box::new(one)) } else { one })
    }

    fn sort(found: &[(&Field, FieldKind)], label: &str) -> Sort {
        let is_operand = |shape: &FieldKind| {
            matches!(shape, FieldKind::Vector | FieldKind::Scalar | FieldKind::Raw | FieldKind::Predicate)
        };
        if found.iter().any(|(_, shape)| is_operand(shape)) {
            let written = |field: &Field| matches!(field.access, Access::Write | Access::ReadWrite);
            return Sort::Operand { writable: found.iter().all(|(field, _)| written(field)) };
        }
        let list = |shape: &FieldKind| if let FieldKind::List(id) = shape { Some(*id) } else { None };
        let mut lists: Vec<ListId> = found.iter().filter_map(|(_, shape)| list(shape)).collect();
        if !lists.is_empty() {
            lists.sort_unstable();
            lists.dedup();
            let number = found.iter().any(|(_, shape)| *shape == FieldKind::Number);
            // A field that is unrestricted in one form is unrestricted.
            let fields = || found.iter().map(|(field, _)| *field);
            let restricts = |field: &Field, part: &str| field.only.iter().any(|o| o.part_name() == part);
            let only = fields()
                .flat_map(|f| f.only.iter())
                .filter(|o| fields().all(|f| restricts(f, o.part_name())))
                .flat_map(|o| o.values.iter().map(|(value, _)| (o.part_name().to_owned(), value.name.clone())))
                .collect();
            return Sort::Named(Named { label: label.to_owned(), lists, only, number });
        }
        match found.iter().any(|(_, shape)| matches!(shape, FieldKind::Index(_) | FieldKind::IndexBy(_))) {
            true => Sort::Entry,
            false => Sort::Value,
        }
    }

    /// Returns the lists that a name denotes before an enumerator: those of the field with this
    /// name, otherwise the shared list.
    pub(super) fn lists(&self, name: &str) -> Vec<ListId> {
        let of_fields = self.all().filter(|(field, _)| field.name == name).filter_map(|(_, shape)| match shape {
            FieldKind::List(id) => Some(id),
            _ => None,
        });
        let mut out: Vec<ListId> = of_fields.collect();
        if out.is_empty() {
            out.extend(self.model.lists.iter().position(|l| l.shared && l.name == name).map(ListId));
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Returns the names that can precede an enumerator.
    pub(super) fn list_names(&self) -> Vec<&'m str> {
        let of_fields =
            self.all().filter(|(_, shape)| matches!(shape, FieldKind::List(_))).map(|(f, _)| f.name.as_str());
        of_fields.chain(self.model.lists.iter().filter(|l| l.shared).map(|l| l.name.as_str())).collect()
    }

    /// Returns the lists of the part with this name.
    pub(super) fn part_lists(&self, lists: &[ListId], part: &str) -> Vec<ListId> {
        let all = lists.iter().filter_map(|id| parts(self.model.list(*id))).flatten();
        all.filter_map(|p| match p.kind {
            BitFieldKind::Enumeration(id) if p.name == part => Some(id),
            _ => None,
        })
        .collect()
    }
}

/// Returns the position of a list's column by its name in conditions: lower case, `_` for blanks.
pub(super) fn column(list: &List, name: &str) -> Option<usize> {
    list.columns.iter().position(|c| c.key() == name)
}

/// Returns the names in a column's cells.
pub(super) fn cell_names(list: &List, column: usize) -> impl Iterator<Item = &str> {
    let values = match &list.kind {
        ListKind::Enumeration { values, .. } => values.as_slice(),
        ListKind::Parts(_) => &[],
    };
    let names = values.iter().filter_map(move |v| match &v.cells.get(column)?.value {
        CellValue::Names(names) => Some(names),
        _ => None,
    });
    names.flatten().map(String::as_str)
}

/// Returns the names of a list's values, without reserved ones.
pub(super) fn values(list: &List) -> impl Iterator<Item = &str> {
    let values = match &list.kind {
        ListKind::Enumeration { values, .. } => values.as_slice(),
        ListKind::Parts(_) => &[],
    };
    values.iter().filter(|v| !v.reserved).map(|v| v.name.as_str())
}

/// Returns the values of a list whose names are all numbers; otherwise none.
pub(super) fn numbers(list: &List) -> Vec<u64> {
    values(list).map(|name| name.parse().ok()).collect::<Option<_>>().unwrap_or_default()
}

fn parts(list: &List) -> Option<&[crate::model::BitField]> {
    match &list.kind {
        ListKind::Parts(parts) => Some(parts),
        ListKind::Enumeration { .. } => None,
    }
}
