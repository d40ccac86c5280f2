//! Codec of single fields, shared by instructions and structures.

use proc_macro2::TokenStream;
use quote::quote;

use super::{number_type, version_condition, widest};
use crate::model::{Availability, Storage};

/// Emits an expression that reads a number in the layout of the current version, as its widest
/// type.
pub(crate) fn read_number(storage: &[(Availability, Storage)]) -> TokenStream {
    let wide = number_type(widest(storage));
    let read = |s: Storage| {
        let ty = number_type(s);
        if s == widest(storage) {
            quote!(<#ty as rt::Wire>::decode(r, cx)?)
        } else {
            quote!(#wide::from(<#ty as rt::Wire>::decode(r, cx)?))
        }
    };
    let mut out: Option<TokenStream> = None;
    for (marks, storage) in storage.iter().rev() {
        let one = read(*storage);
        out = Some(match (out, version_condition(marks)) {
            (None, _) | (_, None) => one,
            (Some(rest), Some(condition)) => quote!(if #condition { #one } else { #rest }),
        });
    }
    out.unwrap_or_else(|| quote!(0))
}

/// Emits a statement that writes a number in the layout of the current version; `value` is a `u64`
/// or an `i64`.
pub(crate) fn write_number(storage: &[(Availability, Storage)], value: &TokenStream, place: &str) -> TokenStream {
    let write = |s: Storage| {
        let ty = number_type(s);
        quote!(rt::Wire::encode(&rt::narrow::<#ty>(#value, #place)?, w, cx)?;)
    };
    let mut out: Option<TokenStream> = None;
    for (marks, storage) in storage.iter().rev() {
        let one = write(*storage);
        out = Some(match (out, version_condition(marks)) {
            (None, _) | (_, None) => one,
            (Some(rest), Some(condition)) => quote!(if #condition { #one } else { #rest }),
        });
    }
    out.unwrap_or_default()
}
