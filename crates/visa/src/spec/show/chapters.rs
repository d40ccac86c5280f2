//! Human-readable descriptions of chapter contents.

use std::fmt::Write as _;

use visakit_spec_tools::export::{BitFieldKind, Bound, List, ListKind, MemberType, Said, SaidValue};

use super::find::Hit;

/// Describes a hit in one line: kind, name and place.
pub(super) fn line(hit: Hit<'_>) -> String {
    let place = hit.place();
    let name = match hit {
        Hit::Enumerator { list, enumerator } => {
            format!("{} = {} of {}", enumerator.name, enumerator.value, list.name)
        }
        Hit::Instruction(one) => format!("{} (0x{:02x})", one.name, one.opcode),
        _ => hit.name().to_owned(),
    };
    format!("  {:<24} {name}  ({}:{})\n", hit.kind(), place.file, place.line)
}

/// Describes a hit other than an instruction in full.
pub(super) fn text(hit: Hit<'_>) -> String {
    let place = hit.place();
    let mut s = format!("{}  {}  ({}:{})\n", hit.name(), hit.kind(), place.file, place.line);
    if !hit.doc().is_empty() {
        let _ = writeln!(s, "\n{}", hit.doc());
    }
    s.push('\n');
    let mut row = |name: &str, value: String| {
        if !value.is_empty() {
            let _ = writeln!(s, "{name:<16} {value}");
        }
    };
    row("Source", place.sources.join(", "));
    row("Since", place.since.clone().unwrap_or_default());
    match hit {
        Hit::Instruction(_) => {}
        Hit::Type(one) => {
            row("Code", one.code.to_string());
            row("Bits", one.bits.to_string());
            one.said.iter().for_each(|said| row(&said.column, value(&said.value)));
        }
        Hit::Platform(one) => {
            row("Other names", one.aliases.join(", "));
            row("Register", format!("{} bytes", one.register_bytes));
            row("gen_platform", joined(&one.gen_codes));
            row("Product family", joined(&one.product_families));
            one.said.iter().for_each(|said| row(&said.column, value(&said.value)));
        }
        Hit::List(one) => list(&mut s, one),
        Hit::Structure(one) => {
            for member in &one.members {
                let storage =
                    member.storage.iter().map(|typed| format!("{}{}", member_type(&typed.ty), marks(&typed.when)));
                let count = member.count.as_ref().map_or_else(String::new, |count| format!(", {count} times"));
                let storage = storage.collect::<Vec<_>>().join(" ");
                row(&member.name, format!("{storage}{count}  {}", first_line(&member.doc)));
            }
        }
        Hit::Predefined { entry, .. } => {
            row("Index", entry.id.to_string());
            row("Older name", entry.old_name.clone());
            entry.said.iter().for_each(|said| row(&said.column, value(&said.value)));
        }
        Hit::Variable(one) => {
            row("Index", one.id.to_string());
            row("Older name", one.old_name.clone());
            one.said.iter().for_each(|said| row(&said.column, value(&said.value)));
            row("Type", one.ty.clone());
            row("Elements", format!("{}, {} with 64-byte registers", one.elements, one.elements_wide));
        }
        Hit::Attribute(one) => {
            row("Of", one.place.clone());
            row("Bytes", one.bytes.clone());
            row("Value", one.value.clone());
        }
        Hit::Limit(one) => row("Value", one.value.to_string()),
        Hit::Rule(one) => row("Instructions", one.instructions.join(", ")),
        Hit::Builtin(one) => {
            row("Kind", one.kind.to_owned());
            row("Parameters", one.parameters.as_ref().map(|names| names.join(", ")).unwrap_or_default());
        }
        Hit::Enumerator { list, enumerator } => {
            row("List", list.name.clone());
            row("Value", enumerator.value.to_string());
            row("Text", enumerator.text.clone());
            row("Where", marks(&enumerator.when));
            enumerator.said.iter().for_each(|said| row(&said.column, value(&said.value)));
        }
    }
    s
}

fn list(s: &mut String, list: &List) {
    let _ = writeln!(s, "{} bits", list.bits);
    if let Some(template) = &list.template {
        let _ = writeln!(s, "Text: {template}");
    }
    match &list.kind {
        ListKind::Enumeration { values, .. } => {
            for one in values.iter().filter(|one| !one.reserved) {
                let text = if one.text.is_empty() { "" } else { &one.text };
                let facts = [text, &marks(&one.when), &said(&one.said), first_line(&one.doc)];
                let rest = facts.into_iter().filter(|f| !f.is_empty()).collect::<Vec<_>>().join(" ");
                let _ = writeln!(s, "  {:>6}  {:<20} {rest}", one.value, one.name);
            }
        }
        ListKind::Parts { parts } => {
            for part in parts {
                let bits =
                    if part.hi == part.lo { format!("[{}]", part.lo) } else { format!("[{}..{}]", part.hi, part.lo) };
                let what = match &part.kind {
                    BitFieldKind::Zero => "must be zero".to_owned(),
                    BitFieldKind::Flag => "flag".to_owned(),
                    BitFieldKind::Number => "number".to_owned(),
                    BitFieldKind::DataType => "data type".to_owned(),
                    BitFieldKind::Enumeration { list } => list.name.clone(),
                };
                let rest = format!("{what} {} {}", marks(&part.when), first_line(&part.doc));
                let _ = writeln!(s, "  {bits:<8} {:<20} {}", part.name, rest.trim());
            }
        }
    }
}

/// Formats the table columns of a value in one line.
fn said(all: &[Said]) -> String {
    let one = |said: &Said| format!("{}: {}", said.column, value(&said.value));
    match all {
        [] => String::new(),
        _ => format!("[{}]", all.iter().map(one).collect::<Vec<_>>().join("; ")),
    }
}

fn value(value: &SaidValue) -> String {
    match value {
        SaidValue::None => "-".to_owned(),
        SaidValue::Number(number) => number.to_string(),
        SaidValue::Numbers(numbers) => joined(numbers),
        SaidValue::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        SaidValue::Names(names) => names.join(", "),
    }
}

fn member_type(ty: &MemberType) -> String {
    match ty {
        MemberType::Number { number } => (*number).to_owned(),
        MemberType::Structure { structure } => structure.clone(),
        MemberType::StringPool => "strings".to_owned(),
        MemberType::OperandInfo => "operand".to_owned(),
        MemberType::Instructions => "instructions".to_owned(),
    }
}

fn marks(bounds: &[Bound]) -> String {
    let mark = |bound: &Bound| match bound {
        Bound::FromPlatform(name) => format!("{{{name}+}}"),
        Bound::BeforePlatform(name) => format!("{{-{name}}}"),
        Bound::OnlyPlatform(name) => format!("{{{name}}}"),
        Bound::FromVersion(version) => format!("{{{version}+}}"),
        Bound::BeforeVersion(version) => format!("{{-{version}}}"),
    };
    bounds.iter().map(mark).collect()
}

fn joined(numbers: &[impl ToString]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
