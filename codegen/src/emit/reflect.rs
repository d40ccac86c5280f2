//! Emission of the model as `static` data, for tools that inspect the specification at run time.

use proc_macro2::TokenStream;
use quote::quote;

use super::forms::role;
use super::{Cx, columns, constant_name, hex, rules, variant_name};
use crate::model::{
    BitFieldKind, Field, FieldKind, Form, Instruction, List, ListId, ListKind, PageKind, Presence, Reference,
    Saturation, SourceModifier, TypeId, names, targets,
};

pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let lists = (0..cx.model.lists.len()).map(|i| list(cx, ListId(i), &cx.model.lists[i]));
    let pages: Vec<_> = cx.model.instructions.iter().map(|i| page(cx, i)).collect();
    let names = cx.model.instructions.iter().map(|i| constant_name(&i.name));
    let rules = rules::emit(cx);
    quote! {
        #rules

        /// Bit fields and enumerations, as data.
        pub mod list_data {
            #[allow(unused_imports, reason = "only few values are limited to platforms")]
            use super::{Platform, rt};
            #(#lists)*
        }

        /// Pages, as data.
        pub mod pages {
            #[allow(unused_imports, reason = "a specification may be small")]
            use super::{ACCEPTED, CONSTRAINTS, DataType, InstructionGroup, Platform, RuleBuiltin, list_data};
            use super::rt;
            #(#pages)*
        }

        /// All pages by opcode: instructions, umbrellas, aliases and reserved opcodes.
        pub static PAGES: &[&rt::reflect::Page] = &[#(&pages::#names),*];
    }
}

/// Lists whose meanings are parts of messages, so that builds without prose have them too.
const IN_MESSAGES: [&str; 2] = ["Withdrawn_mnemonic", "Withdrawn_mask"];

fn list_const(cx: &Cx<'_>, id: ListId) -> proc_macro2::Ident {
    constant_name(&cx.list_type(id).to_string())
}

fn list(cx: &Cx<'_>, id: ListId, list: &List) -> TokenStream {
    let constant = list_const(cx, id);
    let doc = format!(" {}", list.name);
    let (name, bits) = (&list.name, list.bits);
    let origin = cx.origin(list.at);
    let parts = match &list.kind {
        ListKind::Enumeration { lo, width, values } => {
            let is_message = IN_MESSAGES.contains(&list.name.as_str());
            let values = values.iter().filter(|v| !v.reserved).map(|v| {
                let (name, text, doc, value) = (&v.name, &v.text, &v.doc, hex(v.value));
                let doc = if is_message { quote!(#doc) } else { quote!(prose!(#doc)) };
                let platforms = cx.platform_range(&v.marks);
                let cells = columns::data(&v.cells);
                quote!(rt::reflect::Value {
                    value: #value, name: #name, text: #text, platforms: #platforms, cells: #cells, doc: #doc
                })
            });
            let columns = list.columns.iter().map(|c| &c.name);
            quote!(&[rt::reflect::BitField {
                name: "", lo: #lo, width: #width, zero: false, values: &[#(#values),*], columns: &[#(#columns),*], doc: ""
            }])
        }
        ListKind::Parts(parts) => {
            let parts = parts.iter().map(|p| {
                let (name, lo, width, doc) = (&p.name, p.lo, p.hi - p.lo + 1, &p.doc);
                let zero = p.kind == BitFieldKind::Zero;
                let (values, columns) = match p.kind {
                    BitFieldKind::Enumeration(id) => {
                        let other = list_const(cx, id);
                        (quote!(#other.parts[0].values), quote!(#other.parts[0].columns))
                    }
                    _ => (quote!(&[]), quote!(&[])),
                };
                quote!(rt::reflect::BitField {
                    name: #name, lo: #lo, width: #width, zero: #zero, values: #values, columns: #columns, doc: prose!(#doc)
                })
            });
            quote!(&[#(#parts),*])
        }
    };
    quote! {
        #[doc = #doc]
        pub const #constant: rt::reflect::List =
            rt::reflect::List { name: #name, bits: #bits, parts: #parts, origin: #origin };
    }
}

fn page(cx: &Cx<'_>, i: &Instruction) -> TokenStream {
    let constant = constant_name(&i.name);
    let (path, line) = cx.model.origin(i.at);
    let name = &i.name;
    let doc = format!(" {name}");
    let opcode = hex(u64::from(i.opcode));
    let sub = match i.sub_opcode {
        Some(sub) => {
            let sub = hex(u64::from(sub));
            quote!(Some(#sub))
        }
        None => quote!(None),
    };
    let kind = match &i.kind {
        PageKind::Ordinary => quote!(Ordinary),
        PageKind::Umbrella => quote!(Umbrella),
        PageKind::Alias { of, .. } => {
            let name = &of.name;
            quote!(Alias(#name))
        }
        PageKind::Reserved => quote!(Reserved),
        PageKind::Undefined => quote!(Undefined),
    };
    let forms = i.forms.iter().map(|f| form(cx, i, f));
    let texts = i.text.iter().map(|t| &t.template.source);
    let summary = i.doc.split("\n\n").next().unwrap_or("");
    let semantics = &i.semantics;
    let types = i.types.iter().filter_map(|(ty, marks)| {
        let (variant, range) = (variant_name(&cx.model.ty(ty.to?).name), cx.platform_range(marks));
        Some(quote!((DataType::#variant, #range)))
    });
    let maps = i.type_maps.iter().map(|m| {
        let (dst, src) = (types_of(cx, &m.dst), types_of(cx, &m.src));
        let range = cx.platform_range(&m.marks);
        quote!(rt::reflect::TypeMap { dst: #dst, src: #src, platforms: #range })
    });
    let platforms = i.platforms.iter().map(|m| cx.platform_range(m));
    let platforms = quote!(&[#(#platforms),*]);
    let out_of_bound = &i.out_of_bound;
    let (accepted, groups) = (rules::accepted_of(cx, i), rules::groups_of(cx, i));
    let saturation = match i.saturation {
        Saturation::No => quote!(No),
        Saturation::Yes => quote!(Yes),
        Saturation::Floats => quote!(Floats),
    };
    let modifier = match i.source_modifier {
        SourceModifier::None => quote!(None),
        SourceModifier::Arithmetic => quote!(Arithmetic),
        SourceModifier::Logic => quote!(Logic),
    };
    quote! {
        #[doc = #doc]
        pub static #constant: rt::reflect::Page = rt::reflect::Page {
            name: #name,
            opcode: #opcode,
            sub_opcode: #sub,
            kind: rt::reflect::PageKind::#kind,
            path: #path,
            line: #line,
            summary: prose!(#summary),
            semantics: prose!(#semantics),
            forms: &[#(#forms),*],
            text: &[#(#texts),*],
            types: &[#(#types),*],
            type_maps: &[#(#maps),*],
            saturation: rt::reflect::Saturation::#saturation,
            source_modifier: rt::reflect::SourceModifier::#modifier,
            out_of_bound: #out_of_bound,
            platforms: #platforms,
            accepted: #accepted, groups: #groups,
        };
    }
}

fn types_of(cx: &Cx<'_>, types: &[Reference<TypeId>]) -> TokenStream {
    let types = targets(types).map(|ty| {
        let name = variant_name(&cx.model.ty(ty).name);
        quote!(DataType::#name)
    });
    quote!(&[#(#types),*])
}

fn form(cx: &Cx<'_>, page: &Instruction, form: &Form) -> TokenStream {
    let name = &form.name;
    let (selector, values) = match &form.condition {
        Some(condition) => (condition.of.name.as_str(), names(&condition.values)),
        None => ("", Vec::new()),
    };
    let fields = form.fields.iter().map(|f| field(cx, form, f));
    let constraints = rules::of_form(cx, page, form);
    quote!(rt::reflect::Form {
        name: #name, selector: #selector, values: &[#(#values),*], fields: &[#(#fields),*],
        constraints: #constraints
    })
}

/// Presence of a text-only field; `rt::reflect::Field::is_text_only` compares with it.
const TEXT_ONLY: &str = "in texts only";

fn field(cx: &Cx<'_>, form: &Form, field: &Field) -> TokenStream {
    let (name, doc) = (&field.name, &field.doc);
    let shape = match field.shape {
        FieldKind::Number => quote!(Number),
        FieldKind::List(_) => quote!(List),
        FieldKind::Index(_) | FieldKind::IndexBy(_) => quote!(Index),
        FieldKind::Predicate => quote!(Predicate),
        FieldKind::Vector => quote!(Vector),
        FieldKind::Scalar => quote!(Scalar),
        FieldKind::Raw => quote!(Raw),
        FieldKind::Zero => quote!(Zero),
        FieldKind::Copy(_) => quote!(Copy),
    };
    let list = match field.shape {
        FieldKind::List(id) => {
            let list = list_const(cx, id);
            quote!(Some(&list_data::#list))
        }
        _ => quote!(None),
    };
    let storage = match (field.storage.is_empty(), field.shape) {
        (false, _) => super::widest(&field.storage).name(),
        (true, FieldKind::Raw) => "raw_operand",
        (true, FieldKind::Scalar) => "scalar",
        (true, _) => "vec_operand",
    };
    let table = match field.shape {
        FieldKind::Index(kind) => {
            let kind = super::names::variant_name(kind.name());
            quote!(Some(rt::Table::#kind))
        }
        _ => quote!(None),
    };
    let classes = names(&field.classes);
    let types = types_of(cx, &field.types);
    let only = field.only.iter().map(|only| {
        let values = only.values.iter().map(|(value, marks)| {
            let (name, range) = (&value.name, cx.platform_range(marks));
            quote!((#name, #range))
        });
        let part = only.part_name();
        quote!((#part, &[#(#values),*]))
    });
    let range = match field.range {
        Some((low, high)) => quote!(Some((#low, #high))),
        None => quote!(None),
    };
    let presence = match &field.presence {
        Presence::Always => String::new(),
        Presence::If(condition) => format!("{}={}", condition.of, names(&condition.values).join(", ")),
        Presence::Times(count) => format!("{} times", form.fields[*count].name),
        Presence::Text => TEXT_ONLY.to_owned(),
    };
    let (_, line) = cx.model.origin(field.at);
    let nonzero = field.nonzero;
    let role = role(field);
    quote!(rt::reflect::Field {
        name: #name,
        shape: rt::reflect::FieldKind::#shape,
        storage: #storage,
        list: #list,
        table: #table,
        classes: &[#(#classes),*],
        types: #types,
        only: &[#(#only),*],
        range: #range,
        nonzero: #nonzero,
        role: #role,
        presence: #presence,
        doc: prose!(#doc),
        line: #line,
    })
}
