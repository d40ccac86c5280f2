//! Shared and in-page lists: enumerations and bit fields, each with its bits, its default and its text.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Cx, hex, is_complete, member_name, unsigned, variant_name};
use crate::model::{BitField, BitFieldKind, Enumerator, List, ListId, ListKind};
use crate::template::{Format, Item};

pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let items = cx.model.lists.iter().enumerate().map(|(i, list)| match &list.kind {
        ListKind::Enumeration { lo, width, values } => enumeration(cx, ListId(i), list, *lo, *width, values),
        ListKind::Parts(parts) => bit_field(cx, ListId(i), list, parts),
    });
    quote!(#(#items)*)
}

fn enumeration(cx: &Cx<'_>, id: ListId, list: &List, lo: u32, width: u32, values: &[Enumerator]) -> TokenStream {
    let name = cx.list_type(id);
    let doc = cx.doc(&list.doc, &list.name, list.at);
    let named: Vec<&Enumerator> = values.iter().filter(|v| !v.reserved).collect();
    let variants: Vec<_> = named.iter().map(|v| variant_name(&v.name)).collect();
    let codes: Vec<_> = named.iter().map(|v| hex(v.value)).collect();
    let texts: Vec<_> = named.iter().map(|v| &v.text).collect();
    let spec_names: Vec<_> = named.iter().map(|v| &v.name).collect();
    let docs = named.iter().map(|v| cx.doc(&v.doc, &v.name, v.at));
    let repr = unsigned(width);
    let default = named.iter().position(|v| v.value == 0).unwrap_or(0);
    let default = variants.get(default);
    let spec = &list.name;
    let shift = (lo > 0).then(|| quote!(<< #lo));
    let mask = hex(if width + lo >= 64 { u64::MAX } else { ((1u64 << width) - 1) << lo });
    let unshift = (lo > 0).then(|| quote!(>> #lo));
    let whole = width + lo >= list.bits && lo == 0;
    let reserved = (!whole).then(|| {
        quote! {
            if bits & !#mask != 0 {
                return Err(rt::BadBits::reserved(#spec, bits & !#mask));
            }
        }
    });
    let catch = if is_complete(list) && whole && list.bits == width {
        quote!(_ => return Err(rt::BadBits::value(#spec, bits)))
    } else {
        quote!(_ => return Err(rt::BadBits::value(#spec, bits #unshift)))
    };
    let wire = wire(cx, id, list);
    quote! {
        #doc
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(#repr)]
        pub enum #name { #(#docs #variants = #codes),* }

        impl #name {
            /// All values, in the order of the page.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// The name on the page.
            pub const fn name(self) -> &'static str {
                match self { #(Self::#variants => #spec_names),* }
            }

            /// The spelling in assembly text.
            pub const fn text(self) -> &'static str {
                match self { #(Self::#variants => #texts),* }
            }
        }

        impl Default for #name {
            fn default() -> Self { Self::#default }
        }

        impl rt::Bits for #name {
            fn from_bits(bits: u64) -> Result<Self, rt::BadBits> {
                #reserved
                Ok(match bits #unshift { #(#codes => Self::#variants,)* #catch })
            }

            fn to_bits(&self) -> Result<u64, rt::BadBits> { Ok((*self as u64) #shift) }
        }

        impl rt::Text for #name {
            fn print(&self, p: &mut rt::Printer<'_>, format: rt::Format) {
                match format {
                    rt::Format::Plain => p.text(self.text()),
                    _ => p.number(i64::from(*self as #repr), format),
                }
            }

            fn parse(c: &mut rt::Cursor<'_>, format: rt::Format) -> Result<Self, rt::TextError> {
                match format {
                    rt::Format::Plain => c.one_of(#spec, Self::ALL, |v| v.text()),
                    _ => c.bits(format),
                }
            }

            fn is_default(&self) -> bool { *self == Self::default() }
        }
        #wire
    }
}

/// How a list is stored where it is a whole field.
fn wire(cx: &Cx<'_>, id: ListId, list: &List) -> TokenStream {
    let name = cx.list_type(id);
    let ty = match list.bits {
        8 => quote!(u8),
        16 => quote!(u16),
        32 => quote!(u32),
        64 => quote!(u64),
        _ => return quote!(),
    };
    // Predicates are shown as what they are.
    let visit = (cx.predicate_list() != Some(id)).then(|| {
        quote! {
            impl rt::Visit for #name {
                fn visit<'a>(&'a self, position: usize, v: &mut dyn rt::Visitor<'a>) {
                    v.field(position, rt::FieldRef::Bits(rt::Bits::to_bits(self).unwrap_or_default()));
                }

                fn visit_mut(&mut self, position: usize, v: &mut dyn rt::VisitorMut) {
                    v.field(position, rt::FieldMut::Value(self));
                }
            }
        }
    });
    quote! {
        #visit

        impl rt::Wire for #name {
            fn decode(r: &mut rt::Reader<'_>, cx: rt::Context) -> Result<Self, rt::DecodeError> {
                let at = r.offset();
                let bits = <#ty as rt::Wire>::decode(r, cx)?;
                rt::Bits::from_bits(u64::from(bits)).map_err(|e| e.at(at))
            }

            fn encode(&self, w: &mut rt::Writer, cx: rt::Context) -> Result<(), rt::EncodeError> {
                rt::Wire::encode(&(rt::Bits::to_bits(self)? as #ty), w, cx)
            }
        }
    }
}

fn part_type(cx: &Cx<'_>, part: &BitField) -> Option<TokenStream> {
    Some(match part.kind {
        BitFieldKind::Zero => return None,
        BitFieldKind::Flag => quote!(bool),
        BitFieldKind::Number => unsigned(part.hi - part.lo + 1),
        BitFieldKind::DataType => quote!(DataType),
        BitFieldKind::Enumeration(id) => {
            let name = cx.list_type(id);
            quote!(#name)
        }
    })
}

fn bit_field(cx: &Cx<'_>, id: ListId, list: &List, parts: &[BitField]) -> TokenStream {
    let name = cx.list_type(id);
    let doc = cx.doc(&list.doc, &list.name, list.at);
    let used: Vec<&BitField> = parts.iter().filter(|p| p.kind != BitFieldKind::Zero).collect();
    let members: Vec<_> = used.iter().map(|p| member_name(&p.name)).collect();
    let types: Vec<_> = used.iter().filter_map(|p| part_type(cx, p)).collect();
    let docs = used.iter().map(|p| {
        let bits = if p.hi == p.lo { format!("Bit {}", p.lo) } else { format!("Bits {}..{}", p.hi, p.lo) };
        cx.doc(&format!("{bits}: {}", p.doc), "", p.at)
    });
    let spec = &list.name;
    let mut known = 0u64;
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    for (part, member) in used.iter().zip(&members) {
        let (lo, width) = (part.lo, part.hi - part.lo + 1);
        let mask = if width >= 64 { u64::MAX } else { (1u64 << width) - 1 };
        known |= mask << lo;
        let mask = hex(mask);
        let raw = quote!((bits >> #lo) & #mask);
        let place = format!("{}.{}", list.name, part.name);
        let (read, write) = match part.kind {
            BitFieldKind::Flag => (quote!(#raw != 0), quote!(u64::from(self.#member))),
            BitFieldKind::Number => {
                let ty = unsigned(width);
                (quote!((#raw) as #ty), quote!(rt::fit(u64::from(self.#member), #width, #place)?))
            }
            BitFieldKind::DataType => (
                quote!(DataType::from_code((#raw) as u8).ok_or(rt::BadBits::value(#place, #raw))?),
                quote!(u64::from(self.#member.code())),
            ),
            BitFieldKind::Enumeration(_) => {
                (quote!(rt::Bits::from_bits(#raw)?), quote!(rt::Bits::to_bits(&self.#member)?))
            }
            BitFieldKind::Zero => continue,
        };
        reads.push(quote!(#member: #read));
        writes.push(quote!((#write << #lo)));
    }
    let all = if list.bits >= 64 { u64::MAX } else { (1u64 << list.bits) - 1 };
    let known_mask = hex(known);
    let check = (known != all).then(|| {
        quote! {
            if bits & !#known_mask != 0 {
                return Err(rt::BadBits::reserved(#spec, bits & !#known_mask));
            }
        }
    });
    let text = text(cx, list, &used);
    let wire = wire(cx, id, list);
    quote! {
        #doc
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #name { #(#docs pub #members: #types),* }

        impl rt::Bits for #name {
            fn from_bits(bits: u64) -> Result<Self, rt::BadBits> {
                #check
                Ok(Self { #(#reads),* })
            }

            fn to_bits(&self) -> Result<u64, rt::BadBits> { Ok(0 #(| #writes)*) }
        }

        impl rt::Text for #name {
            #text
            fn is_default(&self) -> bool { *self == Self::default() }
        }
        #wire
    }
}

/// Printing and parsing of a bit field: by its own template, as letters of its flags, or as a number.
fn text(cx: &Cx<'_>, list: &List, parts: &[&BitField]) -> TokenStream {
    // Predicates need names of variables and print in their own way.
    let by_template =
        list.text.as_ref().filter(|_| Some(list.at) != cx.predicate_list().map(|id| cx.model.list(id).at));
    let (print, parse) = if let Some(template) = by_template {
        let print = print_items(parts, &template.items);
        let parse = parse_items(parts, &template.items);
        (quote!(#print), quote!(let mut out = Self::default(); #parse Ok(out)))
    } else if !parts.is_empty() && parts.iter().all(|p| p.kind == BitFieldKind::Flag) {
        let texts: Vec<_> = parts.iter().map(|p| &p.text).collect();
        let members: Vec<_> = parts.iter().map(|p| member_name(&p.name)).collect();
        let mut long: Vec<_> = texts.iter().zip(&members).collect();
        long.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        let long_texts = long.iter().map(|(text, _)| *text);
        let long_members = long.iter().map(|(_, member)| *member);
        (
            quote!(#(if self.#members { p.text(#texts); })*),
            quote! {
                // Longer spellings first, so that none is taken for the beginning of another.
                let mut out = Self::default();
                while #(c.take_flag(#long_texts, &mut out.#long_members))||* {}
                Ok(out)
            },
        )
    } else {
        (quote!(p.number(rt::Bits::to_bits(self).unwrap_or_default() as i64, format);), quote!(c.bits(format)))
    };
    quote! {
        #[allow(unused_variables, reason = "a template of its own needs no format")]
        fn print(&self, p: &mut rt::Printer<'_>, format: rt::Format) {
            match format {
                rt::Format::Plain => { #print }
                _ => p.number(rt::Bits::to_bits(self).unwrap_or_default() as i64, format),
            }
        }

        #[allow(unused_variables, reason = "a template of its own needs no format")]
        fn parse(c: &mut rt::Cursor<'_>, format: rt::Format) -> Result<Self, rt::TextError> {
            if format != rt::Format::Plain {
                return c.bits(format);
            }
            #parse
        }
    }
}

fn find<'a>(parts: &'a [&BitField], name: &str) -> Option<&'a BitField> {
    parts.iter().find(|p| p.name.eq_ignore_ascii_case(name)).copied()
}

fn print_items(parts: &[&BitField], items: &[Item]) -> TokenStream {
    let pieces = items.iter().map(|item| match item {
        Item::Text(text) => quote!(p.text(#text);),
        Item::Space(n) => quote!(p.spaces(#n);),
        Item::Field { field, format, .. } => match find(parts, field) {
            Some(part) => {
                let member = member_name(&part.name);
                print_part(part, &quote!(self.#member), *format)
            }
            None => quote!(),
        },
        Item::Shown(inner) => print_items(parts, inner),
        Item::Optional(inner) => {
            let tests = fields(inner).into_iter().filter_map(|f| find(parts, f)).map(|part| {
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

/// Prints a part: a flag as its word, everything else by its type.
pub(crate) fn print_part(part: &BitField, value: &TokenStream, format: Format) -> TokenStream {
    let format = super::text::format(format);
    match part.kind {
        BitFieldKind::Flag => {
            let text = &part.text;
            quote!(if #value { p.text(#text); })
        }
        _ => quote!(rt::Text::print(&#value, p, #format);),
    }
}

/// Parses a part into a place.
pub(crate) fn parse_part(part: &BitField, place: &TokenStream, format: Format) -> TokenStream {
    let format = super::text::format(format);
    match part.kind {
        BitFieldKind::Flag => {
            let text = &part.text;
            quote!(#place = c.take(#text);)
        }
        _ => quote!(#place = rt::Text::parse(c, #format)?;),
    }
}

fn parse_items(parts: &[&BitField], items: &[Item]) -> TokenStream {
    let pieces = items.iter().map(|item| match item {
        Item::Text(text) => quote!(c.expect(#text)?;),
        Item::Space(_) => quote!(c.skip_blanks();),
        Item::Field { field, format, .. } => match find(parts, field) {
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

fn fields(items: &[Item]) -> Vec<&str> {
    items
        .iter()
        .flat_map(|i| match i {
            Item::Field { field, .. } => vec![field.as_str()],
            Item::Optional(inner) | Item::Shown(inner) => fields(inner),
            _ => vec![],
        })
        .collect()
}
