//! Emission of one form of an instruction: its struct, codec and visitors.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::docs;
use crate::emit::codec::{read_number, write_number};
use crate::emit::forms::{form_type, role, selector, test, text_only_said};
use crate::emit::indices::{index_selector, index_tables};
use crate::emit::{Cx, index_type, member_name, number_type, variant_name, version_condition, widest};
use crate::model::{Field, FieldKind, Form, Instruction, Presence};

pub(super) fn form_struct(cx: &Cx<'_>, i: &Instruction, form: &Form) -> TokenStream {
    let name = form_type(i, form);
    let mut doc = i.doc.clone();
    if !form.name.is_empty() {
        doc = format!("Form {} of {}.", form.name, i.name);
    }
    let doc = docs::docs(cx, i, &doc, &[form]);
    let aliases = form.name.is_empty().then(|| docs::aliases(i));
    let example = docs::example(i, &name);
    let semantics = (!i.semantics.trim().is_empty() && form.name.is_empty()).then(|| {
        let mut lines = vec![String::new(), " ```text".to_owned()];
        lines.extend(i.semantics.lines().map(|l| format!(" {l}")));
        lines.push(" ```".to_owned());
        quote!(#(#[doc = #lines])*)
    });
    let Body { members, names, reads, writes, visits, changes } = Body::new(cx, i, form);
    let infos = form.fields.iter().map(field_info);
    let text_only = form.fields.iter().filter(|f| f.presence == Presence::Text).map(text_only_said);
    quote! {
        #doc
        #semantics
        #example
        #aliases
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct #name { #(#members),* }

        impl #name {
            #[allow(unused_variables, reason = "some forms have fields without a member")]
            fn decode_fields(r: &mut rt::Reader<'_>, cx: rt::Context) -> Result<Self, rt::DecodeError> {
                #(#reads)*
                Ok(Self { #(#names),* })
            }

            #[allow(unused_variables, reason = "an instruction may have no fields")]
            fn encode_fields(&self, w: &mut rt::Writer, cx: rt::Context) -> Result<(), rt::EncodeError> {
                #(#writes)*
                Ok(())
            }

            #[allow(unused_variables, reason = "an instruction may have no fields")]
            fn visit<'a>(&'a self, v: &mut dyn rt::Visitor<'a>) { #(#visits)* }

            #[allow(unused_variables, reason = "an instruction may have no fields")]
            fn visit_mut(&mut self, v: &mut dyn rt::VisitorMut) { #(#changes)* }

            const FIELDS: &'static [rt::FieldInfo] = &[#(#infos),*];

            /// Returns true if a text-only field differs from its default.
            fn says_text_only(&self) -> bool { false #(|| #text_only)* }
        }
    }
}

/// Parts of the items of a form, in the order of its fields.
#[derive(Default)]
struct Body {
    /// Members of the struct.
    members: Vec<TokenStream>,
    /// Initialisers of the struct after decoding.
    names: Vec<TokenStream>,
    reads: Vec<TokenStream>,
    writes: Vec<TokenStream>,
    visits: Vec<TokenStream>,
    /// Visits that may change a field.
    changes: Vec<TokenStream>,
}

impl Body {
    fn new(cx: &Cx<'_>, i: &Instruction, form: &Form) -> Self {
        let (owner, mut body) = (&i.name, Self::default());
        if let Some((field, id, values)) = selector(cx, form) {
            let (member, ty) = (member_name(&field.name), cx.list_type(id));
            let place = format!("{owner}.{}", field.name);
            body.writes.push(quote!(rt::selected(matches!(self.#member, #(#ty::#values)|*), #place)?;));
        }
        if let Some(test) = version_condition(&form.versions) {
            let place = format!("{owner} (form {})", form.name);
            body.writes.push(quote!(rt::selected(#test, #place)?;));
        }
        for (position, field) in form.fields.iter().enumerate() {
            let (local, read) = (local_name(field), read_located(cx, i, form, field));
            body.reads.push(quote!(let #local = #read;));
            body.writes.push(write_field(cx, i, form, field));
            if let Some(counted) = form.fields.iter().find(|f| f.presence == Presence::Times(position)) {
                let counted = member_name(&counted.name);
                body.visits.push(quote!(v.field(#position, rt::FieldRef::Number(self.#counted.len() as i64));));
                continue;
            }
            let Some(ty) = cx.field_type(field) else { continue };
            let ty = match field.presence {
                Presence::Always | Presence::Text => ty,
                Presence::If(_) => quote!(Option<#ty>),
                Presence::Times(_) => quote!(Vec<#ty>),
            };
            let (ident, doc) = (member_name(&field.name), cx.doc(&field.doc, &field.name, field.at));
            body.members.push(quote!(#doc pub #ident: #ty));
            body.names.push(quote!(#ident: #local));
            body.visit(cx, form, (position, field));
        }
        body
    }

    /// Adds the visits of a field.
    fn visit(&mut self, cx: &Cx<'_>, form: &Form, (position, field): (usize, &Field)) {
        let ident = member_name(&field.name);
        let (visit, change) = match table_of(cx, form, field) {
            // A text-only field is visited only if it differs from its default.
            _ if field.presence == Presence::Text => {
                let said = text_only_said(field);
                (
                    quote!(if #said { rt::Visit::visit(&self.#ident, #position, v); }),
                    quote!(if #said { rt::Visit::visit_mut(&mut self.#ident, #position, v); }),
                )
            }
            Some(table) => (
                quote!(v.field(#position, rt::FieldRef::Index(#table, self.#ident));),
                quote!(v.field(#position, rt::FieldMut::Index(#table, &mut self.#ident));),
            ),
            None => (
                quote!(rt::Visit::visit(&self.#ident, #position, v);),
                quote!(rt::Visit::visit_mut(&mut self.#ident, #position, v);),
            ),
        };
        self.visits.push(visit);
        self.changes.push(change);
    }
}

/// Returns the table of an index that another field selects, if the field has the width of an
/// index.
fn table_of(cx: &Cx<'_>, form: &Form, field: &Field) -> Option<TokenStream> {
    let FieldKind::IndexBy(by) = field.shape else { return None };
    if field.presence != Presence::Always || widest(&field.storage).bits() != 32 {
        return None;
    }
    let arms = index_tables(cx, &form.fields[by]);
    let selector = index_selector(cx, &form.fields[by]);
    let arms = arms.iter().map(|(pattern, kind)| {
        let table = variant_name(kind.name());
        quote!(#pattern => rt::Table::#table)
    });
    Some(quote!(match self.#selector { #(#arms),* }))
}

/// Emits the name and role of a field.
fn field_info(field: &Field) -> TokenStream {
    let (name, role) = (&field.name, role(field));
    quote!(rt::FieldInfo { name: #name, role: #role })
}

/// Emits an expression that reads a field and adds the field's name to errors. Fields that are
/// decoded by type alone share one function for each type; a closure for each of the hundreds of
/// fields would dominate the build time.
pub(super) fn read_located(cx: &Cx<'_>, i: &Instruction, form: &Form, field: &Field) -> TokenStream {
    let (owner, spec) = (&i.name, &field.name);
    if field.presence == Presence::Text {
        let stored = Field { presence: Presence::Always, ..field.clone() };
        let read = read_located(cx, i, form, &stored);
        return quote!(if cx.has_text_only() { #read } else { Default::default() });
    }
    let located = |ty: TokenStream| quote!(rt::field::<#ty>(#owner, #spec, r, cx)?);
    match (&field.presence, field.shape, field.storage.as_slice()) {
        (Presence::Always, FieldKind::Number | FieldKind::IndexBy(_), [(_, storage)]) => {
            located(number_type(*storage))
        }
        (Presence::Always, FieldKind::Index(kind), [(_, storage)]) => {
            let (name, number) = (index_type(kind), located(number_type(*storage)));
            quote!(#name(u32::from(#number)))
        }
        (
            Presence::Always,
            FieldKind::List(_) | FieldKind::Predicate | FieldKind::Vector | FieldKind::Scalar | FieldKind::Raw,
            _,
        ) if cx.field_type(field).is_some() => located(cx.field_type(field).unwrap_or_default()),
        _ => {
            let read = read_field(cx, i, form, field);
            quote!(rt::place(#owner, #spec, r, |r| Ok(#read))?)
        }
    }
}

fn read_field(cx: &Cx<'_>, i: &Instruction, form: &Form, field: &Field) -> TokenStream {
    let place = format!("{}.{}", i.name, field.name);
    let number = read_number(&field.storage);
    let one = match field.shape {
        FieldKind::Number | FieldKind::IndexBy(_) => number,
        FieldKind::Index(kind) => {
            let name = index_type(kind);
            quote!(#name(u32::from(#number)))
        }
        FieldKind::Zero => quote!({
            let at = r.offset();
            let value = #number;
            if value != 0 {
                return Err(rt::BadBits::reserved(#place, value as u64).at(at));
            }
        }),
        FieldKind::Copy(of) if is_operand(&form.fields[of]) => {
            let original = member_value(&form.fields[of], false);
            let name = &form.fields[of].name;
            let ty = cx.field_type(&form.fields[of]);
            quote!({
                let at = r.offset();
                if <#ty as rt::Wire>::decode(r, cx)? != #original {
                    return Err(rt::BadBits::copy(#place, #name, 0).at(at));
                }
            })
        }
        FieldKind::Copy(of) => {
            let original = bits_of(&form.fields[of], &member_value(&form.fields[of], false));
            let name = &form.fields[of].name;
            quote!({
                let at = r.offset();
                let value = #number;
                if value as u64 != #original {
                    return Err(rt::BadBits::copy(#place, #name, value as u64).at(at));
                }
            })
        }
        _ => match cx.field_type(field) {
            Some(ty) => quote!(<#ty as rt::Wire>::decode(r, cx)?),
            None => quote!(()),
        },
    };
    match &field.presence {
        Presence::Always | Presence::Text => one,
        Presence::If(condition) => {
            let test = test(cx, form, condition, |field| member_value(field, false));
            quote!(if #test { Some(#one) } else { None })
        }
        Presence::Times(count) => {
            let count = local_name(&form.fields[*count]);
            quote!({
                let mut all = Vec::new();
                for _ in 0..#count { all.push(#one); }
                all
            })
        }
    }
}

fn member_value(field: &Field, of_self: bool) -> TokenStream {
    let (member, local) = (member_name(&field.name), local_name(field));
    if of_self { quote!(self.#member) } else { quote!(#local) }
}

/// Returns the local variable that holds a field during decoding. Its prefix avoids collisions with
/// the reader.
fn local_name(field: &Field) -> Ident {
    format_ident!("v_{}", member_name(&field.name))
}

/// Returns true for a field that is an operand rather than bits.
fn is_operand(field: &Field) -> bool {
    matches!(field.shape, FieldKind::Vector | FieldKind::Scalar | FieldKind::Raw)
}

/// Emits the bits of a field as a `u64`.
fn bits_of(field: &Field, value: &TokenStream) -> TokenStream {
    match field.shape {
        FieldKind::List(_) | FieldKind::Predicate => quote!(rt::Bits::to_bits(&#value).unwrap_or_default()),
        FieldKind::Index(_) => quote!(u64::from(#value.0)),
        _ => quote!((#value as u64)),
    }
}

fn write_field(cx: &Cx<'_>, i: &Instruction, form: &Form, field: &Field) -> TokenStream {
    let place = format!("{}.{}", i.name, field.name);
    let ident = member_name(&field.name);
    let position = form.fields.iter().position(|f| f.name == field.name).unwrap_or(0);
    if let Some(counted) = form.fields.iter().find(|f| f.presence == Presence::Times(position)) {
        let counted = member_name(&counted.name);
        return write_number(&field.storage, &quote!(self.#counted.len() as u64), &place);
    }
    let one = |value: TokenStream| match field.shape {
        FieldKind::Number | FieldKind::IndexBy(_) => write_number(&field.storage, &quote!(*#value), &place),
        FieldKind::Index(_) => write_number(&field.storage, &quote!(u64::from(#value.0)), &place),
        FieldKind::Zero => write_number(&field.storage, &quote!(0u64), &place),
        FieldKind::Copy(of) if is_operand(&form.fields[of]) => {
            let original = member_value(&form.fields[of], true);
            quote!(rt::Wire::encode(&#original, w, cx)?;)
        }
        FieldKind::Copy(of) => {
            let original = bits_of(&form.fields[of], &member_value(&form.fields[of], true));
            write_number(&field.storage, &original, &place)
        }
        _ => quote!(rt::Wire::encode(#value, w, cx)?;),
    };
    match &field.presence {
        Presence::Always if matches!(field.shape, FieldKind::Zero | FieldKind::Copy(_)) => one(quote!(())),
        Presence::Always => one(quote!((&self.#ident))),
        Presence::Text => {
            let one = one(quote!((&self.#ident)));
            quote!(if cx.has_text_only() { #one })
        }
        Presence::If(condition) => {
            let test = test(cx, form, condition, |field| member_value(field, true));
            let one = one(quote!(value));
            quote! {
                rt::present(#test, self.#ident.is_some(), #place)?;
                if let Some(value) = &self.#ident { #one }
            }
        }
        Presence::Times(_) => {
            let one = one(quote!(value));
            quote!(for value in &self.#ident { #one })
        }
    }
}
