//! Printing of objects whose instructions lack fields; `<missing>` stands for each missing field.

use super::names::{RoutineNames, Style};
use super::print::frame;
use crate::isa::{ExecSize, Instruction, Platform, Predicate, RawOperand, VecOperand};
use crate::object::{Fragment, Object, Routine, Salvaged, SalvagedCode, is_label};
use crate::rt::reflect::{Field, FieldKind};
use crate::rt::{Bits, Context, Format, Names, Printer, Reader, Text, Wire};

/// Placeholder for a missing field.
const MISSING: &str = "<missing>";

/// Prints the routines of an object that lacks operands, kernels first. The header is that of
/// [`super::print()`]; then follows each instruction with its present fields in storage order.
///
/// Each line ends with the file offset of the instruction.
pub fn print_salvaged(salvaged: &Salvaged, platform: Option<Platform>) -> Vec<String> {
    let object = &salvaged.object;
    object.routines().zip(&salvaged.code).map(|(routine, code)| one(object, routine, code, platform)).collect()
}

fn one(object: &Object, routine: &Routine, code: &SalvagedCode, platform: Option<Platform>) -> String {
    let mut out = frame(object, routine, platform, Style::Vendor);
    let register_bytes = Platform::register_bytes_of(platform.or(object.platform()));
    let names = RoutineNames::new(routine, object.version, register_bytes, Style::Vendor);
    let cx = Context { version: object.version };
    if !out.ends_with('\n') {
        out.push('\n');
    }
    for fragment in &code.instructions {
        let text = match complete(fragment, &names, cx) {
            Some(text) => text,
            None => fields(fragment, &names, cx),
        };
        let is_label = is_label(fragment.page);
        let line = if is_label { format!("\n{text}") } else { format!("    {text}") };
        out.push_str(&format!("{line:<80} /// 0x{:x}\n", fragment.offset));
    }
    if code.rest > 0 {
        let known =
            if code.is_whole { "reserved for the missing instructions" } else { "which contain no instruction" };
        out.push_str(&format!("    // {} bytes follow, {known}\n", code.rest));
    }
    out
}

/// Returns the usual text of a complete instruction.
fn complete(fragment: &Fragment, names: &RoutineNames<'_>, cx: Context) -> Option<String> {
    let page = fragment.page;
    if !fragment.missing.is_empty() {
        return None;
    }
    let mut bytes = vec![page.opcode];
    bytes.extend(page.sub_opcode);
    bytes.extend(fragment.present.iter().flat_map(|(_, b)| b));
    let instruction = Instruction::decode(&mut Reader::new(&bytes, 0), cx).ok()?;
    let mut p = Printer::new(String::new(), names);
    instruction.print(&mut p);
    Some(p.into_text())
}

/// Returns the name of the page and the present fields.
fn fields(fragment: &Fragment, names: &RoutineNames<'_>, cx: Context) -> String {
    let (page, form) = (fragment.page, fragment.form);
    let mut out = page.name.to_ascii_lowercase();
    for (position, bytes) in &fragment.present {
        let Some(field) = form.fields.get(*position) else { continue };
        out.push(' ');
        out.push_str(&shown(field, bytes, names, cx).unwrap_or_else(|| "?".to_owned()));
    }
    for _ in &fragment.missing {
        out.push(' ');
        out.push_str(MISSING);
    }
    out
}

fn shown(field: &Field, bytes: &[u8], names: &RoutineNames<'_>, cx: Context) -> Option<String> {
    let r = &mut Reader::new(bytes, 0);
    let value = bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    let text = |value: &dyn Fn(&mut Printer<'_>)| {
        let mut p = Printer::new(String::new(), names);
        value(&mut p);
        p.into_text()
    };
    Some(match field.shape {
        FieldKind::Vector | FieldKind::Scalar => {
            let operand = VecOperand::decode(r, cx).ok()?;
            text(&|p| operand.print(p, Format::Plain))
        }
        FieldKind::Raw => {
            let raw = RawOperand::decode(r, cx).ok()?;
            text(&|p| raw.print(p, Format::Plain))
        }
        FieldKind::Predicate => {
            let predicate = Predicate::from_bits(value).ok()?;
            if predicate.is_default() {
                return Some("()".to_owned());
            }
            text(&|p| predicate.print(p, Format::Plain)).trim().to_owned()
        }
        FieldKind::Index => {
            let id = u32::try_from(value).ok()?;
            match field.table {
                Some(table) => names.name(table, id)?.into_owned(),
                None => value.to_string(),
            }
        }
        FieldKind::List if field.is_exec_size() => {
            let size = ExecSize::from_bits(value).ok()?;
            format!("({})", text(&|p| size.print(p, Format::Plain)).trim_matches(['(', ')']))
        }
        FieldKind::List => {
            let parts = field.list?.parts.iter().filter(|p| !p.zero);
            let named = parts.map(|p| {
                let bits = value >> p.lo & 1u64.checked_shl(p.width).map_or(u64::MAX, |m| m - 1);
                p.values.iter().find(|v| v.value == bits).map_or_else(|| format!("{bits}"), |v| v.name.to_owned())
            });
            named.collect::<Vec<_>>().join(".")
        }
        _ => value.to_string(),
    })
}
