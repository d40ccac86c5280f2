//! Comparison of an instruction: additions, removals and renamings, then opcode and kind, then its
//! parts in page order.

use super::form::{self, Paired};
use super::{properties, templates};
use crate::diff::change::Class;
use crate::diff::context::Cx;
use crate::diff::matching::{Pair, Renames, norm};
use crate::diff::places;
use visakit_codegen::model::{Instruction, Model, PageKind};

/// Compares the facts of a pair. Returns the renamed fields.
pub(crate) fn compare(cx: &mut Cx<'_>, pair: Pair) -> Renames {
    let (old, new) = (cx.old, cx.new);
    match pair {
        Pair::Old(i) => {
            let (class, said) = alone(new, old, i);
            cx.fact(class, "instruction-removed", &old.instructions[i].name, Some(said), None);
            Renames::new()
        }
        Pair::New(j) => {
            let (class, said) = alone(old, new, j);
            let class = if class == Class::Narrowed { Class::Widened } else { class };
            cx.fact(class, "instruction-added", &new.instructions[j].name, None, Some(said));
            Renames::new()
        }
        Pair::Both(i, j) => both(cx, &old.instructions[i], &new.instructions[j]),
    }
}

/// Describes an instruction that the other side lacks. If the other side reuses its opcode,
/// existing bytes change their meaning.
fn alone(other: &Model, own: &Model, at: usize) -> (Class, crate::diff::context::Located) {
    let i = &own.instructions[at];
    let bare = |i: &Instruction| matches!(i.kind, PageKind::Umbrella | PageKind::Alias { .. });
    let same_code = |o: &&Instruction| (o.opcode, o.sub_opcode) == (i.opcode, i.sub_opcode) && !bare(o);
    let known = |o: &&Instruction| own.instructions.iter().any(|x| norm(&x.name) == norm(&o.name));
    let reused = !bare(i) && other.instructions.iter().filter(same_code).any(|o| !known(&o));
    let class = if reused { Class::WireBreaking } else { Class::Narrowed };
    (class, (format!("{} = {}", i.name, code(i)), i.at))
}

fn code(i: &Instruction) -> String {
    match i.sub_opcode {
        Some(sub) => format!("0x{:02x} 0x{sub:02x}", i.opcode),
        None => format!("0x{:02x}", i.opcode),
    }
}

fn both(cx: &mut Cx<'_>, old: &Instruction, new: &Instruction) -> Renames {
    let name = new.name.as_str();
    if old.name != new.name {
        let (o, n) = ((old.name.clone(), old.at), (new.name.clone(), new.at));
        cx.differs(Class::TextOnly, "instruction-renamed", name, o, n);
    }
    if code(old) != code(new) {
        // Use the line of the number that differs.
        let (o, n) = match old.opcode == new.opcode {
            true => (places::opcode(cx.old, old), places::opcode(cx.new, new)),
            false => (old.at, new.at),
        };
        cx.differs(Class::WireBreaking, "opcode", name, (code(old), o), (code(new), n));
    }
    if old.kind != new.kind {
        let (o, n) = (places::kind(cx.old, old), places::kind(cx.new, new));
        cx.differs(kind_class(old, new), "kind", name, (kind(old), o), (kind(new), n));
    }
    // Pages of other kinds have no layout to compare.
    let Paired { renamed, forms } = match old.forms.is_empty() || new.forms.is_empty() {
        true => {
            if encodes(old) && encodes(new) && old.forms.len() != new.forms.len() {
                let text = |i: &Instruction| (format!("{} forms", i.forms.len()), i.at);
                let class = if old.forms.is_empty() { Class::Widened } else { Class::Narrowed };
                cx.differs(class, "form", name, text(old), text(new));
            }
            Paired::default()
        }
        false => form::compare(cx, old, new),
    };
    properties::compare(cx, old, new);
    if encodes(old) && encodes(new) {
        templates::compare(cx, old, new, &renamed, &forms);
    }
    renamed
}

/// Returns true if the page has a layout.
fn encodes(i: &Instruction) -> bool {
    matches!(i.kind, PageKind::Ordinary | PageKind::Undefined)
}

fn kind(i: &Instruction) -> String {
    match &i.kind {
        PageKind::Ordinary => "instruction".to_owned(),
        PageKind::Umbrella => "umbrella".to_owned(),
        PageKind::Alias { of, when } => format!("alias of {of} when {when}"),
        PageKind::Reserved => "reserved".to_owned(),
        PageKind::Undefined => "undefined behaviour".to_owned(),
    }
}

fn kind_class(old: &Instruction, new: &Instruction) -> Class {
    match (encodes(old), encodes(new)) {
        (true, true) => Class::TextOnly,
        // An alias is another name for bytes with unchanged meaning.
        _ if [old, new].iter().any(|i| matches!(i.kind, PageKind::Alias { .. })) => Class::TextOnly,
        (false, true) => Class::Widened,
        (true, false) => Class::Narrowed,
        (false, false) => Class::TextOnly,
    }
}
