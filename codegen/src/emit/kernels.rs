//! Emission of the stubs: one method for each page, which a kernel overrides.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Cx, constant_name, member_name, type_name};
use crate::model::{Access, Field, FieldKind, Instruction, PageKind};

pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let all: Vec<&Instruction> = cx.model.instructions.iter().filter(|i| i.is_encoded()).collect();
    let methods = all.iter().map(|i| method(cx, i));
    let calls = all.iter().map(|i| call(cx, i));
    let operands = all.iter().filter_map(|i| operands(cx, i));
    quote! {
        /// Behaviour of instructions, with one method for each page. The default bodies are stubs
        /// that report the missing kernel. If the operands of a page change, the type of its method
        /// changes, and its kernel no longer compiles.
        #[allow(unused_variables, reason = "stubs ignore their arguments")]
        pub trait Kernels {
            /// Result of a kernel.
            type Output;
            /// Error of a kernel; stubs convert to it.
            type Error: From<rt::Stub>;
            #(#methods)*
        }

        impl Instruction {
            /// Calls the kernel of this instruction.
            pub fn dispatch<K: Kernels>(&self, kernels: &mut K) -> Result<K::Output, K::Error> {
                match self { #(#calls),* }
            }
        }

        #(#operands)*
    }
}

/// Operands of a component-wise page: one execution size, at most one predicate, a destination and
/// sources.
struct Operands<'a> {
    size: &'a Field,
    predicate: Option<&'a Field>,
    dst: &'a Field,
    src: Vec<&'a Field>,
    /// True if the page has no further fields.
    complete: bool,
}

fn component_wise<'a>(cx: &Cx<'_>, i: &'a Instruction) -> Option<Operands<'a>> {
    let [form] = i.forms.as_slice() else { return None };
    let size = form.fields.iter().find(|f| cx.model.is_exec_size(f))?;
    let predicates: Vec<_> = form.fields.iter().filter(|f| f.shape == FieldKind::Predicate).collect();
    let mut vectors = form.fields.iter().filter(|f| f.shape == FieldKind::Vector);
    let dst = vectors.next().filter(|f| f.access == Access::Write)?;
    let src: Vec<_> = vectors.collect();
    // Other operands cannot be part of a function of one channel's values.
    let plain = form.fields.iter().all(|f| {
        matches!(f.shape, FieldKind::List(_) | FieldKind::Predicate | FieldKind::Vector | FieldKind::Number)
    });
    let sources = (1..=4).contains(&src.len()) && src.iter().all(|f| f.access != Access::Write);
    let complete = form.fields.len() == 2 + predicates.len() + src.len();
    (plain && sources && predicates.len() <= 1).then(|| Operands {
        size,
        predicate: predicates.first().copied(),
        dst,
        src,
        complete,
    })
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
    let argument = match component_wise(cx, i) {
        Some(operands) if operands.complete => {
            let n = operands.src.len();
            quote!(&rt::ComponentWise<'_, #n>)
        }
        _ => {
            let ty = type_name(&i.name);
            quote!(&#ty)
        }
    };
    quote! {
        #doc
        fn #name(&mut self, inst: #argument) -> Result<Self::Output, Self::Error> { Err(#stub.into()) }
    }
}

fn call(cx: &Cx<'_>, i: &Instruction) -> TokenStream {
    let (variant, method) = (type_name(&i.name), member_name(&i.name));
    match component_wise(cx, i) {
        Some(operands) if operands.complete => {
            quote!(Self::#variant(inst) => kernels.#method(&inst.component_wise()))
        }
        _ => quote!(Self::#variant(inst) => kernels.#method(inst)),
    }
}

/// Emits the operands of a component-wise instruction, for kernels that need nothing else.
fn operands(cx: &Cx<'_>, i: &Instruction) -> Option<TokenStream> {
    let operands = component_wise(cx, i)?;
    let (ty, n) = (type_name(&i.name), operands.src.len());
    let (size, dst) = (member_name(&operands.size.name), member_name(&operands.dst.name));
    let predicate = match operands.predicate {
        Some(field) => {
            let member = member_name(&field.name);
            quote!(self.#member)
        }
        None => quote!(Predicate::default()),
    };
    let src = operands.src.iter().map(|f| member_name(&f.name));
    Some(quote! {
        impl #ty {
            /// Returns the operands common to all channels.
            pub fn component_wise(&self) -> rt::ComponentWise<'_, #n> {
                rt::ComponentWise {
                    exec_size: self.#size,
                    pred: #predicate,
                    dst: &self.#dst,
                    src: [#(&self.#src),*],
                }
            }
        }
    })
}
