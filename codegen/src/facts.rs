//! The model as text, one line for each fact, in an order that does not depend on the pages.
//! Reviewers read its diff when pages change.

use crate::model::{
    Access, Attribute, Availability, BitField, BitFieldKind, Cell, Column, ColumnKind, Condition, DataType, Field,
    FieldKind, Form, Instruction, Limit, List, ListKind, Member, MemberType, Model, NamesOf, PageKind, Predefined,
    Presence, TextForm, TypeMap, names,
};

/// Returns all facts of a model, sorted within each group.
pub fn facts(model: &Model) -> String {
    let mut out = Vec::new();
    out.extend(model.types.iter().map(|t| format!("type {}", data_type(model, t))));
    platforms(model, &mut out);
    entries(model, &mut out);
    out.extend(model.limits.iter().map(|l| format!("limit {}", limit(l))));
    out.extend(model.attributes.iter().map(|a| format!("attribute {}", attribute(a))));
    rules(model, &mut out);
    let mut lists: Vec<_> = model.lists.iter().collect();
    lists.sort_by(|a, b| a.name.cmp(&b.name));
    lists.into_iter().for_each(|one| list(model, one, &mut out));
    sources(model, &mut out);
    for s in &model.structures {
        if let Some(class) = &s.class {
            out.push(format!("structure {} class {class}", s.name));
        }
        for (i, m) in s.members.iter().enumerate() {
            out.push(format!("structure {} {i} {}", s.name, member(model, m)));
        }
    }
    for i in &model.instructions {
        instruction(model, i, &mut out);
    }
    out.push(String::new());
    out.join("\n")
}

fn platforms(model: &Model, out: &mut Vec<String>) {
    for (age, p) in model.platforms.iter().enumerate() {
        out.push(format!(
            "platform {age} {} aliases [{}] gen {:?} families {:x?} registers {}{}",
            p.name,
            p.aliases.join(" "),
            p.gen_codes,
            p.families,
            p.register_bytes,
            cells(&model.platform_columns, &p.cells)
        ));
    }
}

/// Adds the predefined entries of tables.
fn entries(model: &Model, out: &mut Vec<String>) {
    for (kind, table, columns) in [
        ("variable", &model.predefined, &Vec::new()),
        ("surface", &model.surfaces, &model.surface_columns),
        ("sampler", &model.samplers, &Vec::new()),
    ] {
        for p in table {
            let written = p.written.as_ref().map_or(String::new(), |elements| format!(" written {elements:?}"));
            out.push(format!("{kind} {}{written}{}", predefined(p), cells(columns, &p.cells)));
        }
    }
}

/// Adds the rules across pages and their definitions.
fn rules(model: &Model, out: &mut Vec<String>) {
    for r in &model.rules {
        let platforms: String = r.platforms.iter().map(|m| format!(" {m}")).collect();
        out.push(format!("rule {}{platforms}: {}", r.name, names(&r.instructions).join(", ")));
    }
    for d in &model.definitions {
        out.push(format!("definition {} = {}", d.name, d.value));
    }
    for c in &model.constraints {
        let platforms: String = c.platforms.iter().map(|m| format!(" {m}")).collect();
        let warning = if c.warning { " warning" } else { "" };
        let when = c.when.as_ref().map_or(String::new(), |when| format!(" when {when}"));
        let (name, instructions) = (&c.name, names(&c.instructions).join(", "));
        out.push(format!("rule {name}{platforms}: {instructions}: {}{warning}{when} must {}", c.finding, c.must));
    }
}

fn list(model: &Model, list: &List, out: &mut Vec<String>) {
    out.push(format!("list {} bits {}", list.name, list.bits));
    out.extend(list.columns.iter().map(|c| format!("list {} column {}", list.name, column(model, c))));
    match &list.kind {
        ListKind::Enumeration { lo, width, values } => {
            for v in values {
                let text = if v.text == v.name { String::new() } else { format!(" text {:?}", v.text) };
                let top = lo + width - 1;
                out.push(format!(
                    "list {} [{top}..{lo}] {:#x} {}{text}{}{}",
                    list.name,
                    v.value,
                    v.name,
                    marks(&v.marks),
                    cells(&list.columns, if v.reserved { &[] } else { &v.cells })
                ));
            }
        }
        ListKind::Parts(parts) => {
            out.extend(parts.iter().map(|p| format!("list {} {}", list.name, part(model, p))));
        }
    }
    if let Some(text) = &list.text {
        out.push(format!("list {} prints {}", list.name, text.source));
    }
}

/// Adds the sources, and the facts that name them.
fn sources(model: &Model, out: &mut Vec<String>) {
    for s in &model.sources {
        out.push(format!("source {} {} version {} of {}", s.name, s.kind.name(), s.version, s.date));
    }
    for p in &model.provenance {
        let since = p.since.as_ref().map_or(String::new(), |since| format!(" since {since}"));
        let (page, _) = model.origin(p.at);
        out.push(format!("from {page} {}: {} source [{}]{since}", p.section, p.label, p.sources.join(", ")));
    }
}

/// Formats marks after a fact, each with a leading blank.
pub(crate) fn marks(marks: &Availability) -> String {
    marks.0.iter().map(|bound| format!(" {bound}")).collect()
}

/// Formats the cells of a value, each with a leading blank.
pub(crate) fn cells(columns: &[Column], cells: &[Cell]) -> String {
    columns
        .iter()
        .zip(cells)
        .map(|(column, cell)| format!(" {}={}", column.name.replace(' ', "_"), cell.value))
        .collect()
}

/// Formats a column with the kind of its cells.
fn column(model: &Model, c: &Column) -> String {
    let kind = match c.kind {
        ColumnKind::Number => "number".to_owned(),
        ColumnKind::Numbers => "numbers".to_owned(),
        ColumnKind::Flag => "flag".to_owned(),
        ColumnKind::Names { of, many } => {
            let of = match of {
                NamesOf::Column => "names".to_owned(),
                NamesOf::DataTypes => "data type".to_owned(),
                NamesOf::List(id) => format!("list {}", model.list(id).name),
            };
            if many { format!("several of {of}") } else { of }
        }
    };
    format!("{} {kind}", c.name.replace(' ', "_"))
}

pub(crate) fn data_type(model: &Model, t: &DataType) -> String {
    format!("{} code {:#x} bits {}{}", t.name, t.code, t.bits, cells(&model.type_columns, &t.cells))
}

pub(crate) fn limit(l: &Limit) -> String {
    format!("{} {}", l.name, l.value)
}

pub(crate) fn predefined(p: &Predefined) -> String {
    let (narrow, wide) = p.elements;
    format!("{} {} old {} type {} elements {narrow}/{wide}", p.id, p.name, p.old_name, p.ty)
}

pub(crate) fn attribute(a: &Attribute) -> String {
    format!("{} on {} bytes {} value {}", a.name, a.place, a.bytes, a.value)
}

/// Formats an opcode with its sub-opcode, and the kind of the page unless it is an ordinary
/// instruction.
pub(crate) fn opcode(i: &Instruction) -> String {
    let sub = i.sub_opcode.map_or(String::new(), |s| format!(" {s:#04x}"));
    format!("{:#04x}{sub}{}", i.opcode, kind(&i.kind))
}

pub(crate) fn type_map(map: &TypeMap) -> String {
    format!("{} <- {}{}", names(&map.dst).join(","), names(&map.src).join(","), marks(&map.marks))
}

/// Formats a condition.
fn said(condition: &Condition) -> String {
    format!("{}={}", condition.of, names(&condition.values).join(","))
}

/// Formats the selector of a form, with a leading blank.
pub(crate) fn condition(form: &Form) -> String {
    form.condition.as_ref().map_or(String::new(), |c| format!(" when {}", said(c)))
}

/// Formats the form that a template applies to.
pub(crate) fn template_form(text: &TextForm) -> String {
    text.form.as_ref().map_or(String::new(), |f| format!(" {f}"))
}

/// Formats the values for which a template applies.
pub(crate) fn template_conditions(text: &TextForm) -> String {
    let when: Vec<_> = text.conditions.iter().map(said).collect();
    if when.is_empty() { String::new() } else { format!(" when {}", when.join(" and ")) }
}

pub(crate) fn part(model: &Model, p: &BitField) -> String {
    let what = match p.kind {
        BitFieldKind::Zero => "zero".to_owned(),
        BitFieldKind::Flag => format!("flag {:?}", p.text),
        BitFieldKind::Number => "number".to_owned(),
        BitFieldKind::DataType => "data type".to_owned(),
        BitFieldKind::Enumeration(id) => format!("list {}", model.list(id).name),
    };
    let name = if p.kind == BitFieldKind::Zero { "-" } else { &p.name };
    format!("[{}..{}] {name} {what}{}", p.hi, p.lo, marks(&p.marks))
}

fn shape(model: &Model, shape: FieldKind) -> String {
    match shape {
        FieldKind::Number => "number".to_owned(),
        FieldKind::List(id) => format!("list {}", model.list(id).name),
        FieldKind::Index(kind) => format!("index {}", kind.name()),
        FieldKind::Predicate => "predicate".to_owned(),
        FieldKind::Vector => "vec_operand".to_owned(),
        FieldKind::Scalar => "scalar".to_owned(),
        FieldKind::Raw => "raw_operand".to_owned(),
        FieldKind::IndexBy(of) => format!("index by field {of}"),
        FieldKind::Zero => "zero".to_owned(),
        FieldKind::Copy(of) => format!("copy of field {of}"),
    }
}

pub(crate) fn member(model: &Model, m: &Member) -> String {
    let storage: Vec<String> = m
        .storage
        .iter()
        .map(|(k, t)| {
            let name = match t {
                MemberType::Number(s) => s.name().to_owned(),
                MemberType::Structure(s) => s.name.clone(),
                MemberType::StringPool => "strings".to_owned(),
                MemberType::Info => "by class".to_owned(),
                MemberType::Instructions => "instructions".to_owned(),
            };
            format!("{name}{}", marks(k))
        })
        .collect();
    let count = m.count.as_ref().map_or(String::new(), |c| format!(" times {c}"));
    let when = m.presence.as_ref().map_or(String::new(), |c| format!(" if {}", said(c)));
    let ty = if m.data_type { "data type".to_owned() } else { shape(model, m.shape) };
    format!("{} {} {ty}{count}{when}", m.name, storage.join(" | "))
}

/// Formats the kind of a page, unless it is an ordinary instruction.
fn kind(kind: &PageKind) -> String {
    match kind {
        PageKind::Ordinary => String::new(),
        PageKind::Umbrella => " umbrella".to_owned(),
        PageKind::Alias { of, when } => format!(" alias of {of} when {when}"),
        PageKind::Reserved => " reserved".to_owned(),
        PageKind::Undefined => " undefined".to_owned(),
    }
}

fn instruction(model: &Model, i: &Instruction, out: &mut Vec<String>) {
    let name = &i.name;
    let platforms: Vec<String> = i.platforms.iter().map(marks).collect();
    out.push(format!("{name} opcode {}{}", opcode(i), platforms.join(" or")));
    for form in &i.forms {
        let label = if form.name.is_empty() { String::new() } else { format!(" {}", form.name) };
        if form.condition.is_some() {
            out.push(format!("{name}{label}{}", condition(form)));
        }
        if !form.versions.0.is_empty() {
            out.push(format!("{name}{label} versions{}", marks(&form.versions)));
        }
        for (n, f) in form.fields.iter().enumerate() {
            out.push(format!("{name}{label} {n} {}", field(model, form, f)));
        }
    }
    for (t, m) in &i.types {
        out.push(format!("{name} type {t}{}", marks(m)));
    }
    for map in &i.type_maps {
        out.push(format!("{name} map {}", type_map(map)));
    }
    out.push(format!("{name} saturation {:?} modifier {:?}", i.saturation, i.source_modifier));
    if !i.out_of_bound.is_empty() {
        out.push(format!("{name} out of bounds {}", i.out_of_bound));
    }
    for text in &i.text {
        let (form, when) = (template_form(text), template_conditions(text));
        out.push(format!("{name}{form} text{when} {}", text.template.source));
    }
}

pub(crate) fn field(model: &Model, form: &Form, f: &Field) -> String {
    let mut out = format!("{} {}", f.name, shape(model, f.shape));
    for (m, s) in &f.storage {
        out.push_str(&format!(" {}{}", s.name(), marks(m)));
    }
    match &f.presence {
        Presence::Always => {}
        Presence::If(condition) => out.push_str(&format!(" if {}", said(condition))),
        Presence::Times(count) => out.push_str(&format!(" times {}", form.fields[*count].name)),
        Presence::Text => out.push_str(" in texts only"),
    }
    if !f.classes.is_empty() {
        out.push_str(&format!(" classes {}", names(&f.classes).join(",")));
    }
    if !f.types.is_empty() {
        out.push_str(&format!(" types {}", names(&f.types).join(",")));
    }
    if let Some((low, high)) = f.range {
        out.push_str(&format!(" range {low}..{high}"));
    }
    for only in &f.only {
        let values: Vec<_> = only.values.iter().map(|(n, m)| format!("{n}{}", marks(m))).collect();
        out.push_str(&format!(" only {}={}", only.part_name(), values.join(",")));
    }
    if f.nonzero {
        out.push_str(" nonzero");
    }
    // The usual access of a field's name is omitted.
    if f.shape.is_operand() && f.access != Access::usual(&f.name, f.shape) {
        out.push_str(&format!(" access {}", f.access.name()));
    }
    if f.default != 0 || f.default_if.is_some() {
        out.push_str(&format!(" default {}", f.default));
    }
    if let Some(condition) = &f.default_if {
        out.push_str(&format!(" if {}", said(condition)));
    }
    out
}
