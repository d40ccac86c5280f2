//! Directives: declarations of variables, inputs and attributes, read into a routine that is being built.

use std::collections::BTreeSet;

use super::file;
use super::scope::Scope;
use crate::builder::{AttributeValue, attribute_bytes, attribute_code};
use crate::isa::{
    ATTRIBUTES, AddressInfo, AliasScope, Alignment, AttributeInfo, DataType, GeneralId, InputClass, InputInfoKind,
    InputOrigin, LabelKind, PredicateInfo, SamplerInfo, StringId, SurfaceInfo, VarInfo, VarInfoBitProperties,
};
use crate::rt::{Bits, Cursor, Format, Symbols, Table, Text, TextError, meant, nearest};

/// Reads a directive other than those that begin a file or a subroutine.
pub(super) fn directive(scope: &mut Scope, word: &str, text: &str, at: usize) -> Result<(), TextError> {
    match word {
        ".decl" => decl(scope, text, at),
        ".string" => {
            let mut c = Cursor::new(text, at, scope);
            c.skip_blanks();
            let string = c.quoted()?;
            scope.string(string);
            Ok(())
        }
        ".label" => label(scope, text, at),
        ".file_variable" => file::variable(scope, text, at),
        ".use_variable" | ".use_function" => file::usage(scope, word, text, at),
        ".input" | ".parameter" => input(scope, text, at, InputOrigin::default()),
        _ => match word.strip_prefix(".implicit_") {
            Some(origin) => {
                let found = InputOrigin::ALL.iter().copied().find(|o| o.text().eq_ignore_ascii_case(origin));
                match found {
                    Some(origin) => input(scope, text, at, origin),
                    None => Err(TextError { at: 0, expected: format!("an origin of an input, not `{origin}`") }),
                }
            }
            None => {
                let hint = meant(nearest(word, DIRECTIVES.iter().copied()));
                Err(TextError { at: 0, expected: format!("one of {}{hint}", DIRECTIVES.join(", ")) })
            }
        },
    }
}

/// `.label NAME kind=block string=12`: the next entry of the table, where a text says all of them.
fn label(scope: &mut Scope, text: &str, at: usize) -> Result<(), TextError> {
    let mut c = Cursor::new(text, at, scope);
    c.skip_blanks();
    let start = c.save();
    let name = c.word().ok_or_else(|| c.error("the name of a label"))?.to_owned();
    c.skip_blanks();
    c.expect("kind=")?;
    let kind: LabelKind = Text::parse(&mut c, Format::Plain)?;
    c.skip_blanks();
    c.expect("string=")?;
    let string = StringId(c.number("string", Format::Plain)?);
    if scope.names.get(Table::Label, &name).is_some() {
        return Err(TextError { at: start, expected: format!("a new name: there is a label `{name}`") });
    }
    let id = scope.tables.label(string, kind);
    scope.defined.push(false);
    scope.names.label(&name, id.0);
    Ok(())
}

/// The words that begin a directive; `.implicit_` goes on with the origin of the input.
const DIRECTIVES: &[&str] = &[
    ".version",
    ".kernel",
    ".global_function",
    ".funcdecl",
    ".decl",
    ".input",
    ".parameter",
    ".implicit_",
    ".kernel_attr",
    ".function",
    ".string",
    ".label",
    ".file_variable",
    ".use_variable",
    ".use_function",
    ".code",
    ".file",
    ".loc",
];

/// What stands behind `.decl`, collected before it is entered.
#[derive(Default)]
struct Decl {
    name: String,
    kind: String,
    data_type: Option<DataType>,
    elements: Option<u16>,
    alignment: Alignment,
    alias: Option<Alias>,
    attributes: Vec<Attribute>,
    shown_name: Option<String>,
    string: Option<StringId>,
}

/// What an alias is a part of, the offset, and where that is said.
type Alias = (Base, u16, usize);

enum Base {
    Name(String),
    /// The variable of the file with this number.
    File(u32),
}

/// An attribute as it is written: its name, the string of the pool that this is where that is said, and its value.
type Attribute = (String, Option<StringId>, AttributeValue);

fn decl(scope: &mut Scope, text: &str, at: usize) -> Result<(), TextError> {
    let mut c = Cursor::new(text, at, scope);
    c.skip_blanks();
    let start = c.save();
    let mut decl =
        Decl { name: c.word().ok_or_else(|| c.error("the name of a variable"))?.to_owned(), ..Decl::default() };
    loop {
        c.skip_blanks();
        if c.at_end() {
            break;
        }
        let key_at = c.save();
        let key = c.word().unwrap_or("");
        c.skip_blanks();
        if !(key.is_empty() || key == "alias" && c.looking_at("(")) {
            c.expect("=")?;
            c.skip_blanks();
        }
        match key {
            "v_type" => decl.kind = c.word().unwrap_or("").to_owned(),
            "v_name" => {
                let rest = c.rest();
                let len = rest.find([' ', '\t']).unwrap_or(rest.len());
                decl.shown_name = Some(rest[..len].to_owned());
                c.restore(c.save() + len);
            }
            "type" => decl.data_type = Some(Text::parse(&mut c, Format::Plain)?),
            "num_elts" => decl.elements = Some(c.expression("num_elts")?),
            "align" => decl.alignment = alignment(&mut c)?,
            "alias" => decl.alias = Some(alias(&mut c)?),
            "string" => decl.string = Some(StringId(c.number("string", Format::Plain)?)),
            "attrs" => decl.attributes = attributes(&mut c)?,
            _ => {
                c.restore(key_at);
                return Err(c.error("v_type=, type=, num_elts=, align=, alias=, attrs= or v_name="));
            }
        }
    }
    enter_decl(scope, decl, start)
}

/// The name of an alignment, one of its older spellings, or a number of bytes.
fn alignment(c: &mut Cursor<'_>) -> Result<Alignment, TextError> {
    if let Some((old, alignment)) = OLDER_ALIGNMENTS.iter().find(|(old, _)| c.rest().starts_with(old)) {
        c.restore(c.save() + old.len());
        return Ok(*alignment);
    }
    if !c.rest().starts_with(|ch: char| ch.is_ascii_digit() || "(%+-~!".contains(ch)) {
        return Text::parse(c, Format::Plain);
    }
    let start = c.save();
    let bytes: u32 = c.expression("align")?;
    // A register's bytes stand for the alignment of that many bytes, not for that of a register.
    let found = Alignment::ALL.iter().copied().find(|a| a.bytes() == Some(bytes));
    found.ok_or_else(|| {
        c.restore(start);
        let all: BTreeSet<u32> = Alignment::ALL.iter().filter_map(|a| a.bytes()).collect();
        let all: Vec<String> = all.iter().map(u32::to_string).collect();
        c.error(format!("a number of bytes, one of {}", all.join(", ")))
    })
}

/// Spellings that the assembler has dropped, and those of today.
const OLDER_ALIGNMENTS: &[(&str, Alignment)] = &[
    ("2GRF", Alignment::GrFx2),
    ("2_GRF", Alignment::GrFx2),
    ("32word", Alignment::Wordx32),
    ("64word", Alignment::Wordx64),
];

/// `<V32, 4>`, or `<global 3, 4>` for a part of variable 3 of the file.
fn alias(c: &mut Cursor<'_>) -> Result<Alias, TextError> {
    // The documents write parentheses, the tools angle brackets.
    let close = if c.take("<") {
        ">"
    } else {
        c.expect("(")?;
        ")"
    };
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
    c.skip_blanks();
    c.expect(close)?;
    Ok((base, offset, at))
}

fn attributes(c: &mut Cursor<'_>) -> Result<Vec<Attribute>, TextError> {
    c.expect("{")?;
    let mut out = Vec::new();
    loop {
        c.skip_blanks();
        if c.take("}") {
            return Ok(out);
        }
        out.push(named_value(c)?);
        c.skip_blanks();
        if !c.take(",") {
            c.expect("}")?;
            return Ok(out);
        }
    }
}

/// `Name`, `Name=16`, or with the number of its name among several that are alike `Name@12=16`.
fn named_value(c: &mut Cursor<'_>) -> Result<Attribute, TextError> {
    let name = c.word().ok_or_else(|| c.error("the name of an attribute"))?.to_owned();
    let string = if c.take("@") { Some(StringId(c.number("string", Format::Plain)?)) } else { None };
    Ok((name, string, value(c)?))
}

/// `=value`, if there is one.
fn value(c: &mut Cursor<'_>) -> Result<AttributeValue, TextError> {
    c.skip_blanks();
    if !c.take("=") {
        return Ok(AttributeValue::Flag);
    }
    c.skip_blanks();
    if c.rest().starts_with('"') {
        return Ok(AttributeValue::Text(c.quoted()?));
    }
    if c.at_end() {
        return Ok(AttributeValue::Flag);
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

fn enter_decl(scope: &mut Scope, decl: Decl, at: usize) -> Result<(), TextError> {
    let fail = |expected: &str| Err(TextError { at, expected: expected.to_owned() });
    // The assembly chapter declares samplers and surfaces without a number.
    let one = matches!(decl.kind.as_str(), "S" | "T").then_some(1);
    let Some(num_elements) = decl.elements.or(one) else { return fail("num_elts= in this declaration") };
    if scope.names.is_declared(&decl.name) {
        return fail(&format!("a new name: `{}` is already declared", decl.name));
    }
    let shown = decl.shown_name.as_deref().unwrap_or(&decl.name).to_owned();
    let name_index = match decl.string {
        Some(id) => id,
        None => scope.tables.intern(if matches!(decl.kind.as_str(), "S" | "T") { &shown } else { &decl.name }),
    };
    let attribute_info = decl.attributes.iter().map(|written| attribute(scope, written)).collect();
    let base_of = decl.alias.as_ref().and_then(|(base, ..)| match base {
        Base::Name(name) => Some((scope.entry(Table::General, name)?, AliasScope::Local)),
        Base::File(number) => Some((*number, AliasScope::Global)),
    });
    let tables = &mut scope.tables;
    let (table, id) = match decl.kind.as_str() {
        "G" => {
            let Some(type_) = decl.data_type else { return fail("type= in the declaration of a general variable") };
            let (alias_index, alias_scope_specifier, alias_offset) = match (&decl.alias, base_of) {
                (Some((_, offset, _)), Some((id, scope))) => (GeneralId(id), scope, *offset),
                (Some((Base::Name(base), _, at)), None) => {
                    let expected = format!("a variable that is declared above, not `{base}`");
                    return Err(TextError { at: *at, expected });
                }
                _ => (GeneralId(0), AliasScope::Local, 0),
            };
            let id = tables.general(VarInfo {
                name_index,
                bit_properties: VarInfoBitProperties { type_, alignment: decl.alignment },
                num_elements,
                alias_index,
                alias_offset,
                alias_scope_specifier,
                attribute_info,
            });
            (Table::General, id.0)
        }
        "A" => (Table::Address, tables.address(AddressInfo { name_index, num_elements, attribute_info }).0),
        "P" => (Table::Predicate, tables.predicate(PredicateInfo { name_index, num_elements, attribute_info }).0),
        "S" => (Table::Sampler, tables.sampler(SamplerInfo { name_index, num_elements, attribute_info }).0),
        "T" => (Table::Surface, tables.surface(SurfaceInfo { name_index, num_elements, attribute_info }).0),
        _ => return fail("v_type= with G, A, P, S or T in this declaration"),
    };
    scope.names.declare(table, &decl.name, id);
    Ok(())
}

fn input(scope: &mut Scope, text: &str, at: usize, origin: InputOrigin) -> Result<(), TextError> {
    let mut c = Cursor::new(text, at, scope);
    c.skip_blanks();
    let start = c.save();
    let name = c.word().ok_or_else(|| c.error("the name of a variable"))?.to_owned();
    // Without an offset an input lies at 0, as the parameters of functions do.
    let (mut offset, mut size) = (None, None);
    while !c.at_end() {
        c.skip_blanks();
        let key_at = c.save();
        let key = c.word().unwrap_or("");
        c.skip_blanks();
        c.expect("=")?;
        match key {
            "offset" => offset = Some(c.expression("offset")?),
            "size" => size = Some(c.expression("size")?),
            // Attributes of an input mean nothing to the object.
            "attrs" => drop(attributes(&mut c)?),
            _ => {
                c.restore(key_at);
                return Err(c.error("offset= or size="));
            }
        }
    }
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
    let offset = offset.unwrap_or(0);
    let natural = natural_size(scope, class, id);
    let size = match (size, natural) {
        (Some(size), Some(natural)) if size != natural => {
            return fail(format!("size={natural}, the size of the variable"));
        }
        (Some(size), _) => size,
        (None, Some(natural)) => natural,
        (None, None) => return fail("size= of this input".to_owned()),
    };
    scope.tables.input(class, origin, id, offset, size);
    Ok(())
}

/// Size in bytes of a variable that is an input.
fn natural_size(scope: &Scope, class: InputClass, id: u32) -> Option<u16> {
    match class {
        InputClass::General => scope.tables.general_bytes(GeneralId(id)).and_then(|bytes| u16::try_from(bytes).ok()),
        InputClass::Sampler | InputClass::Surface => None,
    }
}

/// Reads a `.kernel_attr` directive and says where it ends: the tools put the first instruction on the same line.
pub(super) fn kernel_attribute(scope: &mut Scope, text: &str, at: usize) -> Result<usize, TextError> {
    let mut c = Cursor::new(text, at, scope);
    c.skip_blanks();
    let place = c.save();
    let written = named_value(&mut c)?;
    let end = c.save();
    if let (name, _, AttributeValue::Text(text)) = &written
        && let Some(known) = ATTRIBUTES.iter().find(|a| a.name == name)
        && spelled(known.value, 0).is_some()
        && attribute_code(known.value, text).is_none()
    {
        return Err(TextError { at: place, expected: format!("{name} with one of {}", known.value) });
    }
    let attribute = attribute(scope, &written);
    scope.tables.routine.attributes.push(attribute);
    Ok(end)
}

/// An attribute whose name is the string that the text says, where it says one.
fn attribute(scope: &mut Scope, (name, string, value): &Attribute) -> AttributeInfo {
    match string {
        Some(id) => AttributeInfo { name: *id, value: attribute_bytes(name, value) },
        None => scope.tables.attribute(name, value),
    }
}

/// The text of a code in a list such as `0 "cm", 1 "3d"`.
pub(super) fn spelled(list: &str, code: u8) -> Option<String> {
    list.split(',').find_map(|entry| {
        let (number, name) = entry.trim().split_once(' ')?;
        (number.parse::<u8>().ok()? == code).then(|| name.trim().to_owned())
    })
}

/// Whether the bits of an input's kind mean a plain argument of the kernel.
pub(super) fn is_plain(kind: InputInfoKind) -> bool {
    kind.origin.to_bits() == Ok(0)
}
