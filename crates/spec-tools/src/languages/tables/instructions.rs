//! Lowering of the pages of instructions.

use visakit_codegen::model::{
    BitFieldKind, Condition, Field, FieldKind, Form, Instruction, ListKind, PageKind, Place, Presence, TextForm,
};

use super::lists::flat;
use super::{Cell, Id, Kind, Lowering, versions};

pub(super) fn lower(l: &mut Lowering<'_>) {
    let model = l.model;
    for page in &model.instructions {
        let reserved = page.kind == PageKind::Reserved;
        if !page.is_encoded() && !reserved {
            continue;
        }
        let rows: Vec<_> = page.forms.iter().map(|f| form(l, page, f)).collect();
        let (forms, count) = l.extend(Id::Forms, rows);
        let (name, family) = (page.name.as_str().into(), page.family.as_deref().unwrap_or("").into());
        let (opcode, sub_opcode) = (i64::from(page.opcode), page.sub_opcode.map_or(-1, i64::from));
        l.push(Id::Instructions, [name, family, opcode.into(), sub_opcode.into(), reserved.into(), forms, count]);
    }
}

fn form(l: &mut Lowering<'_>, page: &Instruction, form: &Form) -> [Cell; 8] {
    let rows: Vec<_> = (0..form.fields.len()).map(|at| field(l, form, at)).collect();
    let (fields, field_count) = l.extend(Id::Fields, rows);
    // Templates of full texts come first; of the others, the first that applies is printed.
    let (full, usual): (Vec<_>, Vec<_>) = l.model.texts(page, form).into_iter().partition(|t| t.template.full);
    let rows: Vec<_> = full.iter().chain(&usual).map(|t| text(l, form, t)).collect();
    let (texts, text_count) = l.extend(Id::Texts, rows);
    let (since, before) = versions(&form.versions);
    let condition = form.condition.as_ref().and_then(|c| on_field(l, form, c));
    [form.name.as_str().into(), condition.into(), since, before, fields, field_count, texts, text_count]
}

/// Appends a condition on a field or a part of the form.
fn on_field(l: &mut Lowering<'_>, form: &Form, condition: &Condition) -> Option<usize> {
    let model = l.model;
    l.condition(condition, |place| match (model.part_at(form, place), form.fields[place.field].shape) {
        (Some(part), _) => (part.lo, part.hi - part.lo + 1),
        (None, FieldKind::List(id)) => match &model.list(id).kind {
            ListKind::Enumeration { lo, width, .. } => (*lo, *width),
            ListKind::Parts(_) => (0, 64),
        },
        (None, _) => (0, 64),
    })
}

/// Returns the bits of a selecting field that name a table, and pairs of a code and its table.
fn selected_tables(l: &Lowering<'_>, by: &Field) -> (u32, u32, Vec<i64>) {
    let (lo, width) = match (l.model.index_part(by), by.shape) {
        (Some(part), _) => (part.lo, part.hi - part.lo + 1),
        (None, FieldKind::List(id)) => match &l.model.list(id).kind {
            ListKind::Enumeration { lo, width, .. } => (*lo, *width),
            ListKind::Parts(_) => (0, 0),
        },
        _ => (0, 0),
    };
    let named = l.model.index_tables(by).into_iter();
    (lo, width, named.flat_map(|(value, kind)| [value.value.cast_signed(), kind as i64]).collect())
}

fn field(l: &mut Lowering<'_>, form: &Form, position: usize) -> Vec<Cell> {
    let field = &form.fields[position];
    let (mut table, mut of, mut list, mut by) = (None, None, None, (0, 0, Vec::new()));
    let kind = match field.shape {
        FieldKind::Number => Kind::Number,
        FieldKind::List(id) => {
            list = Some(id.0);
            Kind::List
        }
        FieldKind::Index(kind) => {
            table = Some(kind as usize);
            Kind::Index
        }
        FieldKind::IndexBy(selector) => {
            of = Some(selector);
            by = selected_tables(l, &form.fields[selector]);
            Kind::IndexBy
        }
        FieldKind::Predicate => {
            list = l.model.anatomy.as_ref().map(|a| a.predicate.list.0);
            Kind::Predicate
        }
        FieldKind::Vector => Kind::Vector,
        FieldKind::Scalar => Kind::Scalar,
        FieldKind::Raw => Kind::Raw,
        FieldKind::Zero => Kind::Zero,
        FieldKind::Copy(original) => {
            of = Some(original);
            Kind::Copy
        }
    };
    let (storages, storage_count) = l.storages(&field.storage);
    let (lo, width, pairs) = by;
    let (numbers, number_count) = l.numbers(pairs);
    let (condition, counter) = match &field.presence {
        Presence::Always | Presence::Text => (None, None),
        Presence::If(when) => (on_field(l, form, when), None),
        Presence::Times(count) => (None, Some(*count)),
    };
    let default_condition = field.default_if.as_ref().and_then(|when| on_field(l, form, when));
    let text_only = field.presence == Presence::Text;
    vec![
        field.name.as_str().into(),
        kind.into(),
        storages,
        storage_count,
        list.into(),
        table.into(),
        of.into(),
        condition.into(),
        counter.into(),
        text_only.into(),
        lo.into(),
        width.into(),
        numbers,
        number_count,
        field.default.into(),
        default_condition.into(),
    ]
}

fn text(l: &mut Lowering<'_>, form: &Form, text: &TextForm) -> Vec<Cell> {
    let model = l.model;
    let first = l.rows(Id::Conditions);
    let count = text.conditions.iter().filter_map(|c| on_field(l, form, c)).count();
    let said = text.text_only_operands(form).filter_map(|f| form.fields.iter().position(|g| std::ptr::eq(f, g)));
    let (said, said_count) = l.numbers(said.map(|at| at as i64));
    let predicate = form.fields.iter().position(|f| f.shape == FieldKind::Predicate);
    let place = |place: Place| {
        let part = model.part_at(form, place).filter(|part| part.kind != BitFieldKind::Zero);
        (Some(place.field), part.and(place.part))
    };
    let (items, item_count) = l.extend(Id::Items, flat(&text.template.items, &place, predicate, form.destination()));
    let template = &text.template;
    vec![
        template.full.into(),
        template.since.unwrap_or(0).into(),
        template.before.unwrap_or(u32::MAX).into(),
        first.into(),
        count.into(),
        said,
        said_count,
        items,
        item_count,
    ]
}
