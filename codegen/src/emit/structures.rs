//! Emission of the chapters' structures: operand layouts and the tables of an object.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use super::codec::{read_number, write_number};
use super::{Cx, constant_name, index_type, member_name, number_type, type_name, variant_name, widest};
use crate::model::{
    BitField, BitFieldKind, Condition, FieldKind, ListKind, Member, MemberType, Reference, Storage, Structure,
    StructureId, targets,
};

pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let items = cx.model.structures.iter().map(|s| {
        if s.members.iter().any(|m| m.storage.iter().any(|(_, t)| *t == MemberType::Info)) {
            union(cx, s)
        } else {
            structure(cx, s)
        }
    });
    // Sorted by name, so that the order does not depend on the pages.
    let mut names: Vec<&String> = cx.model.structures.iter().map(|s| &s.name).collect();
    names.sort();
    let all = names.into_iter().map(|name| {
        let ty = type_name(name);
        quote!(visitor.structure::<#ty>(#name);)
    });
    quote! {
        #(#items)*

        /// Passes the type of every structure to a visitor, with its name on the page.
        pub fn each_structure(visitor: &mut impl rt::StructureVisitor) { #(#all)* }
    }
}

/// Returns the member that another member counts. The counter is derived and has no member of its
/// own.
fn counted(structure: &Structure, position: usize) -> Option<&Member> {
    structure.members.iter().find(|m| m.count.as_ref().is_some_and(|count| count.to == Some(position)))
}

/// Returns the Rust type of another structure.
fn structure_type(cx: &Cx<'_>, structure: &Reference<StructureId>) -> Option<Ident> {
    Some(type_name(&cx.model.structure(structure.to?)?.name))
}

fn member_type(cx: &Cx<'_>, member: &Member) -> Option<TokenStream> {
    let (_, first) = member.storage.first()?;
    let one = match first {
        MemberType::Instructions | MemberType::Info => return None,
        MemberType::StringPool => return Some(quote!(Vec<rt::Bytes>)),
        MemberType::Structure(structure) => {
            let name = structure_type(cx, structure)?;
            quote!(#name)
        }
        MemberType::Number(_) => match member.shape {
            _ if member.data_type => quote!(DataType),
            FieldKind::List(id) => {
                let name = cx.list_type(id);
                quote!(#name)
            }
            FieldKind::Index(kind) => index_type(kind),
            FieldKind::Zero => return None,
            _ => number_type(member_storage(member)),
        },
    };
    Some(match (&member.count, &member.presence, first) {
        (Some(_), _, MemberType::Number(Storage::Ub)) => quote!(rt::Bytes),
        (Some(_), _, _) => quote!(Vec<#one>),
        (None, Some(_), _) => quote!(Option<#one>),
        (None, None, _) => one,
    })
}

fn member_storage(member: &Member) -> Storage {
    widest(&numbers(member))
}

fn numbers(member: &Member) -> Vec<(crate::model::Availability, Storage)> {
    member
        .storage
        .iter()
        .filter_map(|(marks, ty)| match ty {
            MemberType::Number(storage) => Some((marks.clone(), *storage)),
            _ => None,
        })
        .collect()
}

fn structure(cx: &Cx<'_>, s: &Structure) -> TokenStream {
    let name = type_name(&s.name);
    let owner = &s.name;
    let doc = cx.doc(&s.doc, &format!("Structure {}.", s.name), s.at);
    let mut members = Vec::new();
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    let mut names = Vec::new();
    for (position, member) in s.members.iter().enumerate() {
        let ident = member_name(&member.name);
        let spec = &member.name;
        let place = format!("{owner}.{spec}");
        if matches!(member.storage.first(), Some((_, MemberType::Instructions))) {
            continue;
        }
        let read = read_member(cx, s, member);
        reads.push(quote!(r.mark(#spec);));
        reads.push(quote!(let #ident = rt::place(#owner, #spec, r, |r| Ok(#read))?;));
        writes.push(quote!(w.mark(#spec);));
        if let Some(array) = counted(s, position) {
            let array = member_name(&array.name);
            if member.shape == FieldKind::Zero {
                writes.push(quote!(rt::empty(self.#array.len(), #place)?;));
            }
            writes.push(write_number(&numbers(member), &quote!(self.#array.len() as u64), &place));
            continue;
        }
        writes.push(write_member(cx, member, &place, s));
        if let Some(ty) = member_type(cx, member) {
            let doc = cx.doc(&member.doc, &member.name, member.at);
            members.push(quote!(#doc pub #ident: #ty));
            names.push(ident);
        }
    }
    // Counters have no separate member; constants hold their names, for marks.
    let counts = s.members.iter().filter_map(|m| Some((m, &m.count.as_ref()?.name))).map(|(array, count)| {
        let constant = constant_name(&format!("{}_count", array.name));
        let doc = format!(" Name of the count of `{}`, for its mark.", array.name);
        quote!(#[doc = #doc] pub const #constant: &'static str = #count;)
    });
    let mut counts = counts.peekable();
    let counts = counts.peek().is_some().then(|| quote!(impl #name { #(#counts)* }));
    quote! {
        #doc
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct #name { #(#members),* }

        #counts

        impl rt::Wire for #name {
            #[allow(unused_variables, reason = "some members have no separate value")]
            fn decode(r: &mut rt::Reader<'_>, cx: rt::Context) -> Result<Self, rt::DecodeError> {
                #(#reads)*
                Ok(Self { #(#names),* })
            }

            #[allow(unused_variables, reason = "a structure may be empty")]
            fn encode(&self, w: &mut rt::Writer, cx: rt::Context) -> Result<(), rt::EncodeError> {
                #(#writes)*
                Ok(())
            }
        }
    }
}

fn read_member(cx: &Cx<'_>, s: &Structure, member: &Member) -> TokenStream {
    let place = format!("{}.{}", s.name, member.name);
    let number = read_number(&numbers(member));
    let one = match member.storage.first() {
        Some((_, MemberType::Structure(structure))) => {
            let name = structure_type(cx, structure);
            quote!(<#name as rt::Wire>::decode(r, cx)?)
        }
        Some((_, MemberType::StringPool)) => {
            let count = count_name(s, member);
            return quote!(r.strings(u64::from(#count))?);
        }
        _ => match member.shape {
            _ if member.data_type => quote!({
                let at = r.offset();
                let code = #number;
                DataType::from_code(code).ok_or_else(|| rt::BadBits::value(#place, u64::from(code)).at(at))?
            }),
            FieldKind::List(id) => {
                let name = cx.list_type(id);
                quote!(<#name as rt::Wire>::decode(r, cx)?)
            }
            FieldKind::Index(kind) => {
                let name = index_type(kind);
                quote!(#name(u32::from(#number)))
            }
            FieldKind::Zero => quote!({
                let at = r.offset();
                let value = #number;
                if u64::from(value) != 0 {
                    return Err(rt::BadBits::reserved(#place, u64::from(value)).at(at));
                }
                value
            }),
            _ => number,
        },
    };
    match (&member.count, &member.presence, member.storage.first()) {
        (Some(_), _, Some((_, MemberType::Number(Storage::Ub)))) => {
            let count = count_name(s, member);
            quote!(r.bytes(u64::from(#count))?)
        }
        (Some(_), _, _) => {
            let count = count_name(s, member);
            quote!({
                let mut all = r.list(u64::from(#count));
                for _ in 0..#count { all.push(#one); }
                all
            })
        }
        (None, Some(condition), _) => {
            let (selector, test) = presence(cx, s, condition);
            quote!(if matches!(#selector, #test) { Some(#one) } else { None })
        }
        _ => one,
    }
}

/// Returns the local variable that holds the count of a member during decoding.
fn count_name(s: &Structure, member: &Member) -> Option<Ident> {
    let count = s.members.get(member.count.as_ref()?.to?)?;
    Some(member_name(&count.name))
}

/// Returns the deciding member, and a pattern of the values for which a member is stored.
fn presence(cx: &Cx<'_>, s: &Structure, condition: &Condition) -> (Option<Ident>, TokenStream) {
    let member = condition.of.to.map(|place| &s.members[place.field]);
    let patterns = targets(&condition.values).map(|value| match member {
        Some(m) if m.data_type => {
            let ty = cx.model.types.iter().find(|t| t.code == value).map(|t| variant_name(&t.name));
            quote!(DataType::#ty)
        }
        _ => Literal::u64_unsuffixed(value).to_token_stream(),
    });
    (member.map(|m| member_name(&m.name)), quote!(#(#patterns)|*))
}

fn write_member(cx: &Cx<'_>, member: &Member, place: &str, s: &Structure) -> TokenStream {
    let ident = member_name(&member.name);
    let numbers = numbers(member);
    let one = |value: TokenStream| match member.storage.first() {
        Some((_, MemberType::Structure(_))) => quote!(rt::Wire::encode(#value, w, cx)?;),
        _ => match member.shape {
            _ if member.data_type => write_number(&numbers, &quote!(u64::from(#value.code())), place),
            FieldKind::List(_) => quote!(rt::Wire::encode(#value, w, cx)?;),
            FieldKind::Index(_) => write_number(&numbers, &quote!(u64::from(#value.0)), place),
            FieldKind::Zero => write_number(&numbers, &quote!(0u64), place),
            _ => write_number(&numbers, &quote!(*#value), place),
        },
    };
    match (&member.count, &member.presence, member.storage.first()) {
        (_, _, Some((_, MemberType::StringPool))) => quote!(w.strings(&self.#ident)?;),
        (Some(_), _, Some((_, MemberType::Number(Storage::Ub)))) => quote!(w.bytes(self.#ident.as_slice());),
        (Some(_), _, _) => {
            let one = one(quote!(item));
            quote!(for item in &self.#ident { #one })
        }
        (None, Some(condition), _) => {
            let (selector, test) = presence(cx, s, condition);
            let one = one(quote!(value));
            quote! {
                rt::present(matches!(self.#selector, #test), self.#ident.is_some(), #place)?;
                if let Some(value) = &self.#ident { #one }
            }
        }
        _ if member.shape == FieldKind::Zero => one(quote!(())),
        _ => {
            let one = one(quote!((&self.#ident)));
            quote!(#one)
        }
    }
}

/// Emits a structure whose remainder depends on the class in its tag: an operand.
fn union(cx: &Cx<'_>, s: &Structure) -> TokenStream {
    let name = type_name(&s.name);
    let doc = cx.doc(&s.doc, &format!("Structure {}.", s.name), s.at);
    let tag = s.members.iter().find_map(|m| match m.shape {
        FieldKind::List(id) => Some(id),
        _ => None,
    });
    let Some(tag) = tag else { return quote!() };
    let tag_type = cx.list_type(tag);
    let ListKind::Parts(parts) = &cx.model.list(tag).kind else { return quote!() };
    // Separate the part with the operand classes from the other parts.
    let Some(class) = cx.model.class_part.filter(|class| class.list == tag) else { return quote!() };
    let class_part = &parts[class.position];
    let BitFieldKind::Enumeration(class_id) = class_part.kind else { return quote!() };
    let is_other = |(at, part): &(usize, &BitField)| *at != class.position && part.kind != BitFieldKind::Zero;
    let others: Vec<&BitField> = parts.iter().enumerate().filter(is_other).map(|(_, part)| part).collect();
    let class_type = cx.list_type(class_id);
    let class_member = member_name(&class_part.name);
    let classed: Vec<&Structure> = cx.model.structures.iter().filter(|s| s.class.is_some()).collect();
    let variants: Vec<_> = classed.iter().filter_map(|s| s.class.as_ref()).map(|c| variant_name(&c.name)).collect();
    let types: Vec<_> = classed.iter().map(|s| type_name(&s.name)).collect();
    let docs = classed.iter().map(|s| cx.doc(&s.doc, &s.name, s.at));
    let other_members: Vec<_> = others.iter().map(|p| member_name(&p.name)).collect();
    let other_types = others.iter().map(|p| match p.kind {
        BitFieldKind::Enumeration(id) => {
            let name = cx.list_type(id);
            quote!(#name)
        }
        BitFieldKind::Flag => quote!(bool),
        _ => quote!(u8),
    });
    let other_docs = others.iter().map(|p| cx.doc(&p.doc, &p.name, p.at));
    let first = (variants.first(), types.first());
    let default = match first {
        (Some(variant), Some(ty)) => quote!(Self::#variant(#ty::default())),
        _ => return quote!(),
    };
    let codec = union_codec(&s.name, (&tag_type, &class_type, &class_member), (&variants, &types), &other_members);
    quote! {
        #doc
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct #name {
            #(#other_docs pub #other_members: #other_types,)*
            /// Operand, by its class.
            pub operand: Operand,
        }

        /// Operand, by its class.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Operand { #(#docs #variants(#types)),* }

        impl Default for Operand {
            fn default() -> Self { #default }
        }

        impl Operand {
            /// Returns the class in the operand's tag.
            pub const fn class(&self) -> #class_type {
                match self { #(Self::#variants(_) => #class_type::#variants),* }
            }
        }

        #codec
    }
}

/// Emits the codec of an operand: its tag, then the structure of its class.
fn union_codec(
    owner: &str,
    (tag_type, class_type, class_member): (&Ident, &Ident, &Ident),
    (variants, types): (&[Ident], &[Ident]),
    other_members: &[Ident],
) -> TokenStream {
    let name = type_name(owner);
    quote! {
        impl rt::Wire for #name {
            fn decode(r: &mut rt::Reader<'_>, cx: rt::Context) -> Result<Self, rt::DecodeError> {
                let tag = rt::place(#owner, "tag", r, |r| <#tag_type as rt::Wire>::decode(r, cx))?;
                let operand = match tag.#class_member {
                    #(#class_type::#variants => Operand::#variants(<#types as rt::Wire>::decode(r, cx)?),)*
                };
                Ok(Self { #(#other_members: tag.#other_members,)* operand })
            }

            fn encode(&self, w: &mut rt::Writer, cx: rt::Context) -> Result<(), rt::EncodeError> {
                let tag = #tag_type { #class_member: self.operand.class(), #(#other_members: self.#other_members),* };
                rt::Wire::encode(&tag, w, cx)?;
                match &self.operand {
                    #(Operand::#variants(operand) => rt::Wire::encode(operand, w, cx),)*
                }
            }
        }
    }
}
