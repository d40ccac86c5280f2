//! Emission of the documentation of instructions: prose, a list of facts, and an example.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::address;
use crate::emit::{Cx, escape_doc, type_name};
use crate::model::{Availability, Form, Instruction};

/// Emits the documentation of a struct or an enum. `prose` comes first; `text` has the Text
/// templates of `forms`.
pub(super) fn docs(cx: &Cx<'_>, i: &Instruction, prose: &str, forms: &[&Form]) -> TokenStream {
    let prose = if prose.trim().is_empty() { &i.name } else { prose.trim() };
    let mut lines: Vec<String> = escape_doc(prose).lines().map(|line| line.trim_end().to_owned()).collect();
    lines.push(String::new());
    lines.push(format!("- Opcode: `{}`", opcode(i)));
    lines.extend(templates(forms).into_iter().map(|template| format!("- Text: `{template}`")));
    lines.push(format!("- Platforms: {}", platforms(i)));
    lines.push(format!("- Page: {}", page(cx, i)));
    if let Some(links) = cx.links {
        let address = address::instruction(&i.name);
        lines.push(format!("- Reference: [`{address}`]({}/{address})", links.reference));
    }
    let lines = lines.into_iter().map(|line| if line.is_empty() { line } else { format!(" {line}") });
    quote!(#(#[doc = #lines])*)
}

/// Emits an example that creates an instruction. The struct is `ty`.
pub(super) fn example(i: &Instruction, ty: &Ident) -> TokenStream {
    let lines = [
        String::new(),
        " ```".to_owned(),
        format!(" use visakit::isa::{{{ty}, Instruction}};"),
        format!(" let instruction = Instruction::from({ty}::default());"),
        format!(" assert_eq!(instruction.opcode(), 0x{:02x});", i.opcode),
        " ```".to_owned(),
    ];
    quote!(#(#[doc = #lines])*)
}

/// Emits the other words by which documentation is searched: opcodes, and names in texts.
pub(super) fn aliases(i: &Instruction) -> TokenStream {
    let own = type_name(&i.name).to_string().to_lowercase();
    let words = i.forms.iter().flat_map(|form| &form.texts).filter_map(|text| text.template.mnemonic());
    let mut aliases: Vec<String> = words.chain([i.name.as_str()]).map(str::to_lowercase).collect();
    aliases.retain(|alias| *alias != own);
    aliases.push(format!("0x{:02x}", i.opcode));
    aliases.push(opcode(i));
    aliases.sort();
    aliases.dedup();
    quote!(#(#[doc(alias = #aliases)])*)
}

/// Returns the opcode, with the sub-opcode if there is one.
fn opcode(i: &Instruction) -> String {
    i.sub_opcode.map_or(format!("0x{:02x}", i.opcode), |sub| format!("0x{:02x} 0x{sub:02x}", i.opcode))
}

/// Returns the templates of forms without repetitions.
fn templates<'m>(forms: &[&'m Form]) -> Vec<&'m str> {
    let mut found: Vec<&str> = Vec::new();
    for text in forms.iter().flat_map(|form| &form.texts) {
        let source = text.template.source.as_str();
        if !found.contains(&source) && !source.contains('`') {
            found.push(source);
        }
    }
    found
}

fn platforms(i: &Instruction) -> String {
    let range = |range: &Availability| {
        let marks: Vec<String> = range.0.iter().map(|mark| format!("`{mark}`")).collect();
        marks.join(" ")
    };
    let ranges: Vec<String> = i.platforms.iter().map(range).filter(|range| !range.is_empty()).collect();
    if ranges.is_empty() { "all".to_owned() } else { ranges.join(", ") }
}

/// Returns the page and the line of an instruction, as a link if the address of the pages is known.
fn page(cx: &Cx<'_>, i: &Instruction) -> String {
    let (path, line) = cx.model.origin(i.at);
    match cx.links {
        Some(links) => format!("[`{path}:{line}`]({}/{path}?plain=1#L{line})", links.pages),
        None => format!("`{path}:{line}`"),
    }
}
