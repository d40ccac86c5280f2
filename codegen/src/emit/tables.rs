//! Emission of types from tables of the chapters: data types, platforms, predefined variables.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Cx, columns, constant_name, hex, variant_name};
use crate::model::{IndexKind, Platform, Predefined};

pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let types = data_types(cx);
    let platforms = platforms(cx);
    let variables = predefined(cx, &cx.model.predefined, IndexKind::General);
    let surfaces = predefined(cx, &cx.model.surfaces, IndexKind::Surface);
    let samplers = predefined(cx, &cx.model.samplers, IndexKind::Sampler);
    let attributes = attributes(cx);
    let rules = rules(cx);
    let limits = limits(cx);
    let ids = IndexKind::ALL.into_iter().map(index);
    quote!(#types #platforms #(#ids)* #variables #surfaces #samplers #attributes #rules #limits)
}

fn data_types(cx: &Cx<'_>) -> TokenStream {
    let model = cx.model;
    let variants = model.types.iter().map(|t| {
        let name = variant_name(&t.name);
        let code = hex(t.code);
        let doc = cx.doc(&t.doc, &t.name, t.at);
        quote!(#doc #name = #code)
    });
    let names: Vec<_> = model.types.iter().map(|t| variant_name(&t.name)).collect();
    let texts: Vec<_> = model.types.iter().map(|t| t.name.to_ascii_lowercase()).collect();
    let bits: Vec<_> = model.types.iter().map(|t| t.bits).collect();
    let stored = model.types.iter().filter(|t| model.object_type(t).is_none());
    let (stored, codes): (Vec<_>, Vec<_>) = stored.map(|t| (variant_name(&t.name), hex(t.code))).unzip();
    let first = names.first();
    let rows: Vec<columns::Row<'_>> =
        names.iter().cloned().zip(model.types.iter().map(|t| t.cells.as_slice())).collect();
    let (said, said_types) = columns::emit(cx, &quote::format_ident!("DataType"), &model.type_columns, &rows);
    quote! {
        #said_types

        /// Data types of chapter 2, by their codes in objects.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum DataType { #(#variants),* }

        impl DataType {
            /// All types, by code.
            pub const ALL: &'static [Self] = &[#(Self::#names),*];

            /// Returns the number of the type: its code in objects, if objects have the type.
            pub const fn code(self) -> u8 { self as u8 }

            /// Returns the type with this code in objects.
            pub const fn from_code(code: u8) -> Option<Self> {
                Some(match code { #(#codes => Self::#stored,)* _ => return None })
            }

            /// Returns the name in assembly text, in lower case.
            pub const fn name(self) -> &'static str {
                match self { #(Self::#names => #texts),* }
            }

            /// Returns the size of an element in bits; 1 for a boolean.
            pub const fn bits(self) -> u32 {
                match self { #(Self::#names => #bits),* }
            }

            #said
        }

        impl Default for DataType {
            fn default() -> Self { Self::#first }
        }
    }
}

fn platforms(cx: &Cx<'_>) -> TokenStream {
    let platforms = &cx.model.platforms;
    let names: Vec<_> = platforms.iter().map(|p| variant_name(&p.name)).collect();
    let docs = platforms.iter().map(|p| cx.doc(&format!("Platform {}", p.name), "", p.at));
    let texts: Vec<_> = platforms.iter().map(|p| &p.name).collect();
    let bytes: Vec<_> = platforms.iter().map(|p| p.register_bytes).collect();
    let aliases = platforms.iter().map(|p| {
        let aliases = &p.aliases;
        quote!(&[#(#aliases),*])
    });
    let codes = platform_codes(platforms, &names);
    let rows: Vec<columns::Row<'_>> =
        names.iter().cloned().zip(platforms.iter().map(|p| p.cells.as_slice())).collect();
    let (said, said_types) = columns::emit(cx, &quote::format_ident!("Platform"), &cx.model.platform_columns, &rows);
    quote! {
        #said_types

        /// Platforms, oldest first. The type has no ordering: code tests the properties of a
        /// platform instead.
        ///
        /// ```compile_fail
        /// use visakit::isa::Platform;
        /// assert!(Platform::ALL[0] < Platform::ALL[1]);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Platform { #(#docs #names),* }

        impl Platform {
            /// All platforms, oldest first.
            pub const ALL: &'static [Self] = &[#(Self::#names),*];

            /// Returns the canonical name.
            pub const fn name(self) -> &'static str {
                match self { #(Self::#names => #texts),* }
            }

            /// Returns the other spellings that [`Platform::from_name`] accepts.
            pub const fn aliases(self) -> &'static [&'static str] {
                match self { #(Self::#names => #aliases),* }
            }

            /// Returns the platform with this name or alias, ignoring case.
            ///
            /// ```
            /// use visakit::isa::Platform;
            /// assert_eq!(Platform::from_name("TGLLP"), Platform::from_name("tgl"));
            /// assert_eq!(Platform::from_name("pvc").map(Platform::register_bytes), Some(64));
            /// ```
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|p| {
                    p.name().eq_ignore_ascii_case(name) || p.aliases().iter().any(|a| a.eq_ignore_ascii_case(name))
                })
            }

            #codes

            /// Returns the size of a register in bytes, which is also the size of a row of a
            /// region.
            pub const fn register_bytes(self) -> u32 {
                match self { #(Self::#names => #bytes),* }
            }

            /// Returns the position in [`Platform::ALL`], the order that the marks of pages refer
            /// to. Its only purpose is the evaluation of such marks.
            pub const fn age(self) -> usize { self as usize }

            #said
        }
    }
}

/// Emits the methods about the codes of platforms in zebins and objects.
fn platform_codes(platforms: &[Platform], names: &[Ident]) -> TokenStream {
    let families = platforms.iter().map(|p| {
        let families = p.families.iter().map(|f| hex(*f));
        quote!(&[#(#families),*])
    });
    let codes = platforms.iter().map(|p| {
        let codes = p.gen_codes.iter().map(|f| hex(*f));
        quote!(&[#(#codes),*])
    });
    quote! {
        /// Returns the product families, as in the notes of zebin files.
        pub const fn families(self) -> &'static [u32] {
            match self { #(Self::#names => #families),* }
        }

        /// Returns the oldest platform of a product family.
        pub fn from_family(family: u32) -> Option<Self> {
            Self::ALL.iter().copied().find(|p| p.families().contains(&family))
        }

        /// Returns the `gen_platform` codes of native code in objects.
        pub const fn gen_codes(self) -> &'static [u8] {
            match self { #(Self::#names => #codes),* }
        }

        /// Returns the oldest platform with a `gen_platform` code.
        pub fn from_gen_code(code: u8) -> Option<Self> {
            Self::ALL.iter().copied().find(|p| p.gen_codes().contains(&code))
        }
    }
}

fn index(kind: IndexKind) -> TokenStream {
    let name = super::index_type(kind);
    let table = variant_name(kind.name());
    let doc = match kind {
        IndexKind::String => " Index of a string in the routine's string pool.".to_owned(),
        IndexKind::Label => " Index of a label in the routine's table.".to_owned(),
        _ => {
            let article = if kind.name().starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            format!(" Index of {article} {} variable; predefined variables come first.", kind.name())
        }
    };
    quote! {
        #[doc = #doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #name(pub u32);

        impl rt::Index for #name {
            fn from_index(index: u32) -> Self { Self(index) }
            fn index(self) -> u32 { self.0 }
        }

        impl rt::Visit for #name {
            fn visit<'a>(&'a self, position: usize, v: &mut dyn rt::Visitor<'a>) {
                v.field(position, rt::FieldRef::Index(rt::Table::#table, self.0));
            }

            fn visit_mut(&mut self, position: usize, v: &mut dyn rt::VisitorMut) {
                v.field(position, rt::FieldMut::Index(rt::Table::#table, &mut self.0));
            }
        }
    }
}

fn predefined(cx: &Cx<'_>, table: &[Predefined], kind: IndexKind) -> TokenStream {
    let ty = super::index_type(kind);
    let module = match kind {
        IndexKind::General => quote!(predefined),
        IndexKind::Sampler => quote!(predefined_sampler),
        _ => quote!(predefined_surface),
    };
    let doc = format!(" Predefined {} variables, by name.", kind.name());
    let columns = if kind == IndexKind::Surface { cx.model.surface_columns.as_slice() } else { &[] };
    let columns = columns.iter().map(|c| &c.name);
    let constants = table.iter().map(|p| {
        let name = constant_name(p.name.trim_start_matches('%'));
        let id = u32::try_from(p.id).unwrap_or(0);
        let doc = cx.doc(&p.doc, &p.name, p.at);
        quote!(#doc pub const #name: #ty = #ty(#id);)
    });
    let rows = table.iter().map(|p| {
        let id = u32::try_from(p.id).unwrap_or(0);
        let (name, old) = (&p.name, &p.old_name);
        let ty = p.ty.to.or(cx.model.anatomy.as_ref().map(|a| a.types.dword));
        let ty = ty.map(|ty| variant_name(&cx.model.ty(ty).name));
        let (narrow, wide) = p.elements;
        let written = match &p.written {
            Some(elements) => quote!(Some(&[#(#elements),*])),
            None => quote!(None),
        };
        let cells = columns::data(&p.cells);
        quote!(rt::reflect::Predefined {
            id: #id, name: #name, old_name: #old, data_type: DataType::#ty, elements: (#narrow, #wide),
            written: #written, cells: #cells
        })
    });
    // First id of the declared variables.
    let declared = match kind {
        IndexKind::General => 32,
        IndexKind::Sampler => 0,
        _ => table.iter().map(|p| p.id + 1).max().unwrap_or(0),
    };
    let declared = u32::try_from(declared).unwrap_or(0);
    quote! {
        #[doc = #doc]
        pub mod #module {
            #[allow(unused_imports, reason = "the table may be empty")]
            use super::{DataType, #ty};
            use super::rt;

            #(#constants)*

            /// All entries of the table.
            pub const ALL: &[rt::reflect::Predefined] = &[#(#rows),*];

            /// First id of the variables that a routine declares.
            pub const DECLARED: u32 = #declared;

            /// Headings of the table's further columns.
            pub const COLUMNS: &[&str] = &[#(#columns),*];
        }
    }
}

fn attributes(cx: &Cx<'_>) -> TokenStream {
    let mut taken = BTreeSet::new();
    // Attributes that differ only in case share one constant, which the first of them has.
    let own = cx.model.attributes.iter().filter(|a| taken.insert(constant_name(&a.name).to_string()));
    let constants = own.map(|a| {
        let (constant, name, doc) = (constant_name(&a.name), &a.name, cx.doc(&a.doc, &a.name, a.at));
        quote!(#doc pub const #constant: &str = #name;)
    });
    let rows = cx.model.attributes.iter().map(|a| {
        let (name, place, bytes, value, doc) = (&a.name, &a.place, &a.bytes, &a.value, &a.doc);
        quote!(rt::reflect::Attribute {
            name: #name, place: #place, bytes: #bytes, value: #value, doc: #doc
        })
    });
    quote! {
        /// Names of the attributes.
        pub mod attribute {
            #(#constants)*
        }

        /// Known attributes of kernels and variables.
        pub const ATTRIBUTES: &[rt::reflect::Attribute] = &[#(#rows),*];
    }
}

fn limits(cx: &Cx<'_>) -> TokenStream {
    let limits = cx.model.limits.iter().map(|l| {
        let (name, value) = (constant_name(&l.name), proc_macro2::Literal::u64_unsuffixed(l.value));
        let ty = if u32::try_from(l.value).is_ok() { quote!(u32) } else { quote!(u64) };
        let doc = cx.doc(&l.doc, &l.name, l.at);
        quote!(#doc pub const #name: #ty = #value;)
    });
    quote! {
        /// Named numbers of the chapters: limits, and sizes of shared resources.
        pub mod limits { #(#limits)* }
    }
}

fn rules(cx: &Cx<'_>) -> TokenStream {
    let rules = &cx.model.rules;
    let names: Vec<_> = rules.iter().map(|r| variant_name(&r.name)).collect();
    let docs = rules.iter().map(|r| cx.doc(&r.doc, &r.name, r.at));
    let texts = rules.iter().map(|r| &r.name);
    let ranges = rules.iter().map(|r| {
        let ranges = r.platforms.iter().map(|m| cx.platform_range(m));
        quote!(&[#(#ranges),*])
    });
    let places = rules.iter().map(|r| {
        let (page, line) = cx.model.origin(r.at);
        format!("{page}:{line}")
    });
    quote! {
        /// Rule of the vendor's assembler for a group of instructions, beyond their pages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rule { #(#docs #names),* }

        impl Rule {
            /// Returns the name on the page.
            pub const fn name(self) -> &'static str {
                match self { #(Self::#names => #texts),* }
            }

            /// Returns the ranges of platforms on which the rule holds; empty for all platforms.
            pub const fn platforms(self) -> &'static [rt::reflect::Platforms] {
                match self { #(Self::#names => #ranges),* }
            }

            /// Returns page and line of the rule.
            pub const fn origin(self) -> &'static str {
                match self { #(Self::#names => #places),* }
            }
        }
    }
}
