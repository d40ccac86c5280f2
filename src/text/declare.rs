//! Parser of directives: declarations of variables, inputs and attributes of a routine under
//! construction.

use std::collections::BTreeSet;

use super::file;
use super::scope::Scope;
use super::unique::is_reserved;
use crate::builder::{AttributeValue, attribute_bytes, attribute_code};
use crate::isa::{
    ATTRIBUTES, AddressInfo, AliasScope, Alignment, AttributeInfo, DataType, GeneralId, InputClass, InputInfoKind,
    InputOrigin, LabelKind, PredicateInfo, SamplerInfo, StringId, SurfaceInfo, VarInfo, VarInfoBitProperties,
};
use crate::object::RoutineKind;
use crate::rt::{Bits, Cursor, Format, Symbols, Table, Text, TextError, meant, nearest};

/// Parses a directive other than those that begin a file or a subroutine.
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
        LABEL => label(scope, text, at),
        ".file_variable" => file::variable(scope, text, at),
        ".use_variable" | ".use_function" => file::usage(scope, word, text, at),
        ".input" | ".parameter" => input(scope, word, text, at, InputOrigin::default()),
        _ => match word.strip_prefix(IMPLICIT) {
            Some(origin) => {
                let found = InputOrigin::ALL.iter().copied().find(|o| o.text().eq_ignore_ascii_case(origin));
                match found {
                    Some(origin) => input(scope, word, text, at, origin),
                    None => Err(TextError { at: 0, expected: format!("an input origin, not `{origin}`") }),
                }
            }
            None => {
                let hint = meant(nearest(word, DIRECTIVES.iter().copied()));
                Err(TextError { at: 0, expected: format!("one of {}{hint}", DIRECTIVES.join(", ")) })
            }
        },
    }
}

/// Parses `.label NAME kind=block string=12`, the next entry of the label table. Texts in the
/// explicit style list all entries.
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
    if scope.names.label(&name, kind).is_some() {
        return Err(TextError { at: start, expected: format!("a new name: a label is already called `{name}`") });
    }
    scope.new_label(&name, string, kind);
    Ok(())
}

/// Prefix of the directive of an implicit input; the origin follows.
const IMPLICIT: &str = ".implicit_";

/// Directive of a kernel's attribute.
pub(super) const KERNEL_ATTRIBUTE: &str = ".kernel_attr";

/// Directive of an entry of the label table.
pub(super) const LABEL: &str = ".label";

/// Directives' names; `.implicit_` continues with the origin of the input.
const DIRECTIVES: &[&str] = &[
    ".version",
    ".kernel",
    ".global_function",
    ".funcdecl",
    ".decl",
    ".input",
    ".parameter",
    IMPLICIT,
    KERNEL_ATTRIBUTE,
    ".function",
    ".string",
    LABEL,
    ".file_variable",
    ".use_variable",
    ".use_function",
    ".code",
    ".file",
    ".loc",
];

/// Returns the length of the directive's name at the start of a text. The next token may follow
/// without a blank: `.inputV32`.
pub(super) fn word_len(text: &str) -> usize {
    let known = DIRECTIVES.iter().filter(|word| text.starts_with(**word)).map(|word| word.len()).max();
    let word = text[1..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).map_or(text.len(), |len| len + 1);
    known.filter(|_| !text.starts_with(IMPLICIT)).unwrap_or(word)
}

/// Returns true for the name of a directive.
pub(super) fn is_directive(word: &str) -> bool {
    match word.strip_prefix(IMPLICIT) {
        Some(origin) => InputOrigin::ALL.iter().any(|o| o.text().eq_ignore_ascii_case(origin)),
        None => DIRECTIVES.contains(&word),
    }
}

/// Operands of `.decl`, collected before the entry is made.
#[derive(Default)]
struct Decl {
    name: String,
    kind: &'static str,
    data_type: Option<DataType>,
    elements: u16,
    alignment: Alignment,
    alias: Option<Alias>,
    attributes: Vec<Attribute>,
    shown_name: Option<String>,
    string: Option<StringId>,
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

/// Parses `.decl`; the parts of a declaration have a fixed order.
fn decl(scope: &mut Scope, text: &str, at: usize) -> Result<(), TextError> {
    let mut c = Cursor::new(text, at, scope);
    c.skip_blanks();
    let start = c.save();
    let mut decl = Decl { name: c.identifier("the name of a variable")?.to_owned(), ..Decl::default() };
    if is_reserved(&decl.name) {
        c.restore(start);
        return Err(c.error(format!("the name of a variable: `{}` is a keyword", decl.name)));
    }
    c.key("v_type")?;
    let kinds = ["G", "A", "P", "S", "T"];
    let Some(kind) = kinds.into_iter().find(|kind| c.rest().starts_with(kind)) else {
        return Err(c.error("G, A, P, S or T"));
    };
    c.restore(c.save() + kind.len());
    decl.kind = kind;
    let (general, state) = (kind == "G", matches!(kind, "S" | "T"));
    if general {
        c.key("type")?;
        decl.data_type = Some(Text::parse(&mut c, Format::Plain)?);
    }
    c.key("num_elts")?;
    decl.elements = c.expression("num_elts")?;
    if general && c.take_key("align") {
        decl.alignment = alignment(&mut c)?;
    }
    if general && c.take_key("alias") {
        decl.alias = Some(alias(&mut c)?);
    }
    if state && c.take_key("v_name") {
        decl.shown_name = Some(if c.looking_at("\"") { c.quoted()? } else { c.identifier("a name")?.to_owned() });
    }
    if c.take_key("string") {
        decl.string = Some(StringId(c.number("string", Format::Plain)?));
    }
    if c.take_key("attrs") {
        decl.attributes = attributes(&mut c)?;
    }
    c.skip_blanks();
    if !c.at_end() {
        let next = if general {
            "align=, alias= or attrs="
        } else if state {
            "v_name= or attrs="
        } else {
            "attrs="
        };
        return Err(c.error(format!("{next}, in this order, or the end of the line")));
    }
    enter_decl(scope, decl, start)
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
    let bytes: u32 = c.expression("align")?;
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

fn enter_decl(scope: &mut Scope, decl: Decl, at: usize) -> Result<(), TextError> {
    let fail = |expected: &str| Err(TextError { at, expected: expected.to_owned() });
    if scope.names.is_declared(&decl.name) {
        let name = &decl.name;
        return fail(&format!(
            "a new name: `{name}` is already declared. The compiler drops the braces around \
             inline vISA: `visa compile` makes the names unique, and so does `{name}%=` in the \
             source"
        ));
    }
    let shown = decl.shown_name.as_deref().unwrap_or(&decl.name).to_owned();
    let name_index = match decl.string {
        Some(id) => id,
        None => scope.tables.intern(if matches!(decl.kind, "S" | "T") { &shown } else { &decl.name }),
    };
    let num_elements = decl.elements;
    let attribute_info = decl.attributes.iter().map(|written| attribute(scope, written)).collect();
    let base_of = decl.alias.as_ref().and_then(|(base, ..)| match base {
        Base::Name(name) => Some((scope.entry(Table::General, name)?, AliasScope::Local)),
        Base::File(number) => Some((*number, AliasScope::Global)),
    });
    let tables = &mut scope.tables;
    let (table, id) = match decl.kind {
        "G" => {
            if base_of == Some((0, AliasScope::Local)) {
                scope.null_aliases.push(tables.routine.variables.len());
            }
            let type_ = decl.data_type.unwrap_or_default();
            let (alias_index, alias_scope_specifier, alias_offset) = match (&decl.alias, base_of) {
                (Some((_, offset, _)), Some((id, scope))) => (GeneralId(id), scope, *offset),
                (Some((Base::Name(base), _, at)), None) => {
                    let expected = format!("a variable declared above, not `{base}`");
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

fn input(scope: &mut Scope, word: &str, text: &str, at: usize, origin: InputOrigin) -> Result<(), TextError> {
    let in_kernel = scope.tables.routine.kind == RoutineKind::Kernel;
    let mut c = Cursor::new(text, at, scope);
    c.skip_blanks();
    let start = c.save();
    let name = c.identifier("the name of a variable")?.to_owned();
    // An input without an offset lies at 0, as function parameters do. The vendor's printer prints
    // the offset of a function's parameters, which its assembler rejects.
    let offset = if !(word == ".parameter" && in_kernel) && c.take_key("offset") {
        Some(c.expression("offset")?)
    } else {
        None
    };
    let size = if c.take_key("size") { Some(c.expression("size")?) } else { None };
    if word == ".parameter" && size.is_none() {
        return Err(c.error("`size=`"));
    }
    // Attributes of an input have no effect on the object.
    if word != ".input" && c.take_key("attrs") {
        attributes(&mut c)?;
    }
    c.skip_blanks();
    if !c.at_end() {
        return Err(c.error("offset= or size=, in this order, or the end of the line"));
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
