//! Parser of directives: declarations of variables, inputs and attributes of a routine under
//! construction.

use std::collections::BTreeSet;

use super::file;
use super::scope::Scope;
use super::unique::is_reserved;
use crate::builder::{AttributeValue, attribute_bytes, attribute_code};
use crate::isa::{
    ATTRIBUTES, AddressInfo, AliasScope, Alignment, AttributeInfo, DataType, DeclaredClass, GeneralId, InputClass,
    InputInfoKind, InputOrigin, LabelKind, Linkage, PredicateInfo, SamplerInfo, StringId, SurfaceInfo, TextDirective,
    TextKey, VarInfo, VarInfoBitProperties,
};
use crate::object::RoutineKind;
use crate::rt::{Bits, Cursor, Format, Symbols, Table, Text, TextError, meant, nearest};

/// Parses a directive other than those that begin a file or a subroutine. `word` is its spelling in
/// the text; `None` stands for an unknown directive.
pub(super) fn directive(
    scope: &mut Scope,
    directive: Option<TextDirective>,
    word: &str,
    text: &str,
    at: usize,
) -> Result<(), TextError> {
    match directive {
        Some(TextDirective::DeclLine) => decl(scope, text, at),
        Some(TextDirective::StringLine) => {
            let mut c = Cursor::new(text, at, scope);
            c.skip_blanks();
            let string = c.quoted()?;
            scope.string(string);
            Ok(())
        }
        Some(TextDirective::LabelLine) => label(scope, text, at),
        Some(TextDirective::FileVariableLine) => file::variable(scope, text, at),
        Some(directive @ (TextDirective::UseVariableLine | TextDirective::UseFunctionLine)) => {
            file::usage(scope, directive, text, at)
        }
        Some(directive @ (TextDirective::InputLine | TextDirective::ParameterLine)) => {
            input(scope, directive, text, at, InputOrigin::default())
        }
        Some(directive @ TextDirective::ImplicitLine) => {
            let origin = word.strip_prefix(directive.text()).unwrap_or_default();
            let found = InputOrigin::ALL.iter().copied().find(|o| o.text().eq_ignore_ascii_case(origin));
            match found {
                Some(origin) => input(scope, directive, text, at, origin),
                None => Err(TextError { at: 0, expected: format!("an input origin, not `{origin}`") }),
            }
        }
        _ => {
            let all: Vec<&str> = TextDirective::ALL.iter().map(|one| one.text()).collect();
            let hint = meant(nearest(word, all.iter().copied()));
            Err(TextError { at: 0, expected: format!("one of {}{hint}", all.join(", ")) })
        }
    }
}

/// Parses `.label NAME kind=block string=12`, the next entry of the label table. Texts in the
/// explicit style list all entries.
fn label(scope: &mut Scope, text: &str, at: usize) -> Result<(), TextError> {
    let mut c = Cursor::new(text, at, scope);
    c.skip_blanks();
    let start = c.save();
    let name = c.word().ok_or_else(|| c.error("the name of a label"))?.to_owned();
    let values = keys(&mut c, TextDirective::LabelLine.required(), TextDirective::LabelLine.optional())?;
    c.end()?;
    let (kind, string) = (values.kind, values.string.unwrap_or_default());
    if scope.names.label(&name, kind).is_some() {
        return Err(TextError { at: start, expected: format!("a new name: a label is already called `{name}`") });
    }
    scope.new_label(&name, string, kind);
    Ok(())
}

/// Spellings of directives for the splitter of tokens.
pub(super) const KERNEL_ATTRIBUTE: &str = TextDirective::KernelAttrLine.text();
pub(super) const LABEL: &str = TextDirective::LabelLine.text();

/// Returns true for the spelling of a directive.
pub(super) fn is_directive(name: &str) -> bool {
    match name.strip_prefix(TextDirective::ImplicitLine.text()) {
        Some(origin) => InputOrigin::ALL.iter().any(|o| o.text().eq_ignore_ascii_case(origin)),
        None => TextDirective::ALL.iter().any(|one| one.text() == name),
    }
}

/// Returns the directive at the start of a text, and the length of its spelling. The next token may
/// follow without a blank: `.inputV32`.
#[inline]
pub(super) fn word(text: &str) -> (Option<TextDirective>, usize) {
    let known = TextDirective::ALL.iter().copied().filter(|one| text.starts_with(one.text()));
    let found = known.max_by_key(|one| one.text().len());
    match found {
        Some(directive) if directive != TextDirective::ImplicitLine => (found, directive.text().len()),
        _ => {
            let end = text[1..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            (found, end.map_or(text.len(), |len| len + 1))
        }
    }
}

/// Values of the keys of a directive.
#[derive(Default)]
pub(super) struct Values {
    pub(super) data_type: DataType,
    pub(super) elements: u16,
    pub(super) alignment: Alignment,
    alias: Option<Alias>,
    attributes: Vec<Attribute>,
    shown_name: Option<String>,
    string: Option<StringId>,
    offset: Option<i16>,
    size: Option<u16>,
    kind: LabelKind,
    pub(super) linkage: Linkage,
}

/// Parses the keys of a directive: all required ones, then any optional ones, in this order.
pub(super) fn keys(c: &mut Cursor<'_>, required: &[TextKey], optional: &[TextKey]) -> Result<Values, TextError> {
    let mut values = Values::default();
    for key in required {
        c.key(key.text())?;
        values.read(c, *key)?;
    }
    for key in optional {
        if c.take_key(key.text()) {
            values.read(c, *key)?;
        }
    }
    Ok(values)
}

impl Values {
    /// Parses the value of a key.
    fn read(&mut self, c: &mut Cursor<'_>, key: TextKey) -> Result<(), TextError> {
        match key {
            // The class selects the keys, so `.decl` parses it.
            TextKey::KeyClass => {}
            TextKey::KeyType => self.data_type = Text::parse(c, Format::Plain)?,
            TextKey::KeyElements => self.elements = c.expression(key.text())?,
            TextKey::KeyAlignment => self.alignment = alignment(c)?,
            TextKey::KeyAlias => self.alias = Some(alias(c)?),
            TextKey::KeyShownName => {
                let name = if c.looking_at("\"") { c.quoted()? } else { c.identifier("a name")?.to_owned() };
                self.shown_name = Some(name);
            }
            TextKey::KeyString => self.string = Some(StringId(c.number(key.text(), Format::Plain)?)),
            TextKey::KeyAttributes => self.attributes = attributes(c)?,
            TextKey::KeyOffset => self.offset = Some(c.expression(key.text())?),
            TextKey::KeySize => self.size = Some(c.expression(key.text())?),
            TextKey::KeyKind => self.kind = Text::parse(c, Format::Plain)?,
            TextKey::KeyLinkage => self.linkage = Text::parse(c, Format::Plain)?,
        }
        Ok(())
    }
}

/// Checks that a directive ends; otherwise its optional keys may follow.
fn end(c: &mut Cursor<'_>, optional: &[TextKey]) -> Result<(), TextError> {
    c.skip_blanks();
    if c.at_end() {
        return Ok(());
    }
    // The number of a string belongs to texts in the explicit style only.
    let shown = optional.iter().filter(|key| **key != TextKey::KeyString).map(|key| format!("{}=", key.text()));
    let shown: Vec<String> = shown.collect();
    let list = match shown.as_slice() {
        [] => return Err(c.error("the end of the line")),
        [one] => one.clone(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    };
    Err(c.error(format!("{list}, in this order, or the end of the line")))
}

/// Base of an alias, the offset in bytes, and the place in the text.
type Alias = (Base, u16, usize);

enum Base {
    Name(String),
    /// A variable of file scope, by number.
    File(u32),
}

/// Attribute in the text: its name, the explicit string index of the name if any, and its value.
type Attribute = (String, Option<StringId>, AttributeValue);

/// Parses `.decl`; the keys of a declaration have a fixed order.
fn decl(scope: &mut Scope, text: &str, at: usize) -> Result<(), TextError> {
    let mut c = Cursor::new(text, at, scope);
    c.skip_blanks();
    let start = c.save();
    let name = c.identifier("the name of a variable")?.to_owned();
    if is_reserved(&name) {
        c.restore(start);
        return Err(c.error(format!("the name of a variable: `{name}` is a keyword")));
    }
    for key in TextDirective::DeclLine.required() {
        c.key(key.text())?;
    }
    let Some(class) = DeclaredClass::ALL.iter().copied().find(|class| c.rest().starts_with(class.text())) else {
        let all: Vec<&str> = DeclaredClass::ALL.iter().map(|class| class.text()).collect();
        let (last, others) = all.split_last().unwrap_or((&"", &[]));
        return Err(c.error(format!("{} or {last}", others.join(", "))));
    };
    c.restore(c.save() + class.text().len());
    let values = keys(&mut c, class.required(), class.optional())?;
    end(&mut c, class.optional())?;
    enter_decl(scope, &name, class, values, start)
}

/// Parses an alignment: its name, an older spelling, or a number of bytes.
fn alignment(c: &mut Cursor<'_>) -> Result<Alignment, TextError> {
    if let Some((old, alignment)) = OLDER_ALIGNMENTS.iter().find(|(old, _)| c.rest().starts_with(old)) {
        c.restore(c.save() + old.len());
        return Ok(*alignment);
    }
    let start = c.save();
    if !c.rest().starts_with(|ch: char| ch.is_ascii_digit() || "(%-~!".contains(ch)) {
        let word = c.word().unwrap_or("");
        if let Some(found) = Alignment::ALL.iter().find(|a| a.text() == word) {
            return Ok(*found);
        }
        c.restore(start);
        let all: Vec<&str> = Alignment::ALL.iter().map(|a| a.text()).collect();
        return Err(c.error(format!("an alignment: one of {}{}", all.join(", "), meant(nearest(word, all)))));
    }
    let bytes: u32 = c.expression(TextKey::KeyAlignment.text())?;
    // A number of bytes that equals the register size means that alignment, not register alignment.
    // The default alignment of one byte is not listed.
    let sizes = || Alignment::ALL.iter().filter(|a| **a != Alignment::default());
    let found = sizes().copied().find(|a| a.bytes() == Some(bytes));
    found.ok_or_else(|| {
        c.restore(start);
        let all: BTreeSet<u32> = sizes().filter_map(|a| a.bytes()).collect();
        let all: Vec<String> = all.iter().map(u32::to_string).collect();
        c.error(format!("a number of bytes, one of {}", all.join(", ")))
    })
}

/// Spellings that the assembler has dropped, with the current alignments.
const OLDER_ALIGNMENTS: &[(&str, Alignment)] =
    &[("2GRF", Alignment::GrFx2), ("32word", Alignment::Wordx32), ("64word", Alignment::Wordx64)];

/// Parses `<V32, 4>`, or `<global 3, 4>` for an alias of variable 3 of the file.
fn alias(c: &mut Cursor<'_>) -> Result<Alias, TextError> {
    c.expect("<")?;
    c.skip_blanks();
    let at = c.save();
    let name = c.word().ok_or_else(|| c.error("the name of a variable"))?.to_owned();
    c.skip_blanks();
    let base = match name.as_str() {
        "global" if !c.looking_at(",") => Base::File(c.number("variable of the file", Format::Plain)?),
        _ => Base::Name(name),
    };
    c.expect(",")?;
    let offset = c.sum("alias offset")?;
    c.expect(">")?;
    Ok((base, offset, at))
}

fn attributes(c: &mut Cursor<'_>) -> Result<Vec<Attribute>, TextError> {
    c.expect("{")?;
    let mut out = Vec::new();
    loop {
        c.skip_blanks();
        let (name, string) = attribute_name(c)?;
        c.skip_blanks();
        out.push((name, string, if c.take("=") { value(c)? } else { AttributeValue::Flag }));
        if !c.take(",") {
            c.skip_blanks();
            c.expect("}")?;
            return Ok(out);
        }
    }
}

/// Parses `Name`, or `Name@12` with the string index where several strings have the same text.
fn attribute_name(c: &mut Cursor<'_>) -> Result<(String, Option<StringId>), TextError> {
    let name = c.identifier("the name of an attribute")?.to_owned();
    let string = if c.take("@") { Some(StringId(c.number("string", Format::Plain)?)) } else { None };
    Ok((name, string))
}

/// Parses the value of an attribute: `16`, `16:4` with the size in bytes, or `"text"`.
fn value(c: &mut Cursor<'_>) -> Result<AttributeValue, TextError> {
    c.skip_blanks();
    if c.rest().starts_with('"') {
        return Ok(AttributeValue::Text(c.quoted()?));
    }
    let start = c.save();
    let number: i64 = c.sum("value")?;
    let number = u32::try_from(number).or_else(|_| i32::try_from(number).map(|n| n as u32));
    match number {
        Ok(number) if c.take(":") => match c.number::<u8>("bytes of the value", Format::Plain)? {
            bytes @ 1..=4 => Ok(AttributeValue::Sized(number, usize::from(bytes))),
            _ => Err(c.error("1 to 4 bytes")),
        },
        Ok(number) => Ok(AttributeValue::Number(number)),
        Err(_) => {
            c.restore(start);
            Err(c.error("a number of 32 bits"))
        }
    }
}

fn enter_decl(
    scope: &mut Scope,
    name: &str,
    class: DeclaredClass,
    values: Values,
    at: usize,
) -> Result<(), TextError> {
    if scope.names.is_declared(name) {
        let expected = format!(
            "a new name: `{name}` is already declared. The compiler drops the braces around \
             inline vISA: `visa compile` makes the names unique, and so does `{name}%=` in the \
             source"
        );
        return Err(TextError { at, expected });
    }
    let name_index = match values.string {
        Some(id) => id,
        None => scope.tables.intern(values.shown_name.as_deref().unwrap_or(name)),
    };
    let num_elements = values.elements;
    let attribute_info = values.attributes.iter().map(|written| attribute(scope, written)).collect();
    let base_of = values.alias.as_ref().and_then(|(base, ..)| match base {
        Base::Name(name) => Some((scope.entry(Table::General, name)?, AliasScope::Local)),
        Base::File(number) => Some((*number, AliasScope::Global)),
    });
    let tables = &mut scope.tables;
    let (table, id) = match class {
        DeclaredClass::GeneralClass => {
            if base_of == Some((0, AliasScope::Local)) {
                scope.null_aliases.push(tables.routine.variables.len());
            }
            let (alias_index, alias_scope_specifier, alias_offset) = match (&values.alias, base_of) {
                (Some((_, offset, _)), Some((id, scope))) => (GeneralId(id), scope, *offset),
                (Some((Base::Name(base), _, at)), None) => {
                    let expected = format!("a variable declared above, not `{base}`");
                    return Err(TextError { at: *at, expected });
                }
                _ => (GeneralId(0), AliasScope::Local, 0),
            };
            let id = tables.general(VarInfo {
                name_index,
                bit_properties: VarInfoBitProperties { type_: values.data_type, alignment: values.alignment },
                num_elements,
                alias_index,
                alias_offset,
                alias_scope_specifier,
                attribute_info,
            });
            (Table::General, id.0)
        }
        DeclaredClass::AddressClass => {
            (Table::Address, tables.address(AddressInfo { name_index, num_elements, attribute_info }).0)
        }
        DeclaredClass::PredicateClass => {
            (Table::Predicate, tables.predicate(PredicateInfo { name_index, num_elements, attribute_info }).0)
        }
        DeclaredClass::SamplerClass => {
            (Table::Sampler, tables.sampler(SamplerInfo { name_index, num_elements, attribute_info }).0)
        }
        DeclaredClass::SurfaceClass => {
            (Table::Surface, tables.surface(SurfaceInfo { name_index, num_elements, attribute_info }).0)
        }
    };
    scope.names.declare(table, name, id);
    Ok(())
}

fn input(
    scope: &mut Scope,
    directive: TextDirective,
    text: &str,
    at: usize,
    origin: InputOrigin,
) -> Result<(), TextError> {
    let in_kernel = scope.tables.routine.kind == RoutineKind::Kernel;
    let mut c = Cursor::new(text, at, scope);
    c.skip_blanks();
    let start = c.save();
    let name = c.identifier("the name of a variable")?.to_owned();
    // An input without an offset lies at 0, as function parameters do. The vendor's printer prints
    // the offset of a function's parameters, which its assembler rejects.
    let is_parameter = directive == TextDirective::ParameterLine;
    let optional = directive.optional().iter().copied();
    let optional: Vec<TextKey> =
        optional.filter(|key| !(is_parameter && in_kernel && *key == TextKey::KeyOffset)).collect();
    let values = keys(&mut c, directive.required(), &optional)?;
    if is_parameter && values.size.is_none() {
        return Err(c.error(format!("`{}=`", TextKey::KeySize.text())));
    }
    // Attributes of an input have no effect on the object.
    let shown: Vec<TextKey> = optional.into_iter().filter(|key| *key != TextKey::KeyAttributes).collect();
    end(&mut c, &shown)?;
    let fail = |expected: String| Err(TextError { at: start, expected });
    let classes = [
        (Table::General, InputClass::General),
        (Table::Sampler, InputClass::Sampler),
        (Table::Surface, InputClass::Surface),
    ];
    let found = classes.iter().find_map(|(t, class)| Some((*class, scope.entry(*t, &name)?)));
    let Some((class, id)) = found else {
        let hint = meant(scope.near(Table::General, &name).as_deref());
        return fail(format!("a declared variable, not `{name}`{hint}"));
    };
    let offset = values.offset.unwrap_or(0);
    let natural = natural_size(scope, class, id);
    let size_key = TextKey::KeySize.text();
    let size = match (values.size, natural) {
        (Some(size), Some(natural)) if size != natural => {
            return fail(format!("{size_key}={natural}, the size of the variable"));
        }
        (Some(size), _) => size,
        (None, Some(natural)) => natural,
        (None, None) => return fail(format!("{size_key}= of this input")),
    };
    scope.tables.input(class, origin, id, offset, size);
    Ok(())
}

/// Returns the size in bytes of a variable that is an input.
fn natural_size(scope: &Scope, class: InputClass, id: u32) -> Option<u16> {
    match class {
        InputClass::General => scope.tables.general_bytes(GeneralId(id)).and_then(|bytes| u16::try_from(bytes).ok()),
        InputClass::Sampler | InputClass::Surface => None,
    }
}

/// Parses a `.kernel_attr` directive and returns its end: the vendor's tools put the first
/// instruction on the same line.
pub(super) fn kernel_attribute(scope: &mut Scope, text: &str, at: usize) -> Result<usize, TextError> {
    let mut c = Cursor::new(text, at, scope);
    c.skip_blanks();
    let place = c.save();
    let (name, string) = attribute_name(&mut c)?;
    c.skip_blanks();
    let written = match c.take("=") && !c.at_end() {
        true => (name, string, value(&mut c)?),
        false => (name, string, AttributeValue::Flag),
    };
    let end = c.save();
    let (name, _, given) = &written;
    let bad = |list| match given {
        AttributeValue::Text(text) => attribute_code(list, text).is_none(),
        given => *given == AttributeValue::Flag,
    };
    if let Some(known) = ATTRIBUTES.iter().find(|a| a.name == name)
        && spelled(known.value, 0).is_some()
        && bad(known.value)
    {
        return Err(TextError { at: place, expected: format!("{name} with one of {}", known.value) });
    }
    let attribute = attribute(scope, &written);
    scope.tables.routine.attributes.push(attribute);
    Ok(end)
}

/// Returns an attribute; an explicit string index in the text takes precedence over its name.
fn attribute(scope: &mut Scope, (name, string, value): &Attribute) -> AttributeInfo {
    match string {
        Some(id) => AttributeInfo { name: *id, value: attribute_bytes(name, value) },
        None => scope.tables.attribute(name, value),
    }
}

/// Returns the text of a code in a list such as `0 "cm", 1 "3d"`.
pub(super) fn spelled(list: &str, code: u8) -> Option<String> {
    list.split(',').find_map(|entry| {
        let (number, name) = entry.trim().split_once(' ')?;
        (number.parse::<u8>().ok()? == code).then(|| name.trim().to_owned())
    })
}

/// Returns true if the bits of an input's kind mean a plain kernel argument.
pub(super) fn is_plain(kind: InputInfoKind) -> bool {
    kind.origin.to_bits() == Ok(0)
}
