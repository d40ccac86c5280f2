//! Emission of shared and in-page lists: enumerations and bit fields, with their bits and defaults.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Cx, columns, hex, member_name, unsigned, variant_name};
use crate::model::{BitField, BitFieldKind, Enumerator, List, ListId, ListKind};

pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let items = cx.model.lists.iter().enumerate().map(|(i, list)| match &list.kind {
        ListKind::Enumeration { lo, width, values } => enumeration(cx, ListId(i), list, *lo, *width, values),
        ListKind::Parts(parts) => bit_field(cx, ListId(i), list, parts),
    });
    let each = columns::each(cx);
    quote! {
        #(#items)*
        #each
    }
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
    let wire = wire(cx, id, list);
    let rows: Vec<columns::Row<'_>> =
        variants.iter().cloned().zip(named.iter().map(|v| v.cells.as_slice())).collect();
    let (said, said_types) = columns::emit(cx, &name, &list.columns, &rows);
    let text = match named.iter().all(|v| v.text == v.name) {
        true => quote!(self.name()),
        false => quote!(match self { #(Self::#variants => #texts),* }),
    };
    quote! {
        #doc
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(#repr)]
        pub enum #name { #(#docs #variants = #codes),* }

        impl #name {
            /// All values, in the order of the page.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];

            /// Returns the name on the page.
            pub const fn name(self) -> &'static str {
                match self { #(Self::#variants => #spec_names),* }
            }

            /// Returns the spelling in assembly text.
            pub const fn text(self) -> &'static str { #text }

            #said
        }

        #said_types

        impl Default for #name {
            fn default() -> Self { Self::#default }
        }

        impl rt::Bits for #name {
            fn from_bits(bits: u64) -> Result<Self, rt::BadBits> {
                #reserved
                Ok(match bits #unshift { #(#codes => Self::#variants,)* _ => return Err(rt::BadBits::value(#spec, bits #unshift)) })
            }

            fn to_bits(&self) -> Result<u64, rt::BadBits> { Ok((*self as u64) #shift) }
        }

        #wire
    }
}

/// Emits the storage of a list that is a whole field.
fn wire(cx: &Cx<'_>, id: ListId, list: &List) -> TokenStream {
    let name = cx.list_type(id);
    let ty = match list.bits {
        8 => quote!(u8),
        16 => quote!(u16),
        32 => quote!(u32),
        64 => quote!(u64),
        _ => return quote!(),
    };
    // Predicates are visited as predicates, not as bits.
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
    let spec = &list.name;
    quote! {
        #visit

        impl rt::ListField for #name {
            const LIST: &'static str = #spec;
        }

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
                quote!(rt::fit(u64::from(self.#member.code()), #width, #place)?),
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

        #wire
    }
}
