//! Indices whose table another field selects.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Cx, index_type, member_name, variant_name};
use crate::model::{BitFieldKind, Field, FieldKind, IndexKind};

/// Emits the member path of the enumeration that selects a table.
pub(crate) fn index_selector(cx: &Cx<'_>, field: &Field) -> TokenStream {
    let member = member_name(&field.name);
    match cx.model.index_part(field) {
        Some(part) => {
            let part = member_name(&part.name);
            quote!(#member.#part)
        }
        None => quote!(#member),
    }
}

/// Returns a pattern and an id type for each enumerator that names a table.
pub(crate) fn index_arms(cx: &Cx<'_>, field: &Field) -> Vec<(TokenStream, TokenStream)> {
    index_tables(cx, field).into_iter().map(|(pattern, kind)| (pattern, index_type(kind))).collect()
}

/// Returns a pattern and a table for each enumerator that names a table.
pub(crate) fn index_tables(cx: &Cx<'_>, field: &Field) -> Vec<(TokenStream, IndexKind)> {
    let id = match (cx.model.index_part(field).map(|p| p.kind), field.shape) {
        (Some(BitFieldKind::Enumeration(id)), _) | (None, FieldKind::List(id)) => id,
        _ => return Vec::new(),
    };
    let ty = cx.list_type(id);
    let named = cx.model.index_tables(field).into_iter();
    named
        .map(|(value, kind)| {
            let variant = variant_name(&value.name);
            (quote!(#ty::#variant), kind)
        })
        .collect()
}
