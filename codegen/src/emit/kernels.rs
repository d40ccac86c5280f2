//! The stubs: one method a page, which a kernel fills.

use proc_macro2::TokenStream;
use quote::quote;

use super::instructions::encoded;
use super::{Cx, constant_name, member_name, type_name};
use crate::model::{FieldKind, Instruction, PageKind, Saturation, SourceModifier};

pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let all: Vec<&Instruction> = cx.model.instructions.iter().filter(|i| encoded(i)).collect();
    let methods = all.iter().map(|i| method(cx, i));
    let calls = all.iter().map(|i| call(i));
    quote! {
        /// Behaviour: one method a page. The default bodies are the stubs, which say what is missing; a kernel
        /// replaces one. A page whose operands change changes the method's type, and so breaks its kernel.
        #[allow(unused_variables, reason = "stubs look at nothing")]
        pub trait Kernels {
            /// What a kernel gives.
            type Output;
            /// What goes wrong, a stub among it.
            type Error: From<rt::Stub>;
            #(#methods)*
        }

        impl Instruction {
            /// Calls the kernel of this instruction.
            pub fn dispatch<K: Kernels>(&self, kernels: &mut K) -> Result<K::Output, K::Error> {
                match self { #(#calls),* }
            }
        }
    }
}

/// The number of sources of a component-wise page: execution size, predicate, destination, sources.
fn component_wise(i: &Instruction) -> Option<usize> {
    let [form] = i.forms.as_slice() else { return None };
    let [size, predicate, rest @ ..] = form.fields.as_slice() else { return None };
    let is_size =
        matches!(size.shape, FieldKind::List(_)) && size.name.replace('_', "").eq_ignore_ascii_case("execsize");
    let vectors = rest.iter().all(|f| f.shape == FieldKind::Vector);
    let one_destination = rest.first().is_some_and(|f| f.name.eq_ignore_ascii_case("dst"))
        && rest.iter().skip(1).all(|f| f.name.to_ascii_lowercase().starts_with("src"));
    let fits = is_size && predicate.shape == FieldKind::Predicate && vectors && one_destination;
    (fits && (2..=5).contains(&rest.len())).then(|| rest.len() - 1)
}

fn method(cx: &Cx<'_>, i: &Instruction) -> TokenStream {
    let name = member_name(&i.name);
    let page = constant_name(&i.name);
    let first = i.doc.split("\n\n").next().unwrap_or("");
    let doc = cx.doc(first, &i.name, i.at);
    let stub = match i.kind {
        PageKind::Undefined => quote!(rt::Stub::undefined(&pages::#page)),
        _ => quote!(rt::Stub::missing(&pages::#page)),
    };
    let argument = match component_wise(i) {
        Some(n) => quote!(rt::ComponentWise<'_, #n>),
        None => {
            let ty = type_name(&i.name);
            quote!(&#ty)
        }
    };
    quote! {
        #doc
        fn #name(&mut self, inst: #argument) -> Result<Self::Output, Self::Error> { Err(#stub.into()) }
    }
}

fn call(i: &Instruction) -> TokenStream {
    let (variant, method, page) = (type_name(&i.name), member_name(&i.name), constant_name(&i.name));
    let Some(_) = component_wise(i) else {
        return quote!(Self::#variant(inst) => kernels.#method(inst));
    };
    let fields = &i.forms[0].fields;
    let members: Vec<_> = fields.iter().map(|f| member_name(&f.name)).collect();
    let (size, predicate, dst, src) = (&members[0], &members[1], &members[2], &members[3..]);
    let saturation = i.saturation != Saturation::No;
    let modifier = match i.source_modifier {
        SourceModifier::None => quote!(None),
        SourceModifier::Arithmetic => quote!(Arithmetic),
        SourceModifier::Logic => quote!(Logic),
    };
    quote! {
        Self::#variant(inst) => kernels.#method(rt::ComponentWise {
            exec_size: inst.#size,
            pred: inst.#predicate,
            dst: &inst.#dst,
            src: [#(&inst.#src),*],
            saturation: #saturation,
            source_modifier: rt::reflect::SourceModifier::#modifier,
            page: &pages::#page,
        })
    }
}
