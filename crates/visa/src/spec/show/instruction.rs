//! Human-readable description of an instruction.

use std::fmt::Write as _;

use visakit_codegen::model::{
    Availability, BitFieldKind, Bound, Condition, Field, FieldKind, Instruction, ListId, ListKind, Model, Only,
    PageKind, Presence, names,
};

/// Describes an instruction: layout, fields, types, platforms and syntax.
pub(super) fn text(model: &Model, i: &Instruction, words: &[&str]) -> String {
    let mut s = String::new();
    let (path, line) = model.origin(i.at);
    let sub = i.sub_opcode.map_or(String::new(), |sub| format!(" 0x{sub:02x}"));
    let _ = writeln!(s, "{}  0x{:02x}{sub}  ({path}:{line})", i.name, i.opcode);
    match &i.kind {
        PageKind::Ordinary => {}
        PageKind::Umbrella => s.push_str("A family of instructions; it has no encoding itself.\n"),
        PageKind::Alias { of, when } => {
            let _ = writeln!(s, "Another spelling of {of}, when {when}.");
        }
        PageKind::Reserved => s.push_str("Reserved: its layout is not published.\n"),
        PageKind::Undefined => s.push_str("No public text defines what it does.\n"),
    }
    if !i.doc.is_empty() {
        let _ = writeln!(s, "\n{}", i.doc);
    }
    for form in &i.forms {
        s.push('\n');
        match &form.condition {
            Some(c) => {
                let _ = writeln!(s, "Format {} ({})", form.name, said(c));
            }
            None if !form.versions.0.is_empty() => {
                let _ = writeln!(s, "Format {} {}", form.name, marks(&form.versions));
            }
            None => s.push_str("Format\n"),
        }
        for field in &form.fields {
            field_line(&mut s, model, &form.fields, field);
        }
    }
    if !i.text.is_empty() {
        s.push_str("\nText\n");
        for form in &i.text {
            let conditions: Vec<_> = form.conditions.iter().map(said).collect();
            if !conditions.is_empty() {
                let _ = writeln!(s, "  when {}", conditions.join(" and "));
            }
            let _ = writeln!(s, "  {}", form.template.source);
        }
    }
    properties(&mut s, i, words);
    sources(&mut s, model, i);
    if !i.semantics.is_empty() {
        s.push_str("\nSemantics\n");
        i.semantics.lines().for_each(|l| {
            let _ = writeln!(s, "  {l}");
        });
    }
    s
}

fn properties(s: &mut String, i: &Instruction, words: &[&str]) {
    s.push('\n');
    let platforms = i.platforms.iter().map(marks).collect::<Vec<_>>().join(" or ");
    if !words.is_empty() {
        let _ = writeln!(s, "Mnemonics        {}", words.join(", "));
    }
    let _ = writeln!(s, "Platforms        {}", if platforms.is_empty() { "all" } else { &platforms });
    if !i.types.is_empty() {
        let types: Vec<_> = i.types.iter().map(|(t, m)| format!("{t}{}", marks(m))).collect();
        let _ = writeln!(s, "Types            {}", types.join(", "));
    }
    let _ = writeln!(s, "Saturation       {:?}", i.saturation);
    let _ = writeln!(s, "Source modifier  {:?}", i.source_modifier);
    if !i.out_of_bound.is_empty() {
        let _ = writeln!(s, "Out of bounds    {}", i.out_of_bound);
    }
    for map in &i.type_maps {
        let _ = writeln!(
            s,
            "Type map         {} <- {} {}",
            names(&map.dst).join(", "),
            names(&map.src).join(", "),
            marks(&map.marks)
        );
    }
}

/// Appends the facts of the page that come from other sources than the documents.
fn sources(s: &mut String, model: &Model, i: &Instruction) {
    let rows: Vec<_> = model.provenance.iter().filter(|row| row.at.page == i.at.page).collect();
    if rows.is_empty() {
        return;
    }
    s.push_str("\nSources other than the documents\n");
    for row in rows {
        let since = row.since.as_ref().map_or(String::new(), |since| format!(" since {since}"));
        let _ = writeln!(s, "  {:<24} {}{since}", row.label, row.sources.join(", "));
    }
}

fn field_line(s: &mut String, model: &Model, fields: &[Field], field: &Field) {
    let storage = match field.shape {
        FieldKind::Vector => "vec_operand".to_owned(),
        FieldKind::Scalar => "scalar".to_owned(),
        FieldKind::Raw => "raw_operand".to_owned(),
        _ => field.storage.iter().map(|(m, st)| format!("{}{}", st.name(), marks(m))).collect::<Vec<_>>().join(" "),
    };
    let what = match field.shape {
        FieldKind::Predicate => "predicate".to_owned(),
        FieldKind::Index(kind) => format!("index of a {}", kind.name()),
        FieldKind::Zero => "zero".to_owned(),
        FieldKind::Copy(of) => format!("copy of {}", fields[of].name),
        FieldKind::List(id) => model.list(id).name.clone(),
        _ => names(&field.classes).join(", "),
    };
    let when = match &field.presence {
        Presence::Always => String::new(),
        Presence::If(c) => format!(", only if {}", said(c)),
        Presence::Times(count) => format!(", {} times", fields[*count].name),
        Presence::Text => ", in texts only".to_owned(),
    };
    let types = if field.types.is_empty() { String::new() } else { format!(" [{}]", names(&field.types).join(", ")) };
    let _ = writeln!(s, "  {:<18} {storage:<12} {what}{types}{when}", field.name);
    if let FieldKind::List(id) = field.shape {
        list(s, model, id, &field.only);
    }
}

/// Appends the values of a list. Long shared lists are reduced to the allowed values.
fn list(s: &mut String, model: &Model, id: ListId, only: &[Only]) {
    let allowed = |part: Option<usize>, value: u64| {
        only.iter().find(|o| o.is_of(part)).is_none_or(|o| o.values.iter().any(|(r, _)| r.to == Some(value)))
    };
    let mut show = |hi: u32, lo: u32, part: &str, values: Vec<String>| {
        let bits = if hi == lo { format!("[{lo}]") } else { format!("[{hi}..{lo}]") };
        let _ = writeln!(s, "  {:<18} {bits:<9} {part:<10} {}", "", values.join(", "));
    };
    let names = |id: ListId, part: Option<usize>| match &model.list(id).kind {
        ListKind::Enumeration { values, .. } => values
            .iter()
            .filter(|v| !v.reserved && allowed(part, v.value))
            .map(|v| format!("{}={}", v.value, v.name))
            .collect(),
        ListKind::Parts(_) => Vec::new(),
    };
    match &model.list(id).kind {
        ListKind::Enumeration { lo, width, .. } => show(lo + width - 1, *lo, "", names(id, None)),
        ListKind::Parts(parts) => {
            for (at, part) in parts.iter().enumerate() {
                let values = match part.kind {
                    BitFieldKind::Enumeration(id) => names(id, Some(at)),
                    BitFieldKind::Zero => vec!["must be zero".to_owned()],
                    BitFieldKind::Flag => vec!["flag".to_owned()],
                    BitFieldKind::Number => vec!["number".to_owned()],
                    BitFieldKind::DataType => vec!["data type".to_owned()],
                };
                let name = if part.kind == BitFieldKind::Zero { "" } else { &part.name };
                show(part.hi, part.lo, name, values);
            }
        }
    }
}

fn said(condition: &Condition) -> String {
    format!("{} = {}", condition.of, names(&condition.values).join(", "))
}

fn marks(marks: &Availability) -> String {
    marks
        .0
        .iter()
        .map(|m| match m {
            Bound::From(p) => format!("{{{p}+}}"),
            Bound::Before(p) => format!("{{-{p}}}"),
            Bound::Only(p) => format!("{{{p}}}"),
            Bound::FromVersion(a, b) => format!("{{{a}.{b}+}}"),
            Bound::BeforeVersion(a, b) => format!("{{-{a}.{b}}}"),
        })
        .collect()
}
