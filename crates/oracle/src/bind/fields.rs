//! Fields of an instruction in the notation: numbers, parts and named values.

use visakit::isa::{SurfaceId, predefined_surface};
use visakit_codegen::model::semantics::{Expression, ExpressionKind};
use visakit_codegen::model::{BitFieldKind, CellValue, FieldKind, Form, ListId, ListKind, SourceSpan};

use super::{Binder, Field, Result};
use crate::program::Node;
use crate::space::Space;
use crate::value::Value;

impl Binder<'_> {
    /// Returns true if the instruction has a form: its selector matches, and the form has all
    /// present fields.
    pub(super) fn is_form(&self, form: &Form) -> bool {
        let has = |name: &String| form.fields.iter().any(|f| f.name.eq_ignore_ascii_case(name));
        let selected = form.condition.as_ref().is_none_or(|condition| {
            let Some(place) = condition.of.to else { return false };
            let part = self.model.part_at(form, place).map(|part| part.name.as_str());
            let code = form.fields.get(place.field).and_then(|field| self.code(form, &field.name, part));
            condition.values.iter().any(|value| value.to.is_some() && value.to == code)
        });
        selected && self.fields.keys().all(has)
    }

    /// Returns the code of a field or of a part of it.
    pub(super) fn code(&self, form: &Form, field: &str, part: Option<&str>) -> Option<u64> {
        let Field::Number(bits) = self.fields.get(&field.to_ascii_lowercase())? else { return None };
        let FieldKind::List(id) = shape(form, field)? else { return Some(*bits as u64) };
        let (lo, width) = self.bits_of(id, part)?.0;
        Some(*bits as u64 >> lo & crate::convert::ones(width))
    }

    /// Returns the position and width of a list or of its part, and the list that names its values.
    pub(super) fn bits_of(&self, id: ListId, part: Option<&str>) -> Option<((u32, u32), Option<ListId>)> {
        let list = self.model.list(id);
        match (&list.kind, part) {
            (ListKind::Enumeration { lo, width, .. }, None) => Some(((*lo, *width), Some(id))),
            (ListKind::Parts(_), None) => Some(((0, list.bits), None)),
            (ListKind::Parts(parts), Some(name)) => {
                let part = parts.iter().find(|p| p.name.eq_ignore_ascii_case(name))?;
                let list = if let BitFieldKind::Enumeration(id) = part.kind { Some(id) } else { None };
                Some(((part.lo, part.hi - part.lo + 1), list))
            }
            (ListKind::Enumeration { .. }, Some(_)) => None,
        }
    }

    /// Returns a field or its part as a number. If the names of its list are numbers, the number is
    /// the name's.
    pub(super) fn number(&self, name: &str, part: Option<&str>, at: SourceSpan) -> Result<Node> {
        let Some(Field::Number(bits)) = self.fields.get(name) else {
            return Ok(Node::Value(Value::integer(0_u32)));
        };
        let Some(form) = self.form else { return self.refuse("an instruction without a form", at) };
        let Some(shape) = shape(form, name) else { return self.refuse(&format!("the field `{name}`"), at) };
        let FieldKind::List(id) = shape else { return Ok(Node::Value(Value::integer(*bits))) };
        let Some(((lo, width), list)) = self.bits_of(id, part) else {
            return self.refuse(&format!("the field `{name}`"), at);
        };
        let code = *bits as u64 >> lo & crate::convert::ones(width);
        let named = list.and_then(|id| match &self.model.list(id).kind {
            ListKind::Enumeration { values, .. } => values.iter().find(|v| v.value == code && !v.reserved),
            ListKind::Parts(_) => None,
        });
        if width == 1 && list.is_none() {
            return Ok(Node::Value(Value::Truth(code == 1)));
        }
        let number = named.and_then(|v| v.name.parse::<u64>().ok()).unwrap_or(code);
        Ok(Node::Value(Value::integer(number)))
    }

    /// Evaluates a comparison of a field or its part with a named value. Returns `None` for any
    /// other comparison.
    pub(super) fn named_equality(&self, left: &Expression, right: &Expression) -> Option<bool> {
        let (field, wanted) = match (&left.kind, &right.kind) {
            (_, ExpressionKind::Enumerator { name, .. }) => (left, name),
            (ExpressionKind::Enumerator { name, .. }, _) => (right, name),
            _ => return None,
        };
        let (name, part) = field_of(field)?;
        let form = self.form?;
        let code = self.code(form, name, part)?;
        let FieldKind::List(id) = shape(form, name)? else { return None };
        let values = self.model.values(self.bits_of(id, part)?.1?);
        Some(values.iter().any(|v| v.value == code && !v.reserved && v.name == *wanted))
    }

    /// Returns the cell of a list's column in the row of the field's current value.
    pub(super) fn cell(&self, e: &Expression, column: &str) -> Option<&CellValue> {
        let (name, part) = field_of(e)?;
        let form = self.form?;
        let code = self.code(form, name, part)?;
        let FieldKind::List(id) = shape(form, name)? else { return None };
        let id = self.bits_of(id, part)?.1?;
        let at = self.model.list(id).columns.iter().position(|c| c.key() == column)?;
        let value = self.model.values(id).iter().find(|v| v.value == code && !v.reserved)?;
        value.cells.get(at).map(|cell| &cell.value)
    }

    /// Returns the memory space of a surface variable: chapter 4, *Predefined surfaces*.
    pub(super) fn space(&self, id: u32, at: SourceSpan) -> Result<Space> {
        match SurfaceId(id) {
            predefined_surface::SLM => return Ok(Space::Local),
            predefined_surface::SCRATCH => return Ok(Space::Scratch),
            _ => {}
        }
        match (self.layout.surface(id), id == predefined_surface::BSS.0) {
            (Some(element), true) => Ok(Space::State(element)),
            (Some(element), false) if id >= predefined_surface::DECLARED => Ok(Space::Surface(element)),
            _ => self.refuse("this surface", at),
        }
    }

    /// Returns an element of a repeated field.
    pub(super) fn one_of(&self, all: &[Field], index: Node, at: SourceSpan) -> Result<Node> {
        let entry = |field: &Field| if let Field::Entry(id) = field { Some(*id) } else { None };
        Ok(match &index {
            Node::Value(Value::Integer(n)) => match all.get(n.value.as_usize()) {
                Some(Field::Operand(operand)) => Node::Operand(*operand),
                Some(Field::Entry(id)) => Node::Value(Value::integer(*id)),
                _ => Node::Value(Value::integer(0_u32)),
            },
            _ => match all.iter().map(entry).collect() {
                Some(entries) => Node::OneOf(entries, Box::new(index)),
                None => return self.refuse("a variable index of these elements", at),
            },
        })
    }

    pub(super) fn field(&self, name: &str, at: SourceSpan) -> Result<Node> {
        match self.fields.get(name) {
            Some(Field::Operand(operand)) => Ok(Node::Operand(*operand)),
            Some(Field::Number(_)) => self.number(name, None, at),
            Some(Field::Entry(id)) => Ok(Node::Value(Value::integer(*id))),
            Some(Field::Predicate) => Ok(Node::Predicate(Box::new(Node::Value(Value::integer(0_u32))))),
            Some(Field::Many(_)) => self.refuse("a repeated field without an index", at),
            // A field that is not stored reads as zero.
            None => Ok(Node::Value(Value::integer(0_u32))),
        }
    }
}

/// Returns the field of an expression, and its part.
pub(super) fn field_of(e: &Expression) -> Option<(&str, Option<&str>)> {
    match &e.kind {
        ExpressionKind::Name { name, .. } => Some((name, None)),
        ExpressionKind::BitField { of, part } => match &of.kind {
            ExpressionKind::Name { name, .. } => Some((name, Some(part.text.as_str()))),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the kind of a field; case is ignored.
pub(super) fn shape(form: &Form, name: &str) -> Option<FieldKind> {
    form.fields.iter().find(|f| f.name.eq_ignore_ascii_case(name)).map(|f| f.shape)
}
