//! Emission of table columns as methods of the table's type.

use std::collections::BTreeSet;

use heck::ToUpperCamelCase;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::{Cx, constant_name, member_name, variant_name};
use crate::model::{Cell, CellValue, Column, ColumnKind, ListId, NamesOf};

/// Variant of a value, with the cells of its row.
pub(crate) type Row<'a> = (Ident, &'a [Cell]);

/// Emits one method for each column, and the types of columns that have their own names.
pub(crate) fn emit(cx: &Cx<'_>, owner: &Ident, columns: &[Column], rows: &[Row<'_>]) -> (TokenStream, TokenStream) {
    let methods = columns.iter().enumerate().map(|(at, column)| {
        let names = names_type(cx, owner, column);
        let cells: Vec<(&Ident, &CellValue)> =
            rows.iter().filter_map(|(v, c)| Some((v, &c.get(at)?.value))).collect();
        method(cx, column, names.as_ref(), &cells)
    });
    let types = columns.iter().enumerate().filter_map(|(at, column)| {
        let ColumnKind::Names { of: NamesOf::Column, .. } = column.kind else { return None };
        let mut names: Vec<&String> = Vec::new();
        for (_, cells) in rows {
            if let Some(Cell { value: CellValue::Names(said), .. }) = cells.get(at) {
                names.extend(said);
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(*name));
        let ty = names_type(cx, owner, column)?;
        let doc = cx.doc(&format!("Name in the column {} of {owner}.", column.name), "", column.at);
        let variants = names.iter().map(|n| variant_name(n));
        let said = variants.clone();
        let docs = names.iter().map(|n| format!(" `{n}` on the page."));
        Some(quote! {
            #doc
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum #ty { #(#[doc = #docs] #variants),* }

            impl #ty {
                /// Returns the name on the page.
                pub const fn name(self) -> &'static str {
                    match self { #(Self::#said => #names),* }
                }
            }

            impl rt::reflect::Said for #ty {
                fn said(&self) -> String { self.name().to_owned() }
            }
        })
    });
    (quote!(#(#methods)*), quote!(#(#types)*))
}

/// Returns the type of the names in a column.
fn names_type(cx: &Cx<'_>, owner: &Ident, column: &Column) -> Option<Ident> {
    let ColumnKind::Names { of, .. } = column.kind else { return None };
    Some(match of {
        NamesOf::Column => format_ident!("{owner}{}", column.name.to_upper_camel_case()),
        NamesOf::List(id) => cx.list_type(id),
        NamesOf::DataTypes => format_ident!("DataType"),
    })
}

fn method(cx: &Cx<'_>, column: &Column, names: Option<&Ident>, cells: &[(&Ident, &CellValue)]) -> TokenStream {
    let name = member_name(&column.name);
    let doc = cx.doc(&format!("Returns the cell of the column {} for the value.", column.name), "", column.at);
    let many = matches!(column.kind, ColumnKind::Names { many: true, .. } | ColumnKind::Numbers);
    let optional = !many && cells.iter().any(|(_, value)| **value == CellValue::None);
    let is_wide = |n: &i64| u32::try_from(*n).is_err();
    let wide = cells.iter().any(|(_, value)| match value {
        CellValue::Number(n) => is_wide(n),
        CellValue::Numbers(all) => all.iter().any(is_wide),
        _ => false,
    });
    let ty = match (column.kind, names) {
        (ColumnKind::Flag, _) => quote!(bool),
        (ColumnKind::Names { many: true, .. }, Some(names)) => quote!(&'static [#names]),
        (ColumnKind::Names { .. }, Some(names)) => quote!(#names),
        (ColumnKind::Numbers, _) if wide => quote!(&'static [i64]),
        (ColumnKind::Numbers, _) => quote!(&'static [u32]),
        _ if wide => quote!(i64),
        _ => quote!(u32),
    };
    let plain =
        |n: i64| -> TokenStream { proc_macro2::Literal::i64_unsuffixed(n).to_string().parse().unwrap_or_default() };
    let literal = |value: &CellValue| match value {
        CellValue::None if many => quote!(&[]),
        CellValue::None => quote!(None),
        CellValue::Number(n) => plain(*n),
        CellValue::Numbers(all) => {
            let all = all.iter().map(|n| plain(*n));
            quote!(&[#(#all),*])
        }
        CellValue::Flag(flag) => quote!(#flag),
        CellValue::Names(said) => {
            let said = said.iter().map(|n| variant_name(n));
            if many { quote!(&[#(#names::#said),*]) } else { quote!(#(#names::#said)*) }
        }
    };
    // Values with equal cells share an arm.
    let mut arms: Vec<(&CellValue, Vec<&Ident>)> = Vec::new();
    for (variant, value) in cells {
        match arms.iter_mut().find(|(other, _)| other == value) {
            Some((_, variants)) => variants.push(variant),
            None => arms.push((value, vec![variant])),
        }
    }
    let arms = arms.into_iter().map(|(value, variants)| {
        let said = literal(value);
        let said = if optional && *value != CellValue::None { quote!(Some(#said)) } else { said };
        quote!(#(Self::#variants)|* => #said)
    });
    let ty = if optional { quote!(Option<#ty>) } else { ty };
    quote! {
        #doc
        pub const fn #name(self) -> #ty { match self { #(#arms),* } }
    }
}

/// Emits the function that enumerates all cells and limits: list, column, value and text.
pub(crate) fn each(cx: &Cx<'_>) -> TokenStream {
    let model = cx.model;
    let types = (DATA_TYPES.to_owned(), format_ident!("DataType"), &model.type_columns);
    let lists = model.lists.iter().enumerate().map(|(at, l)| (l.name.clone(), cx.list_type(ListId(at)), &l.columns));
    let platforms = (PLATFORMS.to_owned(), format_ident!("Platform"), &model.platform_columns);
    let mut tables: Vec<_> = lists.chain([types, platforms]).filter(|(.., columns)| !columns.is_empty()).collect();
    // Sorted by name, so that the order does not depend on the pages.
    tables.sort_by(|a, b| a.0.cmp(&b.0));
    let calls = tables.iter().map(|(list, ty, columns)| {
        let calls = columns.iter().map(|column| {
            let (heading, method) = (&column.name, member_name(&column.name));
            quote!(found(#list, #heading, *value as u64, rt::reflect::Said::said(&value.#method()));)
        });
        quote!(for value in #ty::ALL { #(#calls)* })
    });
    let limits = model.limits.iter().map(|limit| {
        let (name, constant) = (&limit.name, constant_name(&limit.name));
        quote!(found("limit", #name, 0, limits::#constant.to_string());)
    });
    // Lists whose names appear in columns of other tables.
    let named: BTreeSet<ListId> = model
        .tables_of_columns()
        .flatten()
        .filter_map(|column| match column.kind {
            ColumnKind::Names { of: NamesOf::List(id), .. } => Some(id),
            _ => None,
        })
        .collect();
    let named = named.into_iter().map(|id| {
        let ty = cx.list_type(id);
        quote!(impl rt::reflect::Said for #ty { fn said(&self) -> String { self.name().to_owned() } })
    });
    quote! {
        /// Calls `found` for each cell of all tables: list, heading, code of the value, text.
        /// Limits are columns of a list `limit`.
        #[allow(unused_variables, reason = "a specification may have no columns")]
        pub fn each_attribute(found: &mut impl FnMut(&'static str, &'static str, u64, String)) {
            #(#calls)*
            #(#limits)*
        }

        #(#named)*

        impl rt::reflect::Said for DataType {
            fn said(&self) -> String { self.name().to_ascii_uppercase() }
        }
    }
}

/// Name of the table of platforms.
const PLATFORMS: &str = "Platform";

/// Name of the table of data types.
const DATA_TYPES: &str = "Data_type";

/// Emits the cells of a value as data.
pub(crate) fn data(cells: &[Cell]) -> TokenStream {
    let cells = cells.iter().map(|cell| match &cell.value {
        CellValue::None => quote!(rt::reflect::Cell::None),
        CellValue::Number(n) => quote!(rt::reflect::Cell::Number(#n)),
        CellValue::Numbers(all) => quote!(rt::reflect::Cell::Numbers(&[#(#all),*])),
        CellValue::Flag(flag) => quote!(rt::reflect::Cell::Flag(#flag)),
        CellValue::Names(names) => quote!(rt::reflect::Cell::Names(&[#(#names),*])),
    });
    quote!(&[#(#cells),*])
}
