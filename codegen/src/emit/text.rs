//! Emission of the printer and the parser of instructions, from their Text templates.

mod lists;
mod parse;
mod print;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::forms::enumerator;
use super::{Cx, member_name, type_name};
use crate::model::{Enumerator, Field, Form, Instruction, ListKind, TextForm, targets};
use crate::template::{Item, Style};
use parse::parser;
use print::printers;

pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let all: Vec<&Instruction> = cx.model.instructions.iter().filter(|i| i.is_encoded()).collect();
    let names: Vec<_> = all.iter().map(|i| type_name(&i.name)).collect();
    let printers = all.iter().map(|i| printers(cx, i));
    let mut parsers = Vec::new();
    let mut by_word: BTreeMap<String, Vec<Ident>> = BTreeMap::new();
    for i in &all {
        for form in &i.forms {
            let all_texts = cx.model.texts(i, form);
            // Templates for text-only operands are tried last.
            let mut in_turn: Vec<_> = all_texts.clone().into_iter().enumerate().collect();
            in_turn.sort_by_key(|(_, text)| text.text_only_operands(form).next().is_some());
            for (number, text) in in_turn {
                let words = words(cx, form, &text);
                // A template without a word, such as a label's, is parsed by the parser of the
                // whole text.
                if words.is_empty() || reads_as_another(&text, &all_texts) {
                    continue;
                }
                let name = format_ident!("{}_{number}", member_name(&format!("{}_{}", i.name, form.name)));
                parsers.push(parser(cx, i, form, &text, &name));
                for word in words {
                    by_word.entry(word).or_default().push(name.clone());
                }
            }
        }
    }
    // Both tables are sorted by word, for binary search.
    let words = by_word.keys();
    let of_lists = lists::emit(cx);
    let lists = by_word.values().map(|parsers| {
        let parsers = parsers.iter().map(|p| format_ident!("{}", p.to_string().to_ascii_uppercase()));
        quote!(&[#(parsers::#parsers),*])
    });
    quote! {
        #of_lists

        #(#printers)*

        impl Instruction {
            /// Prints the instruction by its page's Text template, predicate first.
            pub fn print(&self, p: &mut rt::Printer<'_>) {
                match self { #(Self::#names(inst) => inst.print(p)),* }
            }
        }

        /// First words of instructions in assembly text, sorted.
        pub const MNEMONICS: &[&str] = &[#(#words),*];

        /// Returns the parsers of the statements that begin with a word.
        pub fn candidates(word: &str) -> &'static [&'static rt::Candidate] {
            const CANDIDATES: &[&[&rt::Candidate]] = &[#(#lists),*];
            MNEMONICS.binary_search(&word).ok().and_then(|at| CANDIDATES.get(at)).copied().unwrap_or(&[])
        }

        #[allow(unused_mut, unused_variables, unused_assignments, clippy::all, reason = "one generic rule emits all parsers")]
        mod parsers {
            use super::*;
            #(#parsers)*
        }
    }
}

/// Returns the first words of statements, each with the names of its possible instructions.
pub(super) fn mnemonics<'m>(cx: &Cx<'m>) -> BTreeMap<String, BTreeSet<&'m str>> {
    let mut by_word: BTreeMap<String, BTreeSet<&'m str>> = BTreeMap::new();
    for i in cx.model.instructions.iter().filter(|i| i.is_encoded()) {
        for form in &i.forms {
            for word in cx.model.texts(i, form).iter().flat_map(|text| words(cx, form, text)) {
                by_word.entry(word).or_default().insert(&i.name);
            }
        }
    }
    by_word
}

/// Returns true if a template of newer texts differs from another template of the form in blanks
/// only. The parser skips blanks, so the other template accepts both, and the text revision does
/// not show.
fn reads_as_another(text: &TextForm, all: &[TextForm]) -> bool {
    let bare = |t: &TextForm| without_blanks(&t.template.items);
    let same = |other: &&TextForm| other.template.since.is_none() && other.conditions == text.conditions;
    text.template.since.is_some() && all.iter().filter(same).any(|other| bare(other) == bare(text))
}

/// Returns the items of a template without blanks, with adjacent literals joined.
fn without_blanks(items: &[Item]) -> Vec<Item> {
    let mut out: Vec<Item> = Vec::new();
    for item in items {
        match (item, out.last_mut()) {
            (Item::Space(_), _) => {}
            (Item::Text(text), Some(Item::Text(last))) => last.push_str(text),
            (Item::Optional(inner), _) => out.push(Item::Optional(without_blanks(inner))),
            (Item::Shown(inner), _) => out.push(Item::Shown(without_blanks(inner))),
            _ => out.push(item.clone()),
        }
    }
    out
}

/// Returns the possible first words of a statement of this template.
fn words(cx: &Cx<'_>, form: &Form, text: &TextForm) -> Vec<String> {
    if let Some(word) = text.template.mnemonic() {
        return vec![word.to_owned()];
    }
    let head = text.template.items.iter().find(|i| !matches!(i, Item::Predicate | Item::Space(_)));
    let Some(Item::Field { place: Some(place), .. }) = head else { return Vec::new() };
    let Some(id) = cx.model.names_list(form.fields[place.field].shape, place.part) else { return Vec::new() };
    let conditions = form.condition.iter().chain(&text.conditions).filter(|c| c.of.to == Some(*place));
    let allowed =
        |value: &Enumerator| conditions.clone().all(|c| targets(&c.values).any(|wanted| wanted == value.value));
    let values = cx.model.values(id).iter().filter(|v| !v.reserved && !v.text.is_empty() && allowed(v));
    values.map(|v| v.text.clone()).collect()
}

/// Emits the runtime's format of a style, which has the same name.
pub(crate) fn format(style: Style) -> TokenStream {
    let name = format_ident!("{style:?}");
    quote!(rt::Format::#name)
}

/// Returns the values of an enumeration that a page allows: a pattern, and the text for an error.
fn only(cx: &Cx<'_>, field: &Field, id: crate::model::ListId) -> Option<(TokenStream, String)> {
    let allowed = &field.only.iter().find(|o| o.part.is_none())?.values;
    let ListKind::Enumeration { .. } = &cx.model.list(id).kind else { return None };
    let ty = cx.list_type(id);
    let names: Vec<&str> = allowed.iter().map(|(value, _)| value.name.as_str()).collect();
    let variants = allowed.iter().filter_map(|(value, _)| enumerator(cx, id, value.to?));
    Some((quote!(#(#ty::#variants)|*), format!("{}: one of {}", field.name, names.join(", "))))
}

fn local(field: &Field) -> Ident {
    format_ident!("f_{}", member_name(&field.name))
}
