//! The parsers of statements.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::lists::parse_part;
use super::print::{index_arms, separator};
use super::{destination, find_part, format, index_part, local, only, split};
use crate::emit::instructions::{boxed, enumerator, form_type, is_counter, test};
use crate::emit::{
    Cx, constant_name, member_name, number_type, parse_number, type_name, variant_name, version_condition, widest,
};
use crate::model::{Access, BitFieldKind, Field, FieldKind, Form, Instruction, Presence, TextForm};
use crate::template::{Format, Item, Template};

pub(super) fn parser(cx: &Cx<'_>, i: &Instruction, form: &Form, text: &TextForm, name: &Ident) -> TokenStream {
    let upper = format_ident!("{}", name.to_string().to_ascii_uppercase());
    let page = constant_name(&i.name);
    let takes_predicate = text.template.items.contains(&Item::Predicate);
    let source = &text.template.source;
    let mut locals = Vec::new();
    let mut members = Vec::new();
    for (position, field) in form.fields.iter().enumerate() {
        let Some(ty) = cx.field_type(field) else { continue };
        if is_counter(form, position) {
            continue;
        }
        let (local, member) = (local(field), member_name(&field.name));
        let initial = initial(field, &ty);
        locals.push(match field.presence {
            Presence::Always => quote!(let mut #local: #ty = #initial;),
            Presence::If { .. } => quote!(let mut #local: Option<#ty> = None;),
            Presence::Times(_) => quote!(let mut #local: Vec<#ty> = Vec::new();),
        });
        members.push(quote!(#member: #local));
    }
    let predicate = form.fields.iter().find(|f| f.shape == FieldKind::Predicate).map(|f| {
        let local = local(f);
        quote!(#local = predicate;)
    });
    let presets = text.conditions.iter().filter_map(|(name, values)| preset(cx, form, name, values));
    let versions = version_condition(&form.versions).map(|test| {
        quote! {
            let cx = rt::Context { version: c.symbols.version() };
            if !(#test) {
                return Err(c.error("an instruction of the text's version"));
            }
        }
    });
    let items = parse_items(cx, form, &text.template.items);
    let saturate = text.template.items.contains(&Item::Saturation).then(|| {
        let local = destination(form).map(local);
        quote!(if saturated { rt::saturate(&mut #local); })
    });
    let form_name = form_type(i, form);
    let inst = type_name(&i.name);
    let built = boxed(form, quote!(#form_name { #(#members),* }));
    let built = if i.forms.len() > 1 {
        let variant = variant_name(&form.name);
        quote!(Instruction::#inst(#inst::#variant(#built)))
    } else {
        quote!(Instruction::#inst(#built))
    };
    let predicate_type = match cx.predicate_list() {
        Some(id) => {
            let name = cx.list_type(id);
            quote!(#name)
        }
        None => quote!(u16),
    };
    quote! {
        fn #name(c: &mut rt::Cursor<'_>, predicate: #predicate_type) -> Result<Instruction, rt::TextError> {
            #(#locals)*
            let mut saturated = false;
            #versions
            #predicate
            #(#presets)*
            #items
            #saturate
            Ok(#built)
        }

        pub(super) const #upper: &rt::Candidate = &rt::Candidate {
            page: &pages::#page, template: #source, takes_predicate: #takes_predicate, parse: #name,
        };
    }
}

fn initial(field: &Field, ty: &TokenStream) -> TokenStream {
    let default = proc_macro2::Literal::i64_unsuffixed(field.default);
    match field.shape {
        FieldKind::Number | FieldKind::IndexBy(_) => quote!(#default),
        FieldKind::List(_) if field.default != 0 => quote!(rt::Bits::from_bits(#default).unwrap_or_default()),
        FieldKind::Vector | FieldKind::Scalar if field.default_if.is_some() => quote!(rt::zero_operand()),
        _ => quote!(<#ty as Default>::default()),
    }
}

/// A condition with one value decides the field that it names.
fn preset(cx: &Cx<'_>, form: &Form, name: &str, values: &[String]) -> Option<TokenStream> {
    let [value] = values else { return None };
    let (field, part) = split(name);
    let position = cx.model.field_position(form, field, part)?;
    let field = &form.fields[position];
    let local = local(field);
    let FieldKind::List(id) = field.shape else {
        let value = parse_number(value)?;
        return Some(quote!(#local = #value;));
    };
    match find_part(cx, field, part) {
        Some(part) => {
            let member = member_name(&part.name);
            match part.kind {
                BitFieldKind::Flag => {
                    let set = value != "0" && !value.eq_ignore_ascii_case("false");
                    Some(quote!(#local.#member = #set;))
                }
                BitFieldKind::Enumeration(id) => {
                    let (ty, value) = (cx.list_type(id), enumerator(cx, id, value));
                    Some(quote!(#local.#member = #ty::#value;))
                }
                _ => {
                    let value = parse_number(value)?;
                    Some(quote!(#local.#member = #value;))
                }
            }
        }
        None => {
            let (ty, value) = (cx.list_type(id), enumerator(cx, id, value));
            Some(quote!(#local = #ty::#value;))
        }
    }
}

fn parse_items(cx: &Cx<'_>, form: &Form, items: &[Item]) -> TokenStream {
    let pieces = items.iter().map(|item| match item {
        Item::Text(text) => quote!(c.expect(#text)?;),
        Item::Space(_) => quote!(c.skip_blanks();),
        Item::Predicate => quote!(),
        Item::Saturation => quote!(saturated = c.take(".sat");),
        Item::Field { field, part, format } => {
            let Some(position) = cx.model.field_position(form, field, part.as_deref()) else { return quote!() };
            let field = &form.fields[position];
            if let Some(part) = find_part(cx, field, part.as_deref()) {
                let (local, member) = (local(field), member_name(&part.name));
                return parse_part(part, &quote!(#local.#member), *format);
            }
            parse_field(cx, form, field, position, *format)
        }
        Item::Shown(inner) => {
            let inner = parse_items(cx, form, inner);
            quote!(if !c.at_digit() { #inner })
        }
        Item::Optional(inner) => match inner.split_first() {
            _ if presence_test(cx, form, inner).is_some() => {
                let test = presence_test(cx, form, inner);
                let inner = parse_items(cx, form, inner);
                quote!(if #test { #inner })
            }
            Some((Item::Text(text), rest)) => {
                let rest = parse_items(cx, form, rest);
                quote!(if c.take(#text) { #rest })
            }
            _ => {
                let fields = Template { items: inner.clone(), ..Template::default() };
                let locals: Vec<Ident> = fields
                    .fields()
                    .iter()
                    .filter_map(|(f, p)| cx.model.field_position(form, f, *p))
                    .map(|position| local(&form.fields[position]))
                    .collect();
                let kept: Vec<Ident> = locals.iter().map(|l| format_ident!("kept_{l}")).collect();
                let inner = parse_items(cx, form, inner);
                quote! {{
                    #(let #kept = #locals.clone();)*
                    if c.attempt(|c| { #inner Ok(()) }).is_err() {
                        #(#locals = #kept;)*
                    }
                }}
            }
        },
    });
    quote!(#(#pieces)*)
}

/// The condition of the first field of a group that is present only under one: it decides whether the group is read.
fn presence_test(cx: &Cx<'_>, form: &Form, items: &[Item]) -> Option<TokenStream> {
    let template = Template { items: items.to_vec(), ..Template::default() };
    template.fields().into_iter().find_map(|(name, part)| {
        let field = &form.fields[cx.model.field_position(form, name, part)?];
        let Presence::If { field: selector, part, values } = &field.presence else { return None };
        let selector = &form.fields[*selector];
        let local = local(selector);
        Some(test(cx, selector, part, values, &quote!(#local)))
    })
}

fn parse_field(cx: &Cx<'_>, form: &Form, field: &Field, position: usize, shown: Format) -> TokenStream {
    let local = local(field);
    let format = format(shown);
    if is_counter(form, position) {
        return quote!(let _ = c.integer(#format)?;);
    }
    let one = match field.shape {
        FieldKind::Number => {
            let bits = widest(&field.storage);
            let ty = number_type(bits);
            let name = &field.name;
            quote!(c.number::<#ty>(#name, #format)?)
        }
        FieldKind::IndexBy(by) => {
            let by = &form.fields[by];
            let part = index_part(cx, by).map(|p| member_name(&p.name));
            let by_local = self::local(by);
            let arms = index_arms(cx, by).into_iter().map(|(pattern, id)| {
                quote! {
                    if let Ok(id) = c.attempt(|c| <#id as rt::Text>::parse(c, #format)) {
                        #by_local.#part = #pattern;
                        break 'found id.0;
                    }
                }
            });
            quote!('found: { #(#arms)* return Err(c.error("a declared variable")); })
        }
        FieldKind::List(id) => match only(cx, field, id) {
            None => quote!(rt::Text::parse(c, #format)?),
            Some((pattern, expected)) => quote!({
                let before = c.save();
                let value = rt::Text::parse(c, #format)?;
                if !matches!(value, #pattern) {
                    c.restore(before);
                    return Err(c.error(#expected));
                }
                value
            }),
        },
        FieldKind::Vector | FieldKind::Scalar if field.access == Access::Write => {
            quote!(rt::destination(c, #format)?)
        }
        _ => quote!(rt::Text::parse(c, #format)?),
    };
    match field.presence {
        Presence::Always => quote!(#local = #one;),
        Presence::If { .. } => quote!(#local = Some(#one);),
        Presence::Times(_) => {
            let separator = separator(field);
            quote! {
                while !c.at_end() && !c.looking_at(")") {
                    #local.push(#one);
                    if #separator == ", " && !c.take(",") { break; }
                    c.skip_blanks();
                }
            }
        }
    }
}
