//! Facts of instructions and forms that several emitters use.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::{Cx, member_name, type_name, variant_name};
use crate::model::{
    Access, BitFieldKind, Condition, Field, FieldKind, Form, Instruction, ListId, Place, Presence, targets,
};

/// Returns the name of a form's struct: the instruction's name, plus the form's name if it has one.
pub(crate) fn form_type(instruction: &Instruction, form: &Form) -> Ident {
    let base = type_name(&instruction.name);
    if form.name.is_empty() { base } else { format_ident!("{base}{}", type_name(&form.name)) }
}

/// Returns true for a struct so large that it is boxed. Otherwise a few rare instructions with many
/// operands would enlarge every element of a vector of instructions.
pub(crate) fn is_large(form: &Form) -> bool {
    // Approximate size of a member in bytes.
    let size = |f: &Field| match (f.shape, &f.presence) {
        (_, Presence::Times(_)) => 24,
        (FieldKind::Vector | FieldKind::Scalar, _) => 24,
        (FieldKind::Raw, _) => 8,
        (FieldKind::Zero | FieldKind::Copy(_), _) => 0,
        _ => 4,
    };
    form.fields.iter().map(size).sum::<usize>() > 132
}

/// Emits a value of a form's struct, boxed if the struct is large.
pub(crate) fn boxed(form: &Form, value: TokenStream) -> TokenStream {
    if is_large(form) { quote!(Box::new(#value)) } else { value }
}

/// Emits the type of a form in its enum, boxed if the struct is large.
pub(crate) fn boxed_type(form: &Form, ty: TokenStream) -> TokenStream {
    if is_large(form) { quote!(Box<#ty>) } else { ty }
}

/// Returns the field that selects a form, its list, and the selecting values.
pub(crate) fn selector<'m>(cx: &Cx<'_>, form: &'m Form) -> Option<(&'m Field, ListId, Vec<Ident>)> {
    let condition = form.condition.as_ref()?;
    let Place { field, part: None } = condition.of.to? else { return None };
    let field = &form.fields[field];
    let FieldKind::List(id) = field.shape else { return None };
    Some((field, id, enumerators(cx, id, condition)))
}

/// Returns the Rust names of the values of a condition.
pub(crate) fn enumerators(cx: &Cx<'_>, id: ListId, condition: &Condition) -> Vec<Ident> {
    targets(&condition.values).filter_map(|value| enumerator(cx, id, value)).collect()
}

/// Returns the Rust name of a value.
pub(crate) fn enumerator(cx: &Cx<'_>, id: ListId, value: u64) -> Option<Ident> {
    cx.model.values(id).iter().find(|v| v.value == value).map(|v| variant_name(&v.name))
}

/// Emits a test that a text-only field differs from its default.
pub(crate) fn text_only_said(field: &Field) -> TokenStream {
    let member = member_name(&field.name);
    match field.shape {
        FieldKind::Number | FieldKind::IndexBy(_) => quote!((self.#member != 0)),
        _ => quote!((self.#member != Default::default())),
    }
}

/// Emits the role of a field, as an `Option<Role>`.
pub(crate) fn role(field: &Field) -> TokenStream {
    let role = match (field.shape, field.access) {
        (shape, _) if !shape.is_operand() => return quote!(None),
        (FieldKind::Predicate, Access::Read) => quote!(Predicate),
        (_, Access::Read) => quote!(Read),
        (_, Access::Write) => quote!(Write),
        (_, Access::ReadWrite) => quote!(ReadWrite),
        (_, Access::Reference) => quote!(Reference),
    };
    quote!(Some(rt::Role::#role))
}

/// Emits a test of a condition; `member` returns the expression of a field's value.
pub(crate) fn test(
    cx: &Cx<'_>,
    form: &Form,
    condition: &Condition,
    member: impl Fn(&Field) -> TokenStream,
) -> TokenStream {
    let Some(place) = condition.of.to else { return quote!(false) };
    let field = &form.fields[place.field];
    let mut value = member(field);
    let part = cx.model.part_at(form, place);
    if let Some(part) = part {
        let part = member_name(&part.name);
        value = quote!(#value.#part);
    }
    if let Some(id) = cx.model.names_list(field.shape, place.part) {
        let (ty, values) = (cx.list_type(id), enumerators(cx, id, condition));
        return quote!(matches!(#value, #(#ty::#values)|*));
    }
    let numbers = || targets(&condition.values).map(Literal::u64_unsuffixed);
    match (part.map(|p| p.kind), field.shape) {
        (Some(BitFieldKind::Flag), _) => {
            let has = |flag| targets(&condition.values).any(|value| value == flag);
            match (has(1), has(0)) {
                (true, true) => quote!(true),
                (true, false) => value,
                _ => quote!(!#value),
            }
        }
        (Some(_), _) => {
            let numbers = numbers();
            quote!([#(#numbers),*].contains(&#value))
        }
        (None, FieldKind::List(_)) => quote!(false),
        (None, _) => {
            let numbers = numbers();
            quote!([#(#numbers),*].contains(&(#value)))
        }
    }
}
