//! What the names of a page stand for in its semantics: fields of all forms, with their parts and
//! values.

use crate::model::{
    Access, BitFieldKind, CellValue, Field, FieldKind, Instruction, List, ListId, ListKind, Model, Presence,
};

/// What an expression is, as far as the rules need to know.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sort {
    /// A number or a truth value.
    Value,
    /// An operand, a predicate or a predefined variable, which have elements.
    Operand {
        /// Whether its elements can be assigned to.
        writable: bool,
    },
    /// A field that is there several times.
    Repeated(Box<Sort>),
    /// A field or part with named values, or with parts.
    Named(Named),
    /// A name of a list: what a [`Sort::Named`] compares to.
    Enumerator {
        /// The lists that it may be of: those of the forms of a page.
        lists: Vec<ListId>,
    },
    /// What a column of names says of a field's value.
    Names(ListId, usize),
    /// A name of a column: what a [`Sort::Names`] compares to.
    ColumnName(ListId, usize),
    /// An entry of a table: a surface, a label, a string.
    Entry,
    /// Nothing: the effect of a built-in.
    Nothing,
    /// Something that a finding was reported for.
    Unknown,
}

/// A field or part with named values or with parts. The forms of a page may have different lists
/// for one name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named {
    /// How its list is written in front of an enumerator: `Op`, `Op.op`.
    pub(super) label: String,
    /// The lists, one or more.
    pub(super) lists: Vec<ListId>,
    /// The enumerators that the page restricts it to, each with its part; a part without any is not
    /// restricted.
    pub(super) only: Vec<(String, String)>,
    /// Whether it is a plain number in one of the forms.
    pub(super) number: bool,
}

impl Named {
    /// Whether it can be computed with: the names of its values are numbers, in one form at least.
    pub(super) fn is_number(&self, model: &Model) -> bool {
        self.number || self.lists.iter().any(|id| !numbers(model.list(*id)).is_empty())
    }

    /// The names that it can have.
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

    /// The part of that name, in any of the lists.
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

    /// The column of that name that one of the lists has.
    pub(super) fn column(&self, model: &Model, name: &str) -> Option<(ListId, usize)> {
        self.lists.iter().find_map(|id| Some((*id, column(model.list(*id), name)?)))
    }

    fn only_of(&self, part: &str) -> Vec<(String, String)> {
        let mine = self.only.iter().filter(|(p, _)| p.eq_ignore_ascii_case(part));
        mine.map(|(_, name)| (String::new(), name.clone())).collect()
    }

    /// The names of its parts.
    pub(super) fn part_names(&self, model: &Model) -> Vec<String> {
        let all = self.lists.iter().filter_map(|id| parts(model.list(*id))).flatten();
        all.filter(|p| p.kind != BitFieldKind::Zero).map(|p| p.name.to_ascii_lowercase()).collect()
    }
}

/// The fields of a page as its semantics call them.
pub(super) struct Fields<'m> {
    pub(super) model: &'m Model,
    pub(super) page: &'m Instruction,
    /// Whether a field may have values that its page forbids.
    pub(super) unrestricted: bool,
}

impl<'m> Fields<'m> {
    /// Every field that has a value, with its form's copy of it in place of a field that is always
    /// the same.
    fn all(&self) -> impl Iterator<Item = (&'m Field, FieldKind)> + use<'m> {
        self.page.forms.iter().flat_map(|form| {
            form.fields.iter().map(|field| match field.shape {
                FieldKind::Copy(of) => (field, form.fields.get(of).map_or(FieldKind::Number, |f| f.shape)),
                shape => (field, shape),
            })
        })
    }

    /// The names of the fields in lower case, as the semantics write them.
    pub(super) fn names(&self) -> Vec<String> {
        self.all().filter(|(_, shape)| *shape != FieldKind::Zero).map(|(f, _)| f.name.to_ascii_lowercase()).collect()
    }

    /// What the field of that name is, or `None` where the page has none.
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
            // What one form leaves open is open.
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

    /// The lists that stand in front of an enumerator: those of a field with this very name, or the
    /// shared one.
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

    /// Names that can stand in front of an enumerator.
    pub(super) fn list_names(&self) -> Vec<&'m str> {
        let of_fields =
            self.all().filter(|(_, shape)| matches!(shape, FieldKind::List(_))).map(|(f, _)| f.name.as_str());
        of_fields.chain(self.model.lists.iter().filter(|l| l.shared).map(|l| l.name.as_str())).collect()
    }

    /// The lists of the part of that name.
    pub(super) fn part_lists(&self, lists: &[ListId], part: &str) -> Vec<ListId> {
        let all = lists.iter().filter_map(|id| parts(self.model.list(*id))).flatten();
        all.filter_map(|p| match p.kind {
            BitFieldKind::Enumeration(id) if p.name == part => Some(id),
            _ => None,
        })
        .collect()
    }
}

/// The position of a list's column by its name in conditions: lower case, `_` for blanks.
pub(super) fn column(list: &List, name: &str) -> Option<usize> {
    list.columns.iter().position(|c| c.key() == name)
}

/// The names in a column's cells.
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

/// The names of a list's values, stated holes apart.
pub(super) fn values(list: &List) -> impl Iterator<Item = &str> {
    let values = match &list.kind {
        ListKind::Enumeration { values, .. } => values.as_slice(),
        ListKind::Parts(_) => &[],
    };
    values.iter().filter(|v| !v.reserved).map(|v| v.name.as_str())
}

/// The values of a list whose names are numbers; none where one of them is not.
pub(super) fn numbers(list: &List) -> Vec<u64> {
    values(list).map(|name| name.parse().ok()).collect::<Option<_>>().unwrap_or_default()
}

fn parts(list: &List) -> Option<&[crate::model::BitField]> {
    match &list.kind {
        ListKind::Parts(parts) => Some(parts),
        ListKind::Enumeration { .. } => None,
    }
}
