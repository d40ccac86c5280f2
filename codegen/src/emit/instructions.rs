//! Emission of one struct for each instruction, its codec, and the enum of all instructions.

mod docs;
mod form;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::forms::{boxed, boxed_type, enumerators, form_type, is_large, selector};
use super::{Cx, hex, member_name, type_name, variant_name};
use crate::model::{Condition, FieldKind, Form, Instruction, PageKind, Presence, targets};
use form::{form_struct, read_located};

/// Returns the only form of an instruction, which is stored in the enum of instructions directly.
fn only_form(i: &Instruction) -> Option<&Form> {
    match i.forms.as_slice() {
        [form] => Some(form),
        _ => None,
    }
}

pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let all: Vec<&Instruction> = cx.model.instructions.iter().filter(|i| i.is_encoded()).collect();
    let structs = all.iter().map(|i| one(cx, i));
    let names: Vec<_> = all.iter().map(|i| type_name(&i.name)).collect();
    let docs = all.iter().map(|i| {
        let first = i.doc.split(". ").next().unwrap_or("").to_owned();
        cx.doc(&first, &i.name, i.at)
    });
    let variant_types = all.iter().map(|i| {
        let name = type_name(&i.name);
        match only_form(i) {
            Some(form) => boxed_type(form, quote!(#name)),
            None => quote!(#name),
        }
    });
    let methods = methods(cx, &all, &names);
    let conversions = all.iter().map(|i| conversions(i));
    let codec = codec(cx, &all);
    quote! {
        #(#structs)*

        /// Instruction, with one variant for each page that has an encoding.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "instructions are stored in vectors and read once")]
        pub enum Instruction { #(#docs #names(#variant_types)),* }

        #methods

        #(#conversions)*

        #codec
    }
}

/// Emits the methods of the enum of all instructions.
fn methods(cx: &Cx<'_>, all: &[&Instruction], names: &[Ident]) -> TokenStream {
    let constants = all.iter().map(|i| super::constant_name(&i.name));
    let opcodes = all.iter().map(|i| hex(u64::from(i.opcode)));
    let form_arms = all.iter().map(|i| form_arm(i));
    let field_arms = all.iter().map(|i| field_arm(i));
    let samples = all.iter().flat_map(|i| i.forms.iter().map(move |form| sample_of(cx, i, form)));
    quote! {
        impl Instruction {
            /// Returns the page of the instruction.
            pub fn page(&self) -> &'static rt::reflect::Page {
                match self { #(Self::#names(_) => &pages::#constants),* }
            }

            /// Returns the layout of the instruction.
            pub fn form(&self) -> &'static rt::reflect::Form {
                match self { #(#form_arms),* }
            }

            /// Returns the first byte of the instruction in objects.
            pub const fn opcode(&self) -> u8 {
                match self { #(Self::#names(_) => #opcodes),* }
            }

            /// Returns one instruction of each page and form, with null operands, for tests.
            pub fn samples() -> Vec<Self> { vec![#(#samples),*] }

            /// Passes every field to a visitor, in storage order.
            pub fn visit<'a>(&'a self, v: &mut dyn rt::Visitor<'a>) {
                match self { #(Self::#names(inst) => inst.visit(v)),* }
            }

            /// Passes every field to a visitor that may change it, in storage order. A field that
            /// only counts others has no value of its own and is skipped.
            pub fn visit_mut(&mut self, v: &mut dyn rt::VisitorMut) {
                match self { #(Self::#names(inst) => inst.visit_mut(v)),* }
            }

            /// Returns true if a text-only field differs from its default.
            pub fn says_text_only(&self) -> bool {
                match self { #(Self::#names(inst) => inst.says_text_only()),* }
            }

            /// Returns the names and roles of the fields, by position in the Format.
            pub fn fields(&self) -> &'static [rt::FieldInfo] {
                match self { #(#field_arms),* }
            }
        }
    }
}

/// Emits the arm that returns the layout of an instruction.
fn form_arm(i: &Instruction) -> TokenStream {
    let (name, constant) = (type_name(&i.name), super::constant_name(&i.name));
    if i.forms.len() == 1 {
        return quote!(Self::#name(_) => &pages::#constant.forms[0]);
    }
    let variants = i.forms.iter().map(|f| variant_name(&f.name));
    let numbers = 0..i.forms.len();
    quote!(Self::#name(inst) => match inst { #(#name::#variants(_) => &pages::#constant.forms[#numbers]),* })
}

/// Emits the arm that returns the fields of an instruction.
fn field_arm(i: &Instruction) -> TokenStream {
    let name = type_name(&i.name);
    let types = i.forms.iter().map(|f| form_type(i, f));
    if i.forms.len() == 1 {
        return quote!(Self::#name(_) => #(#types::FIELDS)*);
    }
    let variants = i.forms.iter().map(|f| variant_name(&f.name));
    quote!(Self::#name(inst) => match inst { #(#name::#variants(_) => #types::FIELDS),* })
}

/// Emits the conversions of the structs of an instruction to the enum of all instructions.
fn conversions(i: &Instruction) -> TokenStream {
    let name = type_name(&i.name);
    let conversions = i.forms.iter().map(|form| {
        let form_name = form_type(i, form);
        let mut value = boxed(form, quote!(inst));
        if i.forms.len() > 1 {
            let variant = variant_name(&form.name);
            value = quote!(#name::#variant(#value));
        }
        quote!(impl From<#form_name> for Instruction {
            fn from(inst: #form_name) -> Self { Self::#name(#value) }
        })
    });
    quote!(#(#conversions)*)
}

/// Emits an instruction of a form with null operands.
fn sample_of(cx: &Cx<'_>, i: &Instruction, form: &Form) -> TokenStream {
    let (name, form_name) = (type_name(&i.name), form_type(i, form));
    let sample = sample(cx, form);
    let sample = boxed(form, quote!(#form_name #sample));
    if i.forms.len() > 1 {
        let variant = variant_name(&form.name);
        quote!(Self::#name(#name::#variant(#sample)))
    } else {
        quote!(Self::#name(#sample))
    }
}

/// Emits the codec of the enum of all instructions.
fn codec(cx: &Cx<'_>, all: &[&Instruction]) -> TokenStream {
    let decode = decode(cx);
    let writes = all.iter().map(|i| {
        let name = type_name(&i.name);
        let opcode = hex(u64::from(i.opcode));
        let sub = i.sub_opcode.map(|s| {
            let s = hex(u64::from(s));
            quote!(w.u8(#s);)
        });
        quote!(Self::#name(inst) => { w.u8(#opcode); #sub inst.encode_fields(w, cx) })
    });
    quote! {
        impl rt::Wire for Instruction {
            fn decode(r: &mut rt::Reader<'_>, cx: rt::Context) -> Result<Self, rt::DecodeError> { #decode }

            fn encode(&self, w: &mut rt::Writer, cx: rt::Context) -> Result<(), rt::EncodeError> {
                match self { #(#writes),* }
            }
        }
    }
}

/// Emits a struct literal that the codec accepts: the selector of the form has one of the form's
/// values.
fn sample(cx: &Cx<'_>, form: &Form) -> TokenStream {
    let mut sets = Vec::new();
    if let Some((field, id, values)) = selector(cx, form)
        && let Some(value) = values.first()
    {
        let (member, ty) = (member_name(&field.name), cx.list_type(id));
        sets.push(quote!(#member: #ty::#value));
    }
    for field in &form.fields {
        if let Presence::If(condition) = &field.presence
            && holds_by_default(cx, form, condition)
        {
            let member = member_name(&field.name);
            sets.push(quote!(#member: Some(Default::default())));
        }
    }
    if sets.len() == form.fields.iter().filter(|f| cx.field_type(f).is_some()).count() {
        quote!({ #(#sets),* })
    } else {
        quote!({ #(#sets,)* ..Default::default() })
    }
}

/// Returns true if a presence condition holds when every field has its default.
fn holds_by_default(cx: &Cx<'_>, form: &Form, condition: &Condition) -> bool {
    let Some(place) = condition.of.to else { return false };
    let shape = form.fields[place.field].shape;
    let default = match cx.model.names_list(shape, place.part) {
        Some(id) => {
            let mut named = cx.model.values(id).iter().filter(|v| !v.reserved).map(|v| v.value);
            named.clone().find(|value| *value == 0).or(named.next())
        }
        None if place.part.is_none() && matches!(shape, FieldKind::List(_)) => None,
        None => Some(0),
    };
    default.is_some_and(|default| targets(&condition.values).any(|value| value == default))
}

fn decode(cx: &Cx<'_>) -> TokenStream {
    let mut arms = Vec::new();
    let mut opcodes: Vec<u8> = cx.model.instructions.iter().map(|i| i.opcode).collect();
    opcodes.dedup();
    for opcode in opcodes {
        let same: Vec<&Instruction> = cx.model.instructions.iter().filter(|i| i.opcode == opcode).collect();
        let code = hex(u64::from(opcode));
        if let Some(i) = same.iter().find(|i| i.is_encoded() && i.sub_opcode.is_none()) {
            let name = type_name(&i.name);
            let wrap = wrap(&name, only_form(i));
            arms.push(quote!(#code => #name::decode_fields(r, cx).map(#wrap)));
        } else if same.iter().any(|i| i.is_encoded()) {
            let family = same.iter().find_map(|i| i.family.as_deref()).unwrap_or("");
            let subs = same.iter().filter(|i| i.is_encoded()).map(|i| {
                let sub = hex(u64::from(i.sub_opcode.unwrap_or(0)));
                let name = type_name(&i.name);
                let wrap = wrap(&name, only_form(i));
                quote!(#sub => #name::decode_fields(r, cx).map(#wrap))
            });
            arms.push(quote!(#code => match rt::place(#family, "sub-opcode", r, |r| r.u8())? {
                #(#subs,)*
                sub => Err(rt::DecodeError::unknown_sub_opcode(at, #family, #code, sub)),
            }));
        } else if let Some(i) = same.iter().find(|i| i.kind == PageKind::Reserved) {
            let (name, origin) = (&i.name, cx.origin(i.at));
            arms.push(quote!(#code => Err(rt::DecodeError::reserved_opcode(at, #name, #origin))));
        }
    }
    quote! {
        let at = r.offset();
        match rt::place("instruction", "opcode", r, |r| r.u8())? {
            #(#arms,)*
            opcode => Err(rt::DecodeError::unknown_opcode(at, opcode)),
        }
    }
}

/// Emits the function that wraps a struct in its variant.
fn wrap(variant: &Ident, form: Option<&Form>) -> TokenStream {
    if form.is_some_and(is_large) { quote!(|inst| Self::#variant(Box::new(inst))) } else { quote!(Self::#variant) }
}

fn one(cx: &Cx<'_>, i: &Instruction) -> TokenStream {
    let forms = i.forms.iter().map(|form| form_struct(cx, i, form));
    if i.forms.len() == 1 {
        return quote!(#(#forms)*);
    }
    let name = type_name(&i.name);
    let variants: Vec<_> = i.forms.iter().map(|f| variant_name(&f.name)).collect();
    let types: Vec<_> = i
        .forms
        .iter()
        .map(|f| {
            let ty = form_type(i, f);
            boxed_type(f, quote!(#ty))
        })
        .collect();
    let forms_of: Vec<&Form> = i.forms.iter().collect();
    let (doc, aliases) = (docs::docs(cx, i, &i.doc, &forms_of), docs::aliases(i));
    let docs = i.forms.iter().map(|f| cx.doc(&format!("Form {}.", f.name), "", f.at));
    let select = select_form(cx, i);
    quote! {
        #(#forms)*

        #doc
        #aliases
        #[derive(Clone, Debug, PartialEq)]
        pub enum #name { #(#docs #variants(#types)),* }

        impl #name {
            fn decode_fields(r: &mut rt::Reader<'_>, cx: rt::Context) -> Result<Self, rt::DecodeError> { #select }

            fn encode_fields(&self, w: &mut rt::Writer, cx: rt::Context) -> Result<(), rt::EncodeError> {
                match self { #(Self::#variants(form) => form.encode_fields(w, cx)),* }
            }

            fn visit<'a>(&'a self, v: &mut dyn rt::Visitor<'a>) {
                match self { #(Self::#variants(form) => form.visit(v)),* }
            }

            fn visit_mut(&mut self, v: &mut dyn rt::VisitorMut) {
                match self { #(Self::#variants(form) => form.visit_mut(v)),* }
            }

            fn says_text_only(&self) -> bool {
                match self { #(Self::#variants(form) => form.says_text_only()),* }
            }
        }
    }
}

/// Emits code that reads ahead to the selector, which has the same offset in all forms.
fn select_form(cx: &Cx<'_>, i: &Instruction) -> TokenStream {
    let owner = &i.name;
    if i.forms.iter().all(|f| f.condition.is_none()) {
        // Forms of object versions: exactly one form applies to a version.
        let arms = i.forms.iter().filter_map(|form| {
            let (variant, ty) = (variant_name(&form.name), form_type(i, form));
            let test = super::version_condition(&form.versions)?;
            let wrap = wrap(&variant, Some(form));
            Some(quote!(if #test { return #ty::decode_fields(r, cx).map(#wrap); }))
        });
        let message = format!("no form of {} belongs to the version", i.name);
        return quote! {
            #(#arms)*
            Err(rt::DecodeError::new(r.offset(), rt::DecodeProblem::Other(#message.to_owned())))
        };
    }
    let first = i.forms.first().and_then(|form| Some((form, form.condition.as_ref()?)));
    let found = first.and_then(|(form, condition)| Some((form, &condition.of.name, condition.of.to?.field)));
    let Some((first, selector, position)) = found else {
        return quote!(Err(rt::DecodeError::unknown_opcode(r.offset(), 0)));
    };
    let mut ahead = Vec::new();
    for field in &first.fields[..position] {
        let read = read_located(cx, i, first, field);
        ahead.push(quote!(let _ = #read;));
    }
    let field = &first.fields[position];
    let (value, read) = (member_name(&field.name), read_located(cx, i, first, field));
    ahead.push(quote!(let at = r.offset(); let #value = #read;));
    let FieldKind::List(id) = field.shape else {
        return quote!(Err(rt::DecodeError::unknown_opcode(r.offset(), 0)));
    };
    let ty = cx.list_type(id);
    let arms = i.forms.iter().map(|form| {
        let values = form.condition.as_ref().map(|c| enumerators(cx, id, c)).unwrap_or_default();
        let (variant, struct_type) = (variant_name(&form.name), form_type(i, form));
        let wrap = wrap(&variant, Some(form));
        quote!(#(#ty::#values)|* => #struct_type::decode_fields(r, cx).map(#wrap))
    });
    let place = format!("{owner}.{selector}");
    quote! {
        let (at, selected) = {
            let mut ahead = r.clone();
            let r = &mut ahead;
            #(#ahead)*
            (at, #value)
        };
        #[allow(unreachable_patterns, reason = "the forms may cover all values")]
        match selected {
            #(#arms,)*
            other => Err(rt::BadBits::value(#place, rt::Bits::to_bits(&other).unwrap_or_default()).at(at)),
        }
    }
}
