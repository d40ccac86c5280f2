//! Emission of the printers and parsers of indices and lists. Indices use names, enumerations their
//! spellings, bit fields templates, letters or numbers.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::{Cx, index_type, member_name, unsigned, variant_name};
use crate::model::{BitField, BitFieldKind, Enumerator, IndexKind, List, ListId, ListKind, Place};
use crate::template::{self, Item, Style};

pub(super) fn emit(cx: &Cx<'_>) -> TokenStream {
    let items = cx.model.lists.iter().enumerate().map(|(i, list)| match &list.kind {
        ListKind::Enumeration { width, values, .. } => enumeration(cx, ListId(i), list, *width, values),
        ListKind::Parts(parts) => bit_field(cx, ListId(i), list, parts),
    });
    let indices = IndexKind::ALL.into_iter().map(index);
    quote!(#(#indices)* #(#items)*)
}

/// Emits the printer and parser of an index, which appears as its name in the routine's table.
fn index(kind: IndexKind) -> TokenStream {
    let name = index_type(kind);
    let table = variant_name(kind.name());
    quote! {
        impl rt::Text for #name {
            fn print(&self, p: &mut rt::Printer<'_>, format: rt::Format) {
                p.index(rt::Table::#table, self.0, format);
            }

            fn parse(c: &mut rt::Cursor<'_>, format: rt::Format) -> Result<Self, rt::TextError> {
                c.skip_blanks();
                c.index(rt::Table::#table, format).map(Self)
            }

            fn is_default(&self) -> bool { self.0 == 0 }
        }
    }
}

/// Emits the printer and parser of an enumeration.
fn enumeration(cx: &Cx<'_>, id: ListId, list: &List, width: u32, values: &[Enumerator]) -> TokenStream {
    let name = cx.list_type(id);
    let (spec, repr) = (&list.name, unsigned(width));
    let named: Vec<_> = values.iter().filter(|v| !v.reserved).collect();
    let spellings = named.iter().map(|v| &v.text);
    let newer = list.newer_spellings();
    let (mut read_newer, mut print_newer) = (Vec::new(), Vec::new());
    for (position, since, text) in &newer {
        let variant = variant_name(&named[*position].name);
        read_newer.push(quote!((#text, #since, #name::#variant)));
        print_newer.push(quote!(Self::#variant if p.names.revision() >= #since => p.text(#text),));
    }
    let read_newer = (!newer.is_empty()).then(|| {
        let texts = newer.iter().map(|(_, _, text)| text);
        quote! {
            const NEWER: &[(&str, u32, #name)] = &[#(#read_newer),*];
            if let Ok(at) = c.attempt(|c| c.one_of(#spec, &[#(#texts),*])) {
                c.note_since(NEWER[at].1);
                return Ok(NEWER[at].2);
            }
        }
    });
    let plain = if newer.is_empty() {
        quote!(p.text(self.text()))
    } else {
        quote!(match self { #(#print_newer)* _ => p.text(self.text()) })
    };
    quote! {
        impl #name {
            /// Spellings in the order of [`Self::ALL`].
            const SPELLINGS: &'static [&'static str] = &[#(#spellings),*];
        }

        impl rt::Text for #name {
            fn print(&self, p: &mut rt::Printer<'_>, format: rt::Format) {
                match format {
                    rt::Format::Plain => #plain,
                    _ => p.number(i64::from(*self as #repr), format),
                }
            }

            fn parse(c: &mut rt::Cursor<'_>, format: rt::Format) -> Result<Self, rt::TextError> {
                match format {
                    rt::Format::Plain => {
                        #read_newer
                        c.one_of(#spec, Self::SPELLINGS).map(|at| Self::ALL[at])
                    }
                    _ => c.bits(format),
                }
            }

            fn is_default(&self) -> bool { *self == Self::default() }
        }
    }
}

/// Emits the printer and parser of a bit field: by its own template, as letters of its flags, or as
/// a number.
fn bit_field(cx: &Cx<'_>, id: ListId, list: &List, parts: &[BitField]) -> TokenStream {
    let name = cx.list_type(id);
    let all = parts;
    let parts: Vec<&BitField> = all.iter().filter(|p| p.kind != BitFieldKind::Zero).collect();
    // Predicates need names of variables and have their own printer.
    let by_template =
        list.text.as_ref().filter(|_| Some(list.at) != cx.predicate_list().map(|id| cx.model.list(id).at));
    let (print, parse) = if let Some(template) = by_template {
        let print = print_items(all, &template.items);
        let parse = parse_items(all, &template.items);
        (quote!(#print), quote!(let mut out = Self::default(); #parse Ok(out)))
    } else if !parts.is_empty() && parts.iter().all(|p| p.kind == BitFieldKind::Flag) {
        let texts: Vec<_> = parts.iter().map(|p| &p.text).collect();
        let members: Vec<_> = parts.iter().map(|p| member_name(&p.name)).collect();
        let mut long: Vec<_> = texts.iter().zip(&members).collect();
        long.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        let long_texts = long.iter().map(|(text, _)| *text);
        let long_members = long.iter().map(|(_, member)| *member);
        // Letters have a fixed order, words have not.
        let read = if texts.iter().all(|text| text.len() == 1) {
            quote!(#(out.#members = c.take_letter(#texts);)*)
        } else {
            // Longer spellings come first, so that no spelling matches the beginning of another.
            quote!(while #(c.take_flag(#long_texts, &mut out.#long_members))||* {})
        };
        (quote!(#(if self.#members { p.text(#texts); })*), quote!(let mut out = Self::default(); #read Ok(out)))
    } else {
        (quote!(p.number(rt::Bits::to_bits(self).unwrap_or_default() as i64, format);), quote!(c.bits(format)))
    };
    quote! {
        impl rt::Text for #name {
        #[allow(unused_variables, reason = "a type with a separate template does not use the format")]
        fn print(&self, p: &mut rt::Printer<'_>, format: rt::Format) {
            match format {
                rt::Format::Plain => { #print }
                _ => p.number(rt::Bits::to_bits(self).unwrap_or_default() as i64, format),
            }
        }

        #[allow(unused_variables, reason = "a type with a separate template does not use the format")]
        fn parse(c: &mut rt::Cursor<'_>, format: rt::Format) -> Result<Self, rt::TextError> {
            if format != rt::Format::Plain {
                return c.bits(format);
            }
            #parse
        }

        fn is_default(&self) -> bool { *self == Self::default() }
        }
    }
}

/// Returns the part that an item of a list's template names.
fn find(parts: &[BitField], place: Option<Place>) -> Option<&BitField> {
    parts.get(place?.field).filter(|p| p.kind != BitFieldKind::Zero)
}

fn print_items(parts: &[BitField], items: &[Item]) -> TokenStream {
    let pieces = items.iter().map(|item| match item {
        Item::Text(text) => quote!(p.text(#text);),
        Item::Space(n) => quote!(p.spaces(#n);),
        Item::Field { place, format, .. } => match find(parts, *place) {
            Some(part) => {
                let member = member_name(&part.name);
                print_part(part, &quote!(self.#member), *format)
            }
            None => quote!(),
        },
        Item::Shown(inner) => print_items(parts, inner),
        Item::Optional(inner) => {
            let tests =
                template::places(inner).into_iter().filter_map(|place| find(parts, Some(place))).map(|part| {
                    let member = member_name(&part.name);
                    quote!(!rt::Text::is_default(&self.#member))
                });
            let inner = print_items(parts, inner);
            quote!(if false #(|| #tests)* { #inner })
        }
        Item::Predicate | Item::Saturation => quote!(),
    });
    quote!(#(#pieces)*)
}

/// Emits the printer of a part: a flag as its word, any other part by its type.
pub(crate) fn print_part(part: &BitField, value: &TokenStream, format: Style) -> TokenStream {
    let format = super::format(format);
    match part.kind {
        BitFieldKind::Flag => {
            let text = &part.text;
            quote!(if #value { p.text(#text); })
        }
        _ => quote!(rt::Text::print(&#value, p, #format);),
    }
}

/// Emits the parser of a part into a place.
pub(crate) fn parse_part(part: &BitField, place: &TokenStream, format: Style) -> TokenStream {
    let format = super::format(format);
    match part.kind {
        BitFieldKind::Flag => {
            let text = &part.text;
            quote!(#place = c.take(#text);)
        }
        _ => quote!(#place = rt::Text::parse(c, #format)?;),
    }
}

fn parse_items(parts: &[BitField], items: &[Item]) -> TokenStream {
    let pieces = items.iter().map(|item| match item {
        Item::Text(text) => quote!(c.expect(#text)?;),
        Item::Space(_) => quote!(c.skip_blanks();),
        Item::Field { place, format, .. } => match find(parts, *place) {
            Some(part) => {
                let member = member_name(&part.name);
                parse_part(part, &quote!(out.#member), *format)
            }
            None => quote!(),
        },
        Item::Shown(inner) => {
            let inner = parse_items(parts, inner);
            quote!(if !c.at_digit() { #inner })
        }
        Item::Optional(inner) => match inner.split_first() {
            Some((Item::Text(text), rest)) => {
                let rest = parse_items(parts, rest);
                quote!(if c.take(#text) { #rest })
            }
            _ => {
                let inner = parse_items(parts, inner);
                quote! {{
                    let kept = out;
                    if c.attempt(|c| { #inner Ok(()) }).is_err() { out = kept; }
                }}
            }
        },
        Item::Predicate | Item::Saturation => quote!(),
    });
    quote!(#(#pieces)*)
}
