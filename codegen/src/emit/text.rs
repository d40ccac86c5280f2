//! Printing and parsing of instructions from their Text templates.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::instructions::{boxed, encoded, enumerator, form_type, is_counter, test};
use super::lists::{parse_part, print_part};
use super::{Cx, constant_name, member_name, type_name, variant_name};
use crate::check::{enumerators, resolve};
use crate::model::{Field, Form, IndexKind, Instruction, ListKind, Part, PartKind, Presence, Shape, TextForm};
use crate::template::{Format, Item, Template};

pub(crate) fn emit(cx: &Cx<'_>) -> TokenStream {
    let all: Vec<&Instruction> = cx.model.instructions.iter().filter(|i| encoded(i)).collect();
    let names: Vec<_> = all.iter().map(|i| type_name(&i.name)).collect();
    let printers = all.iter().map(|i| printers(cx, i));
    let mut parsers = Vec::new();
    let mut by_word: BTreeMap<String, Vec<Ident>> = BTreeMap::new();
    for i in &all {
        for form in &i.forms {
            for (number, text) in texts(cx, i, form).into_iter().enumerate() {
                let words = words(cx, form, &text);
                // A template without a word, such as a label's, is read by the frame of the text.
                if words.is_empty() {
                    continue;
                }
                let name = format_ident!("{}_{number}", member_name(&format!("{}_{}", i.name, form.name)));
                parsers.push(parser(cx, i, form, &text, &name));
                for word in words {
                    by_word.entry(word).or_default().push(name.clone());
                }
            }
        }
    }
    // Both in the order of the words, which is looked up in halves.
    let words = by_word.keys();
    let lists = by_word.values().map(|parsers| {
        let parsers = parsers.iter().map(|p| format_ident!("{}", p.to_string().to_ascii_uppercase()));
        quote!(&[#(parsers::#parsers),*])
    });
    quote! {
        #(#printers)*

        impl Instruction {
            /// Prints the instruction as its page's Text template says, predicate first.
            pub fn print(&self, p: &mut rt::Printer<'_>) {
                match self { #(Self::#names(inst) => inst.print(p)),* }
            }
        }

        /// The words with which an instruction's text may begin.
        pub const MNEMONICS: &[&str] = &[#(#words),*];

        /// The parsers of the statements that begin with a word.
        pub fn candidates(word: &str) -> &'static [&'static rt::Candidate] {
            const CANDIDATES: &[&[&rt::Candidate]] = &[#(#lists),*];
            MNEMONICS.binary_search(&word).ok().and_then(|at| CANDIDATES.get(at)).copied().unwrap_or(&[])
        }

        #[allow(unused_mut, unused_variables, unused_assignments, clippy::all, reason = "emitted for every template alike")]
        mod parsers {
            use super::*;
            #(#parsers)*
        }
    }
}

/// The templates that apply to a form; where the page has none that can be used, one is made.
fn texts(cx: &Cx<'_>, i: &Instruction, form: &Form) -> Vec<TextForm> {
    let usable = |t: &&TextForm| {
        t.form.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(&form.name))
            && t.template.fields().iter().all(|(f, p)| resolve(cx.model, form, f, *p).is_some())
            && t.conditions.iter().all(|(name, values)| {
                let (field, part) = split(name);
                let selector =
                    form.condition.as_ref().filter(|(f, _)| f.eq_ignore_ascii_case(field) && part.is_none());
                let overlaps = selector.is_none_or(|(_, allowed)| {
                    values.iter().any(|v| allowed.iter().any(|a| a.eq_ignore_ascii_case(v)))
                });
                resolve(cx.model, form, field, part).is_some() && overlaps
            })
    };
    let found: Vec<TextForm> = i.text.iter().filter(usable).cloned().collect();
    if found.is_empty() { vec![fallback(i, form)] } else { found }
}

/// `[(<P>)] NAME (<exec_size>) <field> …` for a page without a template.
fn fallback(i: &Instruction, form: &Form) -> TextForm {
    let mut items = Vec::new();
    if form.fields.iter().any(|f| f.shape == Shape::Predicate) {
        items.push(Item::Predicate);
    }
    items.push(Item::Text(i.name.to_ascii_lowercase()));
    for field in &form.fields {
        if matches!(field.shape, Shape::Predicate | Shape::Zero | Shape::Copy(_)) {
            continue;
        }
        items.push(Item::Space(1));
        let shown = Item::Field { field: field.name.clone(), part: None, format: Format::Plain };
        if field.name.replace('_', "").eq_ignore_ascii_case("execsize") {
            items.extend([Item::Text("(".to_owned()), shown, Item::Text(")".to_owned())]);
        } else {
            items.push(shown);
        }
    }
    TextForm { form: None, conditions: Vec::new(), template: Template { items, ..Template::default() }, at: form.at }
}

fn split(name: &str) -> (&str, Option<&str>) {
    name.split_once('.').map_or((name, None), |(f, p)| (f, Some(p)))
}

/// The words with which a statement of this template begins.
fn words(cx: &Cx<'_>, form: &Form, text: &TextForm) -> Vec<String> {
    if let Some(word) = text.template.mnemonic() {
        return vec![word.to_owned()];
    }
    let head = text.template.items.iter().find(|i| !matches!(i, Item::Predicate | Item::Space(_)));
    let Some(Item::Field { field, part, .. }) = head else { return Vec::new() };
    let Some(values) = enumerators(cx.model, form, field, part.as_deref()) else { return Vec::new() };
    let allowed = |name: &str| {
        let matches = |(f, v): &(String, Vec<String>)| {
            let (condition_field, condition_part) = split(f);
            !condition_field.eq_ignore_ascii_case(field)
                || condition_part.map(str::to_ascii_lowercase) != part.as_ref().map(|p| p.to_ascii_lowercase())
                || v.iter().any(|v| v.eq_ignore_ascii_case(name))
        };
        form.condition.iter().all(matches) && text.conditions.iter().all(matches)
    };
    values
        .iter()
        .filter(|v| !v.reserved && allowed(&v.name))
        .map(|v| v.text.clone())
        .filter(|t| !t.is_empty())
        .collect()
}

fn printers(cx: &Cx<'_>, i: &Instruction) -> TokenStream {
    let forms = i.forms.iter().map(|form| {
        let name = form_type(i, form);
        let mut body = TokenStream::new();
        let (full, usual): (Vec<_>, Vec<_>) = texts(cx, i, form).into_iter().partition(|t| t.template.full);
        for text in full.into_iter().chain(usual) {
            let tests = text.conditions.iter().filter_map(|(name, values)| {
                let (field, part) = split(name);
                let position = resolve(cx.model, form, field, part)?;
                let field = &form.fields[position];
                let member = member_name(&field.name);
                Some(test(cx, field, part.unwrap_or(""), values, &quote!(self.#member)))
            });
            let full = text.template.full.then(|| quote!(p.names.full()));
            let tests: Vec<_> = full.into_iter().chain(tests).collect();
            let print = print_items(cx, form, &text.template.items);
            if tests.is_empty() {
                body.extend(quote!(#print return;));
                break;
            }
            body.extend(quote!(if #(#tests)&&* { #print return; }));
        }
        quote! {
            impl #name {
                /// Prints the instruction as its page's Text template says.
                #[allow(clippy::needless_return, unreachable_code, reason = "one return a template")]
                pub fn print(&self, p: &mut rt::Printer<'_>) { #body }
            }
        }
    });
    if i.forms.len() == 1 {
        return quote!(#(#forms)*);
    }
    let name = type_name(&i.name);
    let variants = i.forms.iter().map(|f| variant_name(&f.name));
    quote! {
        #(#forms)*
        impl #name {
            /// Prints the instruction as its page's Text template says.
            pub fn print(&self, p: &mut rt::Printer<'_>) {
                match self { #(Self::#variants(form) => form.print(p)),* }
            }
        }
    }
}

/// How a format is written in emitted code.
pub(crate) fn format(format: Format) -> TokenStream {
    match format {
        Format::Plain => quote!(rt::Format::Plain),
        Format::Hex => quote!(rt::Format::Hex),
        Format::UpperHex => quote!(rt::Format::UpperHex),
        Format::Bare16 => quote!(rt::Format::Bare16),
        Format::Bare16Padded => quote!(rt::Format::Bare16Padded),
        Format::Bare => quote!(rt::Format::Bare),
        Format::Signed => quote!(rt::Format::Signed),
        Format::Quoted => quote!(rt::Format::Quoted),
        Format::Address => quote!(rt::Format::Address),
        Format::Word => quote!(rt::Format::Word),
        Format::Name => quote!(rt::Format::Name),
        Format::Packed => quote!(rt::Format::Packed),
    }
}

/// The destination that `.sat` is about.
fn destination(form: &Form) -> Option<&Field> {
    let vectors = || form.fields.iter().filter(|f| f.shape == Shape::Vector);
    vectors().find(|f| f.name.eq_ignore_ascii_case("dst")).or_else(|| vectors().next())
}

fn find_part<'a>(cx: &'a Cx<'_>, field: &Field, part: Option<&str>) -> Option<&'a Part> {
    let Shape::List(id) = field.shape else { return None };
    let ListKind::Parts(parts) = &cx.model.list(id).kind else { return None };
    parts.iter().find(|p| part.is_some_and(|name| p.name.eq_ignore_ascii_case(name)))
}

fn print_items(cx: &Cx<'_>, form: &Form, items: &[Item]) -> TokenStream {
    let pieces = items.iter().map(|item| match item {
        Item::Text(text) => quote!(p.text(#text);),
        Item::Space(n) => quote!(p.spaces(#n);),
        Item::Predicate => match form.fields.iter().find(|f| f.shape == Shape::Predicate) {
            Some(field) => {
                let member = member_name(&field.name);
                quote!(p.predicate(self.#member);)
            }
            None => quote!(),
        },
        Item::Saturation => match destination(form) {
            Some(field) => {
                let member = member_name(&field.name);
                quote!(if rt::is_saturated(&self.#member) { p.text(".sat"); })
            }
            None => quote!(),
        },
        Item::Field { field, part, format } => {
            let Some(position) = resolve(cx.model, form, field, part.as_deref()) else { return quote!() };
            let field = &form.fields[position];
            if let Some(part) = find_part(cx, field, part.as_deref()) {
                let (member, part_member) = (member_name(&field.name), member_name(&part.name));
                return print_part(part, &quote!(self.#member.#part_member), *format);
            }
            print_field(cx, form, field, position, *format)
        }
        Item::Shown(inner) => print_items(cx, form, inner),
        Item::Optional(inner) => {
            let tests = shown_tests(cx, form, inner);
            let inner = print_items(cx, form, inner);
            quote!(if #(#tests)||* { #inner })
        }
    });
    quote!(#(#pieces)*)
}

fn print_field(cx: &Cx<'_>, form: &Form, field: &Field, position: usize, shown: Format) -> TokenStream {
    let member = member_name(&field.name);
    let format = format(shown);
    if is_counter(form, position) {
        let counted = form.fields.iter().find(|f| f.presence == Presence::Times(position));
        let counted = counted.map(|f| member_name(&f.name));
        return quote!(p.number(self.#counted.len() as i64, #format););
    }
    let one = |value: TokenStream| match field.shape {
        Shape::Number => quote!(p.number(#value as i64, #format);),
        Shape::IndexBy(by) => {
            let arms = index_arms(cx, &form.fields[by]);
            let selector = index_selector(cx, &form.fields[by]);
            let arms = arms.iter().map(|(pattern, id)| quote!(#pattern => rt::Text::print(&#id(#value), p, #format)));
            quote!(match self.#selector { #(#arms),* })
        }
        Shape::Zero | Shape::Copy(_) => quote!(),
        _ => quote!(rt::Text::print(&#value, p, #format);),
    };
    match field.presence {
        Presence::Always => one(quote!(self.#member)),
        Presence::If { .. } => {
            let one = one(quote!((*value)));
            quote!(if let Some(value) = &self.#member { #one })
        }
        Presence::Times(_) => {
            let separator = separator(field);
            let one = one(quote!((*value)));
            quote!(for (n, value) in self.#member.iter().enumerate() {
                if n > 0 { p.text(#separator); }
                #one
            })
        }
    }
}

/// Labels of a list are separated by commas, operands by blanks.
fn separator(field: &Field) -> &'static str {
    if field.shape == Shape::Index(IndexKind::Label) { ", " } else { " " }
}

/// The values that a page allows of an enumeration: a pattern, and how an error says it.
fn only(cx: &Cx<'_>, field: &Field, id: crate::model::ListId) -> Option<(TokenStream, String)> {
    let (_, allowed) = field.only.iter().find(|(part, _)| part.is_empty())?;
    let ListKind::Enumeration { .. } = &cx.model.list(id).kind else { return None };
    let ty = cx.list_type(id);
    let names: Vec<&str> = allowed.iter().map(|(name, _)| name.as_str()).collect();
    let variants = names.iter().map(|name| enumerator(cx, id, name));
    Some((quote!(#(#ty::#variants)|*), format!("{}: one of {}", field.name, names.join(", "))))
}

/// The enumeration part of a field that names tables, as a member path.
fn index_selector(cx: &Cx<'_>, field: &Field) -> TokenStream {
    let member = member_name(&field.name);
    match index_part(cx, field) {
        Some(part) => {
            let part = member_name(&part.name);
            quote!(#member.#part)
        }
        None => quote!(#member),
    }
}

fn index_part<'a>(cx: &'a Cx<'_>, field: &Field) -> Option<&'a Part> {
    let Shape::List(id) = field.shape else { return None };
    let ListKind::Parts(parts) = &cx.model.list(id).kind else { return None };
    parts.iter().find(|p| match p.kind {
        PartKind::Enumeration(id) => match &cx.model.list(id).kind {
            ListKind::Enumeration { values, .. } => {
                values.iter().any(|v| IndexKind::ALL.iter().any(|k| k.name().eq_ignore_ascii_case(&v.name)))
            }
            ListKind::Parts(_) => false,
        },
        _ => false,
    })
}

/// (pattern, id type) for each enumerator that is called like a table.
fn index_arms(cx: &Cx<'_>, field: &Field) -> Vec<(TokenStream, TokenStream)> {
    let id = match (index_part(cx, field).map(|p| p.kind), field.shape) {
        (Some(PartKind::Enumeration(id)), _) | (None, Shape::List(id)) => id,
        _ => return Vec::new(),
    };
    let ty = cx.list_type(id);
    let ListKind::Enumeration { values, .. } = &cx.model.list(id).kind else { return Vec::new() };
    values
        .iter()
        .filter(|v| !v.reserved)
        .map(|v| {
            let kind = IndexKind::ALL.into_iter().find(|k| k.name().eq_ignore_ascii_case(&v.name));
            let index = super::index_type(kind.unwrap_or(IndexKind::General));
            let variant = variant_name(&v.name);
            (quote!(#ty::#variant), index)
        })
        .collect()
}

/// Tests whether anything in an optional group is not the default.
fn shown_tests(cx: &Cx<'_>, form: &Form, items: &[Item]) -> Vec<TokenStream> {
    let template = Template { items: items.to_vec(), ..Template::default() };
    let mut out = Vec::new();
    for (name, part) in template.fields() {
        let Some(position) = resolve(cx.model, form, name, part) else { continue };
        let field = &form.fields[position];
        let member = member_name(&field.name);
        if let Some(part) = find_part(cx, field, part) {
            let part_member = member_name(&part.name);
            out.push(match part.kind {
                PartKind::Flag => quote!(self.#member.#part_member),
                _ => quote!(!rt::Text::is_default(&self.#member.#part_member)),
            });
            continue;
        }
        let default = field.default;
        let default_literal = proc_macro2::Literal::i64_unsuffixed(default);
        let changed = match (&field.presence, field.shape) {
            (Presence::If { .. }, _) => quote!(self.#member.is_some()),
            (Presence::Times(_), _) => quote!(!self.#member.is_empty()),
            (_, Shape::Number | Shape::IndexBy(_)) => quote!(self.#member as i64 != #default_literal),
            (_, Shape::Index(_)) => quote!(i64::from(self.#member.0) != #default_literal),
            (_, Shape::Zero | Shape::Copy(_)) => quote!(false),
            _ => quote!(!rt::Text::is_default(&self.#member)),
        };
        let always = field.default_if.as_ref().and_then(|(other, values)| {
            let position = resolve(cx.model, form, other, None)?;
            let other = &form.fields[position];
            let member = member_name(&other.name);
            let test = test(cx, other, "", values, &quote!(self.#member));
            Some(quote!(|| !#test))
        });
        out.push(quote!((#changed #always)));
    }
    if out.is_empty() {
        out.push(quote!(false));
    }
    out
}

fn local(field: &Field) -> Ident {
    format_ident!("f_{}", member_name(&field.name))
}

fn parser(cx: &Cx<'_>, i: &Instruction, form: &Form, text: &TextForm, name: &Ident) -> TokenStream {
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
    let predicate = form.fields.iter().find(|f| f.shape == Shape::Predicate).map(|f| {
        let local = local(f);
        quote!(#local = predicate;)
    });
    let presets = text.conditions.iter().filter_map(|(name, values)| preset(cx, form, name, values));
    let versions = super::version_condition(&form.versions).map(|test| {
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
        Shape::Number | Shape::IndexBy(_) => quote!(#default),
        Shape::List(_) if field.default != 0 => quote!(rt::Bits::from_bits(#default).unwrap_or_default()),
        Shape::Vector | Shape::Scalar if field.default_if.is_some() => quote!(rt::zero_operand()),
        _ => quote!(<#ty as Default>::default()),
    }
}

/// A condition with one value decides the field that it names.
fn preset(cx: &Cx<'_>, form: &Form, name: &str, values: &[String]) -> Option<TokenStream> {
    let [value] = values else { return None };
    let (field, part) = split(name);
    let position = resolve(cx.model, form, field, part)?;
    let field = &form.fields[position];
    let local = local(field);
    let Shape::List(id) = field.shape else {
        let value = super::parse_number(value)?;
        return Some(quote!(#local = #value;));
    };
    match find_part(cx, field, part) {
        Some(part) => {
            let member = member_name(&part.name);
            match part.kind {
                PartKind::Flag => {
                    let set = value != "0" && !value.eq_ignore_ascii_case("false");
                    Some(quote!(#local.#member = #set;))
                }
                PartKind::Enumeration(id) => {
                    let (ty, value) = (cx.list_type(id), enumerator(cx, id, value));
                    Some(quote!(#local.#member = #ty::#value;))
                }
                _ => {
                    let value = super::parse_number(value)?;
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
            let Some(position) = resolve(cx.model, form, field, part.as_deref()) else { return quote!() };
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
                    .filter_map(|(f, p)| resolve(cx.model, form, f, *p))
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
        let field = &form.fields[resolve(cx.model, form, name, part)?];
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
        Shape::Number => {
            let bits = super::widest(&field.storage);
            let ty = super::number_type(bits);
            let name = &field.name;
            quote!(c.number::<#ty>(#name, #format)?)
        }
        Shape::IndexBy(by) => {
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
        Shape::List(id) => match only(cx, field, id) {
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
