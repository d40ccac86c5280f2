//! Indices whose table another field selects.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Cx, index_type, member_name, variant_name};
use crate::model::{BitField, BitFieldKind, Field, FieldKind, IndexKind, ListKind};

/// Emits the member path of the enumeration that selects a table.
pub(crate) fn index_selector(cx: &Cx<'_>, field: &Field) -> TokenStream {
    let member = member_name(&field.name);
    match index_part(cx, field) {
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
    let id = match (index_part(cx, field).map(|p| p.kind), field.shape) {
        (Some(BitFieldKind::Enumeration(id)), _) | (None, FieldKind::List(id)) => id,
        _ => return Vec::new(),
    };
    let ty = cx.list_type(id);
    let ListKind::Enumeration { values, .. } = &cx.model.list(id).kind else { return Vec::new() };
    values
        .iter()
        .filter(|v| !v.reserved)
        .map(|v| {
            let kind = IndexKind::from_name(&v.name).unwrap_or(IndexKind::General);
            let variant = variant_name(&v.name);
            (quote!(#ty::#variant), kind)
        })
        .collect()
}

pub(crate) fn index_part<'a>(cx: &'a Cx<'_>, field: &Field) -> Option<&'a BitField> {
    let FieldKind::List(id) = field.shape else { return None };
    let ListKind::Parts(parts) = &cx.model.list(id).kind else { return None };
    parts.iter().find(|p| match p.kind {
        BitFieldKind::Enumeration(id) => match &cx.model.list(id).kind {
            ListKind::Enumeration { values, .. } => values.iter().any(|v| IndexKind::from_name(&v.name).is_some()),
            ListKind::Parts(_) => false,
        },
        _ => false,
    })
}
