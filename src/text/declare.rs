//! Parser of directives: declarations of variables, inputs and attributes of a routine under
//! construction.

use super::file;
use super::keys::{Attribute, Base, Values, argument, attribute_name, end, keys, value};
use super::scope::Scope;
use super::unique::is_reserved;
use crate::builder::{AttributeValue, attribute_bytes, attribute_code};
use crate::isa::{
    ATTRIBUTES, AddressInfo, AliasScope, AttributeInfo, DeclaredClass, GeneralId, InputClass, InputInfoKind,
    InputOrigin, PredicateInfo, SamplerInfo, StringId, SurfaceInfo, TextDirective, TextKey, VarInfo,
    VarInfoBitProperties,
};
use crate::rt::{Bits, Cursor, Symbols, Table, TextError, meant, nearest};

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
            let (string, _) = argument(&mut Cursor::new(text, at, scope), TextDirective::StringLine)?;
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
    let (name, start) = argument(&mut c, TextDirective::LabelLine)?;
    let values = keys(&mut c, TextDirective::LabelLine)?;
    c.end()?;
    let (kind, string) = (values.kind, StringId(values.number(TextKey::KeyString)?.unwrap_or_default()));
    if scope.names.label(&name, kind).is_some() {
        return Err(TextError { at: start, expected: format!("a new name: a label is already called `{name}`") });
    }
    scope.new_label(&name, string, kind);
    Ok(())
}

/// Returns true for the spelling of a directive.
pub(super) fn is_directive(name: &str) -> bool {
    match name.strip_prefix(TextDirective::ImplicitLine.text()) {
        Some(origin) => InputOrigin::ALL.iter().any(|o| o.text().eq_ignore_ascii_case(origin)),
        None => TextDirective::ALL.iter().any(|one| one.text() == name),
    }
}

/// Parses `.decl`; the keys of a declaration have a fixed order.
fn decl(scope: &mut Scope, text: &str, at: usize) -> Result<(), TextError> {
    let mut c = Cursor::new(text, at, scope);
    let (name, start) = argument(&mut c, TextDirective::DeclLine)?;
    if is_reserved(&name) {
        c.restore(start);
        return Err(c.error(format!("the name of a variable: `{name}` is a keyword")));
    }
    let mut values = keys(&mut c, TextDirective::DeclLine)?;
    let class = values.class;
    values.required(&mut c, class.required())?;
    values.optional(&mut c, class.optional())?;
    end(&mut c, class.optional())?;
    enter_decl(scope, &name, values, start)
}

fn enter_decl(scope: &mut Scope, name: &str, values: Values, at: usize) -> Result<(), TextError> {
    if scope.names.is_declared(name) {
        let expected = format!(
            "a new name: `{name}` is already declared. The compiler drops the braces around \
             inline vISA: `visa compile` makes the names unique, and so does `{name}%=` in the \
             source"
        );
        return Err(TextError { at, expected });
    }
    let name_index = match values.number(TextKey::KeyString)? {
        Some(id) => StringId(id),
        None => scope.tables.intern(values.shown_name.as_deref().unwrap_or(name)),
    };
    let num_elements = values.number(TextKey::KeyElements)?.unwrap_or_default();
    let attribute_info = values.attributes.iter().map(|written| attribute(scope, written)).collect();
    let base_of = values.alias.as_ref().and_then(|(base, ..)| match base {
        Base::Name(name) => Some((scope.entry(Table::General, name)?, AliasScope::Local)),
        Base::File(number) => Some((*number, AliasScope::Global)),
    });
    let tables = &mut scope.tables;
    let (table, id) = match values.class {
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
    let mut c = Cursor::new(text, at, scope);
    let (name, start) = argument(&mut c, directive)?;
    // An input without an offset lies at 0, as function parameters do. The vendor's printer prints
    // the offset of parameters, which its assembler rejects. Attributes of an input have no effect
    // on the object.
    let values = keys(&mut c, directive)?;
    end(&mut c, directive.optional())?;
    let given = values.number(TextKey::KeySize)?;
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
    let offset = values.number(TextKey::KeyOffset)?.unwrap_or_default();
    let natural = natural_size(scope, class, id);
    let size_key = TextKey::KeySize.text();
    let size = match (given, natural) {
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
