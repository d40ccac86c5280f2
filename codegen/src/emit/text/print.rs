//! Emission of the printers of instructions.

use proc_macro2::TokenStream;
use quote::quote;

use super::format;
use super::lists::print_part;
use crate::emit::forms::{form_type, test, text_only_said};
use crate::emit::indices::{index_arms, index_selector};
use crate::emit::{Cx, member_name, type_name, variant_name};
use crate::model::{BitFieldKind, Field, FieldKind, Form, IndexKind, Instruction, Presence};
use crate::template::{self, Item, Style};

pub(super) fn printers(cx: &Cx<'_>, i: &Instruction) -> TokenStream {
    let forms = i.forms.iter().map(|form| {
        let name = form_type(i, form);
        let mut body = TokenStream::new();
        let (full, usual): (Vec<_>, Vec<_>) = cx.model.texts(i, form).into_iter().partition(|t| t.template.full);
        for text in full.into_iter().chain(usual) {
            let tests = text.conditions.iter().map(|condition| test(cx, form, condition, member));
            let full = text.template.full.then(|| quote!(p.names.full()));
            let since = text.template.since.map(|since| quote!(p.names.revision() >= #since));
            let before = text.template.before.map(|before| quote!(p.names.revision() < #before));
            let said: Vec<_> = text.text_only_operands(form).map(text_only_said).collect();
            let said = (!said.is_empty()).then(|| quote!((false #(|| #said)*)));
            let since = since.into_iter().chain(said);
            let tests: Vec<_> = full.into_iter().chain(since).chain(before).chain(tests).collect();
            let print = print_items(cx, form, &text.template.items);
            if tests.is_empty() {
                body.extend(quote!(#print return;));
                break;
            }
            body.extend(quote!(if #(#tests)&&* { #print return; }));
        }
        quote! {
            impl #name {
                /// Prints the instruction by its page's Text template.
                #[allow(clippy::needless_return, unreachable_code, reason = "each template ends with a return")]
                pub fn print(&self, p: &mut rt::Printer<'_>) { #body }
            }
        }
    });
    if i.forms.len() == 1 {
        return quote!(#(#forms)*);
    }
    let name = type_name(&i.name);
    let variants = i.forms.iter().map(|f| variant_name(&f.name));
    quote! {
        #(#forms)*
        impl #name {
            /// Prints the instruction by its page's Text template.
            pub fn print(&self, p: &mut rt::Printer<'_>) {
                match self { #(Self::#variants(form) => form.print(p)),* }
            }
        }
    }
}

/// Emits a field of the printed instruction.
fn member(field: &Field) -> TokenStream {
    let member = member_name(&field.name);
    quote!(self.#member)
}

fn print_items(cx: &Cx<'_>, form: &Form, items: &[Item]) -> TokenStream {
    let pieces = items.iter().map(|item| match item {
        Item::Text(text) => quote!(p.text(#text);),
        Item::Space(n) => quote!(p.spaces(#n);),
        Item::Predicate => match form.fields.iter().find(|f| f.shape == FieldKind::Predicate) {
            Some(field) => {
                let member = member_name(&field.name);
                quote!(p.predicate(self.#member);)
            }
            None => quote!(),
        },
        Item::Saturation => match form.destination().map(|at| &form.fields[at]) {
            Some(field) => {
                let member = member_name(&field.name);
                quote!(if rt::is_saturated(&self.#member) { p.text(".sat"); })
            }
            None => quote!(),
        },
        Item::Field { place, format, .. } => {
            let Some(place) = *place else { return quote!() };
            let field = &form.fields[place.field];
            if let Some(part) = cx.model.part_at(form, place) {
                let (member, part_member) = (member_name(&field.name), member_name(&part.name));
                return print_part(part, &quote!(self.#member.#part_member), *format);
            }
            print_field(cx, form, field, place.field, *format)
        }
        Item::Shown(inner) => print_items(cx, form, inner),
        Item::Optional(inner) => {
            let tests = shown_tests(cx, form, inner);
            let inner = print_items(cx, form, inner);
            quote!(if #(#tests)||* { #inner })
        }
    });
    quote!(#(#pieces)*)
}

fn print_field(cx: &Cx<'_>, form: &Form, field: &Field, position: usize, shown: Style) -> TokenStream {
    let member = member_name(&field.name);
    let format = format(shown);
    if form.is_counter(position) {
        let counted = form.fields.iter().find(|f| f.presence == Presence::Times(position));
        let counted = counted.map(|f| member_name(&f.name));
        return quote!(p.number(self.#counted.len() as i64, #format););
    }
    let one = |value: TokenStream| match field.shape {
        FieldKind::Number => quote!(p.number(#value as i64, #format);),
        FieldKind::IndexBy(by) => {
            let arms = index_arms(cx, &form.fields[by]);
            let selector = index_selector(cx, &form.fields[by]);
            let arms = arms.iter().map(|(pattern, id)| quote!(#pattern => rt::Text::print(&#id(#value), p, #format)));
            quote!(match self.#selector { #(#arms),* })
        }
        FieldKind::Zero | FieldKind::Copy(_) => quote!(),
        _ => quote!(rt::Text::print(&#value, p, #format);),
    };
    match field.presence {
        Presence::Always | Presence::Text => one(quote!(self.#member)),
        Presence::If(_) => {
            let one = one(quote!((*value)));
            quote!(if let Some(value) = &self.#member { #one })
        }
        Presence::Times(_) => {
            let separator = separator(field);
            let one = one(quote!((*value)));
            quote!(for (n, value) in self.#member.iter().enumerate() {
                if n > 0 { p.text(#separator); }
                #one
            })
        }
    }
}

/// Returns the separator of repeated fields: a comma for labels, a blank for operands.
pub(super) fn separator(field: &Field) -> &'static str {
    if field.shape == FieldKind::Index(IndexKind::Label) { ", " } else { " " }
}

/// Emits tests that a field in an optional group differs from its default.
fn shown_tests(cx: &Cx<'_>, form: &Form, items: &[Item]) -> Vec<TokenStream> {
    let mut out = Vec::new();
    for place in template::places(items) {
        let field = &form.fields[place.field];
        let member = member_name(&field.name);
        if let Some(part) = cx.model.part_at(form, place) {
            let part_member = member_name(&part.name);
            out.push(match part.kind {
                BitFieldKind::Flag => quote!(self.#member.#part_member),
                _ => quote!(!rt::Text::is_default(&self.#member.#part_member)),
            });
            continue;
        }
        let default = field.default;
        let default_literal = proc_macro2::Literal::i64_unsuffixed(default);
        let changed = match (&field.presence, field.shape) {
            (Presence::If(_), _) => quote!(self.#member.is_some()),
            (Presence::Times(_), _) => quote!(!self.#member.is_empty()),
            (_, FieldKind::Number | FieldKind::IndexBy(_)) => quote!(self.#member as i64 != #default_literal),
            (_, FieldKind::Index(_)) => quote!(i64::from(self.#member.0) != #default_literal),
            (_, FieldKind::Zero | FieldKind::Copy(_)) => quote!(false),
            _ => quote!(!rt::Text::is_default(&self.#member)),
        };
        let always = field.default_if.as_ref().filter(|condition| condition.of.to.is_some()).map(|condition| {
            let test = test(cx, form, condition, self::member);
            quote!(|| !#test)
        });
        out.push(quote!((#changed #always)));
    }
    if out.is_empty() {
        out.push(quote!(false));
    }
    out
}
