//! Emission of the parsers of statements.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::lists::parse_part;
use super::print::separator;
use super::{format, local, only};
use crate::emit::forms::{boxed, enumerator, form_type, test};
use crate::emit::indices::index_arms;
use crate::emit::{Cx, constant_name, member_name, number_type, type_name, variant_name, version_condition, widest};
use crate::model::{Access, BitFieldKind, Condition, Field, FieldKind, Form, Instruction, Presence, TextForm};
use crate::template::{self, Item, Style};

pub(super) fn parser(cx: &Cx<'_>, i: &Instruction, form: &Form, text: &TextForm, name: &Ident) -> TokenStream {
    let upper = format_ident!("{}", name.to_string().to_ascii_uppercase());
    let page = constant_name(&i.name);
    let takes_predicate = text.template.items.contains(&Item::Predicate);
    let source = &text.template.source;
    let mut locals = Vec::new();
    let mut members = Vec::new();
    for (position, field) in form.fields.iter().enumerate() {
        let Some(ty) = cx.field_type(field) else { continue };
        if form.is_counter(position) {
            continue;
        }
        let (local, member) = (local(field), member_name(&field.name));
        let initial = initial(field, &ty);
        locals.push(match field.presence {
            Presence::Always | Presence::Text => quote!(let mut #local: #ty = #initial;),
            Presence::If(_) => quote!(let mut #local: Option<#ty> = None;),
            Presence::Times(_) => quote!(let mut #local: Vec<#ty> = Vec::new();),
        });
        members.push(quote!(#member: #local));
    }
    let predicate = form.fields.iter().find(|f| f.shape == FieldKind::Predicate).map(|f| {
        let local = local(f);
        quote!(#local = predicate;)
    });
    let presets = text.conditions.iter().filter_map(|condition| preset(cx, form, condition));
    let checks = checks(form, text);
    let shown = text.template.since.map(|since| quote!(c.note_since(#since);));
    let shown = shown.into_iter().chain(text.template.before.map(|before| quote!(c.note_before(#before);)));
    let items = parse_items(cx, form, &text.template.items);
    let saturate = text.template.items.contains(&Item::Saturation).then(|| {
        let local = form.destination().map(|at| local(&form.fields[at]));
        quote!(if saturated { rt::saturate(&mut #local); })
    });
    let form_name = form_type(i, form);
    let built = wrapped(i, form, quote!(#form_name { #(#members),* }));
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
            #checks
            #predicate
            #(#presets)*
            #items
            #saturate
            #(#shown)*
            Ok(#built)
        }

        pub(super) const #upper: &rt::Candidate = &rt::Candidate {
            page: &pages::#page, template: #source, takes_predicate: #takes_predicate, parse: #name,
        };
    }
}

/// Emits the checks of the text's version and revision.
fn checks(form: &Form, text: &TextForm) -> TokenStream {
    let versions = version_condition(&form.versions).map(|test| {
        quote! {
            let cx = rt::Context { version: c.symbols.version() };
            if !(#test) {
                return Err(c.error("an instruction of the text's version"));
            }
        }
    });
    let withdrawn = text.template.before.map(|before| {
        quote! {
            if c.symbols.revision() >= #before {
                return Err(c.error("the newer form of the instruction, as another line of the text uses a newer form"));
            }
        }
    });
    quote!(#versions #withdrawn)
}

/// Emits the value of the enum of all instructions from the value of a form's struct.
fn wrapped(i: &Instruction, form: &Form, value: TokenStream) -> TokenStream {
    let (inst, value) = (type_name(&i.name), boxed(form, value));
    if i.forms.len() > 1 {
        let variant = variant_name(&form.name);
        quote!(Instruction::#inst(#inst::#variant(#value)))
    } else {
        quote!(Instruction::#inst(#value))
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

/// Emits the assignment of a field that a condition fixes to one value.
fn preset(cx: &Cx<'_>, form: &Form, condition: &Condition) -> Option<TokenStream> {
    let [value] = condition.values.as_slice() else { return None };
    let (place, value) = (condition.of.to?, value.to?);
    let field = &form.fields[place.field];
    let (mut local, part) = (local(field).to_token_stream(), cx.model.part_at(form, place));
    if let Some(part) = part {
        let member = member_name(&part.name);
        local = quote!(#local.#member);
    }
    let value = match (cx.model.names_list(field.shape, place.part), part.map(|p| p.kind)) {
        (Some(id), _) => {
            let (ty, value) = (cx.list_type(id), enumerator(cx, id, value)?);
            quote!(#ty::#value)
        }
        (None, Some(BitFieldKind::Flag)) => (value != 0).to_token_stream(),
        (None, _) => Literal::u64_unsuffixed(value).to_token_stream(),
    };
    Some(quote!(#local = #value;))
}

fn parse_items(cx: &Cx<'_>, form: &Form, items: &[Item]) -> TokenStream {
    let pieces = items.iter().enumerate().map(|(at, item)| match item {
        Item::Text(text) => quote!(c.expect(#text)?;),
        Item::Space(_) => quote!(c.skip_blanks();),
        Item::Predicate => quote!(),
        Item::Saturation => quote!(saturated = c.take(".sat");),
        Item::Field { place, format, .. } => {
            let Some(place) = *place else { return quote!() };
            let field = &form.fields[place.field];
            if let Some(part) = cx.model.part_at(form, place) {
                let (local, member) = (local(field), member_name(&part.name));
                return parse_part(part, &quote!(#local.#member), *format);
            }
            parse_field(cx, form, field, place.field, *format)
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
            // A group that begins with the literal after it is parsed only if that literal follows
            // the group again.
            Some((Item::Text(text), _)) if items.get(at + 1) == Some(&Item::Text(text.clone())) => {
                kept_unless(form, inner, &parse_items(cx, form, inner), &quote!(c.looking_at(#text)))
            }
            // Text-only flags after the group may begin with the same literal.
            Some((Item::Text(_), _)) if is_of_texts(form, items.get(at + 1)) => {
                kept_unless(form, inner, &parse_items(cx, form, inner), &quote!(true))
            }
            Some((Item::Text(text), rest)) => {
                let rest = parse_items(cx, form, rest);
                quote!(if c.take(#text) { #rest })
            }
            _ => kept_unless(form, inner, &parse_items(cx, form, inner), &quote!(true)),
        },
    });
    quote!(#(#pieces)*)
}

/// Returns true for a text-only field.
fn is_of_texts(form: &Form, item: Option<&Item>) -> bool {
    let Some(Item::Field { place: Some(place), .. }) = item else { return false };
    form.fields[place.field].presence == Presence::Text
}

/// Emits code that parses a group and restores the state if the group fails to parse or `follows`
/// does not hold after it.
fn kept_unless(form: &Form, inner: &[Item], read: &TokenStream, follows: &TokenStream) -> TokenStream {
    let locals: Vec<Ident> = template::places(inner).iter().map(|place| local(&form.fields[place.field])).collect();
    let kept: Vec<Ident> = locals.iter().map(|l| format_ident!("kept_{l}")).collect();
    quote! {{
        #(let #kept = #locals.clone();)*
        let read = c.attempt(|c| {
            #read
            if #follows { Ok(()) } else { Err(c.error("what stands behind the group")) }
        });
        if read.is_err() {
            #(#locals = #kept;)*
        }
    }}
}

/// Emits the presence condition of the first conditional field of a group, which decides whether
/// the group is parsed.
fn presence_test(cx: &Cx<'_>, form: &Form, items: &[Item]) -> Option<TokenStream> {
    template::places(items).into_iter().find_map(|place| match &form.fields[place.field].presence {
        Presence::If(condition) => Some(test(cx, form, condition, |field| local(field).to_token_stream())),
        Presence::Always | Presence::Times(_) | Presence::Text => None,
    })
}

fn parse_field(cx: &Cx<'_>, form: &Form, field: &Field, position: usize, shown: Style) -> TokenStream {
    let local = local(field);
    let format = format(shown);
    if form.is_counter(position) {
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
            let part = cx.model.index_part(by).map(|p| member_name(&p.name));
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
        Presence::Always | Presence::Text => quote!(#local = #one;),
        Presence::If(_) => quote!(#local = Some(#one);),
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
